// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands sorts into the permutation that sorts, and gathers by it.
#include "../PrimBuilder.h"
#include "Decompose.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Dimension `dim` comes last; its own inverse.
SmallVector<int64_t> swapLast(int64_t rank, int64_t dim) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[dim], order[rank - 1]);
  return order;
}

/// The elements along `dim` that `order` names, for each point of the others.
Value takeAlong(PrimBuilder &emit, Value operand, Value order, int64_t dim) {
  int64_t rank = typeOf(operand).getRank();
  SmallVector<int64_t> swap = swapLast(rank, dim);
  Value from = emit.transpose(operand, swap);
  Value by = emit.transpose(order, swap);
  auto type = RankedTensorType::get(typeOf(by).getShape(),
                                    typeOf(operand).getElementType());
  Value taken = GatherOp::create(emit.builder, emit.loc, type, from, by,
                                 rank - 1, rank - 1);
  return emit.transpose(taken, swap);
}

/// A permutation in i32.
Value argsort(PrimBuilder &emit, ValueRange keys, int64_t dim, bool descending,
              bool totalOrder, bool isUnsigned) {
  auto type = typeOf(keys.front()).clone(emit.builder.getI32Type());
  // Small floats are in the order of their values.
  auto wide = llvm::map_to_vector(keys, [&](Value key) {
    return isSmallFloat(key.getType())
               ? emit.convert(key, emit.builder.getF32Type())
               : key;
  });
  return ArgsortOp::create(emit.builder, emit.loc, type, wide, dim, descending,
                           totalOrder, isUnsigned);
}

struct DecomposeSort : OpRewritePattern<SortOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SortOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    Value order =
        argsort(emit, op.getOperands().take_front(op.getKeys()), op.getDim(),
                op.getDescending(), op.getTotalOrder(), op.getUnsignedOrder());
    SmallVector<Value> results;
    for (Value operand : op.getOperands())
      results.push_back(takeAlong(emit, operand, order, op.getDim()));
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct DecomposeTopK : OpRewritePattern<TopKOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TopKOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    int64_t dim = op.getDim(), rank = op.getOperand().getType().getRank();
    Value order = argsort(emit, op.getOperand(), dim, !op.getSmallest(),
                          /*totalOrder=*/false, op.getUnsignedOrder());
    SmallVector<int64_t> starts(rank, 0), limits(rank, -1), steps(rank, 1);
    limits[dim] = op.getK();
    SmallVector<int64_t> shape(op.getOperand().getType().getShape());
    shape[dim] = op.getK();
    Value best =
        SliceOp::create(rewriter, op.getLoc(),
                        RankedTensorType::get(shape, rewriter.getI32Type()),
                        order, starts, limits, steps);
    Value values = takeAlong(emit, op.getOperand(), best, dim);
    rewriter.replaceOp(
        op, {values,
             emit.convert(best, op.getIndices().getType().getElementType())});
    return success();
  }
};

} // namespace

void kiln::prim::populateDecomposeSort(RewritePatternSet &patterns,
                                       WantedFn wanted) {
  addWanted<DecomposeSort, SortOp>(patterns, wanted);
  addWanted<DecomposeTopK, TopKOp>(patterns, wanted);
}
