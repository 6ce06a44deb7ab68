//===- PadFilters.cpp - Gradients of an odd number of filters -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PadFilters.h"

using namespace mlir;
using namespace kiln;

/// Whether one filter more makes such a convolution a product. The window has
/// to be large, so that the result is small beside what is read.
static bool isWorthFilter(prim::ConvOp conv) {
  constexpr int64_t kLeastImages = 16, kLeastWindow = 4096, kLarger = 4;
  auto input = cast<RankedTensorType>(conv.getInput().getType());
  auto filter = cast<RankedTensorType>(conv.getFilter().getType());
  auto result = cast<RankedTensorType>(conv.getResult().getType());
  if (!input.hasStaticShape() || !filter.hasStaticShape() ||
      conv.getGroups() != 1 || !isa<FloatType>(filter.getElementType()))
    return false;
  int64_t filters = filter.getDimSize(0);
  bool isOdd =
      filters == 1 ||
      (filters % 2 && filter.getElementType().getIntOrFloatBitWidth() == 16);
  int64_t window = ShapedType::getNumElements(
              filter.getShape().slice(1, filter.getRank() - 2)),
          positions = ShapedType::getNumElements(
              result.getShape().slice(1, result.getRank() - 2));
  return isOdd && input.getDimSize(0) >= kLeastImages &&
         window >= kLeastWindow && window >= kLarger * positions;
}

bool kiln::padFilters(prim::ConvOp conv) {
  if (!isWorthFilter(conv))
    return false;
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  auto filter = cast<RankedTensorType>(conv.getFilter().getType());
  auto result = cast<RankedTensorType>(conv.getResult().getType());
  SmallVector<int64_t> shape(filter.getShape()), made(result.getShape());
  SmallVector<int64_t> low(shape.size(), 0), high(low), ones(shape.size(), 1);
  ++shape.front(), ++made.back(), ++high.front();
  Value padded = prim::PadOp::create(
      builder, loc, filter.clone(shape), conv.getFilter(), low, high,
      cast<TypedAttr>(builder.getZeroAttr(filter.getElementType())));
  Value all = prim::ConvOp::create(builder, loc, result.clone(made),
                                   conv.getInput(), padded, conv.getStrides(),
                                   conv.getPadLow(), conv.getPadHigh(),
                                   conv.getDilation(), conv.getInputDilation(),
                                   conv.getGroups(), conv.getPrecision());
  Value own = prim::SliceOp::create(builder, loc, result, all, low,
                                    result.getShape(), ones);
  conv.replaceAllUsesWith(own);
  conv.erase();
  return true;
}
