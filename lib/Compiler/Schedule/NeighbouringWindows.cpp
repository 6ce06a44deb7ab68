//===- NeighbouringWindows.cpp - How much an instance computes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementBlocks.h"
#include "WindowUnroller.h"
#include "kiln/Target/Limits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Views of the input that a kernel is passed at most where it computes
/// neighbours, and how many of these.
static constexpr int64_t kMostViews = 30, kMostBeside = 8;
/// Loads of a thread from a copy of the input, which is one view.
static constexpr int64_t kMostLoads = 128;

/// The widest block of whole lines that leaves few of its columns empty.
static int64_t mostColumns(int64_t columns, int64_t bits) {
  constexpr int64_t kLine = 1024;
  int64_t line = std::max<int64_t>(kLine / bits, 1);
  int64_t best = line;
  for (int64_t block = line; block < 2 * columns; block *= 2)
    if (llvm::alignTo(columns, block) <= llvm::alignTo(columns, best))
      best = block;
  return best;
}

SmallVector<int> WindowUnroller::dimsByStride() {
  SmallVector<int> dims;
  for (unsigned dim = 0; dim < group.plan.numRootDims; ++dim)
    dims.push_back(dim);
  auto keyOf = [&](int dim) {
    return std::pair(-group.strideOf(out, group.plan.rootMap, dim).asStatic(),
                     dim);
  };
  llvm::sort(dims, [&](int a, int b) { return keyOf(a) < keyOf(b); });
  return dims;
}

static int64_t volume(ArrayRef<int64_t> sizes) {
  int64_t elements = 1;
  for (int64_t size : sizes)
    elements *= size;
  return elements;
}

/// Makes blocks smaller, the longest dimension first but the last, where an
/// instance computes several: its registers hold two of those that large
/// problems have.
static void limitBlocks(target::TilingProblem &problem, int64_t results,
                        const target::TilingModel &model) {
  constexpr int64_t kUsualBlocks = 2;
  if (results <= kUsualBlocks)
    return;
  constexpr int64_t kLong = 1024;
  target::TilingProblem large = problem;
  for (target::TilingDim &dim : large.dims)
    if (dim.role == target::TilingRole::Row)
      dim.size = kLong;
  int64_t usual = volume(model.candidates(large).front().blocks);
  int64_t most = std::max<int64_t>(usual * kUsualBlocks / results, 1);
  SmallVector<int64_t> blocks = model.candidates(problem).front().blocks;
  while (volume(blocks) > most) {
    auto longest = std::max_element(blocks.begin(), std::prev(blocks.end()));
    if (longest == std::prev(blocks.end()) || *longest == 1)
      longest = std::prev(blocks.end());
    *longest /= 2;
  }
  for (auto [dim, block] : llvm::zip(problem.dims, blocks))
    dim.most = block;
}

target::TilingProblem WindowUnroller::problemOf(ArrayRef<int> dims) {
  constexpr int64_t kChannels = 512, kLine = 512;
  target::TilingProblem problem =
      group.problemFor(kernel, target::TilingProblem::Kind::Elementwise,
                       elementRoles(dims), &out);
  if (!sharesTiles) {
    target::TilingDim &last = problem.dims.back();
    if (int64_t block = channelBlock(dims.back()))
      last.most = block;
    else if (conv && padsInput() && readsAround() && last.size > kChannels)
      // Equal blocks of whole lines, so that a tile has several positions.
      last.most = llvm::alignTo(
          llvm::divideCeil(last.size, llvm::divideCeil(last.size, kChannels)),
          kLine / element.getIntOrFloatBitWidth());
    return problem;
  }
  problem.dims.back().most =
      mostColumns(problem.dims.back().size, element.getIntOrFloatBitWidth());
  limitBlocks(problem, volume(beside), group.ctx.tiling.model());
  return problem;
}

/// A cache line of channels whose positions lie together in memory stays in the
/// nearest cache with all that windows share, and so do its factors. Small
/// windows read few factors, and their input faster in the order of memory.
int64_t WindowUnroller::channelBlock(int dim) const {
  constexpr int64_t kLine = 512, kLeastPositions = 16;
  int64_t positions = 1;
  for (unsigned d = 0; d < spatial; ++d)
    positions *= windowOf(d);
  const GroupPlan &plan = group.plan;
  auto isWhole = [&](const AccessMap &map) { return !map.rangeOf(dim); };
  if (sharesTiles || !conv || positions < kLeastPositions || padsInput() ||
      !input.strides[spatial + 1].is(1) ||
      llvm::any_of(
          input.strides, [](const Extent &at) { return at.is(0); }) ||
      anchor.map.index[spatial + 1].asDim() != dim ||
      anchor.operandMaps[0].index[spatial + 1].asDim() != dim ||
      plan.pinned.test(dim) || plan.untiled.test(dim) ||
      !isWhole(plan.rootMap) || !isWhole(anchor.map))
    return 0;
  int64_t block = kLine / element.getIntOrFloatBitWidth();
  return plan.sizes[dim].get() % block ? 0 : block;
}

void WindowUnroller::splitChannels(int dim, int64_t block) {
  channel = dim;
  inLine = kernel.dims.size();
  kernel.dims[dim].size = group.plan.sizes[dim] =
      group.plan.sizes[dim].get() / block;
  kernel.dims[dim].block = 1;
  kernel.dims.emplace_back();
  kernel.dims[inLine].size = kernel.dims[inLine].block = block;
  group.plan.sizes.push_back(block);
  group.plan.pinned.resize(group.plan.sizes.size());
  group.plan.untiled.resize(group.plan.sizes.size());
}

void WindowUnroller::evenBlocks(ArrayRef<int> dims) {
  for (int dim : dims) {
    int64_t size = kernel.dims[dim].size.get(), &block = kernel.dims[dim].block;
    if (block > 1 && block < size)
      block = llvm::divideCeil(size, llvm::divideCeil(size, block));
  }
}

void WindowUnroller::chooseBlocks(Space &space) {
  SmallVector<int> dims = dimsByStride();
  group.chooseBlocks(kernel, problemOf(dims), elementRoles(dims));
  if (!sharesTiles)
    evenBlocks(ArrayRef(dims).drop_back());
  int64_t block = channelBlock(dims.back());
  if (block && kernel.dims.size() == group.plan.sizes.size())
    splitChannels(dims.back(), block);
  for (int dim : dims)
    if (kernel.dims[dim].block > 1)
      space.axes.push_back(dim);
  if (inLine >= 0)
    space.axes.push_back(inLine);
  if (space.axes.empty())
    space.axes.push_back(dims.back());
  placeInGrid(kernel, dims);
  if (inLine >= 0)
    kernel.place(inLine, kernel.constant(0));
}

std::optional<double> WindowUnroller::costOf(ArrayRef<int> dims) {
  target::TilingProblem problem = problemOf(dims);
  int64_t reads = 1;
  for (unsigned d = 0; d < spatial; ++d)
    reads *= readBy(d, beside[d]);
  target::TilingTile tile;
  for (unsigned dim = 0; dim < dims.size(); ++dim)
    tile.dims.push_back(dim);
  tile.along = dims.size() - 1;
  tile.bits = element.getIntOrFloatBitWidth();
  problem.tiles.insert(problem.tiles.begin(), reads + volume(beside), tile);
  target::Tiling tiling = group.ctx.tiling.model().candidates(problem).front();
  int64_t instances = 1;
  for (auto [dim, block] : llvm::zip(problem.dims, tiling.blocks))
    instances *= llvm::divideCeil(dim.size, block);
  target::TargetAttr description = group.ctx.description;
  bool hasCores = description && description.getTopology();
  if (volume(beside) > 1 && hasCores &&
      instances < target::countCores(description))
    return std::nullopt;
  return tiling.cost;
}

void WindowUnroller::setBeside(ArrayRef<int64_t> results) {
  beside.assign(results.begin(), results.end());
  for (unsigned d = 0; d < spatial; ++d)
    if (int dim = anchor.map.index[d + 1].asDim(); dim >= 0)
      kernel.dims[dim].size = group.plan.sizes[dim] =
          int64_t(llvm::divideCeil(wholeSizes[dim].get(), beside[d]));
}

/// Those for which instances read and write the least, as far as there are
/// enough instances: along the last two spatial dimensions, but not one whose
/// elements lie side by side and which windows go along by single elements.
/// Those of a tile would lie apart there, as they do anyway for other strides.
void WindowUnroller::chooseBeside() {
  SmallVector<int> dims = dimsByStride();
  SmallVector<int64_t> best(spatial, 1);
  std::optional<double> least;
  unsigned last = spatial - 1;
  auto mostAlong = [&](unsigned d) {
    bool isDense = input.strides[d + 1].is(1) && list("strides")[d] == 1;
    return isDense ? 1 : kMostBeside;
  };
  int64_t mostRows = spatial > 1 ? mostAlong(last - 1) : 1;
  int64_t mostColumns = mostAlong(last);
  for (int64_t rows = 1; rows <= mostRows; ++rows)
    for (int64_t columns = 1;
         columns <= mostColumns && rows * columns <= kMostBeside; ++columns) {
      SmallVector<int64_t> results(spatial, 1);
      results[last] = columns;
      if (spatial > 1)
        results[last - 1] = rows;
      bool isPossible = true;
      int64_t views = 1;
      for (unsigned d = 0; d < spatial; ++d) {
        int dim = anchor.map.index[d + 1].asDim();
        isPossible &= results[d] == 1 ||
                      (dim >= 0 && results[d] <= wholeSizes[dim].get());
        views *= readBy(d, results[d]);
      }
      if (!isPossible ||
          (rows * columns > 1 && views > (hasViews ? kMostViews : kMostLoads)))
        continue;
      setBeside(results);
      std::optional<double> cost = costOf(dims);
      if (!cost || (least && *cost >= *least))
        continue;
      least = cost;
      best = results;
    }
  setBeside(best);
}
