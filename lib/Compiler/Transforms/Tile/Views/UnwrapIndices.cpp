//===- UnwrapIndices.cpp - Indices that wrap around where nobody looks ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels keep the rows of a last block in bounds by reading other ones again
// (`row % M`, `row < M ? row : 0`, `min(row, M - 1)`) and leave out what comes
// of them where they store. Such rows need not be read: the index becomes the
// row itself, and the reads get the bound that the stores have.
//
//===----------------------------------------------------------------------===//

#include "PointerExpr.h"
#include "TileSource.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Index/Reader.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

namespace {
/// A tile that equals `row` wherever `row` is less than `limit`.
struct Wrapped {
  Value result, row;
  IndexScalar limit;
};

/// Compares scalars by what they are computed from.
class Scalars {
public:
  bool same(IndexScalar a, IndexScalar b) {
    std::optional<index::Expr> x = read(a), y = read(b);
    return x && y && x->same(*y);
  }

private:
  std::optional<index::Expr> read(IndexScalar scalar) {
    if (auto number = getConstantIntValue(scalar))
      return index::Expr(*number);
    return reader.read(cast<Value>(scalar));
  }

  llvm::MapVector<Value, unsigned> symbols;
  index::Reader reader{index::Reader::Coordinates, [this](Value value) {
                         unsigned next = symbols.size();
                         return index::Expr::symbol(
                             symbols.insert({value, next}).first->second);
                       }};
};

/// The only dimension of more than one element, or -1.
int64_t onlyDim(RankedTensorType type) {
  int64_t found = -1;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.getDimSize(d) != 1) {
      if (found >= 0)
        return -1;
      found = d;
    }
  return found;
}

/// Replaces one wrapped index.
class Unwrapper {
public:
  Unwrapper(Wrapped wrapped, Scalars &known, LaunchBounds &bounds)
      : wrapped(wrapped), known(known), launch(bounds),
        builder(wrapped.result.getContext()) {
    builder.setInsertionPointAfter(wrapped.result.getDefiningOp());
  }

  bool run() {
    auto type = cast<RankedTensorType>(wrapped.result.getType());
    int64_t dim = onlyDim(type);
    if (dim < 0)
      return false;
    // row = start + index
    index::ScalarBuilder scalars(builder, wrapped.result.getLoc());
    std::string ignored;
    FailureOr<PointerExpr> row =
        decompose(scalars, launch, wrapped.row, ignored);
    if (failed(row) || row->base || row->indirect[dim] ||
        !isConstantIntValue(row->strides[dim], 1))
      return false;
    start = row->offset;
    // A remainder keeps the sign of its row.
    if (isa<arith::RemSIOp, arith::RemUIOp>(wrapped.result.getDefiningOp()) &&
        !launch.isNonNegative(wrapped.row))
      return false;
    // Rows that never reach the limit.
    auto first = getConstantIntValue(start);
    auto limit = getConstantIntValue(wrapped.limit);
    if (first && limit && *first >= 0 &&
        *first <= *limit - type.getDimSize(dim)) {
      wrapped.result.replaceAllUsesWith(wrapped.row);
      return true;
    }
    if (!mayDiffer(wrapped.result, dim) || reads.empty())
      return false;
    bound(dim);
    return true;
  }

private:
  /// Whether the elements of a tile from row `limit` on, along `dim`, may be
  /// any: nobody stores what comes of them. Notes reads that depend on them.
  bool mayDiffer(Value value, int64_t dim) {
    if (!seen.insert({value, dim}).second)
      return true;
    return llvm::all_of(value.getUses(),
                        [&](OpOperand &use) { return mayDiffer(use, dim); });
  }

  bool mayDiffer(OpOperand &use, int64_t dim) {
    Operation *op = use.getOwner();
    if (auto yield = dyn_cast<scf::YieldOp>(op)) {
      unsigned i = use.getOperandNumber();
      auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
      if (loop)
        return mayDiffer(loop.getResult(i), dim) &&
               mayDiffer(loop.getRegionIterArg(i), dim);
      auto choice = dyn_cast<scf::IfOp>(yield->getParentOp());
      return choice && mayDiffer(choice.getResult(i), dim);
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (!llvm::is_contained(loop.getInitArgs(), use.get()))
        return false;
      BlockArgument carried = loop.getTiedLoopRegionIterArg(&use);
      return carried && mayDiffer(carried, dim) &&
             mayDiffer(loop.getTiedLoopResult(&use), dim);
    }
    if (auto load = dyn_cast<LoadPtrOp>(op)) {
      reads.insert({load, dim});
      return !load.getIsVolatile() && mayDiffer(load.getResult(), dim);
    }
    if (auto access = dyn_cast<PointerAccessOpInterface>(op))
      return access.getAccessMask() && op->use_empty() &&
             bounds(access.getAccessMask(), dim);
    if (asPointerStep(op))
      return mayDiffer(op->getResult(0), dim);
    if (!isMemoryEffectFree(op) || op->getNumRegions() > 1 ||
        (op->getNumRegions() && !isa<IndexMapOpInterface>(op)))
      return false;
    for (OpResult result : op->getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      OperandRead read = getOperandRead(use, result.getResultNumber());
      if (!type || !read)
        return false;
      auto moved = dyn_cast<AffineDimExpr>(read.map.getResult(dim));
      if (!moved || moved.getPosition() >= unsigned(type.getRank()) ||
          !mayDiffer(result, moved.getPosition()))
        return false;
    }
    return op->getNumResults() > 0;
  }

  /// Whether a mask is off along `dim` wherever the row reaches the limit.
  bool bounds(Value mask, int64_t dim) {
    Operation *op = mask.getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(mask.getType());
    if (!op || !type || dim >= type.getRank() || type.getDimSize(dim) == 1)
      return false;
    if (auto both = dyn_cast<arith::AndIOp>(op))
      return bounds(both.getLhs(), dim) || bounds(both.getRhs(), dim);
    if (std::optional<TileSource> source = findTileSource(op)) {
      auto found = llvm::find(source->dims, dim);
      return found != source->dims.end() &&
             bounds(source->value, found - source->dims.begin());
    }
    auto compare = dyn_cast<arith::CmpIOp>(op);
    if (!compare)
      return false;
    Value low = compare.getLhs(), high = compare.getRhs();
    if (compare.getPredicate() == arith::CmpIPredicate::sgt)
      std::swap(low, high);
    else if (compare.getPredicate() != arith::CmpIPredicate::slt)
      return false;
    index::ScalarBuilder scalars(builder, mask.getLoc());
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    std::string ignored;
    FailureOr<PointerExpr> x = decompose(scalars, launch, low, ignored);
    FailureOr<PointerExpr> y = decompose(scalars, launch, high, ignored);
    if (failed(x) || failed(y) || x->base || y->base || !y->isScalar() ||
        x->singleDim() != dim || x->indirect[dim] ||
        !isConstantIntValue(x->strides[dim], 1))
      return false;
    return known.same(x->offset, start) && known.same(y->offset, wrapped.limit);
  }

  /// Gives the reads the bound, and the index the row.
  void bound(int64_t dim) {
    Location loc = wrapped.result.getLoc();
    auto type = cast<RankedTensorType>(wrapped.row.getType());
    Type element = type.getElementType();
    // The limit as it was written, in the type of rows.
    index::ScalarBuilder scalars(builder, loc);
    Value limit = scalars.materialize(wrapped.limit);
    if (!element.isIndex())
      limit = arith::IndexCastOp::create(builder, loc, element, limit);
    Value end = SplatOp::create(builder, loc, type, limit);
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, wrapped.row, end);
    Value vector = toVector(builder, loc, inside);
    for (auto [load, d] : reads)
      boundRead(load, d, vector);
    wrapped.result.replaceAllUsesWith(wrapped.row);
  }

  static void boundRead(LoadPtrOp load, int64_t dim, Value inside) {
    OpBuilder b(load);
    Location loc = load.getLoc();
    auto type = cast<RankedTensorType>(load.getPtr().getType());
    Value mask = inside;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (d == dim)
        continue;
      SmallVector<int64_t> shape(
          cast<RankedTensorType>(mask.getType()).getShape());
      shape.insert(shape.begin() + d, 1);
      mask = ExpandDimsOp::create(
          b, loc, RankedTensorType::get(shape, b.getI1Type()), mask, d);
    }
    auto whole = RankedTensorType::get(type.getShape(), b.getI1Type());
    if (mask.getType() != whole)
      mask = BroadcastOp::create(b, loc, whole, mask);
    if (Value old = load.getMask())
      mask = arith::AndIOp::create(b, loc, old, mask);
    load.getMaskMutable().assign(mask);
  }

  Wrapped wrapped;
  Scalars &known;
  LaunchBounds &launch;
  OpBuilder builder;
  IndexScalar start;
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  llvm::SetVector<std::pair<LoadPtrOp, int64_t>> reads;
};

/// Reads an operation as an index that wraps around.
std::optional<Wrapped> matchWrapped(Operation *op, LaunchBounds &bounds,
                                    OpBuilder &builder) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  index::ScalarBuilder scalars(builder, op->getLoc());
  auto limitOf = [&](Value tile) -> std::optional<IndexScalar> {
    std::string ignored;
    FailureOr<PointerExpr> expr = decompose(scalars, bounds, tile, ignored);
    if (failed(expr) || expr->base || !expr->isScalar())
      return std::nullopt;
    return expr->offset;
  };
  Value result = op->getResult(0);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    auto limit = limitOf(op->getOperand(1));
    return limit ? std::optional(Wrapped{result, op->getOperand(0), *limit})
                 : std::nullopt;
  }
  if (auto least = dyn_cast<arith::MinSIOp>(op)) {
    auto last = limitOf(least.getRhs());
    if (!last)
      return std::nullopt;
    return Wrapped{result, least.getLhs(),
                   scalars.add(*last, scalars.constant(1))};
  }
  auto select = dyn_cast<arith::SelectOp>(op);
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpIOp>()
                        : arith::CmpIOp();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      compare.getLhs() != select.getTrueValue())
    return std::nullopt;
  auto limit = limitOf(compare.getRhs());
  return limit ? std::optional(Wrapped{result, compare.getLhs(), *limit})
               : std::nullopt;
}
} // namespace

void kiln::tile::unwrapIndices(Operation *root, LaunchBounds &bounds) {
  SmallVector<Operation *> candidates;
  root->walk([&](Operation *op) {
    if (isa<arith::RemSIOp, arith::RemUIOp, arith::MinSIOp, arith::SelectOp>(
            op) &&
        op->getNumResults() == 1) {
      auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
      if (type && type.getElementType().isIntOrIndex() &&
          !type.getElementType().isInteger(1) && onlyDim(type) >= 0)
        candidates.push_back(op);
    }
  });
  Scalars known;
  for (Operation *op : candidates) {
    OpBuilder builder(op);
    auto wrapped = matchWrapped(op, bounds, builder);
    if (wrapped && Unwrapper(*wrapped, known, bounds).run()) {
      bounds.commit();
      bounds.invalidate();
    }
    bounds.drop();
  }
}
