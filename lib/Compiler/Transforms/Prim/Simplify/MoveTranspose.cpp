// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves transposes towards arguments, constants and other transposes, where
// they are free or cancel.
#include "../PrimBuilder.h"
#include "Pointwise.h"
#include "Simplify.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Interfaces/Movement.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// Whether a transpose of `value` can be read as another view of memory that
/// exists, or vanishes.
bool isFreelyTransposed(Value value, int depth = 8) {
  Operation *op = value.getDefiningOp();
  auto creation = dyn_cast_or_null<CreationOpInterface>(op);
  if (!op || (creation && !creation.getCountedDim()) ||
      isa<kiln::PermutationOpInterface, kiln::RepeatOpInterface>(op))
    return true;
  return depth > 0 && isPointwise(op) && op->hasOneUse() &&
         llvm::all_of(pointwiseOperands(op), [&](Value operand) {
           return isFreelyTransposed(operand, depth - 1);
         });
}

/// transpose(f(a, b)) is f(transpose(a), transpose(b)) where those are free.
struct HoistTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    Operation *producer = op.getOperand().getDefiningOp();
    if (!isPointwise(producer) || !producer->hasOneUse() ||
        !isFreelyTransposed(op.getOperand()))
      return failure();
    SmallVector<Value> operands;
    for (Value operand : pointwiseOperands(producer)) {
      auto type = cast<RankedTensorType>(operand.getType());
      operands.push_back(TransposeOp::create(
          rewriter, op.getLoc(), op.getType().clone(type.getElementType()),
          operand, op.getPermutation()));
    }
    rewriter.replaceOp(op, rebuildPointwise(rewriter, producer, operands));
    return success();
  }
};

/// transpose(broadcast(x)) is broadcast(transpose(x)).
struct AbsorbIntoBroadcast : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getOperand().getDefiningOp<kiln::RepeatOpInterface>();
    if (!broadcast)
      return failure();
    // Where each dimension of the operand goes, in the new order.
    SmallVector<int64_t> before = broadcast.getKeptDims(), dims, permutation;
    for (auto [to, from] : llvm::enumerate(op.getPermutation())) {
      const int64_t *found = llvm::find(before, from);
      if (found == before.end())
        continue;
      dims.push_back(to);
      permutation.push_back(found - before.begin());
    }
    PrimBuilder emit(rewriter, op.getLoc());
    SmallVector<OpFoldResult> sizes = reifyResultShape(rewriter, op);
    Value operand = emit.transpose(broadcast.getMoved(), permutation);
    rewriter.replaceOpWithNewOp<BroadcastInDimOp>(
        op, op.getType(), operand,
        dynamicSizes(rewriter, op.getLoc(), op.getType(), sizes), dims);
    return success();
  }
};

/// transpose(full) is full.
struct TransposeOfFull : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto full = op.getOperand().getDefiningOp<FullOp>();
    if (!full)
      return failure();
    SmallVector<OpFoldResult> sizes = reifyResultShape(rewriter, op);
    rewriter.replaceOpWithNewOp<FullOp>(
        op, op.getType(),
        dynamicSizes(rewriter, op.getLoc(), op.getType(), sizes),
        full.getValue());
    return success();
  }
};

} // namespace

void kiln::prim::populateMoveTransposePatterns(RewritePatternSet &patterns) {
  patterns.add<HoistTranspose, AbsorbIntoBroadcast, TransposeOfFull>(
      patterns.getContext());
}
