//===- Reducer.cpp - Tiles and blocks of a reduction ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reducer.h"
#include "BlockThreads.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Target/Limits.h"
#include "kiln/Target/Rates.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// The dimension along which most accesses are contiguous, or -1.
static int contiguousDim(Group &group, ArrayRef<int> dims) {
  int best = -1;
  unsigned most = 0;
  for (int dim : dims) {
    unsigned votes = 0;
    for (const LeafVisit &leaf : group.plan.leaves)
      // What depends on more dimensions is larger and counts more.
      if (group.host.hasBuffer(leaf.value) &&
          group.strideOf(group.host.buffer(leaf.value), leaf.map, dim).is(1))
        votes += leaf.map.support(group.plan.sizes.size()).count();
    if (votes > 0 && votes >= most) {
      most = votes;
      best = dim;
    }
  }
  return best;
}

void Reducer::prepare() {
  classify();
  chooseBlocks();
  if (later < 0 || shareShortLines())
    return;
  // One kernel reduces all.
  keepsShortLines = false;
  kernel.dims.clear();
  group.addDims(kernel);
  kept.clear();
  reduced.clear();
  later = beside = vector = rows = -1;
  parts = 1;
  // The warps of the other kernel are not those of this one.
  kernel.kernel->removeAttr(tile::kHintsAttr);
  classify();
  chooseBlocks();
}

/// Dimensions, those merged that can be, and the ones of tiles.
void Reducer::classify() {
  llvm::SmallBitVector isReduced(plan.sizes.size());
  for (const ReductionVisit &visit : plan.reductions)
    for (int dim : visit.dims)
      isReduced.set(dim);
  // One element after the other would take longer than to compute places.
  llvm::SmallBitVector placed = plan.untiled;
  placed &= isReduced;
  plan.pinned |= placed;
  plan.untiled.reset(placed);
  findShortLines(isReduced);
  if (later >= 0)
    isReduced.reset(later);
  // Neighbours of one class may merge.
  SmallVector<int> run;
  for (unsigned d = 0; d < plan.sizes.size(); ++d) {
    if (!run.empty() && isReduced.test(run.back()) != isReduced.test(d)) {
      mergeDims(run);
      run.clear();
    }
    if (later < 0 || isReduced.test(d))
      run.push_back(d);
  }
  mergeDims(run);
  SmallVector<int> all;
  for (unsigned d = 0; d < plan.sizes.size(); ++d)
    if (kernel.dims[d].into < 0) {
      (isReduced.test(d) ? reduced : kept).push_back(d);
      all.push_back(d);
    }
  vector = contiguousDim(group, all);
  if (vector < 0 || plan.untiled.test(vector))
    vector = !reduced.empty() && !plan.untiled.test(reduced.back())
                 ? reduced.back()
                 : -1;
  if (!kept.empty())
    rows = kept.back() == vector && kept.size() > 1 ? kept[kept.size() - 2]
                                                    : kept.back();
}

/// Words that memory moves while a kernel begins: so many have to be saved for
/// another one. A power of two.
static int64_t elementsOfLaunch(target::TargetAttr description) {
  return int64_t(llvm::bit_floor(uint64_t(target::launchBytes(description)))) /
         4;
}

/// What does not stay with an instance is read again for each reduction, by all
/// instances that there are: kernels of their own share it out among more.
static bool isBetterSeparate(const target::TilingProblem &problem,
                             ArrayRef<int64_t> blocks,
                             target::TargetAttr description) {
  const double least = double(elementsOfLaunch(description));
  int depth = -1;
  double elements = problem.instances;
  for (auto [i, dim] : llvm::enumerate(problem.dims)) {
    if (ShapedType::isDynamic(dim.size))
      return false;
    elements *= double(dim.size);
    if (dim.role == target::TilingRole::Depth)
      depth = i;
  }
  // The last tile is the result: it has what is reduced where it needs it all.
  if (depth < 0 || problem.tiles.empty() ||
      !llvm::is_contained(problem.tiles.back().dims, unsigned(depth)))
    return false;
  return elements >= least && blocks[depth] < problem.dims[depth].size;
}

/// The block along a dimension of `size` elements, a power of two up to `most`:
/// the largest one that leaves few places of the last block empty.
static int64_t fittingBlock(int64_t size, int64_t most) {
  int64_t block = std::min<int64_t>(llvm::PowerOf2Ceil(size), most);
  // Less than a quarter more.
  while (block > 1 && 4 * int64_t(llvm::alignTo(size, block)) >= 5 * size)
    block /= 2;
  return block;
}

/// What the model is asked: the dimension along which memory is contiguous,
/// the innermost reduced one beside it, the rows that share a tile, and how
/// many instances share out what is reduced. Other dimensions have blocks of
/// one element.
void Reducer::chooseBlocks() {
  SmallVector<std::pair<int, target::TilingRole>> dims;
  bool isColumn = vector >= 0 && !llvm::is_contained(reduced, vector);
  if (rows >= 0 && rows != vector)
    dims.push_back({rows, target::TilingRole::Row});
  if (isColumn && !reduced.empty())
    dims.push_back({reduced.back(), target::TilingRole::Depth});
  if (vector >= 0)
    dims.push_back({vector, isColumn ? target::TilingRole::Column
                                     : target::TilingRole::Depth});
  if (canSplit())
    dims.push_back({-1, target::TilingRole::Part});
  target::TilingProblem problem = group.problemFor(
      kernel, target::TilingProblem::Kind::Reduction, dims, &out);
  // Elements come from memory and go through a few operations.
  problem.work = 8;
  auto known = [&](int dim) {
    Extent size = kernel.dims[dim].size;
    return size.isStatic() ? size.get() : 1;
  };
  for (int dim : kept) {
    problem.work *= known(dim);
    if (dim != vector && dim != rows)
      problem.instances *= known(dim);
  }
  for (int dim : reduced)
    problem.work *= known(dim);
  SmallVector<int64_t> blocks = group.chooseBlocks(kernel, problem, dims);
  for (auto [dim, block] : llvm::zip(dims, blocks))
    if (dim.second == target::TilingRole::Part)
      parts = block;
  separate = !canSplit() && group.ctx.tiling.model().sharesTiles() &&
             (isBetterSeparate(problem, blocks, group.ctx.description) ||
              isBetterShared());
  // What was measured, or is to be, stays as it is.
  SmallVector<target::Tiling> candidates =
      group.ctx.tiling.model().candidates(problem);
  if (candidates.empty() || candidates.front().blocks != blocks)
    return;
  if (!canSplit() && !separate)
    widen(problem);
  else if (canSplit() && isNear(problem) && widen(problem))
    parts = 1;
  deepen();
  fill();
}

/// Where tiles with all that is reduced are small, they have several places of
/// the kept dimensions that would be the grid's alone, the innermost ones
/// first. Every core still has several instances.
void Reducer::fill() {
  constexpr int64_t kTile = 1 << 11, kOfCore = 8;
  target::TargetAttr description = group.ctx.description;
  if (!fills || !group.ctx.tiling.model().sharesTiles() || !description ||
      parts > 1 || later >= 0 || pair || sums || squares)
    return;
  int64_t volume = 1, instances = 1;
  for (int dim : reduced)
    if (!kernel.dims[dim].size.isStatic() || !kernel.numBlocks(dim).is(1))
      return;
  for (int dim : kept) {
    if (!kernel.dims[dim].size.isStatic())
      return;
    instances = llvm::SaturatingMultiply<uint64_t>(instances,
                                                   kernel.numBlocks(dim).get());
  }
  for (const KernelDim &dim : kernel.dims)
    volume *= dim.block;
  int64_t most = instances / (kOfCore * target::countCores(description));
  for (int dim : llvm::reverse(kept)) {
    KernelDim &own = kernel.dims[dim];
    int64_t room = std::min(kTile / volume, most);
    if (dim == vector || own.block > 1 || room < 2 || plan.untiled.test(dim) ||
        plan.pinned.test(dim))
      continue;
    own.block = fittingBlock(own.size.get(), llvm::bit_floor(uint64_t(room)));
    volume *= own.block;
    most /= own.block;
    filled |= own.block > 1;
  }
}

/// Where tiles of rows are small, they have several places of the other reduced
/// dimensions, which are loaded together; all parts still have some.
void Reducer::deepen() {
  constexpr int64_t kTile = 1 << 12, kOfThread = 8;
  if (!group.ctx.tiling.model().sharesTiles() ||
      !llvm::is_contained(reduced, vector))
    return;
  int64_t volume = 1;
  for (const KernelDim &dim : kernel.dims)
    volume *= dim.block;
  for (int dim : llvm::reverse(reduced)) {
    const Extent &size = kernel.dims[dim].size;
    if (kernel.dims[dim].block > 1 || !size.isStatic() ||
        size.get() < 2 * parts || plan.untiled.test(dim) || 2 * volume > kTile)
      continue;
    int64_t block =
        std::min<int64_t>(llvm::bit_floor(uint64_t(kTile / volume)),
                          llvm::bit_floor(uint64_t(size.get() / parts)));
    kernel.dims[dim].block = block;
    volume *= block;
    // Statistics have three tiles of sums.
    if (squares)
      askThreads(volume / kOfThread);
  }
}

/// Bits of the elements of tiles in memory that lie along what is reduced.
static SmallVector<int64_t> widthsOf(const target::TilingProblem &problem) {
  SmallVector<int64_t> widths;
  for (const target::TilingTile &tile : problem.tiles)
    if (llvm::any_of(tile.dims, [&](unsigned dim) {
          return problem.dims[dim].role == target::TilingRole::Depth;
        }))
      widths.push_back(std::max<int64_t>(tile.bits, 8));
  return widths;
}

/// Elements of the accesses of one thread along the vector.
static int64_t accessWidth(const target::TilingProblem &problem) {
  constexpr int64_t kAccessBits = 128;
  int64_t bits = kAccessBits;
  for (int64_t width : widthsOf(problem))
    bits = std::min(bits, width);
  return kAccessBits / bits;
}

/// Whether a quarter of the cores have an instance each, which reads so little
/// that another kernel, for what more instances would leave, takes longer.
bool Reducer::isNear(const target::TilingProblem &problem) const {
  // What a core reads while a kernel begins, in whole pieces.
  constexpr uint64_t kPiece = 1 << 16;
  int64_t mostBytes = llvm::alignTo(
      uint64_t(target::launchBytesOfCore(group.ctx.description)), kPiece);
  int64_t instances = 1, bits = 0;
  for (int dim : kept) {
    const Extent &size = kernel.dims[dim].size;
    if (!size.isStatic())
      return false;
    instances = llvm::SaturatingMultiply<uint64_t>(instances, size.get());
  }
  for (int64_t width : widthsOf(problem))
    bits += width;
  for (int dim : reduced) {
    const Extent &size = kernel.dims[dim].size;
    if (!size.isStatic())
      return false;
    bits = llvm::SaturatingMultiply<uint64_t>(bits, size.get());
  }
  return instances >= target::countCores(group.ctx.description) / 4 &&
         bits / 8 <= mostBytes;
}

/// About so many threads share a tile, a whole number of warps.
void Reducer::askThreads(int64_t wanted) {
  target::TargetAttr description = group.ctx.description;
  int64_t lanes = countLanes(description), most = mostBlockThreads(description);
  int64_t warps = std::max<int64_t>(std::min(wanted, most) / lanes, 1);
  kernel.kernel->setAttr(
      tile::kHintsAttr,
      tile::KernelHintsAttr::get(kernel.b.getContext(), warps, 0, 0, 0));
}

/// Where a core has one instance at most, its threads alone have loads in
/// flight: as many threads as a block may have share a tile, of all that is
/// reduced or so large that each has one access of full width.
bool Reducer::widen(const target::TilingProblem &problem) {
  constexpr int64_t kShortest = 1 << 12, kOfThread = 16, kPiece = 64;
  target::TargetAttr description = group.ctx.description;
  if (!group.ctx.tiling.model().sharesTiles() || !description ||
      !llvm::is_contained(reduced, vector) ||
      !kernel.dims[vector].size.isStatic() ||
      kernel.dims[vector].size.get() < kPiece)
    return false;
  int64_t instances = 1, elements = 1, whole = 1,
          cores = target::countCores(description);
  for (int dim : kept) {
    const Extent &size = kernel.dims[dim].size;
    instances = size.isStatic()
                    ? llvm::SaturatingMultiply<uint64_t>(instances, size.get())
                    : cores + 1;
    if (instances > cores)
      return false;
  }
  for (int dim : reduced) {
    const Extent &size = kernel.dims[dim].size;
    if (!size.isStatic() || size.get() < 1 || plan.untiled.test(dim))
      return false;
    elements = llvm::SaturatingMultiply<uint64_t>(elements, size.get());
    whole = llvm::SaturatingMultiply<uint64_t>(whole,
                                               llvm::PowerOf2Ceil(size.get()));
  }
  if (elements < kShortest)
    return false;
  int64_t threads = mostBlockThreads(description), width = accessWidth(problem),
          room = threads * width, volume = 1;
  // Rows that the model has whole stay so.
  bool isWhole = (whole <= threads * kOfThread && whole < 2 * elements) ||
                 llvm::all_of(reduced, [&](int dim) {
                   return kernel.numBlocks(dim).is(1);
                 });
  if (rows >= 0 && rows != vector)
    kernel.dims[rows].block = 1;
  SmallVector<int> order = {vector};
  for (int dim : llvm::reverse(reduced))
    if (dim != vector)
      order.push_back(dim);
  for (int dim : order) {
    int64_t size = kernel.dims[dim].size.get(), most = llvm::PowerOf2Ceil(size),
            block = isWhole         ? most
                    : dim == vector ? std::min(most, room)
                                    : fittingBlock(size, room / volume);
    kernel.dims[dim].block = block;
    volume *= block;
  }
  askThreads(volume / width);
  return true;
}

/// A mean and its squared distances are read once by kernels of their own, too,
/// where more instances share them: better if the group has few of these, each
/// of which has to go through its elements twice, or leaves cores idle for
/// long.
bool Reducer::isBetterShared() const {
  constexpr int64_t kOfCore = 2;
  target::TargetAttr description = group.ctx.description;
  const int64_t least = elementsOfLaunch(description);
  // Words that a core reads while a kernel begins.
  const uint64_t longPart =
      llvm::bit_floor(uint64_t(target::launchBytesOfCore(description))) / 4;
  uint64_t instances = 1, elements = 1;
  bool hasLoops = false;
  for (int dim : kept) {
    const Extent &size = kernel.dims[dim].size;
    instances = llvm::SaturatingMultiply<uint64_t>(
        instances, size.isStatic() ? kernel.numBlocks(dim).get() : least);
    elements *= size.isStatic() ? size.get() : 1;
  }
  for (int dim : reduced) {
    if (!kernel.dims[dim].size.isStatic())
      return false;
    elements *= kernel.dims[dim].size.get();
    hasLoops |= !kernel.numBlocks(dim).is(1);
  }
  uint64_t cores = target::countCores(description);
  bool isLarge = elements >= uint64_t(least) && instances <= kOfCore * cores;
  // Very few instances need a third kernel for what parts of theirs leave.
  bool isIdle = instances <= cores / 2 &&
                elements / instances >=
                    (instances <= cores / 4 ? 2 * longPart : longPart);
  if (!hasLoops || !(isLarge || isIdle))
    return false;
  return llvm::any_of(plan.reductions, [&](const ReductionVisit &visit) {
    auto sum = prim::asReduction(visit.op, prim::ReductionFunction::Sum);
    Value centre;
    return sum && findSquaresOf(sum, group, centre).squares;
  });
}

bool Reducer::canSplit() const {
  if (plan.reductions.size() != 1 ||
      cast<prim::TensorReductionOpInterface>(plan.reductions[0].op)
          .givesPlaces())
    return false;
  llvm::SmallBitVector support = plan.rootMap.support(plan.sizes.size());
  return llvm::none_of(plan.reductions[0].dims,
                       [&](int dim) { return support.test(dim); });
}
