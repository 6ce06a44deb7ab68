//===- ExpandReductions.cpp - Composites, reductions, matmuls of plug-ins -===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/Composite.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/Reduction.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEEXPANDREDUCTIONS
#include "kiln/Transforms/Tile/Passes.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln;

/// Why what a reduction says of itself is no reduction of tiles; empty where it
/// is one.
static std::string whyNoReduction(ReductionOpInterface op, ValueRange sources) {
  if (sources.empty())
    return "expected at least one source of its reduction, found none";
  if (llvm::is_contained(sources, Value()))
    return "expected a value for each source of its reduction, found null";
  for (Value source : sources) {
    auto type = dyn_cast<RankedTensorType>(source.getType());
    auto first = dyn_cast<RankedTensorType>(sources[0].getType());
    if (!type || type.getShape() != first.getShape())
      return "expected sources of its reduction that are tiles of one shape";
  }
  int64_t rank = cast<RankedTensorType>(sources[0].getType()).getRank(),
          axis = op.getReducedAxis();
  if (axis < 0 || axis >= rank)
    return ("expected an axis below " + Twine(rank) + ", found " + Twine(axis))
        .str();
  return "";
}

/// A tile of as many elements gets the shape of the result.
static Value adapt(OpBuilder &b, Value value, Type wanted) {
  auto from = dyn_cast<RankedTensorType>(value.getType());
  auto to = dyn_cast<RankedTensorType>(wanted);
  if (!from || !to || from == to ||
      from.getNumElements() != to.getNumElements() ||
      from.getElementType() != to.getElementType())
    return value;
  return tile::ReshapeOp::create(b, value.getLoc(), to, value);
}

static LogicalResult expand(ReductionOpInterface op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  SmallVector<Value> sources;
  op.buildSources(b, sources);
  if (std::string reason = whyNoReduction(op, sources); !reason.empty())
    return op->emitOpError() << reason;
  int64_t axis = op.getReducedAxis();
  SmallVector<Type> types, elements;
  for (Value source : sources) {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    types.push_back(RankedTensorType::get(shape, type.getElementType()));
    elements.push_back(type.getElementType());
  }
  auto reduce = tile::ReduceOp::create(b, loc, types, sources, axis,
                                       op.isOrderedReduction());
  SmallVector<Type> arguments(elements);
  llvm::append_range(arguments, elements);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&reduce.getCombiner(), {}, arguments,
                                 SmallVector<Location>(arguments.size(), loc));
    ValueRange all = block->getArguments();
    SmallVector<Value> combined;
    op.buildCombination(b, loc, all.take_front(sources.size()),
                        all.drop_front(sources.size()), combined);
    if (llvm::is_contained(combined, Value()) ||
        ValueRange(combined).getTypes() != TypeRange(elements))
      return op->emitOpError("expected a combination of one element for each "
                             "of its sources");
    tile::YieldOp::create(b, loc, combined);
  }
  SmallVector<Value> results;
  op.buildResults(b, reduce.getResults(), results);
  if (results.size() != op->getNumResults())
    return op->emitOpError("expected ")
           << op->getNumResults() << " results of its reduction, found "
           << results.size();
  for (auto [result, type] : llvm::zip_equal(results, op->getResultTypes())) {
    if (!result)
      return op->emitOpError("expected a value for each result of its "
                             "reduction, found null");
    result = adapt(b, result, type);
    if (!tile::isSameTile(result.getType(), type))
      return op->emitOpError("expected a result of type ")
             << type << ", found its reduction to make " << result.getType();
  }
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Matmuls whose operands are in another order
//===----------------------------------------------------------------------===//

/// Returns true if `tile.dot` multiplies operands of these types.
static bool hasTypesOfDot(MatrixProductOpInterface op) {
  Type lhs = getElementTypeOrSelf(op.getLhsOperand().get()),
       rhs = getElementTypeOrSelf(op.getRhsOperand().get()),
       sum = op.getProductType().getElementType();
  unsigned width = sum.isIntOrFloat() ? sum.getIntOrFloatBitWidth() : 0;
  if (isa<FloatType>(lhs) && isa<FloatType>(rhs))
    return (sum.isF16() || sum.isBF16() || sum.isF32() || sum.isF64()) &&
           lhs.getIntOrFloatBitWidth() <= width &&
           rhs.getIntOrFloatBitWidth() <= width;
  auto isFactor = [](Type type) {
    return type.isInteger(8) || type.isInteger(16) || type.isInteger(32);
  };
  return isFactor(lhs) && isFactor(rhs) &&
         (sum.isInteger(32) || sum.isInteger(64));
}

/// Returns the shape of a matmul that code generators cannot take as it is,
/// because of the order of its operands or the lack of an accumulator, but that
/// `tile.dot` computes from transposed operands; nothing for other operations.
static std::optional<ProductShape> findTurnedProduct(Operation *op) {
  auto product = dyn_cast<MatrixProductOpInterface>(op);
  if (!product || product.getLhsScaleOperand() ||
      product.getRhsScaleOperand() || product.hasEncodedFactors() ||
      !hasTypesOfDot(product))
    return std::nullopt;
  std::optional<ProductShape> shape = getProductShape(product);
  if (!shape || (shape->isRowMajor() && product.getAccOperand()))
    return std::nullopt;
  return shape;
}

/// Returns `value` with its dimensions in the order of `from`, which names
/// dimensions of `value`, or -1 for a batch that there is not.
static Value arrange(OpBuilder &b, Location loc, Value value,
                     ArrayRef<int64_t> from) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> order, shape;
  for (int64_t dim : from)
    if (dim >= 0) {
      order.push_back(dim);
      shape.push_back(type.getDimSize(dim));
    }
  if (llvm::is_sorted(order))
    return value;
  return tile::TransposeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), value,
      order);
}

static void expand(MatrixProductOpInterface op, const ProductShape &shape) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  const SmallVector<int64_t> ofResult = {shape.resultBatch, shape.resultRow,
                                         shape.resultColumn};
  Value lhs = arrange(b, loc, op.getLhsOperand().get(),
                      {shape.lhsBatch, shape.lhsRow, shape.lhsSummed}),
        rhs = arrange(b, loc, op.getRhsOperand().get(),
                      {shape.rhsBatch, shape.rhsSummed, shape.rhsColumn}),
        acc;
  if (OpOperand *added = op.getAccOperand())
    acc = added->get();
  else
    acc = arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(b.getZeroAttr(op.getProductType())));
  Value start = arrange(b, loc, acc, ofResult);
  Value sum = tile::DotOp::create(
      b, loc, start.getType(), lhs, rhs, start,
      tile::InputPrecision(int(op.getProductPrecision())), op.isLhsUnsigned(),
      op.isRhsUnsigned(), op.getImpreciseTerms());
  // Where each dimension of the result lies in the sum.
  SmallVector<int64_t> back;
  for (int64_t d = 0, rank = op.getProductType().getRank(); d < rank; ++d)
    back.push_back(d == shape.resultBatch ? 0
                   : d == shape.resultRow ? rank - 2
                                          : rank - 1);
  op->getResult(0).replaceAllUsesWith(arrange(b, loc, sum, back));
  op->erase();
}

namespace {
struct ExpandReductions
    : tile::impl::TileExpandReductionsBase<ExpandReductions> {
  using Base::Base;

  void runOnOperation() override {
    // What a composite becomes may hold others, but not without end.
    constexpr int kDeepest = 16;
    for (int depth = 0; depth < kDeepest; ++depth) {
      SmallVector<Operation *> all = findExpanded();
      if (all.empty())
        return;
      for (Operation *op : all) {
        LogicalResult expanded = success();
        if (auto composite = dyn_cast<CompositeOpInterface>(op))
          expanded = expandComposite(composite);
        else if (auto reduction = dyn_cast<ReductionOpInterface>(op))
          expanded = expand(reduction);
        else
          expand(cast<MatrixProductOpInterface>(op), *findTurnedProduct(op));
        if (failed(expanded))
          return signalPassFailure();
      }
    }
    getOperation().emitError(
        "expected composites that expand to simpler "
        "operations, found some that expand to each other");
    signalPassFailure();
  }

private:
  SmallVector<Operation *> findExpanded() {
    SmallVector<Operation *> all;
    getOperation().walk([&](Operation *op) {
      if ((isa<CompositeOpInterface, ReductionOpInterface>(op) ||
           findTurnedProduct(op)) &&
          !llvm::is_contained(keep, op->getName().getStringRef()))
        all.push_back(op);
    });
    return all;
  }
};
} // namespace
