//===- PointerExpr.cpp - Tiles of pointers as affine expressions ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointerExpr.h"
#include "IndirectVectors.h"
#include "TileSource.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Interfaces/IndexMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"
#include <map>
#include <utility>

using namespace mlir;
using namespace kiln::tile;

bool PointerExpr::isScalar() const {
  return llvm::all_of(strides,
                      [](IndexScalar s) { return isConstantIntValue(s, 0); }) &&
         llvm::none_of(indirect, [](Value v) { return static_cast<bool>(v); });
}

int64_t PointerExpr::singleDim() const {
  int64_t found = -1;
  for (size_t d = 0; d < strides.size(); ++d) {
    if (isConstantIntValue(strides[d], 0) && !indirect[d])
      continue;
    if (found != -1)
      return -1;
    found = d;
  }
  return found;
}

namespace {
/// Walks up the definitions of a tile.
class Decomposer {
public:
  Decomposer(ScalarBuilder &scalars, LaunchBounds &bounds, std::string &reason)
      : scalars(scalars), bounds(bounds), reason(reason), vectors(scalars) {}

  FailureOr<PointerExpr> visit(Value value) {
    if (!isa<RankedTensorType>(value.getType()))
      return visitScalar(value);
    Operation *op = value.getDefiningOp();
    if (!op)
      return leaf(value);
    // Sums of the same sums have any number of ways to a value.
    auto key = std::make_pair(value.getAsOpaquePointer(), isModular);
    if (auto known = visited.find(key); known != visited.end()) {
      isInexact |= known->second.isInexact;
      return known->second.expr;
    }
    bool wasInexact = std::exchange(isInexact, false);
    FailureOr<PointerExpr> expr = visitOp(op, value);
    if (succeeded(expr))
      readHints(op, *expr);
    visited.emplace(key, Visited{expr, isInexact});
    isInexact |= wasInexact;
    return expr;
  }

private:
  FailureOr<PointerExpr> visitOp(Operation *op, Value value) {
    bool isRing = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op);
    if (isRing || isa<arith::IndexCastOp>(op))
      if (!(isRing && isModular) && !bounds.isExact(value)) {
        isInexact = true;
        return visitOther(value);
      }
    return TypeSwitch<Operation *, FailureOr<PointerExpr>>(op)
        .Case([&](ReshapeOp reshape) { return visitReshape(reshape); })
        .Case([&](PointerOffsetOpInterface step) {
          return step.getOffsetInElements() ? visitStep(step)
                                            : visitTile(op, value);
        })
        .Case([&](arith::AddIOp add) {
          return combine(add.getLhs(), add.getRhs(), false, value);
        })
        .Case([&](arith::SubIOp sub) {
          return combine(sub.getLhs(), sub.getRhs(), true, value);
        })
        .Case([&](arith::MulIOp mul) { return visitMul(mul); })
        .Case([&](arith::ExtSIOp ext) {
          llvm::SaveAndRestore exact(isModular, false);
          return visit(ext.getIn());
        })
        .Case([&](arith::IndexCastOp c) { return visit(c.getIn()); })
        .Case(
            [&](arith::ConstantOp constant) { return visitConstant(constant); })
        .Default([&](Operation *) { return visitTile(op, value); });
  }

  /// A tile that is made from a scalar or coordinates, or of another one.
  FailureOr<PointerExpr> visitTile(Operation *op, Value value) {
    if (Value fill = kiln::getFillValue(op))
      return visitFill(value, fill);
    if (std::optional<unsigned> dim = kiln::getCountedDim(op)) {
      PointerExpr expr = zero(rankOf(value));
      expr.strides[*dim] = scalars.constant(1);
      return expr;
    }
    if (std::optional<TileSource> source = findTileSource(op))
      return visitMoved(value, *source);
    return visitOther(value);
  }

  /// Hints about integers are about indices, those about pointers about bytes.
  static void readHints(Operation *op, PointerExpr &expr) {
    bool isPointer = isa<PtrType>(getElementTypeOrSelf(op->getResult(0)));
    auto read = [&](StringRef name, SmallVector<int64_t> &numbers) {
      if (auto hint = getFact<DenseI64ArrayAttr>(op, name))
        if (static_cast<size_t>(hint.size()) == numbers.size())
          numbers.assign(hint.asArrayRef().begin(), hint.asArrayRef().end());
    };
    read(kContiguityFact, expr.contiguity);
    if (!isPointer)
      read(kDivisibilityFact, expr.divisibility);
  }

  PointerExpr zero(int64_t rank) {
    PointerExpr expr;
    expr.offset = scalars.constant(0);
    expr.strides.assign(rank, scalars.constant(0));
    expr.indirect.assign(rank, Value());
    expr.scales.assign(rank, IndexScalar());
    expr.contiguity.assign(rank, 0);
    expr.divisibility.assign(rank, 0);
    return expr;
  }

  FailureOr<PointerExpr> visitScalar(Value value) {
    PointerExpr expr = zero(0);
    if (isa<PtrType>(value.getType()))
      expr.base = value;
    else
      expr.offset = scalars.cast(value);
    return expr;
  }

  FailureOr<PointerExpr> visitFill(Value tile, Value fill) {
    PointerExpr expr = zero(rankOf(tile));
    if (isa<PtrType>(fill.getType()))
      expr.base = fill;
    else
      expr.offset = scalars.cast(fill);
    return expr;
  }

  FailureOr<PointerExpr> visitConstant(arith::ConstantOp op) {
    auto elements = dyn_cast<DenseIntElementsAttr>(op.getValue());
    if (!elements || !elements.isSplat())
      return visitOther(op.getResult());
    PointerExpr expr = zero(rankOf(op.getResult()));
    expr.offset =
        scalars.constant(elements.getSplatValue<APInt>().getSExtValue());
    return expr;
  }

  /// Dimension `to` is what dimension `from` of the other one is.
  static void take(PointerExpr &result, int64_t to, const PointerExpr &expr,
                   int64_t from) {
    result.strides[to] = expr.strides[from];
    result.indirect[to] = expr.indirect[from];
    result.scales[to] = expr.scales[from];
    result.contiguity[to] = expr.contiguity[from];
    result.divisibility[to] = expr.divisibility[from];
  }

  /// Another tile's elements: along dimensions that it does not have, and
  /// along those that are repeated, nothing moves.
  FailureOr<PointerExpr> visitMoved(Value tile, const TileSource &source) {
    FailureOr<PointerExpr> expr = visit(source.value);
    if (failed(expr))
      return failure();
    auto from = cast<RankedTensorType>(source.value.getType());
    auto to = cast<RankedTensorType>(tile.getType());
    PointerExpr result = zero(to.getRank());
    result.base = expr->base;
    result.offset = expr->offset;
    for (auto [d, target] : llvm::enumerate(source.dims)) {
      if (from.getDimSize(d) == to.getDimSize(target))
        take(result, target, *expr, d);
      // A vector of one element repeats: read it as a scalar.
      else if (Value vector = expr->indirect[d])
        result.offset = scalars.add(
            result.offset,
            scalars.mul(scalars.cast(vectors.first(vector)), expr->scales[d]));
    }
    return result;
  }

  /// Adds or drops dimensions of size 1, or splits the only other dimension.
  FailureOr<PointerExpr> visitReshape(ReshapeOp op) {
    auto from = cast<RankedTensorType>(op.getSource().getType());
    auto to = cast<RankedTensorType>(op.getResult().getType());
    FailureOr<PointerExpr> expr = visit(op.getSource());
    if (failed(expr))
      return failure();
    auto large = [](RankedTensorType type) {
      SmallVector<int64_t> dims;
      for (int64_t d = 0; d < type.getRank(); ++d)
        if (type.getDimSize(d) != 1)
          dims.push_back(d);
      return dims;
    };
    SmallVector<int64_t> source = large(from), target = large(to);
    PointerExpr result = zero(to.getRank());
    result.base = expr->base;
    result.offset = expr->offset;
    bool same = source.size() == target.size();
    for (size_t i = 0; same && i < source.size(); ++i)
      same = from.getDimSize(source[i]) == to.getDimSize(target[i]);
    if (same) {
      for (auto [s, t] : llvm::zip(source, target)) {
        take(result, t, *expr, s);
      }
      return result;
    }
    if (source.size() == 1 && !expr->indirect[source.front()]) {
      IndexScalar stride = expr->strides[source.front()];
      for (int64_t d : llvm::reverse(target)) {
        result.strides[d] = stride;
        stride = scalars.mul(stride, scalars.constant(to.getDimSize(d)));
      }
      return result;
    }
    return fail(op, "a reshape that is not affine");
  }

  /// A pointer moved by an offset.
  FailureOr<PointerExpr> visitStep(PointerOffsetOpInterface step) {
    Value distance = step.getOffsetInElements();
    FailureOr<PointerExpr> pointer = visit(step.getBasePointers());
    if (failed(pointer))
      return failure();
    llvm::SaveAndRestore inexact(isInexact, false);
    FailureOr<PointerExpr> offset = visit(distance);
    if (isInexact) {
      FailureOr<PointerExpr> near = visitNear(distance);
      if (succeeded(near))
        offset = near;
    }
    if (failed(offset))
      return failure();
    return combine(*pointer, *offset, false, step.getOperation());
  }

  /// An offset of 32 bits as a start, which wraps around as it is computed, and
  /// distances from there that a launch keeps small. Where a distance leads
  /// out of 32 bits, the element would lie 2^30 others before or behind the
  /// pointer, outside of every buffer that the pointer is in.
  FailureOr<PointerExpr> visitNear(Value value) {
    while (auto ext = value.getDefiningOp<arith::ExtSIOp>())
      value = ext.getIn();
    auto type = cast<RankedTensorType>(value.getType());
    if (!bounds.mayAssume() || !type.getElementType().isInteger(32))
      return failure();
    llvm::SaveAndRestore modular(isModular, true);
    FailureOr<PointerExpr> expr = visit(value);
    if (failed(expr))
      return failure();
    int64_t indirect = -1;
    for (auto [d, stride] : llvm::enumerate(expr->strides)) {
      if (!bounds.isNear(stride, type.getDimSize(d) - 1))
        return failure();
      if (!expr->indirect[d])
        continue;
      if (indirect != -1)
        return failure();
      indirect = d;
    }
    if (indirect == -1)
      expr->offset = wrap(expr->offset);
    else
      wrapRows(*expr, indirect);
    return expr;
  }

  /// A whole number as one of 32 bits.
  Value wrapped(IndexScalar scalar) {
    kiln::index::ScalarBuilder narrow(scalars.builder, scalars.loc,
                                      scalars.builder.getI32Type());
    return narrow.materialize(narrow.cast(scalars.materialize(scalar)));
  }

  IndexScalar wrap(IndexScalar scalar) {
    auto number = getConstantIntValue(scalar);
    if (number && llvm::isInt<32>(*number))
      return scalar;
    return scalars.cast(wrapped(scalar));
  }

  /// Starts of rows as vectors of 32 bits that wrap around.
  void wrapRows(PointerExpr &expr, int64_t d) {
    OpBuilder &b = scalars.builder;
    Value rows = expr.indirect[d];
    auto type = cast<RankedTensorType>(rows.getType()).clone(b.getI32Type());
    if (rows.getType() != type)
      rows = vectors.resize(rows, type);
    auto splat = [&](IndexScalar scalar) {
      return SplatOp::create(b, scalars.loc, type, wrapped(scalar));
    };
    if (!isConstantIntValue(expr.scales[d], 1))
      rows = arith::MulIOp::create(b, scalars.loc, rows, splat(expr.scales[d]));
    if (!isConstantIntValue(expr.offset, 0))
      rows = arith::AddIOp::create(b, scalars.loc, rows, splat(expr.offset));
    expr.indirect[d] = rows;
    expr.scales[d] = scalars.constant(1);
    expr.offset = scalars.constant(0);
  }

  FailureOr<PointerExpr> combine(Value lhs, Value rhs, bool negate,
                                 Value whole) {
    FailureOr<PointerExpr> a = visit(lhs);
    if (failed(a))
      return failure();
    FailureOr<PointerExpr> b = visit(rhs);
    if (failed(b))
      return failure();
    // Vectors along one dimension are added as they were, in their type, which
    // is often narrower than an index. Modulo 2^32 the parts are wanted.
    if (!isModular && !isa<PtrType>(getElementTypeOrSelf(whole)) &&
        llvm::any_of(llvm::zip(a->indirect, b->indirect), [](auto both) {
          return std::get<0>(both) && std::get<1>(both);
        })) {
      std::string unused;
      std::swap(reason, unused);
      FailureOr<PointerExpr> vector = visitOther(whole);
      std::swap(reason, unused);
      if (succeeded(vector))
        return vector;
    }
    return combine(std::move(*a), *b, negate, whole.getDefiningOp());
  }

  FailureOr<PointerExpr> combine(PointerExpr sum, const PointerExpr &rhs,
                                 bool negate, Operation *whole) {
    PointerExpr *a = &sum, other = rhs, *b = &other;
    if (b->base)
      return fail(whole, "a sum of two pointers");
    int64_t rank = a->strides.size();
    a->offset = negate ? scalars.sub(a->offset, b->offset)
                       : scalars.add(a->offset, b->offset);
    for (int64_t d = 0; d < rank; ++d) {
      combineHints(*a, *b, d);
      a->strides[d] = negate ? scalars.sub(a->strides[d], b->strides[d])
                             : scalars.add(a->strides[d], b->strides[d]);
      if (!b->indirect[d])
        continue;
      if (!a->indirect[d]) {
        a->indirect[d] = b->indirect[d];
        a->scales[d] = negate ? scalars.sub(scalars.constant(0), b->scales[d])
                              : b->scales[d];
        continue;
      }
      if (a->scales[d] != b->scales[d])
        for (PointerExpr *side : {&*a, &*b}) {
          side->indirect[d] = vectors.mul(side->indirect[d], side->scales[d]);
          side->scales[d] = scalars.constant(1);
        }
      a->indirect[d] = vectors.add(a->indirect[d], b->indirect[d], negate);
    }
    return sum;
  }

  /// Hints about a dimension that only one of two summands varies along.
  static void combineHints(PointerExpr &a, const PointerExpr &b, int64_t d) {
    auto isFlat = [&](const PointerExpr &expr) {
      return isConstantIntValue(expr.strides[d], 0) && !expr.indirect[d];
    };
    bool keepsA = isFlat(b), keepsB = isFlat(a);
    int64_t contiguity = keepsA ? a.contiguity[d] : 0;
    int64_t divisibility = keepsA ? a.divisibility[d] : 0;
    if (keepsB && !contiguity)
      contiguity = b.contiguity[d];
    if (keepsB && !divisibility)
      divisibility = b.divisibility[d];
    a.contiguity[d] = contiguity;
    a.divisibility[d] = divisibility;
  }

  /// Whether a number is larger than any distance in memory, so that what is
  /// made of it wraps around even in 64 bits.
  static bool isFar(IndexScalar scalar) {
    constexpr int64_t kFarthest = int64_t(1) << 48;
    auto number = getConstantIntValue(scalar);
    return number && (*number > kFarthest || *number < -kFarthest);
  }

  FailureOr<PointerExpr> visitMul(arith::MulIOp op) {
    FailureOr<PointerExpr> a = visit(op.getLhs());
    FailureOr<PointerExpr> b = visit(op.getRhs());
    if (failed(a) || failed(b))
      return failure();
    if (a->isScalar())
      std::swap(a, b);
    if (!b->isScalar())
      return visitOther(op.getResult());
    IndexScalar factor = b->offset;
    a->offset = scalars.mul(a->offset, factor);
    for (auto [stride, vector, scale] :
         llvm::zip(a->strides, a->indirect, a->scales)) {
      stride = scalars.mul(stride, factor);
      if (vector)
        scale = scalars.mul(scale, factor);
    }
    if (isFar(a->offset) || llvm::any_of(a->strides, isFar) ||
        llvm::any_of(a->scales, isFar))
      return visitOther(op.getResult());
    return a;
  }

  /// A value that is not affine: a vector along its only dimension.
  FailureOr<PointerExpr> visitOther(Value value) {
    Operation *op = value.getDefiningOp();
    // Elementwise work on broadcast vectors is work on the vectors.
    auto type = cast<RankedTensorType>(value.getType());
    int64_t large =
        llvm::count_if(type.getShape(), [](int64_t size) { return size != 1; });
    if (large <= 1)
      return leaf(value);
    if (op && op->getNumOperands() > 0 && op->getNumResults() == 1 &&
        OpTrait::hasElementwiseMappableTraits(op))
      if (Value narrow = vectors.narrow(op))
        return leafAlong(narrow, type.getRank());
    return fail(op, "an offset that varies along several dimensions and is not "
                    "affine");
  }

  FailureOr<PointerExpr> leaf(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t dim = -1;
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.getDimSize(d) != 1) {
        if (dim != -1)
          return fail(value.getDefiningOp(),
                      "an offset that varies along several dimensions and is "
                      "not affine");
        dim = d;
      }
    if (isa<PtrType>(type.getElementType()))
      return fail(value.getDefiningOp(), "pointers without a common base");
    if (dim == -1) {
      PointerExpr expr = zero(type.getRank());
      expr.offset = scalars.cast(
          vectors.first(toVector(scalars.builder, scalars.loc, value)));
      return expr;
    }
    vectors.along = dim;
    return leafAlong(toVector(scalars.builder, scalars.loc, value),
                     type.getRank());
  }

  FailureOr<PointerExpr> leafAlong(Value vector, int64_t rank) {
    PointerExpr expr = zero(rank);
    expr.indirect[vectors.along] = vector;
    expr.scales[vectors.along] = scalars.constant(1);
    return expr;
  }

  FailureOr<PointerExpr> fail(Operation *, StringRef why) {
    reason = why.str();
    return failure();
  }

  ScalarBuilder &scalars;
  LaunchBounds &bounds;
  std::string &reason;
  IndirectVectors vectors;
  /// Sums and products count modulo 2^32: what they make is wrapped again.
  bool isModular = false;
  bool isInexact = false; ///< something was not that of whole numbers
  /// What a value is, and whether something of it was not that of whole
  /// numbers.
  struct Visited {
    FailureOr<PointerExpr> expr;
    bool isInexact;
  };
  /// By value, and whether it counts modulo 2^32.
  std::map<std::pair<const void *, bool>, Visited> visited;
};
} // namespace

FailureOr<PointerExpr> kiln::tile::decompose(ScalarBuilder &scalars,
                                             LaunchBounds &bounds, Value value,
                                             std::string &reason, Value mask) {
  bounds.examine(value, mask);
  return Decomposer(scalars, bounds, reason).visit(value);
}
