//===- GroupedWindow.cpp - Convolutions of small groups -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GroupedWindow.h"
#include "BlockThreads.h"
#include "ResultOrder.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Target/Limits.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Larger groups fill the tiles of matrix units, and larger windows take long
/// to compile.
static constexpr int64_t kMostChannels = 8, kMostPositions = 49;

LogicalResult GroupedWindow::findDims() {
  element = getElementTypeOrSelf(conv.getInput());
  acc = sumType(getElementTypeOrSelf(conv.getResult()));
  auto isStatic = [](const Extent &size) { return size.isStatic(); };
  if (!llvm::all_of(group.plan.sizes, isStatic) ||
      !llvm::all_of(input.strides, isStatic))
    return fail("sizes that are not known");
  constexpr unsigned kLeastBits = 16, kMostBits = 32;
  unsigned bits = element.getIntOrFloatBitWidth();
  if (!isa<FloatType>(element) || bits < kLeastBits || bits > kMostBits)
    return fail("elements of another size");
  if (getElementTypeOrSelf(conv.getFilter()) != element)
    return fail("a filter of another type");
  if (llvm::any_of(conv.getInputDilation(), [](int64_t d) { return d != 1; }))
    return fail("an input that is spread");
  const IndexExpr &from = anchor.operandMaps[0].index.back();
  IndexExpr channels = anchor.map.index.back().without([&](int dim) {
    if (!from.dependsOn(dim))
      return false;
    groups = groups == -1 ? dim : -2;
    return true;
  });
  if (groups < 0)
    return fail("no groups, or several dimensions of them");
  channel = channels.hasDims() ? channels.asDim() : -1;
  if (channels.hasDims() && channel < 0)
    return fail("several dimensions of channels in a group");
  const IndexExpr &summed = anchor.operandMaps[1].index.back();
  depth = summed.hasDims() ? summed.asDim() : -1;
  if (depth < 0)
    return fail("no sum over input channels");
  if (sizeOf(depth) > kMostChannels || sizeOf(channel) > kMostChannels)
    return fail("groups of many channels");
  return findPlaces();
}

LogicalResult GroupedWindow::findPlaces() {
  auto dimOf = [](const IndexExpr &at) {
    return at.hasDims() ? (at.asDim() < 0 ? -2 : at.asDim()) : -1;
  };
  image = dimOf(anchor.map.index[0]);
  int64_t positions = 1;
  bool isWhole = image != -2;
  for (unsigned d = 0; d < spatial; ++d) {
    position.push_back(dimOf(anchor.map.index[d + 1]));
    window.push_back(dimOf(anchor.window[d]));
    isWhole &= position[d] != -2 && window[d] != -2;
    if (isWhole)
      positions *= std::min(windowOf(d), kMostPositions + 1);
  }
  if (!isWhole)
    return fail("positions that are split");
  if (positions > kMostPositions)
    return fail("a large window");
  SmallVector<int> tiled(position);
  tiled.append({image, groups, channel});
  for (int dim : tiled)
    if (dim >= 0 && (group.plan.untiled.test(dim) ||
                     dim >= static_cast<int>(group.plan.numRootDims)))
      return fail("a dimension of single elements");
  return success();
}

void GroupedWindow::chooseForm() {
  channelsInner = input.strides.back().is(1);
  auto isVector = [&](int dim) {
    return channelsInner && dim >= 0 && llvm::isPowerOf2_64(sizeOf(dim));
  };
  loadsVectors = isVector(depth);
  storesVectors = isVector(channel) &&
                  group.strideOf(out, group.plan.rootMap, channel).is(1);
  // Lanes are along what is innermost.
  for (unsigned d = 0; d < spatial; ++d)
    if (position[d] >= 0 && !input.strides[d + 1].is(1))
      along = d;
  // The factors of a step are in registers.
  constexpr int64_t kMostFactors = 64;
  unrollsWindow =
      along >= 0 &&
      windowOf(along) * sizeOf(depth) * sizeOf(channel) <= kMostFactors;
}

SmallVector<std::pair<int, int64_t>>
GroupedWindow::blocksFor(int64_t results, int64_t elements) {
  constexpr int64_t kLine = 1024, kMostColumns = 64;
  SmallVector<std::pair<int, int64_t>> blocks;
  int64_t rest = elements;
  auto add = [&](int dim, int64_t block) {
    blocks.insert(blocks.begin(), {dim, block});
    rest /= block;
  };
  auto countOf = [&](int dim) {
    bool isAlong = along >= 0 && dim == position[along];
    return int64_t(llvm::divideCeil(sizeOf(dim), isAlong ? results : 1));
  };
  if (channelsInner) {
    // Whole lines of memory.
    int64_t line =
        kLine / (sizeOf(depth) * int64_t(element.getIntOrFloatBitWidth()));
    int64_t most = llvm::PowerOf2Ceil(sizeOf(groups));
    add(groups, std::clamp<int64_t>(line, 1, std::min(most, rest)));
  }
  bool isInnermost = !channelsInner;
  for (int dim : llvm::reverse(position)) {
    if (dim < 0)
      continue;
    int64_t count = countOf(dim), block = 1;
    if (isInnermost)
      block = std::min<int64_t>(
          {int64_t(llvm::PowerOf2Ceil(count)), kMostColumns, rest});
    else
      for (int64_t next = 2; next <= rest; next *= 2)
        if (int64_t(llvm::alignTo(count, next)) <= count * 9 / 8)
          block = next;
    isInnermost = false;
    add(dim, block);
  }
  if (image >= 0) {
    int64_t block = 1;
    while (block * 2 <= rest && sizeOf(image) % (block * 2) == 0)
      block *= 2;
    add(image, block);
  }
  return blocks;
}

void GroupedWindow::chooseBlocks() {
  // A thread has one element of each tile of sums: more of them would be
  // neighbours in memory, and its loads would leave gaps between lanes.
  constexpr int64_t kElements = 128;
  constexpr int64_t kMostSums = 64, kMostBeside = 16;
  int64_t cores = target::countCores(group.ctx.description);
  int64_t most = along < 0 ? 1
                           : std::min({kMostSums / sizeOf(channel), kMostBeside,
                                       sizeOf(position[along])});
  std::optional<double> least;
  SmallVector<std::pair<int, int64_t>> best;
  for (int64_t results = 1; results <= most; ++results) {
    SmallVector<std::pair<int, int64_t>> blocks = blocksFor(results, kElements);
    int64_t instances = channelsInner ? 1 : sizeOf(groups);
    for (auto [dim, block] : blocks) {
      bool isAlong = along >= 0 && dim == position[along];
      instances *=
          llvm::divideCeil(sizeOf(dim), block * (isAlong ? results : 1));
    }
    // Loading the factors and a part of the input takes as long as some
    // results. The last instances leave cores idle.
    constexpr double kLoads = 1.5;
    double rounds = instances < 4 * cores
                        ? double(llvm::divideCeil(instances, cores))
                        : double(instances) / double(cores);
    double cost = rounds * (double(results) + kLoads);
    if (least && cost >= *least)
      continue;
    least = cost;
    best = blocks;
    beside = results;
  }
  for (auto [dim, block] : best)
    kernel.dims[dim].block = block;
  kernel.kernel->setAttr(
      tile::kHintsAttr,
      tile::KernelHintsAttr::get(
          kernel.b.getContext(),
          std::max<int64_t>(kElements / countLanes(group.ctx.description), 1),
          0, 0, 0));
}

LogicalResult GroupedWindow::orderFilter() {
  KernelBuilder copy(group.host, group.fusion.getLoc(),
                     group.ctx.kernelName + "_filter");
  group.addDims(copy);
  // Outermost first: lanes read neighbouring groups, or all lanes one group.
  SmallVector<int> order;
  if (!channelsInner)
    order.push_back(groups);
  for (int dim : window)
    if (dim >= 0)
      order.push_back(dim);
  order.push_back(depth);
  if (channelsInner)
    order.push_back(groups);
  if (channel >= 0)
    order.push_back(channel);
  target::TilingProblem problem;
  target::TilingTile tile;
  SmallVector<Extent> sizes;
  for (auto [number, dim] : llvm::enumerate(order)) {
    problem.dims.push_back({number + 1 == order.size()
                                ? target::TilingRole::Column
                                : target::TilingRole::Row,
                            sizeOf(dim)});
    tile.dims.push_back(number);
    sizes.push_back(sizeOf(dim));
    filterMap.index.push_back(IndexExpr::dim(dim));
  }
  tile.along = order.size() - 1;
  tile.bits = element.getIntOrFloatBitWidth();
  problem.tiles = {tile, tile};
  Space space;
  for (auto [dim, block] :
       llvm::zip(order, group.ctx.tiling.choose(problem).blocks)) {
    copy.dims[dim].block = block;
    if (block > 1)
      space.axes.push_back(dim);
  }
  if (space.axes.empty())
    space.axes.push_back(order.back());
  for (int dim : llvm::reverse(order))
    copy.addGridDim(dim);
  copy.placeGrid();
  TileBuilder emitter(copy, group.plan, group.inGroup(), space);
  Value loaded = emitter.emit(conv.getFilter(), anchor.operandMaps[1]);
  if (!loaded) {
    copy.abandon();
    return fail(emitter.reason);
  }
  filterCopy.buffer =
      group.host.allocate(getElementTypeOrSelf(conv.getFilter()), sizes);
  emitter.store(loaded, filterCopy.buffer, filterMap);
  filterCopy.launch = copy.finish("generic.grouped_window");
  filterCopy.kernel = copy.kernel;
  filter = filterCopy.buffer;
  return success();
}

void GroupedWindow::placeGrid() {
  KernelDim *line = along < 0 ? nullptr : &kernel.dims[position[along]];
  int64_t slots = line ? line->block : 1;
  if (line)
    line->block = slots * beside;
  SmallVector<int> grid;
  if (channelsInner)
    grid.push_back(groups);
  for (int dim : llvm::reverse(position))
    if (dim >= 0)
      grid.push_back(dim);
  if (!channelsInner)
    grid.push_back(groups);
  if (image >= 0)
    grid.push_back(image);
  for (int dim = group.plan.numRootDims; dim-- > 0;)
    if (dim != channel && !llvm::is_contained(grid, dim))
      grid.push_back(dim);
  for (int dim : grid)
    kernel.addGridDim(dim);
  kernel.placeGrid();
  if (line) {
    firstResult = line->offset;
    line->block = slots;
    line->step = beside;
    line->coord = Value();
  }
  for (unsigned d = 0; d < spatial; ++d) {
    KernelDim &read = kernel.dims[anchor.virtualDims[d]];
    read.outside = true;
    if (position[d] < 0)
      continue;
    read.block = kernel.dims[position[d]].block;
    read.step = kernel.dims[position[d]].step * stride(d);
  }
  auto addAxis = [&](int ofResult, int ofInput) {
    if (ofResult < 0 || kernel.dims[ofResult].block == 1)
      return;
    resultAxes.push_back(ofResult);
    inputAxes.push_back(ofInput);
  };
  addAxis(image, image);
  for (unsigned d = 0; d < spatial; ++d)
    addAxis(position[d], anchor.virtualDims[d]);
  addAxis(groups, groups);
  if (resultAxes.empty()) {
    resultAxes.push_back(groups);
    inputAxes.push_back(groups);
  }
}

void GroupedWindow::placeResult(int64_t number) {
  if (along >= 0)
    kernel.dims[position[along]].offset =
        kernel.add(firstResult, kernel.constant(number));
}

void GroupedWindow::placeInput(int64_t offset) {
  for (unsigned d = 0; d < spatial; ++d) {
    Value at = kernel.constant(-conv.getPadLow()[d]);
    bool isAlong = static_cast<int>(d) == along;
    if (position[d] >= 0)
      at = kernel.add(
          kernel.mul(isAlong ? firstResult : kernel.dims[position[d]].offset,
                     kernel.constant(stride(d))),
          at);
    if (isAlong)
      at = kernel.add(at, kernel.constant(offset));
    if (window[d] >= 0 && !(isAlong && unrollsWindow))
      at = kernel.add(at, kernel.mul(kernel.dims[window[d]].offset,
                                     kernel.constant(dilation(d))));
    kernel.dims[anchor.virtualDims[d]].offset = at;
  }
}

/// The shape with the last dimension as so many of size 2, the last of which
/// tells neighbours apart.
static SmallVector<int64_t> asPairs(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> pairs(shape.drop_back());
  pairs.append(llvm::Log2_64(shape.back()), 2);
  return pairs;
}

Value GroupedWindow::reshape(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  return tile::ReshapeOp::create(kernel.b, kernel.loc, type.clone(shape), tile);
}

GroupedWindow::Tiles GroupedWindow::split(Value tile) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
  int64_t count = shape.back();
  Tiles parts = {reshape(tile, asPairs(shape))};
  for (int64_t have = 1; have < count; have *= 2) {
    // The last dimension of all parts: which of them come first does not
    // change.
    Tiles even, odd;
    for (Value part : parts) {
      auto type = cast<RankedTensorType>(part.getType());
      Type half = type.clone(type.getShape().drop_back());
      auto pair = tile::SplitOp::create(kernel.b, kernel.loc, half, half, part);
      even.push_back(pair.getFirst());
      odd.push_back(pair.getSecond());
    }
    parts = even;
    llvm::append_range(parts, odd);
  }
  return parts;
}

Value GroupedWindow::join(ArrayRef<Value> parts) {
  Tiles tiles(parts);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(tiles.front().getType()).getShape());
  shape.push_back(static_cast<int64_t>(tiles.size()));
  while (tiles.size() > 1) {
    size_t half = tiles.size() / 2;
    for (size_t number = 0; number < half; ++number) {
      auto type = cast<RankedTensorType>(tiles[number].getType());
      SmallVector<int64_t> pairs(type.getShape());
      pairs.push_back(2);
      tiles[number] =
          tile::JoinOp::create(kernel.b, kernel.loc, type.clone(pairs),
                               tiles[number], tiles[half + number]);
    }
    tiles.resize(half);
  }
  return reshape(tiles.front(), shape);
}

GroupedWindow::Tiles GroupedWindow::channelTiles(const Buffer &buffer,
                                                 const AccessMap &map,
                                                 ArrayRef<int> axes, int dim,
                                                 bool isVector) {
  Space space{SmallVector<int, 3>(axes)};
  if (isVector) {
    space.axes.push_back(dim);
    kernel.dims[dim].block = sizeOf(dim);
    kernel.place(dim, kernel.constant(0));
    TileBuilder emitter(kernel, group.plan, group.inGroup(), space);
    Value tile = emitter.load(buffer, map);
    kernel.dims[dim].block = 1;
    return split(tile);
  }
  Tiles tiles;
  TileBuilder emitter(kernel, group.plan, group.inGroup(), space);
  for (int64_t number = 0; number < sizeOf(dim); ++number) {
    if (dim >= 0)
      kernel.place(dim, kernel.constant(number));
    tiles.push_back(emitter.load(buffer, map));
  }
  return tiles;
}

GroupedWindow::Tiles GroupedWindow::step(ValueRange sums) {
  int64_t places = unrollsWindow ? windowOf(along) : 1, inputs = sizeOf(depth),
          results = sizeOf(channel);
  // By place, input channel and channel.
  std::vector<SmallVector<Tiles>> factors(places);
  for (int64_t place = 0; place < places; ++place) {
    if (unrollsWindow && window[along] >= 0)
      kernel.place(window[along], kernel.constant(place));
    for (int64_t number = 0; number < inputs; ++number) {
      kernel.place(depth, kernel.constant(number));
      factors[place].push_back(
          channelTiles(filter, filterMap, resultAxes, channel,
                       channel >= 0 && llvm::isPowerOf2_64(results)));
    }
  }
  TileBuilder emitter(kernel, group.plan, group.inGroup(), Space{});
  Tiles made(sums);
  int64_t apart = along < 0 ? 1 : stride(along),
          spread = along < 0 ? 1 : dilation(along);
  int64_t reads = (beside - 1) * apart + (places - 1) * spread + 1;
  for (int64_t offset = 0; offset < reads; ++offset) {
    Tiles read;
    for (int64_t number = 0; number < beside; ++number) {
      int64_t behind = offset - number * apart, place = behind / spread;
      if (behind < 0 || behind % spread || place >= places)
        continue;
      if (read.empty()) {
        placeInput(offset);
        read = channelTiles(input, anchor.operandMaps[0], inputAxes, depth,
                            loadsVectors);
      }
      for (int64_t i = 0; i < inputs; ++i)
        for (int64_t j = 0; j < results; ++j) {
          Value &sum = made[number * results + j];
          sum = multiplyAdd(read[i], factors[place][i][j], sum, emitter);
        }
    }
  }
  return made;
}

LogicalResult GroupedWindow::storeTile(Value sum, ArrayRef<int> axes) {
  Type to = getElementTypeOrSelf(conv.getResult());
  if (acc != to)
    sum = arith::TruncFOp::create(
        kernel.b, kernel.loc, cast<RankedTensorType>(sum.getType()).clone(to),
        sum);
  TileBuilder epilogue(kernel, group.plan, group.inGroup(),
                       Space{SmallVector<int, 3>(axes)});
  epilogue.bind(conv.getResult(), anchor.map, sum);
  Value tile = epilogue.emit(group.root, group.plan.rootMap);
  if (!tile)
    return fail(epilogue.reason);
  epilogue.store(tile, out, group.plan.rootMap);
  return success();
}

LogicalResult GroupedWindow::storeResults(ArrayRef<Value> sums) {
  int64_t results = sizeOf(channel);
  for (int64_t number = 0; number < beside; ++number) {
    placeResult(number);
    ArrayRef<Value> parts = sums.slice(number * results, results);
    if (storesVectors) {
      SmallVector<int> axes(resultAxes);
      axes.push_back(channel);
      kernel.dims[channel].block = results;
      kernel.place(channel, kernel.constant(0));
      if (failed(storeTile(join(parts), axes)))
        return failure();
      continue;
    }
    for (auto [j, part] : llvm::enumerate(parts)) {
      if (channel >= 0)
        kernel.place(channel, kernel.constant(j));
      if (failed(storeTile(part, resultAxes)))
        return failure();
    }
  }
  return success();
}

LogicalResult GroupedWindow::run() {
  FailureOr<Buffer> memory = memoryOf(group, conv.getInput());
  if (failed(memory))
    return fail("an input that is computed");
  input = *memory;
  if (failed(findDims()))
    return failure();
  chooseForm();
  chooseBlocks();
  if (failed(orderFilter()))
    return failure();
  placeGrid();
  SmallVector<int64_t> shape;
  for (int dim : resultAxes)
    shape.push_back(kernel.dims[dim].block);
  TileBuilder builder(kernel, group.plan, group.inGroup(),
                      Space{SmallVector<int, 3>(ArrayRef(resultAxes))});
  SmallVector<Value> none(beside * sizeOf(channel),
                          builder.splat(zeroOf(acc), shape));
  SmallVector<int> loops;
  for (unsigned d = 0; d < spatial; ++d)
    if (window[d] >= 0 && !(unrollsWindow && static_cast<int>(d) == along))
      loops.push_back(window[d]);
  SmallVector<Value> sums = builder.loop(
      loops, none, [&](ValueRange carried) { return step(carried); });
  if (failed(storeResults(sums))) {
    filterCopy.undo();
    return failure();
  }
  Extent flops = 2;
  for (const Extent &size : group.plan.sizes)
    flops = flops * size;
  for (int dim : anchor.virtualDims)
    flops = flops.get() / sizeOf(dim);
  kernel.finish("generic.grouped_window", flops);
  return success();
}

LogicalResult kiln::schedule::scheduleGroupedWindow(prim::FusionOp op,
                                                    ScheduleContext &ctx) {
  return scheduleOneConvolution<GroupedWindow>(op, ctx, refuseUnsharedTiles,
                                               resultLikeInput);
}
