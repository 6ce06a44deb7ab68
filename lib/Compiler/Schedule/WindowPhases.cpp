//===- WindowPhases.cpp - Inputs that are spread, without their zeros -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The result at position p of a dimension whose elements are spread D apart
// sums over the elements w of the window and i of the input with
//
//   p - low + w = i * D
//
// A phase skips `skip` elements at the beginning of the window, 0 <= skip < D,
// and reads every D-th one: w = skip + tap * D. Its positions are
// p = q * D + remainder with remainder = (low - skip) mod D, and then
//
//   i = q + (remainder - low + skip) / D + tap
//
// where the division leaves no rest.
//
// The other elements of the window are multiplied by zeros, which is NaN where
// they are not finite. A small kernel sums these products for each element of
// the window, and an instance adds the sums of those that it does not read.
//
//===----------------------------------------------------------------------===//

#include "WindowProduct.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

bool WindowProduct::needsNeighbours() const {
  const GroupPlan &plan = group.plan;
  auto isRow = [&](int dim) { return llvm::is_contained(merged, dim); };
  // The index itself is used: by an iota, or as the bound of a pad or a cat.
  if (llvm::any_of(merged, [&](int dim) {
        return plan.pinned.test(dim) || plan.untiled.test(dim);
      }))
    return true;
  llvm::SmallDenseSet<Value> gathered;
  for (auto gather : conv->getBlock()->getOps<prim::GatherOp>())
    gathered.insert(gather.getOperand());
  return llvm::any_of(plan.leaves, [&](const LeafVisit &leaf) {
    return gathered.contains(leaf.value) &&
           llvm::any_of(leaf.map.index, [&](const IndexExpr &at) {
             return llvm::any_of(at.dims(), isRow);
           });
  });
}

void WindowProduct::findPhases() {
  // Each phase has instances of its own, which know all elements of the window.
  constexpr int64_t kMostPhases = 64, kMostElements = 64;
  int64_t elements = 1;
  for (const Axis &axis : axes)
    if (axis.window >= 0)
      elements *= group.plan.sizes[axis.window].get();
  if (elements > kMostElements || needsNeighbours())
    return;
  index::Math &math = group.host.math;
  int64_t phases = 1;
  for (Axis &axis : axes) {
    if (axis.spread == 1 || axis.stride != 1 || axis.dilation > 1 ||
        !llvm::is_contained(merged, axis.dim) ||
        !group.plan.sizes[axis.dim].isStatic() ||
        phases * axis.spread > kMostPhases)
      continue;
    phases *= axis.spread;
    axis.phase = kernel.dims.size();
    kernel.dims.emplace_back();
    kernel.dims[axis.phase].size = axis.spread;
  }
  if (phases == 1)
    return;
  Extent size = 1;
  for (int dim : merged)
    size = math.mul(size, rowsAlong(dim));
  place = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims[place].size = size;
}

int64_t WindowProduct::countPhases() const {
  int64_t phases = 1;
  for (const Axis &axis : axes)
    phases *= axis.phase >= 0 ? axis.spread : 1;
  return phases;
}

Extent WindowProduct::rowsAlong(int dim) const {
  Extent size = group.plan.sizes[dim];
  for (const Axis &axis : axes)
    if (axis.phase >= 0 && axis.dim == dim)
      size = int64_t(llvm::divideCeil(size.get(), axis.spread));
  return size;
}

void WindowProduct::placePhases() {
  if (!hasPhases())
    return;
  OpBuilder &b = kernel.b;
  auto divide = [&](Value a, int64_t by) -> Value {
    return arith::DivUIOp::create(b, kernel.loc, a, kernel.constant(by));
  };
  Value steps = kernel.index(kernel.numBlocks(depth));
  for (Axis &axis : axes) {
    if (axis.phase < 0) {
      if (axis.window >= 0)
        steps = kernel.mul(steps, kernel.index(kernel.numBlocks(axis.window)));
      continue;
    }
    Value skip = kernel.dims[axis.phase].offset;
    int64_t around = llvm::alignTo(axis.low + 1, axis.spread),
            window = axis.window < 0 ? 1 : group.plan.sizes[axis.window].get();
    axis.remainder = arith::RemUIOp::create(
        b, kernel.loc,
        kernel.sub(kernel.constant(axis.low + axis.spread), skip),
        kernel.constant(axis.spread));
    axis.taps =
        divide(kernel.sub(kernel.constant(window + axis.spread - 1), skip),
               axis.spread);
    Value moved = kernel.add(kernel.add(axis.remainder, skip),
                             kernel.constant(around - axis.low));
    axis.start = kernel.sub(divide(moved, axis.spread),
                            kernel.constant(around / axis.spread));
    steps = kernel.mul(steps, axis.taps);
  }
  kernel.dims[step].first = kernel.constant(0);
  kernel.dims[step].last = steps;
}

void WindowProduct::placePhaseStep() {
  OpBuilder &b = kernel.b;
  Type narrow = b.getI32Type();
  auto cast = [&](Value value, Type type) -> Value {
    return arith::IndexCastOp::create(b, kernel.loc, type, value);
  };
  // Divisions of fewer bits take less time.
  Value rest = cast(kernel.dims[step].coord, narrow);
  auto next = [&](Value count) -> Value {
    count = cast(count, narrow);
    Value at = binary<arith::RemUIOp>(rest, count);
    rest = binary<arith::DivUIOp>(rest, count);
    return cast(at, b.getIndexType());
  };
  Extent blocks = kernel.numBlocks(depth);
  kernel.place(depth,
               blocks.is(1) ? kernel.constant(0) : next(kernel.index(blocks)));
  for (Axis &axis : llvm::reverse(axes)) {
    if (axis.phase < 0) {
      if (axis.window >= 0)
        kernel.place(axis.window,
                     next(kernel.index(kernel.numBlocks(axis.window))));
      continue;
    }
    axis.tap = kernel.constant(0);
    if (axis.window < 0)
      continue;
    axis.tap = next(axis.taps);
    kernel.place(
        axis.window,
        kernel.add(kernel.dims[axis.phase].offset,
                   kernel.mul(axis.tap, kernel.constant(axis.spread))));
  }
}

void WindowProduct::listRows() {
  if (!hasPhases())
    return;
  OpBuilder &b = kernel.b;
  Value rows, inside;
  for (int dim : merged) {
    Value at = coordinateOf(dim);
    for (const Axis &axis : axes) {
      if (axis.phase < 0 || axis.dim != dim)
        continue;
      at = binary<arith::AddIOp>(binary<arith::MulIOp>(at, splat(axis.spread)),
                                 splat(axis.remainder));
      const Extent &size = group.plan.sizes[dim];
      if (size.get() % axis.spread == 0 && dim != merged.front())
        continue;
      Value isBelow =
          arith::CmpIOp::create(b, kernel.loc, arith::CmpIPredicate::ult, at,
                                splat(kernel.index(size)));
      inside = inside ? binary<arith::AndIOp>(inside, isBelow) : isBelow;
    }
    rows = rows ? binary<arith::AddIOp>(
                      binary<arith::MulIOp>(
                          rows, splat(kernel.index(group.plan.sizes[dim]))),
                      at)
                : at;
  }
  if (inside)
    rows = arith::SelectOp::create(b, kernel.loc, inside, rows, splat(-1));
  kernel.dims[row].places = rows;
}

/// The tiles of one dimension, added up; it keeps one element.
static Value sumOf(KernelBuilder &kernel, Value tile, int axis) {
  return reduceAxis(kernel.b, kernel.loc, tile, axis,
                    [](OpBuilder &inside, ValueRange x, ValueRange y) {
                      return SmallVector<Value>{added(x[0], y[0], inside)};
                    })[0];
}

void WindowProduct::sumZeros() {
  constexpr int64_t kChannels = 32, kDepth = 256;
  if (!hasPhases() || !isa<FloatType>(element))
    return;
  SmallVector<Extent> sizes;
  AccessMap map;
  int64_t elements = 1;
  for (const Axis &axis : axes)
    if (axis.window >= 0) {
      sizes.push_back(group.plan.sizes[axis.window]);
      map.index.push_back(IndexExpr::dim(axis.window));
      elements *= sizes.back().get();
    }
  sizes.push_back(group.host.dimOf(conv.getResult(), spatial + 1));
  map.index.push_back(anchor.map.index.back());
  Buffer made = group.host.allocate(acc, sizes);
  first.emplace(kernel.host, kernel.loc, group.ctx.kernelName + "_zeros");
  first->dims = kernel.dims;
  for (KernelDim &dim : first->dims) {
    dim.offset = dim.coord = dim.first = dim.last = Value();
    dim.block = 1;
  }
  first->dims[channel].block = kChannels;
  first->dims[depth].block = kDepth;
  first->addGridDim(channel);
  for (const Axis &axis : llvm::reverse(axes))
    if (axis.window >= 0)
      first->addGridDim(axis.window);
  for (int dim : groups)
    first->addGridDim(dim);
  first->placeGrid();
  TileBuilder builder(*first, group.plan, group.inGroup(),
                      Space{{depth, channel}});
  SmallVector<int64_t> shape = {kDepth, kChannels};
  SmallVector<int> loops;
  if (first->numBlocks(depth).is(1))
    first->place(depth, first->constant(0));
  else
    loops.push_back(depth);
  Value sum = builder.loop(
      loops, builder.splat(zeroOf(acc), shape),
      [&](ValueRange carried) -> SmallVector<Value> {
        Value w = builder.broadcast(builder.load(filter, filterMap), shape);
        auto type = RankedTensorType::get(shape, acc);
        if (w.getType() != type)
          w = arith::ExtFOp::create(first->b, first->loc, type, w);
        w = arith::MulFOp::create(first->b, first->loc, w,
                                  builder.splat(zeroOf(acc), shape));
        return {added(carried[0], w, first->b)};
      })[0];
  builder.store(sumOf(*first, sum, 0), made, map);
  // All elements of the window are one dimension for who reads the sums.
  zerosOfWindow = made;
  zerosOfWindow.sizes = {elements, sizes.back()};
  zerosOfWindow.strides = {sizes.back(), 1};
}

Value WindowProduct::addZeros(Value sum) {
  if (!first)
    return sum;
  OpBuilder &b = kernel.b;
  int window = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims[window].size = zerosOfWindow.sizes.front();
  int64_t block = llvm::PowerOf2Ceil(zerosOfWindow.sizes.front().get());
  kernel.dims[window].block = block;
  kernel.place(window, kernel.constant(0));
  TileBuilder builder(kernel, group.plan, group.inGroup(),
                      Space{{window, channel}});
  AccessMap map;
  map.index = {IndexExpr::dim(window), anchor.map.index.back()};
  Value tile = builder.load(zerosOfWindow, map);
  auto type = RankedTensorType::get({block, 1}, b.getI32Type());
  auto constant = [&](int64_t value) {
    return builder.splat(b.getI32IntegerAttr(value), type.getShape());
  };
  Value rest = tile::IotaOp::create(b, kernel.loc, type, uint64_t(0)), isRead;
  for (const Axis &axis : llvm::reverse(axes)) {
    Value at = constant(0);
    if (axis.window >= 0) {
      Value size = constant(group.plan.sizes[axis.window].get());
      at = binary<arith::RemUIOp>(rest, size);
      rest = binary<arith::DivUIOp>(rest, size);
    }
    if (axis.phase < 0)
      continue;
    Value skip = arith::IndexCastOp::create(b, kernel.loc, b.getI32Type(),
                                            kernel.dims[axis.phase].offset);
    skip = tile::SplatOp::create(b, kernel.loc, type, skip);
    Value from = binary<arith::SubIOp>(
        binary<arith::AddIOp>(at, constant(axis.spread)), skip);
    Value hits = arith::CmpIOp::create(
        b, kernel.loc, arith::CmpIPredicate::eq,
        binary<arith::RemUIOp>(from, constant(axis.spread)), constant(0));
    isRead = isRead ? binary<arith::AndIOp>(isRead, hits) : hits;
  }
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
  tile =
      arith::SelectOp::create(b, kernel.loc, builder.broadcast(isRead, shape),
                              builder.splat(zeroOf(acc), shape), tile);
  tile = sumOf(kernel, tile, 0);
  return added(
      sum,
      builder.broadcast(tile, cast<RankedTensorType>(sum.getType()).getShape()),
      b);
}
