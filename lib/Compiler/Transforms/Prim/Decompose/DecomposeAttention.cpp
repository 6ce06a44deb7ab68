// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands attention into products and a softmax.
#include "../PrimBuilder.h"
#include "Decompose.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// softmax(query * key^T * scale + mask) * value.
struct DecomposeAttention : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    RankedTensorType query = op.getQuery().getType();
    RankedTensorType key = op.getKey().getType();
    int64_t rank = query.getRank();
    Type element = query.getElementType();
    Type wide = PrimBuilder::computeType(element);
    auto batch = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));

    SmallVector<int64_t> shape(query.getShape());
    shape.back() = key.getDimSize(rank - 2);
    Value scores = DotGeneralOp::create(
        rewriter, op.getLoc(), RankedTensorType::get(shape, wide),
        op.getQuery(), op.getKey(), batch, batch, {rank - 1}, {rank - 1},
        Precision::ieee);
    scores = emit.map<MulOp>(scores, op.getScale().convertToDouble());
    if (op.getMask())
      scores = emit.map<AddOp>(scores, emit.convert(op.getMask(), wide));
    Value weights = SoftmaxOp::create(rewriter, op.getLoc(), scores.getType(),
                                      scores, rank - 1);
    Value value = emit.convert(op.getValue(), wide);
    Value result = DotGeneralOp::create(
        rewriter, op.getLoc(), op.getType().clone(wide), weights, value, batch,
        batch, {rank - 1}, {rank - 2}, Precision::ieee);
    rewriter.replaceOp(op, emit.convert(result, element));
    return success();
  }
};

} // namespace

void kiln::prim::populateDecomposeAttention(RewritePatternSet &patterns,
                                            WantedFn wanted) {
  addWanted<DecomposeAttention, AttentionOp>(patterns, wanted);
}
