//===- Reducer.cpp - Tiles and blocks of a reduction ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reducer.h"
#include "BlockThreads.h"
#include "OnlineSum.h"
#include "kiln/Target/Limits.h"
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

/// What does not stay with an instance is read again for each reduction, by all
/// instances that there are: kernels of their own share it out among more.
static bool isBetterSeparate(const target::TilingProblem &problem,
                             ArrayRef<int64_t> blocks) {
  constexpr double kLeast = 1 << 22;
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
  return elements >= kLeast && blocks[depth] < problem.dims[depth].size;
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
             (isBetterSeparate(problem, blocks) || isBetterShared());
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

/// The block along a dimension of `size` elements, a power of two up to `most`:
/// the largest one that leaves few places of the last block empty.
static int64_t fittingBlock(int64_t size, int64_t most) {
  int64_t block = std::min<int64_t>(llvm::PowerOf2Ceil(size), most);
  // Less than a quarter more.
  while (block > 1 && 4 * int64_t(llvm::alignTo(size, block)) >= 5 * size)
    block /= 2;
  return block;
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
  constexpr int64_t kMostBytes = 3 << 16;
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
         bits / 8 <= kMostBytes;
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
  constexpr int64_t kLeast = 1 << 22, kOfCore = 2, kLong = 1 << 15;
  uint64_t instances = 1, elements = 1;
  bool hasLoops = false;
  for (int dim : kept) {
    const Extent &size = kernel.dims[dim].size;
    instances = llvm::SaturatingMultiply<uint64_t>(
        instances, size.isStatic() ? kernel.numBlocks(dim).get() : kLeast);
    elements *= size.isStatic() ? size.get() : 1;
  }
  for (int dim : reduced) {
    if (!kernel.dims[dim].size.isStatic())
      return false;
    elements *= kernel.dims[dim].size.get();
    hasLoops |= !kernel.numBlocks(dim).is(1);
  }
  uint64_t cores = target::countCores(group.ctx.description);
  bool isLarge = elements >= kLeast && instances <= kOfCore * cores;
  // Very few instances need a third kernel for what parts of theirs leave.
  bool isIdle =
      instances <= cores / 2 &&
      elements / instances >= (instances <= cores / 4 ? 2 * kLong : kLong);
  if (!hasLoops || !(isLarge || isIdle))
    return false;
  return llvm::any_of(plan.reductions, [&](const ReductionVisit &visit) {
    auto sum = dyn_cast<prim::SumOp>(visit.op);
    Value centre;
    return sum && findSquaresOf(sum, group, centre).squares;
  });
}

bool Reducer::canSplit() const {
  if (plan.reductions.size() != 1 || isa<prim::ArgmaxOp>(plan.reductions[0].op))
    return false;
  llvm::SmallBitVector support = plan.rootMap.support(plan.sizes.size());
  return llvm::none_of(plan.reductions[0].dims,
                       [&](int dim) { return support.test(dim); });
}

LogicalResult Reducer::emitWhole(TileBuilder &emitter) {
  if (pair) {
    SmallVector<Value> both = emitPair(emitter);
    return both.empty() ? failure() : storePair(kernel, space, both, {});
  }
  if (sums) {
    SmallVector<Value> pair =
        emitOnlineSum(emitter, plan.reductions[0], reducedAxes(space));
    if (!pair.empty())
      storeOnline(emitter, pair);
    return success(!pair.empty());
  }
  if (squares) {
    SmallVector<Value> tiles =
        SpreadParts(emitter, plan.reductions[0], along).emit();
    return tiles.empty() ? failure() : storeSquares(emitter, tiles, {});
  }
  SmallVector<int> outer;
  llvm::SmallBitVector support = plan.rootMap.support(plan.sizes.size());
  for (int dim : support.set_bits())
    if (int p = emitter.physical(dim);
        llvm::is_contained(loops, p) && !llvm::is_contained(outer, p))
      outer.push_back(p);
  if (emitter.reducesLast && failed(emitSpreadSums(emitter)))
    return failure();
  bool ok = succeeded(emitter.hoistReductions(group.root, plan.rootMap, outer));
  if (ok)
    emitter.loop(outer, {}, [&](ValueRange) -> SmallVector<Value> {
      Value tile = emitter.emit(group.root, plan.rootMap);
      ok = static_cast<bool>(tile);
      if (ok)
        emitter.store(tile, out, plan.rootMap);
      return {};
    });
  return success(ok);
}

SmallVector<int> Reducer::reducedAxes(const Space &space) const {
  SmallVector<int> axes;
  for (auto [axis, dim] : llvm::enumerate(space.axes))
    if (dim == part || llvm::is_contained(reduced, dim))
      axes.push_back(axis);
  return axes;
}

/// The blocks of a dimension; dynamic if only a launch knows how many.
static int64_t countBlocks(KernelBuilder &kernel, int dim) {
  Extent blocks = kernel.numBlocks(dim);
  return blocks.isStatic() ? blocks.get() : ShapedType::kDynamic;
}

/// Gives the parts a dimension, and instances: each takes every so many-th
/// block of the longest loop. If that loop has too few blocks, parts share out
/// the next longest one, too.
void Reducer::split() {
  auto blocksOf = [&](int dim) {
    int64_t blocks = countBlocks(kernel, dim);
    return ShapedType::isDynamic(blocks) ? std::numeric_limits<int64_t>::max()
                                         : blocks;
  };
  SmallVector<int> order(loops);
  llvm::sort(order, [&](int x, int y) {
    int64_t first = blocksOf(x), second = blocksOf(y);
    return first != second ? first > second : x < y;
  });
  if (order.empty()) {
    parts = 1;
    return;
  }
  // An instance has two blocks at least, and of statistics one, whose own mean
  // is exact.
  const int64_t least = squares ? 1 : 2;
  along = order.front();
  int64_t blocks = countBlocks(kernel, along), ofNext = 1;
  if (!ShapedType::isDynamic(blocks) && later < 0) {
    int64_t alone =
        std::min<int64_t>(parts, llvm::bit_floor(uint64_t(blocks) / least));
    if (!squares && order.size() > 1 && alone < parts) {
      int64_t next = countBlocks(kernel, order[1]);
      parts = std::min<int64_t>(
          parts, llvm::bit_floor(uint64_t(blocks * next) / least));
      alone = std::min<int64_t>(parts, llvm::bit_floor(uint64_t(blocks)));
      ofNext =
          std::min<int64_t>(parts / alone, llvm::bit_floor(uint64_t(next)));
    }
    parts = alone * ofNext;
  }
  if (parts <= 1)
    return;
  part = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims[part].size = parts;
  kernel.dims[along].parts = parts / ofNext;
  if (ofNext > 1)
    kernel.dims[order[1]].parts = ofNext;
}

/// Each part's first block along the loops that parts share out.
void Reducer::placeLoops() {
  Value coord = part >= 0 ? kernel.dims[part].coord : Value();
  for (int dim : loops) {
    int64_t own = kernel.dims[dim].parts;
    if (own <= 1)
      continue;
    if (own == parts)
      kernel.dims[dim].part = coord;
    else if (dim == along)
      kernel.dims[dim].part = arith::DivUIOp::create(
          kernel.b, kernel.loc, coord, kernel.constant(parts / own));
    else
      kernel.dims[dim].part = arith::RemUIOp::create(
          kernel.b, kernel.loc, coord, kernel.constant(own));
  }
}

Buffer Reducer::allocateParts(Type element, AccessMap &map) {
  SmallVector<Extent> sizes;
  map = {};
  auto along = [&](int dim) {
    map.index.push_back(IndexExpr::dim(dim));
    sizes.push_back(kernel.dims[dim].size);
  };
  along(part);
  for (int dim : kept)
    along(dim);
  return kernel.host.allocate(element, sizes);
}

/// Asks for more threads than a block usually has where it adds up many parts:
/// so few blocks do that that they take as long as a thread waits for what it
/// loads.
static void askPartThreads(KernelBuilder &last, const Space &axes,
                           target::TargetAttr description) {
  constexpr int64_t kOfThread = 8;
  int64_t volume = 1;
  for (int dim : axes.axes)
    volume *= last.dims[dim].block;
  int64_t threads = std::min(volume / kOfThread, mostBlockThreads(description)),
          warps = threads / countLanes(description);
  if (threads > countBlockThreads(description))
    last.kernel->setAttr(
        tile::kHintsAttr,
        tile::KernelHintsAttr::get(last.b.getContext(),
                                   llvm::bit_floor<uint64_t>(warps), 0, 0, 0));
}

Space Reducer::placeParts(KernelBuilder &last) {
  if (later >= 0)
    return placeShortLines(last);
  last.dims = kernel.dims;
  for (KernelDim &dim : last.dims) {
    dim.offset = dim.coord = dim.part = Value();
    dim.parts = dim.block = 1;
  }
  constexpr int64_t kTile = 4096;
  // Statistics have four tiles.
  const int64_t least = squares ? 8 : 16;
  last.dims[part].block = parts;
  Space axes;
  axes.axes.push_back(part);
  if (!kept.empty() && !plan.untiled.test(kept.back())) {
    int64_t most = std::max(kTile / parts, least);
    Extent size = last.dims[kept.back()].size;
    if (size.isStatic())
      most = std::min<int64_t>(
          most, llvm::PowerOf2Ceil(std::max<int64_t>(size.get(), 1)));
    last.dims[kept.back()].block = std::min<int64_t>(most, 64);
    axes.axes.push_back(kept.back());
  }
  if (group.ctx.tiling.model().sharesTiles())
    askPartThreads(last, axes, group.ctx.description);
  for (int dim : llvm::reverse(kept))
    last.addGridDim(dim);
  last.placeGrid();
  last.place(part, last.constant(0));
  return axes;
}

void Reducer::storeOnline(TileBuilder &emitter, ArrayRef<Value> pair) {
  emitter.store(pair[0], out, plan.rootMap);
  emitter.store(finishOnlineSum(emitter, pair), *sums, plan.rootMap);
}

LogicalResult Reducer::storeSquares(TileBuilder &emitter, ArrayRef<Value> tiles,
                                    ArrayRef<int> dims) {
  SmallVector<Value> found = SpreadParts::join(
      emitter, plan.reductions[0], tiles, dims, group.root, plan.rootMap);
  if (found.empty()) {
    reason = emitter.reason;
    return failure();
  }
  Value result = squares->squares.getResult();
  squares->buffer = group.host.allocate(getElementTypeOrSelf(result),
                                        group.host.sizesOf(group.root));
  emitter.store(found[0], out, plan.rootMap);
  emitter.store(found[1], squares->buffer, plan.rootMap);
  return success();
}

LogicalResult Reducer::emitParts(TileBuilder &emitter, KernelBuilder &last) {
  const ReductionVisit &visit = plan.reductions[0];
  SmallVector<Value> tiles;
  if (pair)
    tiles = emitPair(emitter);
  else if (sums)
    tiles = emitOnlineSum(emitter, visit, reducedAxes(space));
  else if (squares)
    tiles = SpreadParts(emitter, visit, along).emit();
  else if (Value tile = emitter.emitWideReduction(visit.op, visit.map))
    tiles.push_back(tile);
  if (tiles.empty())
    return failure();
  SmallVector<Buffer, 1> memory;
  AccessMap map;
  for (Value tile : tiles) {
    memory.push_back(allocateParts(getElementTypeOrSelf(tile.getType()), map));
    emitter.store(tile, memory.back(), map);
  }
  // The second kernel: all parts of some columns.
  Space axes = placeParts(last);
  TileBuilder second(last, plan, group.inGroup(), axes);
  second.reducesLast = later >= 0;
  if (later >= 0)
    map.index.back() = IndexExpr::dim(beside) * plan.sizes[later].get() +
                       IndexExpr::dim(later);
  SmallVector<Value> all;
  for (const Buffer &buffer : memory)
    all.push_back(second.load(buffer, map));
  if (pair)
    return storePair(last, axes, all, joinedDims());
  if (sums) {
    storeOnline(second, reduceOnlineSum(second, all, reducedAxes(axes)));
    return success();
  }
  if (squares)
    return storeSquares(second, all, joinedDims());
  Value sum = second.maskPartial(
      all[0], joinedDims(),
      neutralValue(visit.op, getElementTypeOrSelf(all[0].getType())));
  sum = second.reduceTile(visit.op, sum, joinedDims());
  second.bind(visit.op->getResult(0), visit.map,
              second.narrowReduction(visit.op, sum));
  Value result = second.emit(group.root, plan.rootMap);
  if (!result) {
    reason = second.reason;
    return failure();
  }
  second.store(result, out, plan.rootMap);
  return success();
}

LogicalResult Reducer::run(std::optional<KernelBuilder> &last) {
  // Reduced dimensions that fit have their place; the others become loops.
  for (int dim : reduced)
    if (!kernel.numBlocks(dim).is(1))
      loops.push_back(dim);
  if (parts > 1)
    split();
  if (rows >= 0 && rows != vector && kernel.dims[rows].block > 1)
    space.axes.push_back(rows);
  for (int dim : reduced)
    if (dim != vector && kernel.dims[dim].block > 1)
      space.axes.push_back(dim);
  if (vector >= 0)
    space.axes.push_back(vector);
  if (space.axes.empty()) {
    kernel.dims.emplace_back();
    space.axes.push_back(kernel.dims.size() - 1);
    kernel.place(space.axes[0], kernel.constant(0));
  }
  for (int dim : llvm::reverse(kept))
    kernel.addGridDim(dim);
  if (part >= 0)
    kernel.addGridDim(part);
  kernel.placeGrid();
  for (int dim : reduced)
    if (!llvm::is_contained(loops, dim))
      kernel.place(dim, kernel.constant(0));
  placeLoops();
  for (int dim : reduced)
    if (kernel.hasBlockOfEachPart(dim))
      kernel.place(dim, kernel.dims[dim].part);
  TileBuilder emitter(kernel, plan, group.inGroup(), space);
  emitter.reducesLast = group.ctx.tiling.model().sharesTiles();
  if (later >= 0)
    emitter.later = {later};
  if (squares && !SpreadParts(emitter, plan.reductions[0], along).isExact())
    squares = nullptr;
  if (part >= 0)
    last.emplace(kernel.host, kernel.loc, group.ctx.kernelName + "_parts");
  LogicalResult done =
      part >= 0 ? emitParts(emitter, *last) : emitWhole(emitter);
  if (failed(done) && reason.empty())
    reason = emitter.reason;
  return done;
}
