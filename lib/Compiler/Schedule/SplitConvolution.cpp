//===- SplitConvolution.cpp - Convolutions with split-K -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitConvolution.h"
#include "kiln/Tiling/Parts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

void SplitConvolution::abandon() {
  ConvolutionBuilder::abandon();
  if (first)
    first->abandon();
  if (last)
    last->abandon();
}

void SplitConvolution::split(int64_t steps, int64_t parts) {
  parts = tiling::partsOfSteps(steps, parts);
  if (parts <= 1)
    return;
  part = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims[part].size = parts;
}

void SplitConvolution::addCluster(int row, int column) {
  isCluster = part >= 0 &&
              addInCluster(kernel, part, row, column, group.ctx.description);
  if (isCluster)
    kernel.addGridDim(part);
}

void SplitConvolution::addParts() {
  if (part >= 0 && !isCluster)
    kernel.addGridDim(part);
}

Extent SplitConvolution::flopsFor(ArrayRef<Extent> summed) const {
  Extent flops = 2;
  for (unsigned d = 0; d < group.plan.numRootDims; ++d)
    flops = flops * group.plan.sizes[d];
  for (const Extent &size : summed)
    flops = flops * size;
  return flops;
}

LogicalResult
SplitConvolution::finish(ArrayRef<Value> made, Space space, ArrayRef<int> kept,
                         StringRef name, const Extent &flops,
                         llvm::function_ref<void(int64_t)> place) {
  Type to = getElementTypeOrSelf(conv.getResult());
  std::optional<PartSums> parts;
  if (part >= 0) {
    parts.emplace(group, anchor, part, space.axes.back());
    parts->kept.assign(kept.begin(), kept.end());
    parts->allocate(kernel, acc);
  }
  if (isCluster) {
    SmallVector<Value> shares =
        parts->exchange(kernel, space.axes.front(), made, place);
    for (auto [number, sum] : llvm::enumerate(shares)) {
      place(number);
      TileBuilder epilogue(kernel, group.plan, group.inGroup(), space);
      if (failed(parts->finish(epilogue, sum, out)))
        return fail(parts->reason);
    }
    made = {};
  }
  for (auto [number, sum] : llvm::enumerate(made)) {
    place(number);
    TileBuilder epilogue(kernel, group.plan, group.inGroup(), space);
    if (parts) {
      epilogue.store(sum, parts->buffer, parts->map);
      continue;
    }
    Value rounded = sum;
    if (acc != to)
      rounded = arith::TruncFOp::create(
          kernel.b, kernel.loc, cast<RankedTensorType>(sum.getType()).clone(to),
          sum);
    epilogue.bind(conv.getResult(), anchor.map, rounded);
    Value tile = epilogue.emit(group.root, group.plan.rootMap);
    if (!tile)
      return fail(epilogue.reason);
    epilogue.store(tile, out, group.plan.rootMap);
  }
  if (parts && !isCluster) {
    last.emplace(kernel.host, kernel.loc, group.ctx.kernelName + "_parts");
    if (failed(parts->emit(*last, kernel, out)))
      return fail(parts->reason);
  }
  if (first)
    first->finish(name);
  kernel.finish(name, flops);
  if (last)
    last->finish(name);
  return success();
}
