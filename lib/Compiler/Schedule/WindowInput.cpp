//===- WindowInput.cpp - What windows slide over --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WindowInput.h"
#include "ConvertFactors.h"
#include "ElementBlocks.h"
#include "ResultOrder.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

FailureOr<Buffer> kiln::schedule::memoryOf(Group &group, Value operand) {
  Operation *op = operand.getDefiningOp();
  if (!op || !group.inGroup()(op)) {
    if (!group.host.hasBuffer(operand))
      return failure();
    return group.host.buffer(operand);
  }
  if (!isViewMovement(op))
    return failure();
  FailureOr<Buffer> source = memoryOf(group, op->getOperand(0));
  Buffer result;
  if (failed(source) || failed(group.host.viewThrough(op, *source, result)))
    return failure();
  return result;
}

std::string kiln::schedule::planOneConvolution(Group &group) {
  if (failed(group.plan.run(group.root)))
    return group.plan.reason;
  auto window =
      group.plan.anchors.size() == 1
          ? dyn_cast<prim::WindowOpInterface>(group.plan.anchors.front().op)
          : prim::WindowOpInterface();
  if (!window || !window.getWindowFilter() || !group.plan.reductions.empty())
    return "the group is not one convolution";
  return {};
}

void Surrounded::undo() {
  if (!launch)
    return;
  launch.erase();
  kernel.erase();
}

/// Whether positions of a line and their channels should be copied as one
/// dimension: both lie side by side before and after, and the channels of a
/// position fill no whole registers.
static bool joinsChannels(const Buffer &input, ArrayRef<unsigned> order,
                          size_t numSpatial) {
  constexpr int64_t kLine = 512;
  unsigned channels = input.rank() - 1;
  return numSpatial > 0 && numSpatial + 1 == channels &&
         order.back() == channels && order[order.size() - 2] == channels - 1 &&
         input.sizes[channels].isStatic() && input.strides[channels].is(1) &&
         input.strides[channels - 1].is(input.sizes[channels].get()) &&
         input.sizes[channels].get() *
                 input.elementType().getIntOrFloatBitWidth() % kLine !=
             0;
}

/// `surround` with these as one dimension.
static Surrounded surroundLines(Group &group, const Buffer &input,
                                ArrayRef<int64_t> low, ArrayRef<int64_t> sizes,
                                ArrayRef<unsigned> order, TypedAttr outside,
                                StringRef schedule, StringRef suffix) {
  unsigned column = input.rank() - 2;
  int64_t channels = input.sizes.back().get();
  Buffer lines = input;
  lines.sizes[column] = input.sizes[column] * channels;
  lines.sizes.pop_back();
  lines.strides[column] = 1;
  lines.strides.pop_back();
  SmallVector<int64_t> before(low), all(sizes);
  before.back() *= channels;
  all.back() *= channels;
  Surrounded result = surround(group, lines, before, all, order.drop_back(),
                               outside, schedule, /*phases=*/1, suffix);
  result.buffer.sizes[column] = sizes.back();
  result.buffer.sizes.push_back(channels);
  result.buffer.strides[column] = channels;
  result.buffer.strides.push_back(1);
  return result;
}

Surrounded kiln::schedule::surround(Group &group, const Buffer &input,
                                    ArrayRef<int64_t> low,
                                    ArrayRef<int64_t> sizes,
                                    ArrayRef<unsigned> order, TypedAttr outside,
                                    StringRef schedule, int64_t phases,
                                    StringRef suffix) {
  unsigned rank = input.rank(), split = rank - 2;
  if (phases == 1 && computesFromCaches(group.ctx) &&
      joinsChannels(input, order, low.size()))
    return surroundLines(group, input, low, sizes, order, outside, schedule,
                         suffix);
  KernelBuilder copy(group.host, group.fusion.getLoc(),
                     (group.ctx.kernelName + "_" + suffix).str());
  auto isSpatial = [&](unsigned d) { return d > 0 && d <= low.size(); };
  SmallVector<Extent> whole;
  target::TilingProblem problem;
  target::TilingTile tile;
  for (auto [number, d] : llvm::enumerate(order)) {
    KernelDim dim;
    dim.size = isSpatial(d) ? Extent(sizes[d - 1]) : input.sizes[d];
    if (phases > 1 && d == split) {
      dim.size = int64_t(llvm::divideCeil(sizes[d - 1], phases));
      whole.push_back(phases);
    }
    copy.dims.push_back(dim);
    whole.push_back(dim.size);
    problem.dims.push_back({number + 1 == rank ? target::TilingRole::Column
                                               : target::TilingRole::Row,
                            dim.size.asStatic()});
    tile.dims.push_back(number);
  }
  tile.bits = input.elementType().getIntOrFloatBitWidth();
  tile.along = rank - 1;
  problem.tiles = {tile, tile};
  Space space;
  for (auto [dim, block] :
       llvm::enumerate(group.ctx.tiling.choose(problem).blocks)) {
    copy.dims[dim].block = block;
    if (block > 1)
      space.axes.push_back(dim);
  }
  if (space.axes.empty())
    space.axes.push_back(rank - 1);
  for (int dim = rank - 1; dim >= 0; --dim)
    copy.addGridDim(dim);
  copy.placeGrid();
  Surrounded result;
  Buffer made = group.host.allocate(input.elementType(), whole);
  result.buffer = made;
  result.buffer.sizes.resize(rank);
  result.buffer.strides.resize(rank);
  unsigned place = 0;
  for (unsigned d : order) {
    if (phases > 1 && d == split) {
      result.buffer.sizes.push_back(made.sizes[place]);
      result.buffer.strides.push_back(made.strides[place++]);
    }
    result.buffer.sizes[d] = made.sizes[place];
    result.buffer.strides[d] = made.strides[place++];
  }
  TileBuilder emitter(copy, group.plan, group.inGroup(), space);
  for (int64_t phase = 0; phase < phases; ++phase) {
    AccessMap from, to;
    from.index.resize(rank);
    to.index.resize(rank);
    for (auto [number, d] : llvm::enumerate(order)) {
      to.index[d] = from.index[d] = IndexExpr::dim(number);
      if (!isSpatial(d))
        continue;
      Extent start = low[d - 1];
      if (phases == 1 || d != split) {
        from.index[d] = to.index[d] - start;
        from.ranges.push_back(
            {static_cast<int>(number), start, start + input.sizes[d]});
        continue;
      }
      from.index[d] = to.index[d] * phases + (phase - low[d - 1]);
      auto after = [&](int64_t elements) {
        return std::max<int64_t>(
            llvm::divideCeilSigned(elements - phase, phases), 0);
      };
      from.ranges.push_back({static_cast<int>(number), after(low[d - 1]),
                             after(low[d - 1] + input.sizes[d].get())});
    }
    if (phases > 1)
      to.index.push_back(IndexExpr(phase));
    Value loaded = emitter.load(input, from, outside);
    // Along dimensions of stride 0 nothing was padded: the view lacks them.
    for (auto [number, d] : llvm::enumerate(order))
      if (const IndexRange *range = from.rangeOf(number);
          range && input.strides[d].is(0))
        if (Value inside = emitter.mask(number, range->lo, range->hi))
          loaded = emitter.select(inside, loaded, outside);
    emitter.store(loaded, result.buffer, to);
  }
  result.launch = copy.finish(schedule);
  result.kernel = copy.kernel;
  return result;
}

FailureOr<Surrounded> kiln::schedule::computeInOrder(
    Group &group, Value operand, const AccessMap &map,
    ArrayRef<ZerosAround> around, StringRef suffix, StringRef schedule,
    std::string &reason, prim::Precision precision, ArrayRef<unsigned> order) {
  using target::TilingRole;
  KernelBuilder kernel(group.host, group.fusion.getLoc(),
                       (group.ctx.kernelName + "_" + suffix).str());
  group.addDims(kernel);
  SmallVector<Extent> sizes = group.host.sizesOf(operand);
  AccessMap from = map;
  for (const ZerosAround &zeros : around) {
    int dim = map.index[zeros.dim].asDim();
    assert(dim >= 0 && "expected a whole dimension");
    Extent low = zeros.low;
    from.index[zeros.dim] = map.index[zeros.dim] - low;
    from.ranges.push_back({dim, low, low + sizes[zeros.dim]});
    kernel.dims[dim].size = sizes[zeros.dim] = zeros.size;
  }
  llvm::sort(from.ranges, [](const IndexRange &x, const IndexRange &y) {
    return x.dim < y.dim;
  });
  SmallVector<unsigned> inMemory(order);
  if (order.empty())
    llvm::append_range(inMemory, llvm::seq<unsigned>(map.index.size()));
  SmallVector<int> dims;
  for (unsigned d : inMemory)
    llvm::append_range(dims, map.index[d].dims());
  FailureOr<Buffer> memory = memoryOf(group, operand);
  target::TilingProblem problem;
  target::TilingTile source, made;
  for (auto [number, dim] : llvm::enumerate(dims)) {
    Extent size = kernel.dims[dim].size;
    problem.dims.push_back(
        {number + 1 == dims.size() ? TilingRole::Column : TilingRole::Row,
         size.isStatic() ? size.get() : ShapedType::kDynamic});
    source.dims.push_back(number);
    if (succeeded(memory) && group.strideOf(*memory, map, dim).is(1))
      source.along = number;
  }
  made = source;
  made.along = dims.size() - 1;
  source.bits = made.bits =
      getElementTypeOrSelf(operand).getIntOrFloatBitWidth();
  problem.tiles = {source, made};
  Space space;
  for (auto [dim, block] :
       llvm::zip(dims, group.ctx.tiling.choose(problem).blocks)) {
    kernel.dims[dim].block = group.plan.untiled.test(dim) ? 1 : block;
    if (kernel.dims[dim].block > 1)
      space.axes.push_back(dim);
  }
  if (space.axes.empty() && !dims.empty())
    space.axes.push_back(dims.back());
  placeInGrid(kernel, dims);
  TileBuilder emitter(kernel, group.plan, group.inGroup(), space);
  Value tile = emitter.emit(operand, from);
  if (!tile) {
    reason = emitter.reason;
    kernel.abandon();
    return failure();
  }
  // What is loaded is zero there already; what is computed need not be.
  Type element = getElementTypeOrSelf(operand);
  if (failed(memory))
    for (const IndexRange &range : from.ranges)
      if (Value inside = emitter.mask(range.dim, range.lo, range.hi))
        tile = emitter.select(inside, tile, zeroOf(element));
  if (roundsCopies(group.ctx.description, element, precision))
    tile = roundToTf32(tile, kernel.b, kernel.loc);
  Surrounded result;
  result.buffer = allocateInOrder(group.host, element, sizes, inMemory);
  emitter.store(tile, result.buffer, map);
  result.launch = kernel.finish(schedule);
  result.kernel = kernel.kernel;
  return result;
}
