//===- ShortLines.cpp - Reductions along pieces of lines ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statistics of groups of channels, where channels lie innermost in memory:
//
//   result[image, group] = sum over place and channel of
//       x[image, place, group, channel]
//
// A group has a piece of each line. Tiles of whole lines are read instead: the
// first kernel adds up places and keeps all channels, and the second one adds
// up the parts of the first and the channels of a group.
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"
#include "kiln/Target/Limits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

void Reducer::findShortLines(const llvm::SmallBitVector &isReduced) {
  constexpr int64_t kLeastPlaces = 64, kLeast = 1 << 15;
  const int64_t kLine = 8 * target::transferBytes(group.ctx.description);
  auto isStatic = [](const Extent &size) { return size.isStatic(); };
  if (!keepsShortLines || sums || !canSplit() ||
      !group.ctx.tiling.model().sharesTiles() ||
      !llvm::all_of(plan.sizes, isStatic))
    return;
  auto isFixed = [&](int dim) {
    return plan.pinned.test(dim) || plan.untiled.test(dim);
  };
  // All that is read has the elements of both side by side.
  auto isBeside = [&](int outer, int inner) {
    if (isFixed(outer) || isFixed(inner))
      return false;
    bool reads = false;
    for (const LeafVisit &leaf : plan.leaves) {
      if (!group.host.hasBuffer(leaf.value))
        return false;
      const Buffer &buffer = group.host.buffer(leaf.value);
      Extent step = group.strideOf(buffer, leaf.map, inner);
      if (!group.strideOf(buffer, leaf.map, outer)
               .same(group.host.math.mul(step, plan.sizes[inner])))
        return false;
      int64_t bits = getElementTypeOrSelf(leaf.value).getIntOrFloatBitWidth();
      reads |= step.is(1) && plan.sizes[inner].get() * bits < kLine;
    }
    return reads;
  };
  int64_t places = 1, elements = 1;
  for (auto [dim, size] : llvm::enumerate(plan.sizes)) {
    elements *= size.get();
    places *= isReduced.test(dim) ? size.get() : 1;
  }
  // Few elements are not worth a second kernel.
  if (elements < kLeast)
    return;
  for (int inner : isReduced.set_bits())
    for (unsigned outer = 0; outer < plan.sizes.size(); ++outer)
      if (!isReduced.test(outer) && plan.sizes[outer].get() > 1 &&
          plan.sizes[inner].get() > 1 &&
          places / plan.sizes[inner].get() >= kLeastPlaces &&
          isBeside(outer, inner)) {
        later = inner;
        beside = outer;
        kernel.dims[outer].into = inner;
        kernel.dims[inner].size = plan.sizes[outer] * plan.sizes[inner];
        return;
      }
}

/// A block of columns, half a line at least, that leaves few of them empty:
/// half of `block` where that is clearly better.
static int64_t fittingColumns(int64_t columns, int64_t block, int64_t bits,
                              int64_t halfLine) {
  auto padded = [&](int64_t width) {
    return int64_t(llvm::alignTo(columns, width));
  };
  while (block * bits > halfLine && 9 * padded(block / 2) <= 8 * padded(block))
    block /= 2;
  return block;
}

bool Reducer::shareShortLines() {
  constexpr int64_t kTile = 1 << 13, kUsualTile = 1 << 12, kLeastPlaces = 8,
                    kMostParts = 256, kOfThread = 32;
  if (reduced.size() != 1 || vector != later || separate)
    return false;
  KernelDim &places = kernel.dims[reduced.front()];
  int64_t &width = kernel.dims[later].block;
  for (const LeafVisit &leaf : plan.leaves)
    width =
        fittingColumns(kernel.dims[later].size.get(), width,
                       getElementTypeOrSelf(leaf.value).getIntOrFloatBitWidth(),
                       4 * target::transferBytes(group.ctx.description));
  int64_t size = places.size.get(),
          cores = target::countCores(group.ctx.description), instances = 1;
  for (int dim : kept) {
    if (dim != later)
      kernel.dims[dim].block = 1;
    instances *= kernel.numBlocks(dim).get();
  }
  auto partsOf = [&](int64_t block) {
    return int64_t(llvm::divideCeil(size, block));
  };
  int64_t block = std::max<int64_t>(kTile / width, 1);
  while (block > kLeastPlaces && instances * partsOf(block) < cores)
    block /= 2;
  places.block = block;
  if (block * width > kUsualTile)
    askThreads(block * width / kOfThread);
  parts = std::min(partsOf(block), kMostParts);
  return parts > 1;
}

SmallVector<int> Reducer::joinedDims() const {
  if (later < 0)
    return {part};
  return {part, later};
}

Space Reducer::placeShortLines(KernelBuilder &last) {
  // What an instance reads of each buffer of parts.
  constexpr int64_t kTile = 1 << 10;
  last.dims.clear();
  group.addDims(last);
  last.dims.resize(kernel.dims.size());
  last.dims[part].size = parts;
  int64_t volume = 1;
  for (int dim : joinedDims()) {
    last.dims[dim].block = llvm::PowerOf2Ceil(last.dims[dim].size.get());
    volume *= last.dims[dim].block;
  }
  int64_t &block = last.dims[beside].block;
  while (2 * block * volume <= kTile && block < last.dims[beside].size.get())
    block *= 2;
  Space axes{{part, later}};
  if (block > 1)
    axes.axes.push_back(beside);
  for (int dim = plan.sizes.size() - 1; dim >= 0; --dim)
    if (dim == beside || (dim != later && llvm::is_contained(kept, dim)))
      last.addGridDim(dim);
  last.placeGrid();
  for (int dim : joinedDims())
    last.place(dim, last.constant(0));
  return axes;
}
