//===- DeepWindow.cpp - Convolutions with large windows -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeepWindow.h"
#include "ResultOrder.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Target/Limits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

LogicalResult DeepWindow::findDims() {
  // Blocks of images have as many at least, and a window is so much larger than
  // the positions that it is the better one to have in the depth.
  constexpr int64_t kLeastImages = 16, kLarger = 4;
  element = getElementTypeOrSelf(conv.getInput());
  acc = sumType(getElementTypeOrSelf(conv.getResult()));
  if (!hasTileDot(element, acc) ||
      getElementTypeOrSelf(conv.getFilter()) != element)
    return fail("no product of these types");
  if (!llvm::all_of(group.plan.sizes,
                    [](const Extent &size) { return size.isStatic(); }))
    return fail("sizes that are not known");
  if (conv.getGroups() != 1)
    return fail("groups of channels");
  if (llvm::any_of(conv.getInputDilation(), [](int64_t d) { return d != 1; }))
    return fail("an input that is spread");
  ArrayRef<IndexExpr> index = anchor.map.index;
  if (!index.front().hasDims() || !index.back().hasDims() ||
      index.front().asDim() < 0 || index.back().asDim() < 0)
    return fail("one image or filter, or several dimensions of them");
  image = index.front().asDim();
  channel = index.back().asDim();
  if (failed(findAxes()))
    return failure();
  int64_t window = 1, count = 1;
  for (const Axis &axis : ArrayRef(axes).drop_front())
    window *= axis.window;
  for (int dim : positions)
    count *= group.plan.sizes[dim].get();
  if (group.plan.sizes[image].get() < kLeastImages || window < kLarger * count)
    return fail("few images, or no large window");
  return success();
}

LogicalResult DeepWindow::findAxes() {
  auto filterType = cast<RankedTensorType>(conv.getFilter().getType());
  auto inputType = cast<RankedTensorType>(conv.getInput().getType());
  Axis channels;
  const IndexExpr &at = anchor.operandMaps[1].index.back();
  if (at.hasDims() && at.asDim() < 0)
    return fail("channels that are split");
  channels.dim = at.hasDims() ? at.asDim() : -1;
  channels.size = channels.window = inputType.getShape().back();
  axes.push_back(channels);
  for (unsigned d = 0; d < spatial; ++d) {
    Axis axis;
    const IndexExpr &window = anchor.window[d];
    const IndexExpr &position = anchor.map.index[d + 1];
    if ((window.hasDims() && window.asDim() < 0) ||
        (position.hasDims() && position.asDim() < 0))
      return fail("a window or positions that are split");
    axis.dim = window.hasDims() ? window.asDim() : -1;
    axis.position = position.hasDims() ? position.asDim() : -1;
    if (axis.position >= 0)
      positions.push_back(axis.position);
    axis.size = inputType.getDimSize(d + 1);
    axis.window = filterType.getDimSize(d + 1);
    axis.step = conv.getDilation()[d];
    axis.stride = conv.getStrides()[d];
    axis.low = conv.getPadLow()[d];
    int64_t count =
        cast<RankedTensorType>(conv.getResult().getType()).getDimSize(d + 1);
    axis.leaves =
        axis.low > 0 ||
        (count - 1) * axis.stride + (axis.window - 1) * axis.step >= axis.size;
    axes.push_back(axis);
  }
  return success();
}

/// Whether asynchronous copies can take rows of a buffer, along its first
/// dimension: all begin at words.
static bool hasRows(const Buffer &buffer) {
  constexpr int64_t kWord = 32;
  int64_t bits = buffer.elementType().getIntOrFloatBitWidth();
  auto isAligned = [&](const Extent &extent) {
    return extent.isStatic() && extent.get() * bits % kWord == 0;
  };
  if (!buffer.strides.front().is(1) || !isAligned(buffer.offset))
    return false;
  for (unsigned d = 1; d < buffer.rank(); ++d)
    if (!buffer.sizes[d].is(1) && !isAligned(buffer.strides[d]))
      return false;
  return true;
}

bool DeepWindow::hasPlaces(const Buffer &buffer) {
  if (!hasRows(buffer))
    return false;
  // The least distance is that of neighbouring places.
  auto strideOf = [&](unsigned number) {
    return buffer.strides[number ? number : spatial + 1].get();
  };
  pitch = 0;
  for (auto [number, axis] : llvm::enumerate(axes))
    if (axis.size > 1 && (!pitch || strideOf(number) < pitch))
      pitch = strideOf(number);
  if (pitch <= 0)
    return false;
  for (auto [number, axis] : llvm::enumerate(axes)) {
    axis.places = 0;
    if (axis.size == 1)
      continue;
    if (strideOf(number) % pitch)
      return false;
    axis.places = strideOf(number) / pitch;
  }
  return true;
}

bool DeepWindow::hasDepth(const Buffer &buffer) const {
  if (!hasRows(buffer))
    return false;
  int64_t next = -1;
  for (unsigned number = axes.size(); number-- > 0;) {
    if (axes[number].dim < 0)
      continue;
    int64_t stride = buffer.strides[number ? number : spatial + 1].get();
    if (next >= 0 && stride != next)
      return false;
    next = stride * axes[number].window;
  }
  return next >= 0;
}

FailureOr<Surrounded>
DeepWindow::find(unsigned number,
                 llvm::function_ref<bool(const Buffer &)> isUsable) {
  Value operand = conv->getOperand(number);
  FailureOr<Buffer> memory = memoryOf(group, operand);
  Surrounded found;
  if (succeeded(memory) && isUsable(*memory)) {
    found.buffer = *memory;
    return found;
  }
  // Input channels, space, and images or filters side by side.
  SmallVector<unsigned> order = {spatial + 1};
  llvm::append_range(order, llvm::seq<unsigned>(1, spatial + 1));
  order.push_back(0);
  FailureOr<Surrounded> copy =
      computeInOrder(group, operand, anchor.operandMaps[number], /*around=*/{},
                     number ? "filter" : "input", "generic.deep_window", reason,
                     conv.getPrecision(), order);
  if (succeeded(copy) && !isUsable(copy->buffer)) {
    copy->undo();
    return fail("rows that begin at no words");
  }
  return copy;
}

LogicalResult DeepWindow::findOperands() {
  FailureOr<Surrounded> found =
      find(0, [&](const Buffer &buffer) { return hasPlaces(buffer); });
  if (failed(found))
    return failure();
  inputCopy = *found;
  input = inputCopy.buffer;
  found = find(1, [&](const Buffer &buffer) { return hasDepth(buffer); });
  if (failed(found))
    return failure();
  filterCopy = *found;
  filter = filterCopy.buffer;
  return success();
}

void DeepWindow::mergeDepth() {
  Extent size = 1;
  for (const Axis &axis : axes) {
    if (axis.dim < 0)
      continue;
    if (depth >= 0)
      kernel.dims[depth].into = axis.dim;
    depth = axis.dim;
    size = size * kernel.dims[depth].size;
  }
  kernel.dims[depth].size = size;
}

/// Columns of the product of an instance with a line of positions: the sums of
/// a line are as many times larger.
static constexpr int64_t kColumnsOfLine = 64;
/// The most columns where a unit copies the filters: threads copy them.
static constexpr int64_t kColumnsOfCopies = 64;

bool DeepWindow::hasCopyUnit() const {
  TargetAttr chip = group.ctx.description;
  return chip && chip.getUnitOfKind(UnitKind::DMA);
}

void DeepWindow::chooseLine() {
  constexpr int64_t kMostLine = 3, kMostRows = 256, kMostColumns = 128;
  const int64_t mostColumns = hasCopyUnit() ? kColumnsOfCopies : kMostColumns;
  if (positions.empty())
    return;
  int64_t count = kernel.dims[positions.back()].size.get();
  if (count < 2 || count > kMostLine)
    return;
  // Multiply-adds of elements that there are for each one that is read.
  int64_t filters = kernel.dims[channel].size.get(),
          images = kernel.dims[image].size.get();
  auto worth = [&](int64_t rows, int64_t columns, int64_t times) {
    double padded = double(llvm::alignTo(filters, rows)) *
                    double(llvm::alignTo(images, columns));
    return double(filters) * double(images) / padded * double(rows) *
           double(columns * times) / double(rows + columns * times);
  };
  double alone =
      worth(std::min<int64_t>(llvm::PowerOf2Ceil(filters), kMostRows),
            std::min<int64_t>(llvm::PowerOf2Ceil(images), mostColumns), 1);
  double best = 1.1 * alone;
  for (int64_t rows : {64, 128})
    if (filters >= rows && worth(rows, kColumnsOfLine, count) > best) {
      best = worth(rows, kColumnsOfLine, count);
      rowsOfLine = rows;
    }
  if (!rowsOfLine || images < kColumnsOfLine)
    return;
  line = count;
  along = positions.back();
}

void DeepWindow::chooseBlocks() {
  // Each step computes the places of its elements.
  constexpr int64_t kDepth = 64, kMostParts = 64;
  TilingProblem problem;
  problem.kind = TilingProblem::Kind::Contraction;
  auto sizeOf = [&](int dim) { return kernel.dims[dim].size.get(); };
  TilingDim sum{TilingRole::Depth, sizeOf(depth)};
  sum.least = kDepth;
  if (hasCopyUnit())
    sum.most = kDepth;
  problem.dims = {{TilingRole::Row, sizeOf(channel)},
                  {TilingRole::Column, sizeOf(image)},
                  sum};
  // Threads copy the input, and a unit the filters where there is one: rows
  // cost less than columns. 32 x 28 x 28, 128 to 256 channels, took 21.7 us in
  // blocks of 64x128x64, 16.9 in those of 128x64x64.
  if (hasCopyUnit())
    problem.dims[1].most = kColumnsOfCopies;
  if (line > 1) {
    problem.dims[0].most = problem.dims[0].least = rowsOfLine;
    problem.dims[1].most = problem.dims[1].least = kColumnsOfLine;
  }
  int64_t bits = element.getIntOrFloatBitWidth();
  // Tiles that there is one of for each position of a line.
  problem.tiles = {
      {{0, 2}, bits, 0},
      {{2, 1}, bits * line, 1},
      {{0, 1},
       int64_t(getElementTypeOrSelf(group.root).getIntOrFloatBitWidth()) *
           line},
      {{0, 1}, int64_t(acc.getIntOrFloatBitWidth()) * line}};
  problem.lhs = problem.rhs = multipliedType(element, conv.getPrecision());
  problem.acc = acc;
  for (int dim : positions)
    if (dim != along)
      problem.instances *= sizeOf(dim);
  problem.work = double(problem.instances) * double(line) *
                 double(sizeOf(channel)) * double(sizeOf(image)) *
                 double(sizeOf(depth));
  problem.dims.push_back({TilingRole::Part, ShapedType::kDynamic, kMostParts});
  std::pair<int, TilingRole> tiled[] = {{channel, TilingRole::Row},
                                        {image, TilingRole::Column},
                                        {depth, TilingRole::Depth},
                                        {-1, TilingRole::Part}};
  const TilingDim inParts = problem.dims.back();
  if (group.ctx.tiling.choose(problem).blocks.back() == 1)
    problem.dims.pop_back();
  SmallVector<int64_t> chosen = group.chooseBlocks(
      kernel, problem, ArrayRef(tiled).take_front(problem.dims.size()));
  // What a line reads is read for all of its positions: few instances of it
  // take parts even where the model sees no need for any. An option, or a
  // measurement that the model did not foresee, says how many there are.
  const bool isAsked =
      group.ctx.options.get("blocks") ||
      chosen != group.ctx.tiling.model().candidates(problem).front().blocks;
  int64_t parts = chosen.size() > 3 ? chosen.back() : 1;
  if (!isAsked && (parts > 1 || (line > 1 && hasCopyUnit())))
    parts = enoughParts(parts);
  if (parts > 1) {
    if (chosen.size() == 3) {
      problem.dims.push_back(inParts);
      chosen.push_back(parts);
    }
    chosen.back() = parts;
    tiling::noteTiling(kernel.kernel, problem, {chosen, /*cost=*/0});
    split(kernel.numBlocks(depth).get(), parts);
  }
  if (line > 1)
    askWarps();
}

/// Threads for the sums of a line: so many hold a product of the least rows.
void DeepWindow::askWarps() {
  constexpr int64_t kWarps = 4, kLeastRows = 64;
  int64_t warps = kWarps * std::max<int64_t>(rowsOfLine / kLeastRows, 1);
  kernel.kernel->setAttr(
      tile::kHintsAttr,
      tile::KernelHintsAttr::get(kernel.b.getContext(), warps, 0, 0, 0));
}

void DeepWindow::placeOfLine(int64_t number) {
  if (along >= 0)
    kernel.place(along, kernel.constant(number));
}

int64_t DeepWindow::enoughParts(int64_t parts) const {
  int64_t instances =
      kernel.numBlocks(channel).get() * kernel.numBlocks(image).get();
  for (int dim : positions)
    if (dim != along)
      instances *= kernel.dims[dim].size.get();
  int64_t cores = countCores(group.ctx.description);
  return std::max(parts, std::min(cores / instances, parts * 3));
}

Value DeepWindow::splat(Value scalar) {
  auto type = RankedTensorType::get({kernel.dims[depth].block}, indexType);
  Value narrow =
      arith::IndexCastOp::create(kernel.b, kernel.loc, indexType, scalar);
  return tile::SplatOp::create(kernel.b, kernel.loc, type, narrow);
}

Value DeepWindow::splat(int64_t value) { return splat(kernel.constant(value)); }

Value DeepWindow::placesOfStep() {
  OpBuilder &b = kernel.b;
  auto type = RankedTensorType::get({kernel.dims[depth].block}, indexType);
  Value rest = binary<arith::AddIOp>(
      tile::IotaOp::create(b, kernel.loc, type, uint64_t(0)),
      splat(kernel.dims[depth].offset));
  Value places = splat(0), inside;
  auto isBelow = [&](Value at, int64_t end) {
    Value where = arith::CmpIOp::create(
        b, kernel.loc, arith::CmpIPredicate::ult, at, splat(end));
    inside = inside ? binary<arith::AndIOp>(inside, where) : where;
  };
  const Axis *outermost =
      llvm::find_if(axes, [](const Axis &axis) { return axis.dim >= 0; });
  for (const Axis &axis : llvm::reverse(axes)) {
    Value at;
    if (axis.dim >= 0 && &axis != outermost) {
      at = binary<arith::RemUIOp>(rest, splat(axis.window));
      rest = binary<arith::DivUIOp>(rest, splat(axis.window));
    } else {
      at = axis.dim < 0 ? splat(0) : rest;
    }
    // What is beyond the depth is beyond its outermost dimension.
    if (&axis == outermost &&
        kernel.dims[depth].size.get() % kernel.dims[depth].block)
      isBelow(at, axis.window);
    if (axis.step != 1)
      at = binary<arith::MulIOp>(at, splat(axis.step));
    Value moved = kernel.constant(-axis.low);
    if (axis.position >= 0)
      moved = kernel.add(moved, kernel.mul(kernel.dims[axis.position].offset,
                                           kernel.constant(axis.stride)));
    if (axis.low || axis.position >= 0)
      at = binary<arith::AddIOp>(at, splat(moved));
    if (axis.leaves)
      isBelow(at, axis.size);
    if (axis.places)
      places = binary<arith::AddIOp>(
          places, binary<arith::MulIOp>(at, splat(axis.places)));
  }
  if (!inside)
    return places;
  return arith::SelectOp::create(b, kernel.loc, inside, places, splat(-1));
}

Value DeepWindow::inputTile() {
  Buffer view = input;
  int64_t count = 1;
  for (const Axis &axis : axes)
    count += (axis.size - 1) * axis.places;
  view.sizes = {count, input.sizes.front()};
  view.strides = {pitch, 1};
  auto type = RankedTensorType::get(
      {kernel.dims[depth].block, kernel.dims[image].block}, element);
  return tile::LoadGatherOp::create(kernel.b, kernel.loc, type,
                                    kernel.view(view, /*write=*/false),
                                    kernel.dims[image].offset, placesOfStep(),
                                    Value(), 0, tile::Padding::zero);
}

LogicalResult DeepWindow::storeSums(ArrayRef<Value> sums) {
  SmallVector<int> kept = {channel};
  llvm::append_range(kept, positions);
  kept.push_back(image);
  return finish(sums, Space{{channel, image}}, kept, "generic.deep_window",
                flopsFor(kernel.dims[depth].size),
                [&](int64_t number) { placeOfLine(number); });
}

LogicalResult DeepWindow::run() {
  if (failed(findDims()))
    return failure();
  auto undo = [&] {
    filterCopy.undo();
    inputCopy.undo();
    return failure();
  };
  if (failed(findOperands()))
    return undo();
  mergeDepth();
  chooseLine();
  chooseBlocks();
  addCluster(channel, image);
  // Instances of all positions read the same elements one after the other.
  for (int dim : llvm::reverse(positions))
    if (dim != along)
      kernel.addGridDim(dim);
  kernel.addGridDim(image);
  kernel.addGridDim(channel);
  addParts();
  kernel.placeGrid();
  // Numbers of places have 32 bits where these are known to do.
  int64_t reach = kernel.dims[depth].size.get();
  for (const Axis &axis : axes)
    reach += 2 * (axis.size + axis.low + axis.window * axis.step) *
             std::max<int64_t>(axis.places, 1);
  indexType = reach < (int64_t(1) << 29) ? kernel.b.getI32Type()
                                         : kernel.b.getI64Type();
  if (part >= 0)
    limitLoop(kernel, depth, part);
  TileBuilder builder(kernel, group.plan, group.inGroup(),
                      Space{{channel, depth}});
  SmallVector<int64_t> shape = {kernel.dims[channel].block,
                                kernel.dims[image].block};
  SmallVector<int> loops;
  if (part < 0 && kernel.numBlocks(depth).is(1))
    kernel.place(depth, kernel.constant(0));
  else
    loops.push_back(depth);
  SmallVector<Value> begin(line, builder.splat(zeroOf(acc), shape));
  SmallVector<Value> sums =
      builder.loop(loops, begin, [&](ValueRange carried) -> SmallVector<Value> {
        Value x = builder.load(filter, anchor.operandMaps[1]);
        x = builder.broadcast(
            x, {kernel.dims[channel].block, kernel.dims[depth].block});
        SmallVector<Value> next;
        for (auto [number, sum] : llvm::enumerate(carried)) {
          placeOfLine(number);
          next.push_back(tile::DotOp::create(
              kernel.b, kernel.loc, sum.getType(), x, inputTile(), sum,
              inputPrecision(conv.getPrecision()), false, false));
        }
        return next;
      });
  return succeeded(storeSums(sums)) ? success() : undo();
}

LogicalResult kiln::schedule::scheduleDeepWindow(prim::FusionOp group,
                                                 ScheduleContext &ctx) {
  // Filters, positions, images.
  auto place = [](Group &group) {
    SmallVector<unsigned> ranks = llvm::to_vector(
        llvm::seq<unsigned>(group.plan.anchors.front().map.index.size()));
    std::swap(ranks.front(), ranks.back());
    return resultByAnchor(group, ranks);
  };
  return scheduleOneConvolution<DeepWindow>(group, ctx, refuseUnsharedTiles,
                                            place);
}
