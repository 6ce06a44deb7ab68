//===- DeepChannels.cpp - Gradients of depthwise filters ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeepChannels.h"
#include "BlockThreads.h"
#include "ResultOrder.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Target/Limits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// A line of positions has so many sums for each element of a block at most.
static constexpr int64_t kMostLine = 32;

/// The dimension of an expression; -1 for none, -2 for several.
static int dimOf(const IndexExpr &at) {
  if (!at.hasDims())
    return -1;
  return at.asDim() < 0 ? -2 : at.asDim();
}

LogicalResult DeepChannels::findDims() {
  constexpr int64_t kMostFilters = 4;
  element = getElementTypeOrSelf(conv.getInput());
  acc = sumType(getElementTypeOrSelf(conv.getResult()));
  if (!llvm::all_of(group.plan.sizes,
                    [](const Extent &size) { return size.isStatic(); }))
    return fail("sizes that are not known");
  int64_t groups = conv.getGroups(),
          filters =
              cast<RankedTensorType>(conv.getFilter().getType()).getDimSize(0);
  if (groups == 1 || filters > groups * kMostFilters)
    return fail("no groups of few filters");
  if (llvm::any_of(conv.getInputDilation(), [](int64_t d) { return d != 1; }))
    return fail("an input that is spread");
  if (anchor.map.index.front().hasDims())
    return fail("several images");
  depth = dimOf(anchor.operandMaps[1].index.back());
  IndexExpr ofGroup = anchor.operandMaps[0].index.back().without(
      [&](int dim) { return dim == depth; });
  SmallVector<int, 2> dims = ofGroup.dims();
  if (depth == -2 || dims.size() != 1)
    return fail("channels that are split");
  channel = dims.front();
  anchor.map.index.back().without([&](int dim) {
    if (dim != channel)
      others.push_back(dim);
    return false;
  });
  return findSpace();
}

LogicalResult DeepChannels::findSpace() {
  // Where so many more elements are summed than there are positions, sums in
  // registers are better.
  constexpr int64_t kLarger = 4;
  int64_t elements = depth < 0 ? 1 : group.plan.sizes[depth].get(), count = 1;
  for (unsigned d = 0; d < spatial; ++d) {
    position.push_back(dimOf(anchor.map.index[d + 1]));
    window.push_back(dimOf(anchor.window[d]));
    if (position.back() == -2 || window.back() == -2)
      return fail("a window or positions that are split");
    auto sizeOf = [&](int dim) {
      return dim < 0 ? 1 : group.plan.sizes[dim].get();
    };
    elements *= sizeOf(window.back());
    count *= sizeOf(position.back());
    if (d + 1 < spatial && position.back() >= 0)
      others.push_back(position.back());
    line = sizeOf(position.back());
  }
  if (spatial == 0 || elements < kLarger * count || line > kMostLine)
    return fail("no large window");
  if (window.back() < 0)
    return fail("a window of one column");
  return success();
}

void DeepChannels::chooseBlocks() {
  // A thread has so many sums.
  constexpr int64_t kSums = 64, kMostOfThread = 8, kMostChannels = 128,
                    kThreads = 128;
  int64_t each = std::clamp<int64_t>(llvm::bit_floor(uint64_t(kSums / line)), 1,
                                     kMostOfThread);
  int64_t channels = kernel.dims[channel].size.get(), most = 8;
  auto padded = [&](int64_t block) {
    return int64_t(llvm::alignTo(channels, block));
  };
  // An eighth of the places of a block is empty at most, if that is possible.
  for (int64_t block = most; block <= kMostChannels; block *= 2)
    if (padded(block) <= padded(8) * 9 / 8)
      most = block;
  int64_t columns = kernel.dims[window.back()].size.get();
  int64_t along =
      std::min<int64_t>(llvm::PowerOf2Ceil(columns),
                        std::max<int64_t>(each * kThreads / most, 1));
  kernel.dims[channel].block = most;
  kernel.dims[window.back()].block = along;
  KernelDim &last = kernel.dims[anchor.virtualDims.back()];
  last.block = along;
  last.step = conv.getDilation().back();
  for (int dim : anchor.virtualDims)
    kernel.dims[dim].outside = true;
  int64_t lanes = countLanes(group.ctx.description);
  kernel.kernel->setAttr(tile::kHintsAttr,
                         tile::KernelHintsAttr::get(
                             kernel.b.getContext(),
                             std::max<int64_t>(most * along / each / lanes, 1),
                             0, 0, 0));
}

void DeepChannels::chooseParts() {
  constexpr int64_t kMostParts = 64, kOfCore = 4;
  Extent steps = depth < 0 ? Extent(1) : kernel.dims[depth].size;
  for (int dim : window)
    if (dim >= 0)
      steps = steps * kernel.numBlocks(dim);
  step = kernel.dims.size();
  kernel.dims.emplace_back();
  kernel.dims[step].size = steps;
  int64_t instances = kernel.numBlocks(channel).get();
  for (int dim : others)
    instances *= kernel.dims[dim].size.get();
  int64_t wanted = llvm::divideCeil(
      kOfCore * target::countCores(group.ctx.description), instances);
  split(steps.get(), std::min(wanted, kMostParts));
}

void DeepChannels::placeStep() {
  OpBuilder &b = kernel.b;
  Value rest = kernel.dims[step].coord;
  SmallVector<int> inner;
  for (int dim : llvm::reverse(window))
    if (dim >= 0)
      inner.push_back(dim);
  if (depth >= 0)
    inner.push_back(depth);
  for (int dim : inner) {
    Value count = kernel.index(kernel.numBlocks(dim));
    bool isLast = dim == inner.back();
    kernel.place(dim, isLast
                          ? rest
                          : arith::RemUIOp::create(b, kernel.loc, rest, count));
    if (!isLast)
      rest = arith::DivUIOp::create(b, kernel.loc, rest, count);
  }
}

void DeepChannels::placeInput(int64_t number) {
  for (unsigned d = 0; d < spatial; ++d) {
    Value offset = kernel.constant(-conv.getPadLow()[d]);
    if (d + 1 == spatial)
      offset =
          kernel.constant(number * conv.getStrides()[d] - conv.getPadLow()[d]);
    else if (position[d] >= 0)
      offset =
          kernel.add(offset, kernel.mul(kernel.dims[position[d]].offset,
                                        kernel.constant(conv.getStrides()[d])));
    if (window[d] >= 0)
      offset = kernel.add(offset,
                          kernel.mul(kernel.dims[window[d]].offset,
                                     kernel.constant(conv.getDilation()[d])));
    kernel.dims[anchor.virtualDims[d]].offset = offset;
  }
}

/// Whether a value of a group is read from memory, with zeros outside.
static bool isRead(Value value, const GroupPlan::InGroupFn &inGroup) {
  Operation *source = value.getDefiningOp();
  while (source && inGroup(source) && isViewMovement(source))
    source = source->getOperand(0).getDefiningOp();
  return !source || !inGroup(source);
}

Value DeepChannels::inputTile(int64_t number) {
  placeInput(number);
  int along = anchor.virtualDims.back();
  // What was read for another position is not this.
  TileBuilder emitter(kernel, group.plan, group.inGroup(),
                      Space{{along, channel}});
  Value tile = emitter.emit(conv.getInput(), anchor.operandMaps[0]);
  if (!tile) {
    reason = emitter.reason;
    return {};
  }
  SmallVector<int> dims(anchor.virtualDims.begin(), anchor.virtualDims.end());
  if (!isRead(conv.getInput(), group.inGroup()))
    tile = emitter.maskPartial(tile, dims, zeroOf(element));
  return emitter.broadcast(
      tile, {kernel.dims[along].block, kernel.dims[channel].block});
}

Value DeepChannels::filterTile() {
  TileBuilder emitter(kernel, group.plan, group.inGroup(),
                      Space{{window.back(), channel}});
  Value tile = emitter.emit(conv.getFilter(), anchor.operandMaps[1]);
  if (!tile) {
    reason = emitter.reason;
    return {};
  }
  return emitter.broadcast(
      tile, {kernel.dims[window.back()].block, kernel.dims[channel].block});
}

LogicalResult DeepChannels::storeSums(ArrayRef<Value> sums) {
  SmallVector<Extent> summed;
  for (int dim : anchor.reduced)
    summed.push_back(group.plan.sizes[dim]);
  SmallVector<int> kept(others.begin(), others.end());
  if (position.back() >= 0)
    kept.push_back(position.back());
  kept.push_back(channel);
  SmallVector<Value> tiles;
  for (Value sum : sums)
    tiles.push_back(
        reduceAxis(kernel.b, kernel.loc, sum, 0,
                   [](OpBuilder &inside, ValueRange x, ValueRange y) {
                     return SmallVector<Value>{added(x[0], y[0], inside)};
                   })[0]);
  return finish(tiles, Space{{window.back(), channel}}, kept,
                "generic.deep_channels", flopsFor(summed), [&](int64_t number) {
                  if (position.back() >= 0)
                    kernel.place(position.back(), kernel.constant(number));
                });
}

LogicalResult DeepChannels::run() {
  if (failed(findDims()))
    return failure();
  chooseBlocks();
  chooseParts();
  kernel.addGridDim(channel);
  for (int dim : llvm::reverse(others))
    kernel.addGridDim(dim);
  if (part >= 0)
    kernel.addGridDim(part);
  kernel.placeGrid();
  if (part >= 0)
    limitLoop(kernel, step, part);
  TileBuilder builder(kernel, group.plan, group.inGroup(),
                      Space{{window.back(), channel}});
  SmallVector<Value> begin(
      line, builder.splat(zeroOf(acc), {kernel.dims[window.back()].block,
                                        kernel.dims[channel].block}));
  bool ok = true;
  SmallVector<Value> sums = builder.loop(
      {step}, begin, [&](ValueRange carried) -> SmallVector<Value> {
        placeStep();
        SmallVector<Value> next(carried);
        Value y = filterTile();
        for (auto [number, sum] : llvm::enumerate(next)) {
          Value x = y ? inputTile(number) : Value();
          ok &= static_cast<bool>(x);
          if (!x)
            return next;
          // Zeros of the window beyond its end meet elements that there are.
          x = builder.maskPartial(x, {window.back()}, zeroOf(element));
          sum = multiplyAdd(x, y, sum, builder);
        }
        return next;
      });
  return ok ? storeSums(sums) : failure();
}

LogicalResult kiln::schedule::scheduleDeepChannels(prim::FusionOp group,
                                                   ScheduleContext &ctx) {
  auto place = [](Group &group) {
    return group.host.destination(group.fusion.getResult(0));
  };
  return scheduleOneConvolution<DeepChannels>(group, ctx, refuseUnsharedTiles,
                                              place);
}
