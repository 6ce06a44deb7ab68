// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recovers softmax, rms_norm and layer_norm.
#include "../Match.h"
#include "../PrimBuilder.h"
#include "Raise.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether `dims` are the last ones of `rank`.
bool areTrailing(ArrayRef<int64_t> dims, int64_t rank) {
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  for (auto [i, dim] : llvm::enumerate(sorted))
    if (dim != rank - static_cast<int64_t>(dims.size() - i))
      return false;
  return !dims.empty();
}

/// The operand of softmax along `dim` if `exp` is exp(x - max(x)), else null.
Value matchShiftedExp(Value value, int64_t dim) {
  auto exp = match::def<ExpOp>(value);
  auto shifted = exp ? match::def<SubOp>(exp.getOperand()) : SubOp();
  if (!shifted)
    return {};
  SmallVector<int64_t> dims;
  auto max =
      match::reduction<AmaxOp>(match::throughShape(shifted.getRhs()), dims);
  if (!max || max.getOperand() != shifted.getLhs() ||
      ArrayRef(dims) != ArrayRef(dim))
    return {};
  return shifted.getLhs();
}

/// Replaces `op` by a softmax if `row` is the sum of `numerator` along one
/// dimension and the numerator is exp(x - max(x)).
LogicalResult raiseSoftmax(Operation *op, Value numerator, match::Row row,
                           PatternRewriter &rewriter) {
  SmallVector<int64_t> dims;
  auto sum = match::reduction<SumOp>(row, dims);
  if (!sum || sum.getOperand() != numerator || dims.size() != 1)
    return failure();
  Value x = matchShiftedExp(numerator, dims.front());
  if (!x)
    return failure();
  rewriter.replaceOpWithNewOp<SoftmaxOp>(op, x.getType(), x, dims.front());
  return success();
}

/// exp(x - max) / sum(exp(x - max)) is softmax(x).
struct RaiseSoftmaxDiv : OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    return raiseSoftmax(op, op.getLhs(), match::throughShape(op.getRhs()),
                        rewriter);
  }
};

/// The same as a product with the reciprocal of the sum.
struct RaiseSoftmaxMul : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [numerator, factor] : {std::pair(op.getLhs(), op.getRhs()),
                                     std::pair(op.getRhs(), op.getLhs())}) {
      match::Row row = match::throughShape(factor);
      auto reciprocal = match::def<ReciprocalOp>(row.value);
      if (!reciprocal)
        continue;
      row = match::throughShape({reciprocal.getOperand(), row.dims});
      if (succeeded(raiseSoftmax(op, numerator, row, rewriter)))
        return success();
    }
    return failure();
  }
};

/// The operand of 1 / sqrt, in its usual forms, as a row.
std::optional<match::Row> matchRsqrt(match::Row row) {
  if (auto rsqrt = match::def<RsqrtOp>(row.value))
    return match::throughShape({rsqrt.getOperand(), row.dims});
  if (auto power = match::def<PowOp>(row.value))
    if (match::splat(power.getRhs()) == -0.5)
      return match::throughShape({power.getLhs(), row.dims});
  auto reciprocal = match::def<ReciprocalOp>(row.value);
  if (!reciprocal)
    return std::nullopt;
  row = match::throughShape({reciprocal.getOperand(), row.dims});
  if (auto root = match::def<SqrtOp>(row.value))
    return match::throughShape({root.getOperand(), row.dims});
  return std::nullopt;
}

/// Whether `value` is x * x.
bool isSquare(Value value, Value x) {
  if (auto product = match::def<MulOp>(value))
    return product.getLhs() == x && product.getRhs() == x;
  auto power = match::def<PowOp>(value);
  return power && power.getLhs() == x && match::splat(power.getRhs()) == 2.0;
}

/// x * rsqrt(mean(x * x) + eps) is rms_norm(x) over trailing dimensions.
struct RaiseRmsNorm : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<FloatType>(op.getType().getElementType()))
      return failure();
    for (auto [x, factor] : {std::pair(op.getLhs(), op.getRhs()),
                             std::pair(op.getRhs(), op.getLhs())}) {
      auto row = matchRsqrt(match::throughShape(factor));
      auto sum = row ? match::withSplat<AddOp>(row->value) : std::nullopt;
      if (!sum || sum->second < 0)
        continue;
      auto mean = match::meanOf(match::throughShape({sum->first, row->dims}));
      if (!mean)
        continue;
      SmallVector<int64_t> dims;
      auto squares = match::reduction<SumOp>(*mean, dims);
      if (!squares || !isSquare(squares.getOperand(), x) ||
          !areTrailing(dims, op.getType().getRank()))
        continue;
      rewriter.replaceOpWithNewOp<RmsNormOp>(op, op.getType(), x, Value(),
                                             dims.size(), APFloat(sum->second));
      return success();
    }
    return failure();
  }
};

/// rms_norm(x - mean(x)) is layer_norm(x).
struct RaiseLayerNorm : OpRewritePattern<RmsNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RmsNormOp op,
                                PatternRewriter &rewriter) const override {
    auto centred = match::def<SubOp>(op.getOperand());
    auto mean = centred ? match::meanOf(match::throughShape(centred.getRhs()))
                        : std::nullopt;
    if (!mean)
      return failure();
    SmallVector<int64_t> dims;
    auto sum = match::reduction<SumOp>(*mean, dims);
    if (!sum || sum.getOperand() != centred.getLhs() ||
        dims.size() != op.getAxes() ||
        !areTrailing(dims, op.getType().getRank()))
      return failure();
    rewriter.replaceOpWithNewOp<LayerNormOp>(op, op.getType(), centred.getLhs(),
                                             op.getWeight(), Value(),
                                             op.getAxes(), op.getEps());
    return success();
  }
};

/// The tensor with the shape of the trailing `axes` dimensions that `value`
/// repeats, or null. Makes a reshape if dimensions of size 1 are in the way.
Value matchParameter(Value value, int64_t axes, OpBuilder &builder,
                     Location loc) {
  match::Row row = match::throughShape(value);
  RankedTensorType type = typeOf(value);
  int64_t first = type.getRank() - axes;
  SmallVector<int64_t> found;
  for (int64_t dim : row.dims)
    if (dim >= 0)
      found.push_back(dim);
  // Each trailing dimension that is not 1 has to be there, and no other.
  SmallVector<int64_t> expected;
  for (int64_t dim = first; dim < type.getRank(); ++dim)
    if (type.getDimSize(dim) != 1)
      expected.push_back(dim);
  RankedTensorType source = typeOf(row.value);
  auto shape = type.getShape().take_back(axes);
  if (row.value == value || found != expected)
    return {};
  if (source.getShape() == shape)
    return row.value;
  if (!source.hasStaticShape() || ShapedType::isDynamicShape(shape))
    return {};
  return ReshapeOp::create(builder, loc, source.clone(shape), row.value,
                           ValueRange());
}

/// norm(x) * weight takes the weight in.
template <typename Norm> struct RaiseWeight : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [operand, factor] : {std::pair(op.getLhs(), op.getRhs()),
                                   std::pair(op.getRhs(), op.getLhs())}) {
      auto norm = match::def<Norm>(operand);
      if (!norm || norm.getWeight() || !norm->hasOneUse())
        continue;
      Value weight =
          matchParameter(factor, norm.getAxes(), rewriter, op.getLoc());
      if (!weight)
        continue;
      rewriter.modifyOpInPlace(norm,
                               [&] { norm.getWeightMutable().assign(weight); });
      // The weight may be defined behind the norm.
      rewriter.moveOpBefore(norm, op);
      rewriter.replaceOp(op, norm);
      return success();
    }
    return failure();
  }
};

/// layer_norm(x) + bias takes the bias in.
struct RaiseBias : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [operand, addend] : {std::pair(op.getLhs(), op.getRhs()),
                                   std::pair(op.getRhs(), op.getLhs())}) {
      auto norm = match::def<LayerNormOp>(operand);
      if (!norm || !norm.getWeight() || norm.getBias() || !norm->hasOneUse())
        continue;
      Value bias =
          matchParameter(addend, norm.getAxes(), rewriter, op.getLoc());
      if (!bias)
        continue;
      rewriter.modifyOpInPlace(norm,
                               [&] { norm.getBiasMutable().assign(bias); });
      rewriter.moveOpBefore(norm, op);
      rewriter.replaceOp(op, norm);
      return success();
    }
    return failure();
  }
};

} // namespace

void kiln::prim::populateRaiseNorms(RewritePatternSet &patterns) {
  patterns.add<RaiseSoftmaxDiv, RaiseSoftmaxMul, RaiseRmsNorm, RaiseLayerNorm,
               RaiseWeight<RmsNormOp>, RaiseWeight<LayerNormOp>, RaiseBias>(
      patterns.getContext());
}
