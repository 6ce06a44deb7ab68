//===- RecoverViews.cpp - Pointer arithmetic becomes views ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BoxConditions.h"
#include "NearExtents.h"
#include "PointerExpr.h"
#include "Polynomials.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

#include <limits>

namespace kiln::tile {
#define GEN_PASS_DEF_TILERECOVERVIEWS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln::tile;

namespace {
/// A size that no index reaches.
constexpr int64_t unbounded = std::numeric_limits<int64_t>::max() / 4;
/// How many elements before the pointer a gathered view begins: more than an
/// address space holds, so that no index of a valid element is negative. Some
/// products of numbers of 32 bits are known to be smaller by their types alone:
/// such indices need no comparison with the view. In bytes it is an i64, too.
constexpr int64_t lead = int64_t(1) << 59;

/// A view of what an access touches, and how to read it.
struct Access {
  Value view;
  SmallVector<int64_t> contiguity, divisibility; ///< hints; 0: none
  SmallVector<Value> offsets; ///< element offsets of the direct dimensions
  int64_t indirectDim = -1;
  Value indices;
};

/// Turns one access through pointers into one through a view.
class Recoverer {
public:
  Recoverer(Operation *op, Value ptr, Value mask, LaunchBounds &launch)
      : builder(op), scalars(builder, op->getLoc()), ptr(ptr), mask(mask),
        type(cast<RankedTensorType>(ptr.getType())), launch(launch) {}

  FailureOr<Access> run() {
    launch.drop();
    FailureOr<PointerExpr> expr = decompose(scalars, launch, ptr, reason, mask);
    if (failed(expr))
      return failure();
    if (!expr->base) {
      reason = "pointers without a common base";
      return failure();
    }
    FailureOr<MaskExpr> bounds =
        decomposeMask(scalars, launch, mask, type.getRank(), reason);
    if (failed(bounds))
      return failure();
    return build(*expr, *bounds);
  }

  std::string reason;
  OpBuilder builder;

private:
  FailureOr<Access> build(PointerExpr &expr, MaskExpr &bounds) {
    Access access;
    // Conditions along a dimension go into the indices of an indirect one.
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!expr.indirect[d] && !bounds.dims[d].vector)
        continue;
      if (access.indirectDim != -1)
        return buildFlat(expr);
      access.indirectDim = d;
    }
    access.contiguity = expr.contiguity;
    access.divisibility = expr.divisibility;
    int64_t rank = type.getRank();
    SmallVector<int64_t> shape(rank), strides(rank);
    SmallVector<Value> sizeOperands, strideOperands;
    IndexScalar start = expr.offset;
    for (int64_t d = 0; d < rank; ++d) {
      IndexScalar size = scalars.constant(type.getDimSize(d));
      IndexScalar stride = expr.strides[d];
      if (d == access.indirectDim) {
        IndirectDim indirect = makeIndices(expr, bounds.dims[d], d);
        access.indices = indirect.indices;
        size = scalars.constant(unbounded);
        stride = indirect.stride;
        start = scalars.sub(start, scalars.constant(indirect.lead));
      } else {
        Window window =
            bound(bounds.dims[d], type.getDimSize(d), start, stride);
        start = window.start, size = window.size;
        access.offsets.push_back(scalars.materialize(window.offset));
      }
      if (d == conditionDim(access.indirectDim, rank) && bounds.condition)
        size = scalars.select(bounds.condition, size, scalars.constant(0));
      if (auto known = getConstantIntValue(size)) {
        shape[d] = std::max<int64_t>(*known, 0);
      } else {
        shape[d] = ShapedType::kDynamic;
        sizeOperands.push_back(
            scalars.materialize(scalars.max(size, scalars.constant(0))));
      }
      if (auto known = getConstantIntValue(stride)) {
        strides[d] = *known;
      } else {
        strides[d] = ShapedType::kDynamic;
        strideOperands.push_back(scalars.materialize(stride));
      }
    }
    Location loc = scalars.loc;
    Value base = expr.base;
    Type element = cast<PtrType>(base.getType()).getElementType();
    if (access.indirectDim == -1)
      keepNear(launch, mostExtent(builder.getBlock()->getParentOp()), type,
               element, expr.strides);
    if (!isConstantIntValue(start, 0))
      base = PtrAddOp::create(builder, loc, base.getType(), base,
                              scalars.materialize(start));
    auto viewType =
        ViewType::get(builder.getContext(), shape, element, strides);
    access.view = MakeViewOp::create(builder, loc, viewType, base, sizeOperands,
                                     strideOperands);
    return access;
  }

  /// What a mask leaves of a direct dimension.
  struct Window {
    IndexScalar start;  ///< what the view begins at, over all dimensions
    IndexScalar offset; ///< of the tile in the view
    IndexScalar size;   ///< not positive where nothing is left
  };

  /// A view begins at the first element that the mask lets through. Where that
  /// is simpler to say without the tile's own begin, as for a window that
  /// slides over a whole row, the view may begin before the tile.
  Window bound(const MaskExpr::Dim &bound, int64_t tileSize, IndexScalar start,
               IndexScalar stride) {
    IndexScalar zero = scalars.constant(0), size = scalars.constant(tileSize);
    if (bound.low) {
      Polynomials sums(scalars);
      using kiln::index::Expr;
      const Expr begin = sums.read(start), low = sums.read(bound.low);
      const Expr first = begin + low * sums.read(stride);
      const Expr end = sums.read(bound.high ? bound.high : size);
      if (first.isKnown() && end.isKnown() &&
          first.getTerms().size() < begin.getTerms().size())
        return {sums.build(first), sums.build(0 - low), sums.build(end - low)};
    }
    IndexScalar low = bound.low ? scalars.max(bound.low, zero) : zero;
    if (bound.high)
      size = scalars.min(size, bound.high);
    return {scalars.add(start, scalars.mul(low, stride)),
            scalars.sub(zero, low), scalars.sub(size, low)};
  }

  /// Several indirect dimensions: elements in a row, each by an index of its
  /// own.
  Access buildFlat(const PointerExpr &expr) {
    Location loc = scalars.loc;
    Access access;
    access.indirectDim = 0;
    bool isPositive = true;
    access.indices = flatIndices(scalars, launch, expr, type, isPositive);
    auto everywhere = [&](int64_t number) -> Value {
      return arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(type.clone(builder.getI64Type()),
                                 builder.getI64IntegerAttr(number)));
    };
    IndexScalar start = expr.offset;
    if (!isPositive) {
      access.indices =
          arith::AddIOp::create(builder, loc, access.indices, everywhere(lead));
      start = scalars.sub(start, scalars.constant(lead));
    }
    if (mask)
      access.indices = arith::SelectOp::create(builder, loc, mask,
                                               access.indices, everywhere(-1));
    Value base = expr.base;
    if (!isConstantIntValue(start, 0))
      base = PtrAddOp::create(builder, loc, base.getType(), base,
                              scalars.materialize(start));
    auto viewType =
        ViewType::get(builder.getContext(), {unbounded},
                      cast<PtrType>(base.getType()).getElementType(), {1});
    access.view = MakeViewOp::create(builder, loc, viewType, base, ValueRange(),
                                     ValueRange());
    return access;
  }

  /// The dimension whose size carries the condition on everything.
  static int64_t conditionDim(int64_t indirectDim, int64_t rank) {
    return indirectDim == 0 && rank > 1 ? 1 : 0;
  }

  /// Indices along a dimension, counted in strides, and how many of them are
  /// before the pointer.
  struct IndirectDim {
    Value indices;
    IndexScalar stride;
    int64_t lead = 0;
  };

  /// The indices of a dimension, or -1 where the mask is off. Where they may be
  /// negative the view begins below all of them.
  IndirectDim makeIndices(const PointerExpr &expr, const MaskExpr::Dim &bound,
                          int64_t d) {
    Location loc = scalars.loc;
    auto vectorType =
        RankedTensorType::get({type.getDimSize(d)}, builder.getI64Type());
    auto splat = [&](IndexScalar scalar) -> Value {
      Value integer = arith::IndexCastOp::create(
          builder, loc, builder.getI64Type(), scalars.materialize(scalar));
      return SplatOp::create(builder, loc, vectorType, integer);
    };
    Value iota = IotaOp::create(builder, loc, vectorType, 0);
    Value vector = expr.indirect[d];
    bool hasStride = !isConstantIntValue(expr.strides[d], 0);
    IndirectDim result;
    if (!vector || !hasStride) {
      // Rows as they are counted, by the distance between them.
      result.stride = vector ? expr.scales[d] : expr.strides[d];
      result.indices = vector ? toI64(builder, loc, vector) : iota;
      if (vector && !launch.isNonNegative(vector) &&
          !excludesNegative(bound.vector, vector))
        result.lead = lead;
    }
    if (vector && (hasStride || result.lead)) {
      // Elements.
      result.stride = scalars.constant(1);
      result.lead = lead;
      result.indices = arith::MulIOp::create(
          builder, loc, toI64(builder, loc, vector), splat(expr.scales[d]));
      Value first = splat(scalars.constant(lead));
      if (hasStride)
        result.indices = arith::AddIOp::create(
            builder, loc, result.indices,
            arith::MulIOp::create(builder, loc, iota, splat(expr.strides[d])));
      result.indices =
          arith::AddIOp::create(builder, loc, result.indices, first);
    }
    result.indices = disable(result.indices, bound, iota, splat);
    return result;
  }

  /// Whether a condition is off where an index is less than 0.
  static bool excludesNegative(Value condition, Value index) {
    Operation *op = condition ? condition.getDefiningOp() : nullptr;
    if (auto both = dyn_cast_or_null<arith::AndIOp>(op))
      return excludesNegative(both.getLhs(), index) ||
             excludesNegative(both.getRhs(), index);
    auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
    APInt limit;
    auto plain = [](Value value) {
      while (auto wide = value.getDefiningOp<arith::ExtSIOp>())
        value = wide.getIn();
      return value;
    };
    if (!compare || plain(compare.getLhs()) != plain(index))
      return false;
    bool isConstant = matchPattern(compare.getRhs(), m_ConstantInt(&limit));
    return isConstant &&
           ((compare.getPredicate() == arith::CmpIPredicate::sge &&
             limit.isNonNegative()) ||
            (compare.getPredicate() == arith::CmpIPredicate::sgt &&
             limit.sge(-1)));
  }

  /// -1 where the mask is off.
  Value disable(Value indices, const MaskExpr::Dim &bound, Value iota,
                llvm::function_ref<Value(IndexScalar)> splat) {
    Location loc = scalars.loc;
    Value valid = bound.vector;
    auto require = [&](arith::CmpIPredicate predicate, IndexScalar limit) {
      Value holds =
          arith::CmpIOp::create(builder, loc, predicate, iota, splat(limit));
      valid =
          valid ? arith::AndIOp::create(builder, loc, valid, holds).getResult()
                : holds;
    };
    if (bound.high)
      require(arith::CmpIPredicate::slt, bound.high);
    if (bound.low)
      require(arith::CmpIPredicate::sge, bound.low);
    if (!valid)
      return indices;
    return arith::SelectOp::create(builder, loc, valid, indices,
                                   splat(scalars.constant(-1)));
  }

  ScalarBuilder scalars;
  Value ptr, mask;
  RankedTensorType type;
  LaunchBounds &launch;
};

struct TileRecoverViews
    : kiln::tile::impl::TileRecoverViewsBase<TileRecoverViews> {
  using TileRecoverViewsBase::TileRecoverViewsBase;

  void runOnOperation() override {
    closeInductions(getOperation());
    LaunchBounds bounds(getOperation(), assume);
    launch = &bounds;
    unwrapIndices(getOperation(), bounds);
    SmallVector<Operation *> accesses;
    getOperation()->walk([&](Operation *op) {
      if (isa<LoadPtrOp, StorePtrOp>(op) &&
          isa<RankedTensorType>(op->getOperand(0).getType()))
        accesses.push_back(op);
    });
    for (Operation *op : accesses) {
      if (auto load = dyn_cast<LoadPtrOp>(op))
        recover(load);
      else
        recover(cast<StorePtrOp>(op));
    }
    if (assume)
      boundBoxes(getOperation(), bounds);
    if (IntegerSetAttr conditions = bounds.conditions()) {
      getOperation().setConditionAttr(conditions);
      flagWholeNumbers(bounds);
    }
    if (assume)
      noteBoxes(getOperation());
  }

private:
  void say(Operation *op, StringRef kind, StringRef reason = "") {
    if (!report)
      return;
    InFlightDiagnostic remark = op->emitRemark() << kind;
    if (!reason.empty())
      remark << ": " << reason;
  }

  /// Tells later analyses which scalars the conditions keep from wrapping
  /// around.
  void flagWholeNumbers(LaunchBounds &bounds) {
    bounds.invalidate();
    getOperation()->walk([&](arith::ArithIntegerOverflowFlagsInterface op) {
      if (op->getNumOperands() != 2 || op.hasNoSignedWrap() ||
          !op->getResult(0).getType().isInteger() || !bounds.isWhole(op))
        return;
      op->setAttr(op.getIntegerOverflowAttrName(),
                  arith::IntegerOverflowFlagsAttr::get(
                      op->getContext(), op.getOverflowAttr().getValue() |
                                            arith::IntegerOverflowFlags::nsw));
    });
  }

  /// Hints of the access itself, else of the indices that it had.
  static void copyHints(Operation *from, const Access &access, Operation *to) {
    Builder builder(to->getContext());
    auto set = [&](StringRef name, ArrayRef<int64_t> found) {
      if (Attribute own = getFact(from, name))
        return setFact(to, name, own);
      SmallVector<int64_t> numbers;
      for (int64_t number : found)
        numbers.push_back(std::max<int64_t>(number, 1));
      if (llvm::any_of(numbers, [](int64_t number) { return number > 1; }))
        setFact(to, name, builder.getDenseI64ArrayAttr(numbers));
    };
    set(kContiguityFact, access.contiguity);
    set(kDivisibilityFact, access.divisibility);
    set(kConstancyFact, {});
  }

  void recover(LoadPtrOp op) {
    if (op.getIsVolatile())
      return say(op, "pointers", "volatile");
    OpBuilder before(op);
    Value pad;
    if (op.getOther()) {
      pad = getSplatScalar(before, op.getOther());
      if (!pad)
        return say(op, "pointers", "another value for each disabled lane");
    }
    Recoverer recoverer(op, op.getPtr(), op.getMask(), *launch);
    FailureOr<Access> access = recoverer.run();
    if (failed(access))
      return say(op, "pointers", recoverer.reason);
    launch->commit();
    OpBuilder &builder = recoverer.builder;
    Padding padding = pad ? Padding::value : Padding::any;
    Type type = op.getResult().getType();
    Value loaded;
    if (access->indirectDim == -1) {
      loaded = LoadOp::create(
          builder, op.getLoc(), type, access->view, access->offsets, pad,
          /*element_offsets=*/true, padding, DenseI64ArrayAttr(),
          /*is_volatile=*/false, op.getCache(), op.getEvict());
      say(op, "view");
    } else {
      loaded = LoadGatherOp::create(
          builder, op.getLoc(), type, access->view, access->offsets,
          access->indices, pad, access->indirectDim, padding,
          /*is_volatile=*/false, op.getCache(), op.getEvict());
      say(op, "gather");
    }
    copyHints(op, *access, loaded.getDefiningOp());
    op.getResult().replaceAllUsesWith(loaded);
    op.erase();
  }

  void recover(StorePtrOp op) {
    Recoverer recoverer(op, op.getPtr(), op.getMask(), *launch);
    FailureOr<Access> access = recoverer.run();
    if (failed(access))
      return say(op, "pointers", recoverer.reason);
    // Lanes that share an address store in some order; a view would not say so.
    auto view = cast<ViewType>(access->view.getType());
    for (int64_t d = 0; d < view.getRank(); ++d)
      if (d != access->indirectDim && view.getStrides()[d] == 0 &&
          cast<RankedTensorType>(op.getValue().getType()).getDimSize(d) != 1)
        return say(op, "pointers", "a store of several lanes to one address");
    launch->commit();
    OpBuilder &builder = recoverer.builder;
    if (access->indirectDim == -1) {
      auto store = StoreOp::create(
          builder, op.getLoc(), op.getValue(), access->view, access->offsets,
          /*element_offsets=*/true, Combine::assign, DenseI64ArrayAttr(),
          /*is_volatile=*/false, op.getCache(), op.getEvict());
      copyHints(op, *access, store);
      say(op, "view");
    } else {
      auto store = StoreScatterOp::create(
          builder, op.getLoc(), op.getValue(), access->view, access->offsets,
          access->indices, access->indirectDim, Combine::assign,
          /*is_volatile=*/false, op.getCache(), op.getEvict());
      copyHints(op, *access, store);
      say(op, "scatter");
    }
    op.erase();
  }

  LaunchBounds *launch = nullptr;
};
} // namespace
