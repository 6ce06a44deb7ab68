//===- ScatterSchedule.cpp - Windows at computed places -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operand is copied unless it is where the result goes. Then each instance
// updates a part of the result that is its own: a block along a dimension that
// no index moves, for all places one after the other. Where windows do not
// overlap, places are spread over the grid, too; where they may, and instances
// are few, each has a range of what an index moves. So no sum depends on the
// order of instances. Machines whose threads share tiles have too many cores
// for that: there stores combine, or instances count
// (ScatterStores.cpp).
//
//===----------------------------------------------------------------------===//

#include "ResultOrder.h"
#include "ScatterBuilder.h"
#include "ScatterElements.h"
#include "SingleOp.h"
#include "kiln/Interfaces/Movement.h"
#include "kiln/Schedule/Scatters.h"
#include "kiln/Target/Limits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

void ScatterBuilder::describe() {
  batch = op.getBatchDims();
  indices = host.buffer(op.getIndices());
  updates = host.buffer(op.getUpdates());
  unsigned count = indices.rank() - 1;
  for (unsigned d = 0; d < count; ++d) {
    PlaceDim place;
    place.size = indices.sizes[d];
    place.indexStride = indices.strides[d];
    place.updateStride = updates.strides[d];
    if (d < batch)
      place.stride = out.strides[d];
    else
      place.stride = 0;
    places.push_back(place);
  }
  for (unsigned d = batch; d < out.rank(); ++d) {
    WindowDim window;
    window.size = updates.sizes[count + d - batch];
    window.whole = out.sizes[d];
    window.stride = out.strides[d];
    window.updateStride = updates.strides[count + d - batch];
    for (auto [k, dim] : llvm::enumerate(op.getDims()))
      if (dim == d)
        window.coordinate = k;
    windows.push_back(window);
  }
}

/// Neighbours that lie one after the other everywhere are one.
void ScatterBuilder::mergeWindows() {
  index::Math &math = host.math;
  SmallVector<WindowDim, 2> merged;
  for (const WindowDim &next : windows) {
    if (!merged.empty()) {
      WindowDim &last = merged.back();
      if (last.coordinate < 0 && next.coordinate < 0 &&
          next.size.same(next.whole) &&
          last.stride.same(math.mul(next.stride, next.whole)) &&
          last.updateStride.same(math.mul(next.updateStride, next.size))) {
        last.size = math.mul(last.size, next.size);
        last.whole = math.mul(last.whole, next.whole);
        last.stride = next.stride;
        last.updateStride = next.updateStride;
        continue;
      }
    }
    merged.push_back(next);
  }
  windows = std::move(merged);
}

void ScatterBuilder::chooseAxis(int64_t widest) {
  auto blockOf = [&](Extent size) {
    if (!size.isStatic())
      return widest;
    return std::min<int64_t>(widest, llvm::PowerOf2Ceil(size.get()));
  };
  // What no index moves, and lies together.
  for (auto [number, window] : llvm::enumerate(windows))
    if (window.coordinate < 0 && !window.size.is(1) && window.stride.is(1))
      axisWindow = number;
  for (auto [number, window] : llvm::enumerate(windows))
    if (axisWindow < 0 && !window.size.is(1) && window.stride.is(1))
      axisWindow = number;
  if (axisWindow >= 0) {
    block = blockOf(windows[axisWindow].size);
    return;
  }
  // Else several places at once, if they have nothing to do with each other.
  if (op.getUnique() && places.size() > batch)
    axisPlace = places.size() - 1;
  if (axisPlace >= 0)
    block = blockOf(places[axisPlace].size);
}

void ScatterBuilder::chooseRanges() {
  // Fewer places are not worth more instances that go through all of them.
  constexpr int64_t kFewPlaces = 256, kInstancesOfCore = 2, kWidest = 1024;
  if (combining || op.getUnique() || axisWindow < 0 ||
      windows[axisWindow].coordinate >= 0)
    return;
  int moved = -1;
  for (auto [number, window] : llvm::enumerate(windows))
    if (window.coordinate >= 0 && window.size.is(1) && window.whole.isStatic())
      moved = number;
  int64_t count = 1;
  for (const PlaceDim &place : places)
    if (place.dim < 0)
      count *= place.size.isStatic() ? place.size.get() : kFewPlaces;
  if (moved < 0 || count < kFewPlaces)
    return;
  // Whole rows, so that each instance has few of them.
  KernelDim &along = kernel.dims[windows[axisWindow].dim];
  int64_t width =
      along.size.isStatic()
          ? std::min<int64_t>(kWidest, llvm::PowerOf2Ceil(along.size.get()))
          : block;
  int64_t instances = 1;
  for (const KernelDim &dim : kernel.dims)
    if (dim.size.isStatic())
      instances *=
          llvm::divideCeil(dim.size.get(), &dim == &along ? width : dim.block);
  int64_t ranges =
      kInstancesOfCore * target::countCores(description) / instances;
  if (ranges < 2)
    return;
  ranged = moved;
  along.block = block = width;
  KernelDim dim;
  dim.size = windows[moved].whole;
  dim.block = llvm::PowerOf2Ceil(llvm::divideCeil(dim.size.get(), ranges));
  kernel.dims.push_back(dim);
}

void ScatterBuilder::placeDims() {
  auto addDim = [&](Extent size, int64_t elements) {
    KernelDim dim;
    dim.size = size;
    dim.block = elements;
    kernel.dims.push_back(dim);
    return static_cast<int>(kernel.dims.size() - 1);
  };
  for (auto [number, window] : llvm::enumerate(windows)) {
    bool isAxis = static_cast<int>(number) == axisWindow;
    // Windows at several places may overlap along what an index moves. Where
    // stores combine, they may, but several rows of an instance are a loop.
    if (window.coordinate < 0 || op.getUnique() || (combining && shared < 0))
      window.dim = addDim(window.size, isAxis ? block : 1);
  }
  for (auto [number, place] : llvm::enumerate(places)) {
    bool isAxis = static_cast<int>(number) == axisPlace;
    bool isShared = static_cast<int>(number) == shared;
    if (number < batch || op.getUnique() || (combining && !isShared))
      place.dim = addDim(place.size, isAxis ? block : 1);
    else if (isShared)
      place.dim = addDim(place.size, sharedPlaces);
  }
  chooseRanges();
  for (int dim = static_cast<int>(kernel.dims.size()) - 1; dim >= 0; --dim)
    kernel.addGridDim(dim);
  kernel.placeGrid();
  for (WindowDim &window : windows)
    if (window.dim >= 0)
      window.offset = kernel.dims[window.dim].offset;
  for (auto [number, place] : llvm::enumerate(places))
    if (place.dim >= 0 && static_cast<int>(number) != shared)
      place.offset = kernel.dims[place.dim].offset;
}

Value ScatterBuilder::add(Value a, Value c) { return kernel.add(a, c); }

void ScatterBuilder::loopPlaces(size_t number) {
  while (number < places.size() && places[number].offset)
    ++number;
  if (number == places.size())
    return loopWindow(0);
  bool isLast =
      llvm::all_of(llvm::drop_begin(places, number + 1),
                   [](const PlaceDim &place) { return bool(place.offset); });
  if (ranged >= 0 && isLast)
    return loopOwnPlaces(places[number]);
  if (static_cast<int>(number) == shared)
    return loopSharedPlaces(places[number]);
  auto loop =
      scf::ForOp::create(b, loc, kernel.constant(0),
                         kernel.index(places[number].size), kernel.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  places[number].offset = loop.getInductionVar();
  loopPlaces(number + 1);
  places[number].offset = Value();
}

/// Reads where several updates go before it does those of its range: what it
/// passes over costs little more than the wait for one place then.
void ScatterBuilder::loopOwnPlaces(PlaceDim &place) {
  constexpr int64_t kAtOnce = 8;
  auto loop =
      scf::ForOp::create(b, loc, kernel.constant(0), kernel.index(place.size),
                         kernel.constant(kAtOnce));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  // The dimension of ranges is the last one.
  const KernelDim &range = kernel.dims.back();
  bool isWhole = place.size.isStatic() && place.size.get() % kAtOnce == 0;
  SmallVector<std::pair<Value, Value>> all;
  for (int64_t n = 0; n < kAtOnce; ++n) {
    place.offset = kernel.add(loop.getInductionVar(), kernel.constant(n));
    Value at =
        kernel.sub(coordinate(windows[ranged].coordinate, false), range.offset);
    Value isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at,
                                        kernel.constant(range.block));
    if (!isWhole)
      isOwn = arith::AndIOp::create(
          b, loc, isOwn,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place.offset,
                                kernel.index(place.size)));
    all.push_back({place.offset, isOwn});
  }
  for (auto [offset, isOwn] : all) {
    place.offset = offset;
    ownPlace = isOwn;
    loopWindow(0);
  }
  place.offset = Value();
}

void ScatterBuilder::loopWindow(size_t number) {
  while (number < windows.size() && windows[number].offset)
    ++number;
  if (number == windows.size())
    return update();
  bool isAxis = static_cast<int>(number) == axisWindow;
  auto loop = scf::ForOp::create(b, loc, kernel.constant(0),
                                 kernel.index(windows[number].size),
                                 kernel.constant(isAxis ? block : 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  windows[number].offset = loop.getInductionVar();
  loopWindow(number + 1);
  windows[number].offset = Value();
}

void ScatterBuilder::update() {
  bool isMoved = axisWindow >= 0 && windows[axisWindow].coordinate >= 0;
  if (axisPlace >= 0 || isMoved)
    return updateIndirect();
  if (ranged < 0)
    return updateBlock();
  auto choice = scf::IfOp::create(b, loc, ownPlace);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  updateBlock();
}

bool ScatterBuilder::updatesElements(int64_t widest) {
  describe();
  mergeWindows();
  if (countsPlaces() || combinesFew() || hasRuns())
    return false;
  chooseAxis(widest);
  chooseCombiningStores();
  return combining && isOfElements;
}

void ScatterBuilder::run(int64_t widest) {
  describe();
  mergeWindows();
  if (countsPlaces())
    return buildCounts();
  if (combinesFew())
    return buildFew();
  if (hasRuns())
    return buildRuns();
  chooseAxis(widest);
  chooseCombiningStores();
  placeDims();
  loopPlaces(0);
  kernel.finish("generic.scatter");
}

/// A kernel that writes a buffer element by element: from another one, whose
/// dimensions may follow each other in another order, or with one number.
/// Memory of a device is copied as it lies otherwise.
static void writeElements(prim::FusionOp fusion, ScheduleContext &ctx,
                          const Buffer &from, TypedAttr number,
                          const Buffer &to) {
  using target::TilingRole;
  Group group(fusion, ctx);
  KernelBuilder copy(ctx.host, fusion.getLoc(), ctx.kernelName + "_operand");
  int rank = int(to.rank());
  target::TilingProblem problem;
  target::TilingTile read;
  read.bits = to.elementType().getIntOrFloatBitWidth();
  AccessMap map;
  for (int d = 0; d < rank; ++d) {
    KernelDim dim;
    dim.size = to.sizes[d];
    copy.dims.push_back(dim);
    problem.dims.push_back(
        {d + 1 == rank ? TilingRole::Column : TilingRole::Row,
         dim.size.asStatic()});
    read.dims.push_back(d);
    if (!number && from.strides[d].is(1))
      read.along = d;
    map.index.push_back(IndexExpr::dim(d));
  }
  target::TilingTile written = read;
  written.along = rank - 1;
  problem.tiles.push_back(written);
  if (!number)
    problem.tiles.insert(problem.tiles.begin(), read);
  Space space;
  for (auto [dim, block] : llvm::enumerate(ctx.tiling.choose(problem).blocks)) {
    copy.dims[dim].block = block;
    if (block > 1)
      space.axes.push_back(dim);
  }
  if (space.axes.empty())
    space.axes.push_back(rank - 1);
  for (int d = rank - 1; d >= 0; --d)
    copy.addGridDim(d);
  copy.placeGrid();
  TileBuilder emitter(copy, group.plan, group.inGroup(), space);
  Value made;
  if (number) {
    SmallVector<int64_t> shape;
    for (int axis : space.axes)
      shape.push_back(copy.dims[axis].block);
    made = arith::ConstantOp::create(
        copy.b, fusion.getLoc(),
        SplatElementsAttr::get(RankedTensorType::get(shape, to.elementType()),
                               ArrayRef<Attribute>(number)));
  } else {
    made = emitter.load(from, map, zeroOf(from.elementType()));
  }
  emitter.store(made, to, map);
  copy.finish("generic.scatter");
}

/// Whether elements lie row by row.
static bool isRowMajor(const Buffer &buffer, index::Math &math) {
  SmallVector<Extent, 4> dense = denseStrides(buffer.sizes, math);
  for (auto [size, stride, wanted] :
       llvm::zip(buffer.sizes, buffer.strides, dense))
    if (!size.is(1) && !stride.same(wanted))
      return false;
  return true;
}

/// A buffer with its dimensions as they lie in memory, outermost first.
static Buffer inOrder(const Buffer &buffer) {
  Buffer result{buffer.base, buffer.offset, {}, {}};
  for (unsigned dim : orderOf(buffer)) {
    result.sizes.push_back(buffer.sizes[dim]);
    result.strides.push_back(buffer.strides[dim]);
  }
  return result;
}

/// The number that all elements of the operand of a scatter are; null: there is
/// none.
static TypedAttr numberOfOperand(prim::FusionOp fusion, prim::ScatterOp op) {
  Value operand = op.getOperand();
  if (auto argument = dyn_cast<BlockArgument>(operand);
      argument && argument.getOwner()->getParentOp() == fusion)
    operand = fusion->getOperand(argument.getArgNumber());
  Operation *source = operand.getDefiningOp();
  return source ? splatValue(source) : TypedAttr();
}

/// Copies the operand of a scatter to where the result goes, unless it is
/// there.
static void copyOperand(prim::FusionOp fusion, prim::ScatterOp op,
                        ScheduleContext &ctx, const Buffer &out) {
  HostProgramBuilder &host = ctx.host;
  const Buffer &operand = host.buffer(op.getOperand());
  if (operand.same(out))
    return;
  auto copy = [&](const Buffer &from, const Buffer &to) {
    program::CopyOp::create(host.builder, op.getLoc(), host.memref(from),
                            host.memref(to));
  };
  if (!ctx.tiling.model().sharesTiles() || operand.rank() == 0)
    return copy(operand, out);
  if (TypedAttr number = numberOfOperand(fusion, op))
    return writeElements(fusion, ctx, operand, number, out);
  auto isDense = [&](const Buffer &buffer) {
    return isRowMajor(buffer, host.math);
  };
  if (isDense(operand) && isDense(out))
    return copy(operand, out);
  bool isAlike =
      operand.offset.is(0) && out.offset.is(0) &&
      llvm::equal(operand.strides, out.strides,
                  [](const Extent &x, const Extent &y) { return x.same(y); });
  // The memory of a device is copied by the host where it has gaps.
  if (isAlike && isDense(inOrder(out)))
    return copy(inOrder(operand), inOrder(out));
  writeElements(fusion, ctx, operand, /*number=*/{}, out);
}

/// The dimension along which neighbours of a value lie next to each other in
/// memory, through movements in a group; -1: none is known.
static int64_t nextDimOf(Value value, HostProgramBuilder &host) {
  auto type = cast<RankedTensorType>(value.getType());
  if (host.hasBuffer(value)) {
    const Buffer &buffer = host.buffer(value);
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (buffer.strides[d].is(1) && !buffer.sizes[d].is(1))
        return d;
    return -1;
  }
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<PermutationOpInterface, ReshapeOpInterface>(op))
    return -1;
  int64_t before = nextDimOf(op->getOperand(0), host);
  if (before < 0)
    return -1;
  if (auto transpose = dyn_cast<PermutationOpInterface>(op)) {
    ArrayRef<int64_t> order = transpose.getPermutation();
    return llvm::find(order, before) - order.begin();
  }
  // Dimensions in front of it stay, but for those of one element.
  ArrayRef<int64_t> from =
      cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  auto isLarge = [](int64_t size) { return size != 1; };
  int64_t number = llvm::count_if(from.take_front(before), isLarge);
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (isLarge(size) && number-- == 0)
      return size == from[before] ? int64_t(d) : -1;
  return -1;
}

/// The order of dimensions in which a result lies as its updates do: with a
/// matched dimension last along which they, or their indices, are neighbours.
static SmallVector<unsigned> orderOfUpdates(prim::ScatterOp op,
                                            HostProgramBuilder &host) {
  SmallVector<unsigned> order = llvm::to_vector(
      llvm::seq<unsigned>(0, cast<RankedTensorType>(op.getType()).getRank()));
  for (Value value : {Value(op.getUpdates()), Value(op.getIndices())})
    if (int64_t next = nextDimOf(value, host); next >= 0) {
      if (next < int64_t(op.getBatchDims()))
        std::rotate(order.begin() + next, order.begin() + next + 1,
                    order.end());
      break;
    }
  return order;
}

/// Where the result of a scatter goes: in the order of dimensions that the
/// operand has in memory, or many updates have, if all that read it give them
/// that order again or take any.
static Buffer destinationOf(prim::FusionOp fusion, prim::ScatterOp op,
                            ScheduleContext &ctx) {
  HostProgramBuilder &host = ctx.host;
  Value result = fusion.getResult(0);
  if (host.hasDestination(result) || !ctx.tiling.model().sharesTiles())
    return host.destination(result);
  const Buffer &operand = host.buffer(op.getOperand());
  SmallVector<unsigned> order = orderOf(operand);
  bool isByUpdates = llvm::is_sorted(order) &&
                     updatesFew(op, std::numeric_limits<int64_t>::max(), 1);
  if (isByUpdates)
    order = orderOfUpdates(op, host);
  auto restores = [&](Operation *user) {
    auto transpose = dyn_cast<PermutationOpInterface>(user);
    return transpose && llvm::equal(transpose.getPermutation(), order);
  };
  bool isFree = llvm::all_of(result.getUsers(), restores) ||
                (isByUpdates && isReadByStrides(result));
  if (llvm::is_sorted(order) || !isFree)
    return host.destination(result);
  return allocateInOrder(host, operand.elementType(), host.sizesOf(result),
                         order);
}

/// A scatter that combines single elements, in a group that may compute its
/// indices and updates.
static LogicalResult scheduleElements(prim::FusionOp fusion, prim::ScatterOp op,
                                      ScheduleContext &ctx, const Buffer &out) {
  ScatterElements elements(fusion, op, ctx);
  if (failed(elements.plan()) || failed(elements.build(out)))
    return ctx.decline(fusion, elements.reason);
  copyOperand(fusion, op, ctx, out);
  elements.finish();
  ctx.host.setBuffer(fusion.getResult(0), out);
  return success();
}

LogicalResult kiln::schedule::scheduleScatter(prim::FusionOp fusion,
                                              ScheduleContext &ctx) {
  Block &body = fusion.getBody().front();
  auto op =
      body.getTerminator()->getOperand(0).getDefiningOp<prim::ScatterOp>();
  if (!op)
    return ctx.decline(fusion, "the result is not that of a scatter");
  HostProgramBuilder &host = ctx.host;
  if (!host.hasBuffer(op.getOperand()))
    return ctx.decline(fusion, "an operand of a scatter must be in memory");
  if (&body.front() != op) {
    bool isOrdered = isRounded(op) && ctx.options.get("scatter") == "ordered";
    if (isOrdered || !computesOperands(op, ctx.description))
      return ctx.decline(fusion, "the scatter reads its operands from memory");
    return scheduleElements(fusion, op, ctx, destinationOf(fusion, op, ctx));
  }
  Buffer out = destinationOf(fusion, op, ctx);
  // Without updates the operand is all there is.
  bool isEmpty = llvm::is_contained(op.getUpdates().getType().getShape(), 0);
  constexpr int64_t kWidest = 256;
  if (!isEmpty) {
    ScatterBuilder trial(op, ctx, out);
    bool isOfElements = trial.updatesElements(kWidest);
    trial.abandon();
    if (isOfElements)
      return scheduleElements(fusion, op, ctx, out);
  }
  copyOperand(fusion, op, ctx, out);
  host.setBuffer(fusion.getResult(0), out);
  if (!isEmpty)
    ScatterBuilder(op, ctx, out).run(kWidest);
  return success();
}
