// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands softmax, rms_norm and layer_norm.
#include "../PrimBuilder.h"
#include "Decompose.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// The last `axes` dimensions of `rank`.
SmallVector<int64_t> trailingDims(int64_t rank, int64_t axes) {
  return llvm::to_vector(llvm::seq<int64_t>(rank - axes, rank));
}

/// mean(x) over `dims`.
Value mean(PrimBuilder &emit, Value x, ArrayRef<int64_t> dims) {
  Value sum = emit.reduce<SumOp>(x, dims);
  return emit.map<DivOp>(sum, emit.countLike(sum, x, dims));
}

/// x * rsqrt(mean(x^2) + eps) over `dims`.
Value normalise(PrimBuilder &emit, Value x, ArrayRef<int64_t> dims,
                double eps) {
  Value meanSquare = mean(emit, emit.map<MulOp>(x, x), dims);
  Value scale = emit.map<RsqrtOp>(emit.map<AddOp>(meanSquare, eps));
  return emit.map<MulOp>(x, emit.broadcastReduced(scale, x, dims));
}

/// Applies a parameter with the shape of the trailing dimensions.
template <typename Op>
Value apply(PrimBuilder &emit, Value x, Value parameter,
            ArrayRef<int64_t> dims) {
  if (!parameter)
    return x;
  Type element = cast<RankedTensorType>(x.getType()).getElementType();
  Value wide = emit.convert(parameter, element);
  return emit.map<Op>(x, emit.broadcastTo(wide, x, dims));
}

/// softmax: exp(x - max) / sum(exp(x - max)).
struct DecomposeSoftmax : OpRewritePattern<SoftmaxOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SoftmaxOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    Type element = op.getType().getElementType();
    auto dim = static_cast<int64_t>(op.getDim());
    // The largest element is exact in the narrow type and in the wide one.
    Value x = emit.convert(op.getOperand(), PrimBuilder::computeType(element));
    Value max = emit.reduce<AmaxOp>(x, dim);
    Value shifted = emit.map<SubOp>(x, emit.broadcastReduced(max, x, dim));
    Value exp = emit.map<ExpOp>(shifted);
    Value sum = emit.reduce<SumOp>(exp, dim);
    // One division for each row instead of one for each element.
    Value inverse = emit.map<ReciprocalOp>(sum);
    Value result =
        emit.map<MulOp>(exp, emit.broadcastReduced(inverse, exp, dim));
    rewriter.replaceOp(op, emit.convert(result, element));
    return success();
  }
};

/// rms_norm: x * rsqrt(mean(x^2) + eps) * weight.
struct DecomposeRmsNorm : OpRewritePattern<RmsNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RmsNormOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    Type element = op.getType().getElementType();
    auto dims = trailingDims(op.getType().getRank(), op.getAxes());
    Value x = emit.convert(op.getOperand(), PrimBuilder::computeType(element));
    Value result = normalise(emit, x, dims, op.getEps().convertToDouble());
    result = apply<MulOp>(emit, result, op.getWeight(), dims);
    rewriter.replaceOp(op, emit.convert(result, element));
    return success();
  }
};

/// layer_norm: (x - mean) * rsqrt(var + eps) * weight + bias.
struct DecomposeLayerNorm : OpRewritePattern<LayerNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LayerNormOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    Type element = op.getType().getElementType();
    auto dims = trailingDims(op.getType().getRank(), op.getAxes());
    Value x = emit.convert(op.getOperand(), PrimBuilder::computeType(element));
    Value centre = emit.broadcastReduced(mean(emit, x, dims), x, dims);
    Value centred = emit.map<SubOp>(x, centre);
    Value result =
        normalise(emit, centred, dims, op.getEps().convertToDouble());
    result = apply<MulOp>(emit, result, op.getWeight(), dims);
    result = apply<AddOp>(emit, result, op.getBias(), dims);
    rewriter.replaceOp(op, emit.convert(result, element));
    return success();
  }
};

} // namespace

void kiln::prim::populateDecomposeNorms(RewritePatternSet &patterns,
                                        WantedFn wanted) {
  addWanted<DecomposeSoftmax, SoftmaxOp>(patterns, wanted);
  addWanted<DecomposeRmsNorm, RmsNormOp>(patterns, wanted);
  addWanted<DecomposeLayerNorm, LayerNormOp>(patterns, wanted);
}
