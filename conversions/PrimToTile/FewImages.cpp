//===- FewImages.cpp - Gradients of filters for one image -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FewImages.h"

using namespace mlir;
using namespace kiln;

/// Whether there is one channel to sum over, few images fill no block of a
/// product, but the window does, and patches of the input are no large copy.
static bool hasFewImages(prim::ConvOp conv) {
  constexpr int64_t kLeast = 16, kLeastWindow = 4096, kMostPositions = 64;
  auto input = cast<RankedTensorType>(conv.getInput().getType());
  auto filter = cast<RankedTensorType>(conv.getFilter().getType());
  auto result = cast<RankedTensorType>(conv.getResult().getType());
  if (!input.hasStaticShape() || !filter.hasStaticShape() ||
      !result.hasStaticShape() || conv.getGroups() != 1 ||
      !isa<FloatType>(filter.getElementType()) ||
      llvm::any_of(conv.getInputDilation(), [](int64_t d) { return d != 1; }))
    return false;
  int64_t window = ShapedType::getNumElements(
              filter.getShape().slice(1, filter.getRank() - 2)),
          positions = ShapedType::getNumElements(
              result.getShape().slice(1, result.getRank() - 2));
  return input.getDimSize(0) < kLeast && input.getShape().back() == 1 &&
         window >= kLeastWindow && positions <= kMostPositions;
}

bool kiln::multiplyPatches(prim::ConvOp conv) {
  if (!hasFewImages(conv))
    return false;
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  auto input = cast<RankedTensorType>(conv.getInput().getType());
  auto filter = cast<RankedTensorType>(conv.getFilter().getType());
  auto result = cast<RankedTensorType>(conv.getResult().getType());
  unsigned rank = input.getRank(), spatial = rank - 2;
  SmallVector<int64_t> low(rank, 0), high(low), steps(rank, 1);
  SmallVector<int64_t> shape(input.getShape());
  for (unsigned d = 0; d < spatial; ++d) {
    low[d + 1] = conv.getPadLow()[d], high[d + 1] = conv.getPadHigh()[d];
    shape[d + 1] += low[d + 1] + high[d + 1];
    steps[d + 1] = conv.getDilation()[d];
  }
  Value around = prim::PadOp::create(
      builder, loc, input.clone(shape), conv.getInput(), low, high,
      cast<TypedAttr>(builder.getZeroAttr(input.getElementType())));

  // Of each position its patch, as one line: the window and the channels.
  int64_t images = input.getDimSize(0), filters = filter.getDimSize(0);
  int64_t depth = filter.getNumElements() / std::max<int64_t>(filters, 1);
  ArrayRef<int64_t> places = result.getShape().slice(1, spatial);
  int64_t positions = ShapedType::getNumElements(places);
  SmallVector<int64_t> patch(filter.getShape());
  patch.front() = images;
  SmallVector<Value> lines;
  for (int64_t number = 0; number < positions; ++number) {
    SmallVector<int64_t> starts(rank, 0), limits(shape);
    int64_t rest = number;
    for (unsigned d = spatial; d-- > 0; rest /= places[d]) {
      starts[d + 1] = rest % places[d] * conv.getStrides()[d];
      limits[d + 1] = starts[d + 1] + (patch[d + 1] - 1) * steps[d + 1] + 1;
    }
    Value read = prim::SliceOp::create(builder, loc, input.clone(patch), around,
                                       starts, limits, steps);
    lines.push_back(prim::ReshapeOp::create(
        builder, loc, input.clone({images, 1, depth}), read));
  }
  Value all = lines.front();
  if (lines.size() > 1)
    all = prim::CatOp::create(builder, loc,
                              input.clone({images, positions, depth}), lines,
                              /*dim=*/1);
  all = prim::ReshapeOp::create(builder, loc,
                                input.clone({images * positions, depth}), all);
  Value weights = prim::ReshapeOp::create(
      builder, loc, filter.clone({filters, depth}), conv.getFilter());
  Value sums = prim::DotGeneralOp::create(
      builder, loc, result.clone({images * positions, filters}), all, weights,
      ArrayRef<int64_t>(), ArrayRef<int64_t>(), ArrayRef<int64_t>{1},
      ArrayRef<int64_t>{1}, conv.getPrecision());
  conv.replaceAllUsesWith(
      prim::ReshapeOp::create(builder, loc, result, sums).getResult());
  conv.erase();
  return true;
}
