// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products and convolutions that sum no element are zeros: what follows them
// needs no kernel that loads from an empty tensor.
#include "../PrimBuilder.h"
#include "Simplify.h"

using namespace mlir;
using namespace kiln::prim;

namespace {

/// Whether a product sums over a dimension of size 0.
bool sumsNothing(DotGeneralOp op) {
  return llvm::any_of(op.getLhsContract(), [&](int64_t dim) {
    return op.getLhs().getType().getDimSize(dim) == 0;
  });
}

/// Whether a window has no element, or no channel.
bool sumsNothing(ConvOp op) {
  return llvm::is_contained(op.getFilter().getType().getShape().drop_front(),
                            0);
}

/// f(nothing) is zero.
template <typename Op> struct EmptySum : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    if (!sumsNothing(op) || !isa<IntegerType, FloatType>(element))
      return failure();
    SmallVector<OpFoldResult> sizes = reifyResultShape(rewriter, op);
    rewriter.replaceOpWithNewOp<FullOp>(
        op, type, dynamicSizes(rewriter, op.getLoc(), type, sizes),
        cast<TypedAttr>(rewriter.getZeroAttr(element)));
    return success();
  }
};

} // namespace

void kiln::prim::populateEmptySumPatterns(RewritePatternSet &patterns) {
  patterns.add<EmptySum<DotGeneralOp>, EmptySum<ConvOp>>(patterns.getContext());
}
