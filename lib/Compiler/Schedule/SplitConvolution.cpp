//===- SplitConvolution.cpp - Convolutions with split-K -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SplitConvolution.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

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
  int64_t each = llvm::divideCeil(steps, std::clamp<int64_t>(parts, 1, steps));
  parts = llvm::divideCeil(steps, each);
  if (parts <= 1)
    return;
  part = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims[part].size = parts;
}

Extent SplitConvolution::flopsFor(ArrayRef<Extent> summed) const {
  Extent flops = 2;
  for (unsigned d = 0; d < group.plan.numRootDims; ++d)
    flops = flops * group.plan.sizes[d];
  for (const Extent &size : summed)
    flops = flops * size;
  return flops;
}

LogicalResult SplitConvolution::finish(Value sum, Space space,
                                       ArrayRef<int> kept, StringRef name,
                                       const Extent &flops) {
  TileBuilder epilogue(kernel, group.plan, group.inGroup(), space);
  if (part >= 0) {
    PartSums sums(group, anchor, part, space.axes.back());
    sums.kept.assign(kept.begin(), kept.end());
    sums.allocate(kernel, acc);
    epilogue.store(sum, sums.buffer, sums.map);
    last.emplace(kernel.host, kernel.loc, group.ctx.kernelName + "_parts");
    if (failed(sums.emit(*last, kernel, out)))
      return fail(sums.reason);
    if (first)
      first->finish(name);
    kernel.finish(name, flops);
    last->finish(name);
    return success();
  }
  Type to = getElementTypeOrSelf(conv.getResult());
  if (acc != to)
    sum = arith::TruncFOp::create(
        kernel.b, kernel.loc, cast<RankedTensorType>(sum.getType()).clone(to),
        sum);
  epilogue.bind(conv.getResult(), anchor.map, sum);
  Value tile = epilogue.emit(group.root, group.plan.rootMap);
  if (!tile)
    return fail(epilogue.reason);
  epilogue.store(tile, out, group.plan.rootMap);
  if (first)
    first->finish(name);
  kernel.finish(name, flops);
  return success();
}
