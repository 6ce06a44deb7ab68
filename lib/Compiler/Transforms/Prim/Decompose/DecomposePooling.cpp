// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expands avg_pool into sum_pool and a division by counts.
#include "../PrimBuilder.h"
#include "Decompose.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// The sum of each window divided by the number of its elements that lie inside
/// of the input.
struct DecomposeAvgPool : OpRewritePattern<AvgPoolOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AvgPoolOp op,
                                PatternRewriter &rewriter) const override {
    PrimBuilder emit(rewriter, op.getLoc());
    Type element = op.getType().getElementType();
    Value input =
        emit.convert(op.getInput(), PrimBuilder::computeType(element));
    Value sum = pool(op, rewriter, input);
    Value result = emit.map<DivOp>(sum, counts(op, emit, input, sum));
    rewriter.replaceOp(op, emit.convert(result, element));
    return success();
  }

private:
  /// More positions than this are counted at run time.
  static constexpr int64_t maxTable = 1 << 16;

  /// The sum of each window of `input`.
  static Value pool(AvgPoolOp op, OpBuilder &builder, Value input) {
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> shape(op.getType().getShape());
    shape.front() = type.getDimSize(0);
    shape.back() = type.getShape().back();
    return SumPoolOp::create(
        builder, op.getLoc(),
        RankedTensorType::get(shape, type.getElementType()), input,
        op.getWindow(), op.getStrides(), op.getPadLow(), op.getPadHigh());
  }

  /// How many elements of each window lie inside, in the shape of `sum`. They
  /// are a product over the spatial dimensions.
  static Value counts(AvgPoolOp op, PrimBuilder &emit, Value input, Value sum) {
    RankedTensorType from = op.getInput().getType(), to = op.getType();
    auto zero = [](int64_t pad) { return pad == 0; };
    Value result;
    double whole = 1;
    for (auto [i, window] : llvm::enumerate(op.getWindow())) {
      int64_t dim = i + 1;
      if (zero(op.getPadLow()[i]) && zero(op.getPadHigh()[i])) {
        whole *= static_cast<double>(window);
        continue;
      }
      if (from.isDynamicDim(dim) || to.isDynamicDim(dim) ||
          to.getDimSize(dim) > maxTable)
        return dynamicCounts(op, emit, input, sum);
      SmallVector<Attribute> values;
      Type element = cast<RankedTensorType>(sum.getType()).getElementType();
      for (int64_t p = 0; p < to.getDimSize(dim); ++p) {
        int64_t begin = p * op.getStrides()[i] - op.getPadLow()[i];
        int64_t end = std::min(begin + window, from.getDimSize(dim));
        values.push_back(FloatAttr::get(
            element, static_cast<double>(end - std::max<int64_t>(begin, 0))));
      }
      auto type = RankedTensorType::get(to.getDimSize(dim), element);
      Value line = ConstantOp::create(emit.builder, emit.loc, type,
                                      DenseElementsAttr::get(type, values));
      Value factor = emit.broadcastTo(line, sum, dim);
      result = result ? emit.map<MulOp>(result, factor) : factor;
    }
    if (!result)
      return emit.splatLike(sum, whole);
    return whole == 1 ? result : emit.map<MulOp>(result, whole);
  }

  /// Counts by pooling ones of shape [1, spatial..., 1].
  static Value dynamicCounts(AvgPoolOp op, PrimBuilder &emit, Value input,
                             Value sum) {
    auto type = cast<RankedTensorType>(input.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.front() = shape.back() = 1;
    auto onesType = RankedTensorType::get(shape, type.getElementType());
    TypedAttr one = FloatAttr::get(type.getElementType(), 1.0);
    Value ones = FullOp::create(
        emit.builder, emit.loc, onesType,
        dynamicSizes(emit.builder, emit.loc, onesType, emit.sizes(input)), one);
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    return emit.broadcastTo(pool(op, emit.builder, ones), sum, dims);
  }
};

} // namespace

void kiln::prim::populateDecomposePooling(RewritePatternSet &patterns,
                                          WantedFn wanted) {
  addWanted<DecomposeAvgPool, AvgPoolOp>(patterns, wanted);
}
