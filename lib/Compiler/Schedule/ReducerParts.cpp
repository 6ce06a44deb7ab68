//===- ReducerParts.cpp - Reductions that several instances share ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances share out the blocks of the longest reduced dimension. Each leaves
// what it found in a row of a workspace, and a second kernel joins the rows.
//
//===----------------------------------------------------------------------===//

#include "OnlineSum.h"
#include "Reducer.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Gives the parts a dimension, and instances: each takes every so many-th
/// block of the longest loop.
void Reducer::split() {
  auto count = [&](int dim) {
    Extent blocks = kernel.numBlocks(dim);
    return blocks.isStatic() ? blocks.get() : ShapedType::kDynamic;
  };
  int longest = -1;
  for (int dim : loops)
    if (longest < 0 ||
        (!ShapedType::isDynamic(count(longest)) &&
         (ShapedType::isDynamic(count(dim)) || count(dim) > count(longest))))
      longest = dim;
  if (longest < 0) {
    parts = 1;
    return;
  }
  // An instance has two blocks at least.
  if (int64_t blocks = count(longest); !ShapedType::isDynamic(blocks))
    parts = std::min<int64_t>(parts, llvm::bit_floor(uint64_t(blocks) / 2));
  if (parts <= 1)
    return;
  part = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims[part].size = parts;
  kernel.dims[longest].parts = parts;
  along = longest;
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

Space Reducer::placeParts(KernelBuilder &last) {
  last.dims = kernel.dims;
  for (KernelDim &dim : last.dims) {
    dim.offset = dim.coord = dim.part = Value();
    dim.parts = dim.block = 1;
  }
  constexpr int64_t kTile = 4096, kLeast = 16;
  last.dims[part].block = parts;
  Space axes;
  axes.axes.push_back(part);
  if (!kept.empty() && !plan.untiled.test(kept.back())) {
    int64_t most = std::max(kTile / parts, kLeast);
    Extent size = last.dims[kept.back()].size;
    if (size.isStatic())
      most = std::min<int64_t>(
          most, llvm::PowerOf2Ceil(std::max<int64_t>(size.get(), 1)));
    last.dims[kept.back()].block = std::min<int64_t>(most, 64);
    axes.axes.push_back(kept.back());
  }
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
                                    ArrayRef<int> axes) {
  SmallVector<Value> found = SpreadParts::join(
      emitter, plan.reductions[0], tiles, axes, group.root, plan.rootMap);
  if (found.empty()) {
    reason = emitter.reason;
    return failure();
  }
  Value result = squares->squares.getResult();
  squares->buffer = group.host.allocate(getElementTypeOrSelf(result),
                                        group.host.sizesOf(group.root));
  emitter.store(found[0], out, plan.rootMap);
  emitter.store(found[1], squares->buffer, plan.rootMap);
  squares->isMade = true;
  return success();
}

LogicalResult Reducer::emitParts(TileBuilder &emitter, KernelBuilder &last) {
  const ReductionVisit &visit = plan.reductions[0];
  SmallVector<Value> tiles;
  if (sums)
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
  SmallVector<Value> all;
  for (const Buffer &buffer : memory)
    all.push_back(second.load(buffer, map));
  if (sums) {
    storeOnline(second, reduceOnlineSum(second, all, reducedAxes(axes)));
    return success();
  }
  if (squares)
    return storeSquares(second, all, reducedAxes(axes));
  Value sum = second.reduceTile(visit.op, all[0], part);
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
