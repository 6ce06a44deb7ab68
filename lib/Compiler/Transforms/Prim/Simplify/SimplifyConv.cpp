// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simplifies prim.conv: windows of one element, and those with one place in the
// input, become matmuls, and padded inputs become padding of the convolution.
#include "../PrimBuilder.h"
#include "Simplify.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Transforms/Prim/Convolutions.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

bool all(ArrayRef<int64_t> values, int64_t expected) {
  return llvm::all_of(values, [&](int64_t value) { return value == expected; });
}

/// Rewrites a convolution with a window of one element to a matmul.
struct PointwiseConv : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = op.getInput().getType();
    if (!isPointwise(op))
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    auto sizes = emit.sizes(op.getFilter());
    Value matrix = emit.reshape(op.getFilter(), {sizes.front(), sizes.back()});
    rewriter.replaceOpWithNewOp<DotGeneralOp>(
        op, op.getType(), op.getInput(), matrix, ArrayRef<int64_t>(),
        ArrayRef<int64_t>(), ArrayRef<int64_t>(input.getRank() - 1),
        ArrayRef<int64_t>(1), op.getPrecision());
    return success();
  }
};

/// Rewrites a convolution whose window has one place in the input to a matmul,
/// which sums over the window and the channels. The gradient of the filter of a
/// pointwise convolution is one: its window is all positions of an image.
struct OnePlaceConv : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType input = op.getInput().getType(),
                     filter = op.getFilter().getType(),
                     result = cast<RankedTensorType>(op.getType());
    auto spatial = [](RankedTensorType type) {
      return type.getShape().drop_front().drop_back();
    };
    if (op.getGroups() != 1 || !all(spatial(result), 1) ||
        !all(op.getPadLow(), 0) || !all(op.getPadHigh(), 0) ||
        !all(op.getInputDilation(), 1) ||
        ShapedType::isDynamicShape(spatial(input)) ||
        ShapedType::isDynamicShape(spatial(filter)) ||
        llvm::is_contained(spatial(filter), 0))
      return failure();
    PrimBuilder emit(rewriter, op.getLoc());
    SmallVector<int64_t> summed =
        llvm::to_vector(llvm::seq<int64_t>(1, input.getRank()));
    auto product = DotGeneralOp::create(
        rewriter, op.getLoc(),
        RankedTensorType::get(
            {result.getShape().front(), result.getShape().back()},
            result.getElementType()),
        placeOf(op, rewriter), op.getFilter(), ArrayRef<int64_t>(),
        ArrayRef<int64_t>(), summed, summed, op.getPrecision());
    SmallVector<OpFoldResult> sizes = emit.sizes(product),
                              shape(input.getRank(), rewriter.getIndexAttr(1));
    shape.front() = sizes.front();
    shape.back() = sizes.back();
    rewriter.replaceOp(op, emit.reshape(product, op.getType(), shape));
    return success();
  }

private:
  /// The elements of the input that the window reads: in the order that they
  /// have in memory, if the input is transposed.
  static Value placeOf(ConvOp op, PatternRewriter &rewriter) {
    RankedTensorType filter = op.getFilter().getType();
    auto transpose =
        op.getInput().getDefiningOp<kiln::PermutationOpInterface>();
    Value source = transpose ? transpose.getMoved() : Value(op.getInput());
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> starts(type.getRank(), 0), steps(type.getRank(), 1),
        ends(type.getRank(), -1), shape(type.getShape());
    for (auto [d, apart] : llvm::enumerate(op.getDilation())) {
      int64_t from = transpose ? transpose.getPermutation()[d + 1] : d + 1;
      shape[from] = filter.getDimSize(d + 1);
      ends[from] = (shape[from] - 1) * apart + 1;
      steps[from] = shape[from] == 1 ? 1 : apart;
    }
    if (shape == type.getShape())
      return op.getInput();
    Value part = SliceOp::create(rewriter, op.getLoc(), type.clone(shape),
                                 source, starts, ends, steps);
    return transpose ? PrimBuilder(rewriter, op.getLoc())
                           .transpose(part, transpose.getPermutation())
                     : part;
  }
};

/// Folds a zero-padding `prim.pad` of the input into the convolution's own
/// padding, also through a transpose between the two.
struct ConvOfPad : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose =
        op.getInput().getDefiningOp<kiln::PermutationOpInterface>();
    Value padded = transpose ? transpose.getMoved() : Value(op.getInput());
    auto pad = padded.getDefiningOp<kiln::PaddingOpInterface>();
    if (!pad || !isZero(pad.getPadding()) || !all(op.getInputDilation(), 1))
      return failure();
    SmallVector<int64_t> low(pad.getLow()), high(pad.getHigh());
    if (transpose)
      for (auto [d, source] : llvm::enumerate(transpose.getPermutation())) {
        low[d] = pad.getLow()[source];
        high[d] = pad.getHigh()[source];
      }
    if (low.front() != 0 || high.front() != 0 || low.back() != 0 ||
        high.back() != 0)
      return failure();
    SmallVector<int64_t> padLow(op.getPadLow()), padHigh(op.getPadHigh());
    for (size_t i = 0; i < padLow.size(); ++i) {
      auto left = llvm::checkedAdd(padLow[i], low[i + 1]);
      auto right = llvm::checkedAdd(padHigh[i], high[i + 1]);
      if (!left || !right)
        return failure();
      padLow[i] = *left;
      padHigh[i] = *right;
    }
    Value input = pad.getMoved();
    if (transpose)
      input = PrimBuilder(rewriter, transpose.getLoc())
                  .transpose(input, transpose.getPermutation());
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputMutable().assign(input);
      op.setPadLow(padLow);
      op.setPadHigh(padHigh);
    });
    return success();
  }

private:
  static bool isZero(Attribute value) {
    if (auto real = dyn_cast<FloatAttr>(value))
      return real.getValue().isZero();
    return cast<IntegerAttr>(value).getValue().isZero();
  }
};

} // namespace

bool kiln::prim::isPointwise(ConvOp op) {
  return op.getGroups() == 1 && all(op.getStrides(), 1) &&
         all(op.getPadLow(), 0) && all(op.getPadHigh(), 0) &&
         all(op.getInputDilation(), 1) &&
         all(op.getFilter().getType().getShape().drop_front().drop_back(), 1);
}

void kiln::prim::populateSimplifyConvPatterns(RewritePatternSet &patterns) {
  patterns.add<PointwiseConv, OnePlaceConv, ConvOfPad>(patterns.getContext());
}
