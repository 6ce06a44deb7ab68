//===- NearExtents.cpp - Launches whose views are small -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NearExtents.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

int64_t tile::mostExtent(Operation *op) {
  target::TargetAttr description = target::getDescription(op);
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto most = extra ? extra.getAs<IntegerAttr>("most_extent") : IntegerAttr();
  return most ? most.getInt() : 0;
}

void tile::keepNear(LaunchBounds &launch, int64_t most, RankedTensorType tile,
                    Type element, ArrayRef<OpFoldResult> strides) {
  if (!most || !launch.mayAssume() || !element.isIntOrFloat())
    return;
  // Elements behind the first one.
  int64_t room = most / llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  SmallVector<std::pair<OpFoldResult, int64_t>> scalars;
  for (auto [d, stride] : llvm::enumerate(strides)) {
    int64_t steps = tile.getDimSize(d) - 1;
    std::optional<int64_t> known = getConstantIntValue(stride);
    if (!known && steps)
      scalars.push_back({stride, steps});
    else if (known && *known < 0)
      return;
    else if (known && steps && *known > room / steps)
      return;
    else if (known)
      room -= steps * *known;
  }
  if (scalars.empty() || room <= 1)
    return;
  // Conditions compare with less than 2^30: LaunchBounds wants room.
  int64_t each = (room - 1) / int64_t(scalars.size());
  launch.areWithin(scalars, std::min(each, (int64_t(1) << 30) - 1));
}
