//===- ScatterElements.cpp - Scatters of single elements ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where stores combine, updates need nothing of each other. Their elements are
// the iteration space of the kernel, as the result is that of an elementwise
// one: blocks lie along what is contiguous in memory, and the group may compute
// indices and updates from what it reads.
//
//===----------------------------------------------------------------------===//

#include "ScatterElements.h"
#include "ElementBlocks.h"
#include "ScatterBuilder.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Schedule/Scatters.h"
#include "kiln/Target/Limits.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// The dimension of the updates that a window's dimension is, `d` of the
/// operand.
static unsigned dimOfUpdates(prim::ScatterOp op, unsigned d) {
  unsigned batch = op.getBatchDims();
  return cast<RankedTensorType>(op.getIndices().getType()).getRank() - 1 + d -
         batch;
}

bool kiln::schedule::updatesFew(prim::ScatterOp op, int64_t most,
                                int64_t each) {
  auto operand = cast<RankedTensorType>(op.getType());
  auto updates = cast<RankedTensorType>(op.getUpdates().getType());
  return operand.hasStaticShape() && updates.hasStaticShape() &&
         operand.getNumElements() <= most &&
         updates.getNumElements() >= each * operand.getNumElements();
}

bool kiln::schedule::computesOperands(prim::ScatterOp op,
                                      target::TargetAttr description) {
  constexpr int64_t kManyThreads = 64, kFewPlaces = 64, kFewElements = 4096,
                    kUpdatesOfElement = 4, kWord = 32;
  auto operand = cast<RankedTensorType>(op.getType());
  auto updates = cast<RankedTensorType>(op.getUpdates().getType());
  if (!description || !description.getTopology() ||
      description.getTopology().getThreads() < kManyThreads ||
      !storesMeet(op) || op.getDims().empty() || !operand.hasStaticShape() ||
      !updates.hasStaticShape() || !storeOf(op))
    return false;
  bool isSet = op.getCombine() == prim::ScatterKind::set;
  if (!isSet && updatesFew(op, kFewElements, kUpdatesOfElement))
    return false;
  // Parts of a word are updated with it.
  int64_t bits = std::max(operand.getElementTypeBitWidth(), 8u);
  if (!isSet && bits < kWord && operand.getNumElements() * bits % kWord)
    return false;
  int64_t window = 1;
  for (int64_t d = op.getBatchDims(); d < operand.getRank(); ++d)
    window *= updates.getDimSize(dimOfUpdates(op, d));
  return window <= kWidestRow && window > 0 &&
         updates.getNumElements() / window >= kFewPlaces;
}

ScatterElements::ScatterElements(prim::FusionOp fusion, prim::ScatterOp op,
                                 ScheduleContext &ctx)
    : op(op), ctx(ctx), group(fusion, ctx),
      kernel(ctx.host, fusion.getLoc(), ctx.kernelName), b(kernel.b),
      loc(fusion.getLoc()) {}

LogicalResult ScatterElements::plan() {
  if (succeeded(group.plan.run(op.getResult())))
    return success();
  reason = group.plan.reason;
  kernel.abandon();
  return failure();
}

Buffer ScatterElements::seenByUpdates(const Buffer &out) {
  Buffer seen;
  seen.base = out.base;
  seen.offset = out.offset;
  auto updates = cast<RankedTensorType>(op.getUpdates().getType());
  seen.strides.assign(updates.getRank(), 0);
  for (int64_t d = 0; d < updates.getRank(); ++d)
    seen.sizes.push_back(ctx.host.dimOf(op.getUpdates(), d));
  unsigned batch = op.getBatchDims();
  for (unsigned d = 0; d < batch; ++d)
    seen.strides[d] = out.strides[d];
  for (unsigned d = batch; d < out.rank(); ++d)
    seen.strides[dimOfUpdates(op, d)] = out.strides[d];
  return seen;
}

void ScatterElements::chooseBlocks(const Buffer &seen) {
  // Dimensions of windows along those that an index moves are numbers of their
  // own, which the index is added to.
  for (int64_t d : op.getDims())
    if (unsigned w = dimOfUpdates(op, d);
        cast<RankedTensorType>(op.getUpdates().getType()).getDimSize(w) != 1)
      for (int dim : group.plan.rootMap.index[w].dims())
        group.plan.pinned.set(dim);
  group.addDims(kernel);
  SmallVector<int> dims =
      llvm::to_vector(llvm::seq<int>(0, group.plan.numRootDims));
  group.merge(kernel, dims, seen);
  dims = Group::physical(kernel, dims);
  auto tiled = elementRoles(dims);
  target::TilingProblem problem =
      group.problemFor(kernel, target::TilingProblem::Kind::Elementwise, tiled);
  group.chooseBlocks(kernel, problem, tiled);
  // Threads wait for indices before they update: with fewer of both there are
  // more of those that do not wait.
  constexpr int64_t kMost = 1024;
  // Rows are last, and are kept as long as there are places.
  bool hasRows = !dims.empty() &&
                 group.strideOf(seen, group.plan.rootMap, dims.back()).is(1);
  auto widest = [&] {
    auto blockOf = [&](int dim) {
      int64_t size = kernel.dims[dim].block;
      return hasRows && dim == dims.back() ? std::min<int64_t>(size, 2) : size;
    };
    return llvm::max_element(
        dims, [&](int x, int y) { return blockOf(x) < blockOf(y); });
  };
  auto elements = [&] {
    int64_t count = 1;
    for (int dim : dims)
      count *= kernel.dims[dim].block;
    return count;
  };
  while (elements() > kMost)
    kernel.dims[*widest()].block /= 2;
  space = elementSpace(kernel, dims);
  for (int axis : space.axes)
    shape.push_back(kernel.dims[axis].block);
  placeInGrid(kernel, dims);
}

Value ScatterElements::splat(Value scalar, Type element) {
  scalar = arith::IndexCastOp::create(b, loc, element, scalar);
  return tile::SplatOp::create(b, loc, RankedTensorType::get(shape, element),
                               scalar);
}

Value ScatterElements::along(unsigned axis, Type element) {
  const KernelDim &dim = kernel.dims[space.axes[axis]];
  Value steps = tile::IotaOp::create(
      b, loc, RankedTensorType::get(shape, element), uint64_t(axis));
  return arith::AddIOp::create(b, loc, steps, splat(dim.offset, element));
}

void ScatterElements::require(arith::CmpIPredicate predicate, Value x,
                              Value y) {
  Value holds = arith::CmpIOp::create(b, loc, predicate, x, y);
  inside =
      inside ? arith::AndIOp::create(b, loc, inside, holds).getResult() : holds;
}

Value ScatterElements::coordinate(unsigned number) {
  unsigned d = op.getDims()[number], w = dimOfUpdates(op, d);
  AccessMap map;
  map.ranges = group.plan.rootMap.ranges;
  auto indices = cast<RankedTensorType>(op.getIndices().getType());
  for (int64_t place = 0; place + 1 < indices.getRank(); ++place)
    map.index.push_back(group.plan.rootMap.index[place]);
  map.index.push_back(IndexExpr(int64_t(number)));
  Value index = emitter->emit(op.getIndices(), map);
  if (!index)
    return {};
  Type i64 = b.getI64Type();
  auto type = cast<RankedTensorType>(index.getType());
  if (type.getElementType() != i64)
    index = arith::ExtSIOp::create(b, loc, type.clone(i64), index);
  index = emitter->broadcast(index, shape);
  // Windows of several elements begin there.
  for (int dim : group.plan.rootMap.index[w].dims()) {
    int axis = llvm::find(space.axes, dim) - space.axes.begin();
    Value offset = axis < static_cast<int>(space.axes.size())
                       ? along(axis, i64)
                       : splat(kernel.dims[dim].offset, i64);
    index = arith::AddIOp::create(b, loc, index, offset);
  }
  Value size = splat(kernel.index(ctx.host.dimOf(op.getOperand(), d)), i64);
  require(arith::CmpIPredicate::ult, index, size);
  return index;
}

Value ScatterElements::placesOf(const Buffer &out, const Buffer &seen,
                                Extent all) {
  Type i64 = b.getI64Type();
  Type type = all.isStatic() && all.get() <= INT32_MAX ? b.getI32Type() : i64;
  Value place = splat(kernel.index(out.offset), type);
  auto advance = [&](Value steps, Extent stride) {
    if (!stride.is(1))
      steps = arith::MulIOp::create(b, loc, steps,
                                    splat(kernel.index(stride), type));
    place = arith::AddIOp::create(b, loc, place, steps);
  };
  llvm::SmallBitVector byIndex(kernel.dims.size());
  for (auto [number, d] : llvm::enumerate(op.getDims())) {
    Value index = coordinate(number);
    if (!index)
      return {};
    if (type != i64)
      index = arith::TruncIOp::create(
          b, loc, cast<RankedTensorType>(index.getType()).clone(type), index);
    advance(index, out.strides[d]);
    for (int dim : group.plan.rootMap.index[dimOfUpdates(op, d)].dims())
      byIndex.set(dim);
  }
  for (auto [number, dim] : llvm::enumerate(kernel.dims)) {
    if (dim.into >= 0 || !dim.offset)
      continue;
    int axis = llvm::find(space.axes, int(number)) - space.axes.begin();
    bool isAxis = axis < static_cast<int>(space.axes.size());
    // Views of rows end with them.
    if (isAxis && shape[axis] == dim.block && emitter->isPartial(number))
      require(arith::CmpIPredicate::slt, along(axis, i64),
              splat(kernel.index(dim.size), i64));
    if (number >= group.plan.sizes.size() || byIndex.test(number))
      continue;
    Extent stride = group.strideOf(seen, group.plan.rootMap, number);
    if (stride.is(0))
      continue;
    advance(isAxis ? along(axis, type) : splat(dim.offset, type), stride);
  }
  if (!inside)
    return place;
  return arith::SelectOp::create(b, loc, inside, place,
                                 splat(kernel.constant(-1), type));
}

int64_t ScatterElements::widthOfRows(const Buffer &out, const Buffer &seen) {
  if (op.getDims().empty() || space.axes.size() < 2)
    return 0;
  // What lies along a row is a dimension of the kernel: the last ones of the
  // result, as a whole, which no index moves.
  int inRow = space.axes.back();
  Extent inside = 1;
  const AccessMap &map = group.plan.rootMap;
  for (unsigned d = op.getBatchDims(); d < out.rank(); ++d)
    if (isAlongRow(map.index[dimOfUpdates(op, d)])) {
      if (llvm::is_contained(op.getDims(), int64_t(d)))
        return 0;
      inside = ctx.host.math.mul(inside, out.sizes[d]);
    }
  const KernelDim &dim = kernel.dims[inRow];
  if (!inside.isStatic() || inside.get() < 2 || !dim.size.same(inside) ||
      !group.strideOf(seen, map, inRow).is(1))
    return 0;
  auto divides = [&](Extent extent) {
    return extent.isStatic() && extent.get() % inside.get() == 0;
  };
  bool isDense =
      divides(out.offset) && divides(ctx.host.elementsOf(out.base)) &&
      llvm::all_of(ArrayRef(out.strides).take_front(op.getBatchDims()),
                   divides);
  for (unsigned d = op.getBatchDims(); d < out.rank(); ++d)
    isDense &=
        isAlongRow(map.index[dimOfUpdates(op, d)]) || divides(out.strides[d]);
  return isDense ? inside.get() : 0;
}

bool ScatterElements::isAlongRow(const IndexExpr &index) {
  return llvm::any_of(index.dims(), [&](int dim) {
    while (kernel.dims[dim].into >= 0)
      dim = kernel.dims[dim].into;
    return dim == space.axes.back();
  });
}

Buffer ScatterElements::inRows(const Buffer &buffer, int64_t width) {
  Buffer rows = buffer;
  rows.offset = buffer.offset.get() / width;
  for (Extent &stride : rows.strides)
    stride = stride.get() / width;
  return rows;
}

LogicalResult ScatterElements::build(const Buffer &out) {
  Buffer seen = seenByUpdates(out);
  chooseBlocks(seen);
  emitter.emplace(kernel, group.plan, group.inGroup(), space);
  Value update = emitter->emit(op.getUpdates(), group.plan.rootMap);
  if (!update) {
    reason = emitter->reason;
    kernel.abandon();
    return failure();
  }
  // The line of all elements, or of rows, of which each thread updates
  // neighbours together.
  Buffer line;
  line.base = out.base;
  Extent all = ctx.host.elementsOf(out.base);
  SmallVector<Value> offsets;
  Value places;
  if (int64_t width = widthOfRows(out, seen)) {
    line.sizes = {all.get() / width, width};
    line.strides = {width, 1};
    offsets.push_back(kernel.dims[space.axes.back()].offset);
    SmallVector<int64_t> tile = shape;
    shape.back() = 1;
    places = placesOf(inRows(out, width), inRows(seen, width), line.sizes[0]);
    if (places)
      places = emitter->reshape(places, ArrayRef(shape).drop_back());
    shape = tile;
  } else {
    line.sizes = {all};
    line.strides = {1};
    places = placesOf(out, seen, all);
  }
  if (!places) {
    reason = emitter->reason;
    kernel.abandon();
    return failure();
  }
  tile::StoreScatterOp::create(b, loc, emitter->broadcast(update, shape),
                               kernel.view(line, /*write=*/true), offsets,
                               places, uint64_t(0), *storeOf(op));
  return success();
}

void ScatterElements::finish() { kernel.finish("generic.scatter"); }
