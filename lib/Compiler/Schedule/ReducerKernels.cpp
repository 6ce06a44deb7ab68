//===- ReducerKernels.cpp - The bodies of a reduction's kernels -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles and blocks are chosen (Reducer.cpp). Here dimensions become loops,
// instances and parts, and the one or two kernels get their bodies.
//
//===----------------------------------------------------------------------===//

#include "BlockThreads.h"
#include "OnlineSum.h"
#include "Reducer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

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

bool Reducer::hasPartsInLine() const {
  constexpr int64_t kMany = 32;
  return group.ctx.tiling.model().sharesTiles() && later < 0 &&
         parts >= kMany && !kept.empty() && !plan.untiled.test(kept.back());
}

Buffer Reducer::allocateParts(Type element, AccessMap &map) {
  SmallVector<Extent> sizes;
  map = {};
  auto along = [&](int dim) {
    map.index.push_back(IndexExpr::dim(dim));
    sizes.push_back(kernel.dims[dim].size);
  };
  if (!hasPartsInLine())
    along(part);
  for (int dim : kept)
    along(dim);
  if (hasPartsInLine())
    along(part);
  return kernel.host.allocate(element, sizes);
}

/// Asks for more threads than a block usually has where it adds up many parts:
/// so few blocks do that that they take as long as a thread waits for what it
/// loads.
/// `tiles`: how many of the size of `axes` it holds at a time.
static void askPartThreads(KernelBuilder &last, const Space &axes,
                           int64_t tiles, target::TargetAttr description) {
  constexpr int64_t kOfThread = 8; // elements of all tiles
  int64_t volume = tiles;
  for (int dim : axes.axes)
    volume *= last.dims[dim].block;
  int64_t threads = std::min(volume / kOfThread, mostBlockThreads(description)),
          warps = threads / countLanes(description);
  auto asked =
      last.kernel->getAttrOfType<tile::KernelHintsAttr>(tile::kHintsAttr);
  if (threads <= countBlockThreads(description) || (asked && asked.getWarps()))
    return;
  last.kernel->setAttr(
      tile::kHintsAttr,
      tile::KernelHintsAttr::get(
          last.b.getContext(), llvm::bit_floor<uint64_t>(warps),
          asked ? asked.getThreadsPerWarp() : 0, asked ? asked.getCluster() : 0,
          asked ? asked.getRegisters() : 0));
}

Space Reducer::placeParts(KernelBuilder &last) {
  if (later >= 0)
    return placeShortLines(last);
  last.dims = kernel.dims;
  for (KernelDim &dim : last.dims) {
    dim.offset = dim.coord = dim.part = Value();
    dim.parts = dim.block = 1;
  }
  // Of parts in line, blocks have few columns, so that there are many blocks.
  const bool isInLine = hasPartsInLine();
  const int64_t volume = isInLine ? 1024 : 4096;
  // Statistics have four tiles.
  const int64_t least = isInLine ? 1 : squares ? 8 : 16;
  last.dims[part].block = parts;
  Space axes;
  if (!isInLine)
    axes.axes.push_back(part);
  if (!kept.empty() && !plan.untiled.test(kept.back())) {
    int64_t most = std::max(volume / parts, least);
    Extent size = last.dims[kept.back()].size;
    if (size.isStatic())
      most = std::min<int64_t>(
          most, llvm::PowerOf2Ceil(std::max<int64_t>(size.get(), 1)));
    last.dims[kept.back()].block = std::min<int64_t>(most, 64);
    axes.axes.push_back(kept.back());
  }
  if (isInLine)
    axes.axes.push_back(part);
  if (group.ctx.tiling.model().sharesTiles())
    askPartThreads(last, axes,
                   squares        ? 4
                   : pair || sums ? 2
                                  : 1,
                   group.ctx.description);
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
  Value result = squares->squares.getReduction();
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
  if (filled)
    for (int dim : kept)
      if (dim != rows && dim != vector && kernel.dims[dim].block > 1)
        space.axes.push_back(dim);
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
