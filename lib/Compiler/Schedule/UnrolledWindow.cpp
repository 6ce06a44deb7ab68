//===- UnrolledWindow.cpp - Windows as one expression ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Combiners.h"
#include "ResultOrder.h"
#include "WindowUnroller.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Larger windows are loops. Beyond so many views, which have to be passed, the
/// input is copied with what lies around it.
static constexpr int64_t kMostPositions = 49, kMostViews = 25;

int64_t WindowUnroller::neededBy(unsigned d) const {
  auto type = cast<RankedTensorType>(anchor.op->getResult(0).getType());
  return readBy(d, llvm::alignTo(type.getDimSize(d + 1), beside[d]));
}

bool WindowUnroller::padsInput() const {
  for (unsigned d = 0; d < spatial; ++d)
    if (list("pad_low")[d] != 0 || neededBy(d) > input.sizes[d + 1].get())
      return true;
  return false;
}

void WindowUnroller::surroundInput() {
  if (!padsInput() || readsAround())
    return;
  SmallVector<int64_t> sizes;
  for (unsigned d = 0; d < spatial; ++d)
    sizes.push_back(
        std::max(neededBy(d), list("pad_low")[d] + input.sizes[d + 1].get()));
  // What a position of the window reads along a line is side by side there.
  constexpr int64_t kMostPhases = 4;
  int64_t stride = list("strides").back();
  if (!hasNeighbours() && stride <= kMostPhases &&
      input.strides[spatial].is(1) && input.sizes[spatial].isStatic())
    phases = stride;
  surrounded = surround(group, input, list("pad_low"), sizes, orderOf(input),
                        outside(), "generic.unrolled_window", phases);
  input = surrounded.buffer;
}

void WindowUnroller::orderFilter() {
  // Results for each factor that make up for another kernel.
  constexpr int64_t kReads = 16;
  unsigned channels = spatial + 1;
  if (!conv || !input.strides[channels].is(1) || filter.strides.front().is(1) ||
      !filter.strides.front().isStatic())
    return;
  int64_t results = cast<RankedTensorType>(conv.getType()).getNumElements();
  auto type = cast<RankedTensorType>(conv.getFilter().getType());
  // A core gathers factors that lie apart again for each few results.
  int64_t factors = sharesTiles ? type.getNumElements() : type.getDimSize(0);
  if (results < kReads * factors)
    return;
  SmallVector<unsigned> order;
  for (unsigned d = 1; d <= spatial; ++d)
    order.push_back(d);
  order.append({spatial + 1, 0});
  orderedFilter = surround(group, filter, SmallVector<int64_t>(spatial, 0),
                           type.getShape().slice(1, spatial), order,
                           zeroOf(element), "generic.unrolled_window",
                           /*phases=*/1, "filter");
  filter = orderedFilter.buffer;
}

AccessMap WindowUnroller::ofNeighbour(const AccessMap &map,
                                      ArrayRef<int64_t> number) {
  auto replaced = [&](int dim) {
    if (dim == channel)
      return IndexExpr::dim(dim) * kernel.dims[inLine].block +
             IndexExpr::dim(inLine);
    for (unsigned d = 0; d < spatial; ++d)
      if (anchor.map.index[d + 1].asDim() == dim)
        return IndexExpr::dim(dim) * beside[d] + number[d];
    return IndexExpr::dim(dim);
  };
  MapContext ctx = group.plan.context();
  AccessMap result;
  for (const IndexExpr &at : map.index)
    result.index.push_back(at.substitute(IndexExpr::symbol, replaced));
  auto restrict = [&](int dim, Extent low, Extent size) {
    // An expression of one dimension can always be restricted.
    [[maybe_unused]] LogicalResult done =
        restrictMap(result, replaced(dim), low, size, ctx);
    assert(succeeded(done) && "expected a dimension");
  };
  for (const IndexRange &range : map.ranges)
    restrict(range.dim, range.lo, range.hi - range.lo);
  for (unsigned d = 0; d < spatial; ++d)
    if (int dim = anchor.map.index[d + 1].asDim(); dim >= 0 && beside[d] > 1)
      restrict(dim, 0, wholeSizes[dim]);
  return result;
}

std::optional<AccessMap> WindowUnroller::placeView(ArrayRef<int64_t> offset) {
  AccessMap from = anchor.operandMaps[0];
  MapContext ctx = group.plan.context();
  if (!hasViews) {
    for (unsigned d = 0; d < spatial; ++d) {
      from.index[d + 1] =
          anchor.map.index[d + 1] * (list("strides")[d] * beside[d]) +
          IndexExpr::dim(offsetDims[d]);
      kernel.place(offsetDims[d], kernel.constant(offset[d]));
    }
    return from;
  }
  for (unsigned d = 0; d < spatial; ++d) {
    from.index[d + 1] =
        anchor.map.index[d + 1] * (list("strides")[d] * beside[d]) +
        (offset[d] - list("pad_low")[d]);
    if (failed(
            restrictMap(from, from.index[d + 1], 0, input.sizes[d + 1], ctx)))
      return std::nullopt;
  }
  for (const IndexRange &range : from.ranges)
    if (range.lo.get() >= range.hi.get())
      return std::nullopt;
  return from;
}

/// Goes through all indices of a space of these sizes, the last one fastest.
static void forEachIndex(ArrayRef<int64_t> sizes,
                         function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> index(sizes.size());
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  for (int64_t number = 0; number < count; ++number) {
    int64_t rest = number;
    for (unsigned d = sizes.size(); d-- > 0; rest /= sizes[d])
      index[d] = rest % sizes[d];
    body(index);
  }
}

Value WindowUnroller::widened(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getElementType() == acc)
    return tile;
  Type to = type.clone(acc);
  if (isa<FloatType>(acc))
    return arith::ExtFOp::create(kernel.b, kernel.loc, to, tile);
  return arith::ExtSIOp::create(kernel.b, kernel.loc, to, tile);
}

Value WindowUnroller::add(Value made, Value x, Value factor,
                          TileBuilder &emitter) {
  if (conv)
    return multiplyAdd(x, factor, made, emitter);
  auto shape = cast<RankedTensorType>(made.getType()).getShape();
  Value wide = emitter.broadcast(widened(x), shape);
  return combine(anchor.op, made, wide, kernel.b);
}

SmallVector<Value> WindowUnroller::unrollBeside(TileBuilder &emitter) {
  SmallVector<int64_t> window, reads;
  for (unsigned d = 0; d < spatial; ++d) {
    window.push_back(windowOf(d));
    reads.push_back(readBy(d, beside[d]));
    if (hasViews)
      continue;
    offsetDims.push_back(kernel.dims.size());
    kernel.dims.emplace_back();
    kernel.dims.back().size = reads.back();
  }
  // Factors are loaded where the first result needs them: those of all
  // positions of a large window are more than the registers of a thread hold.
  llvm::SmallDenseMap<int64_t, Value> factors;
  auto factorAt = [&](int64_t number, ArrayRef<int64_t> position) -> Value {
    if (!conv)
      return {};
    Value &factor = factors[number];
    if (!factor) {
      placeWindow(position);
      factor = emitter.load(filter, anchor.operandMaps[1]);
    }
    return factor;
  };
  Value none = emitter.splat(conv ? zeroOf(acc) : neutralValue(anchor.op, acc),
                             emitter.shapeOf(anchor.map));
  SmallVector<Value> made;
  forEachIndex(beside, [&](ArrayRef<int64_t>) { made.push_back(none); });
  forEachIndex(reads, [&](ArrayRef<int64_t> offset) {
    Value x;
    unsigned which = 0;
    forEachIndex(beside, [&](ArrayRef<int64_t> neighbour) {
      Value &result = made[which++];
      // The position of this neighbour's window that reads it, if any does.
      int64_t number = 0;
      SmallVector<int64_t> position;
      for (unsigned d = 0; d < spatial; ++d) {
        int64_t behind = offset[d] - neighbour[d] * list("strides")[d];
        int64_t at = behind / dilationOf(d);
        if (behind < 0 || behind % dilationOf(d) || at >= window[d])
          return;
        number = number * window[d] + at;
        position.push_back(at);
      }
      if (!x)
        if (std::optional<AccessMap> from = placeView(offset))
          x = emitter.load(input, *from, outside());
      if (x)
        result = add(result, x, factorAt(number, position), emitter);
    });
  });
  return made;
}

SmallVector<unsigned> WindowUnroller::windowOrder() {
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(spatial));
  unsigned rows = inLine >= 0 ? spatial : orderOf(input)[spatial];
  if (!sharesTiles && rows > 0 && rows <= spatial) {
    llvm::erase(order, rows - 1);
    order.push_back(rows - 1);
  }
  return order;
}

bool WindowUnroller::readsAround() const {
  if (sharesTiles || !input.strides[spatial + 1].is(1) ||
      !llvm::all_of(input.strides, [](const Extent &at) { return !at.is(0); }))
    return false;
  for (unsigned d = 0; d < spatial; ++d) {
    const IndexExpr &at = anchor.map.index[d + 1];
    if (at.asDim() < 0 || !at.offset().is(0))
      return false;
  }
  const IndexExpr &channels = anchor.map.index[spatial + 1];
  return channels.asDim() >= 0 &&
         group.strideOf(out, group.plan.rootMap, channels.asDim()).is(1);
}

Space WindowUnroller::spaceAround(const Space &space) {
  Space around = space;
  for (unsigned d = 0; d < spatial; ++d) {
    int dim = anchor.map.index[d + 1].asDim();
    llvm::replace(around.axes, dim, anchor.virtualDims[d]);
    KernelDim &read = kernel.dims[anchor.virtualDims[d]];
    read.block = kernel.dims[dim].block;
    read.step = list("strides")[d];
    read.outside = true;
  }
  return around;
}

Value WindowUnroller::loadAround(TileBuilder &around,
                                 ArrayRef<int64_t> position) {
  for (unsigned d = 0; d < spatial; ++d) {
    Value first = kernel.dims[anchor.map.index[d + 1].asDim()].offset;
    kernel.dims[anchor.virtualDims[d]].offset = kernel.add(
        kernel.mul(first, kernel.constant(list("strides")[d])),
        kernel.constant(position[d] * dilationOf(d) - list("pad_low")[d]));
  }
  return around.load(input, anchor.operandMaps[0], outside());
}

Value WindowUnroller::unroll(TileBuilder &emitter, const Space &space) {
  bool isAround = phases == 1 && !surrounded.launch && padsInput();
  TileBuilder around(kernel, group.plan, group.inGroup(),
                     isAround ? spaceAround(space) : space);
  AccessMap from = anchor.operandMaps[0];
  SmallVector<unsigned> order = windowOrder();
  SmallVector<int64_t> window, position(spatial);
  for (unsigned d = 0; d < spatial; ++d) {
    from.index[d + 1] = anchor.map.index[d + 1] * list("strides")[d] +
                        anchor.window[d] * dilationOf(d);
    window.push_back(windowOf(order[d]));
  }
  SmallVector<int64_t> only(spatial, 0);
  AccessMap factors =
      conv ? ofNeighbour(anchor.operandMaps[1], only) : AccessMap();
  from = ofNeighbour(from, only);
  Value made = emitter.splat(conv ? zeroOf(acc) : neutralValue(anchor.op, acc),
                             emitter.shapeOf(ofNeighbour(anchor.map, only)));
  forEachIndex(window, [&](ArrayRef<int64_t> index) {
    for (auto [d, at] : llvm::zip_equal(order, index))
      position[d] = at;
    placeWindow(position);
    AccessMap read = from;
    if (phases > 1) {
      int64_t at = position.back() * dilationOf(spatial - 1);
      read.index[spatial] = anchor.map.index[spatial] + at / phases;
      read.index.push_back(IndexExpr(at % phases));
    }
    Value x =
        isAround ? loadAround(around, position) : emitter.load(input, read);
    Value factor = conv ? emitter.load(filter, factors) : Value();
    made = add(made, x, factor, emitter);
  });
  return made;
}

LogicalResult WindowUnroller::findOperands() {
  auto isStatic = [](const Extent &size) { return size.isStatic(); };
  if (!llvm::all_of(group.plan.sizes, isStatic) ||
      !llvm::all_of(input.strides, isStatic))
    return fail("sizes that are not known");
  if (group.plan.numRootDims == 0)
    return fail("a single element");
  if (conv) {
    if (conv.getGroups() == 1 || anchor.operandMaps[1].index.back().hasDims())
      return fail("a sum over input channels");
    if (llvm::any_of(conv.getInputDilation(), [](int64_t d) { return d != 1; }))
      return fail("an input that is spread");
    FailureOr<Buffer> memory = memoryOf(group, conv.getFilter());
    if (failed(memory))
      return fail("a filter that is computed");
    filter = *memory;
  }
  int64_t positions = 1;
  for (unsigned d = 0; d < spatial; ++d) {
    positions = std::min(positions, kMostPositions) * windowOf(d);
    for (const IndexExpr &at : {anchor.map.index[d + 1], anchor.window[d]})
      if (at.hasDims() && at.asDim() < 0)
        return fail("positions that are split");
  }
  if (positions > kMostPositions)
    return fail("a large window");
  hasViews = sharesTiles && positions <= kMostViews;
  wholeSizes = group.plan.sizes;
  return success();
}

LogicalResult WindowUnroller::emitResults() {
  Space space;
  chooseBlocks(space);
  orderFilter();
  if (!hasViews)
    surroundInput();
  TileBuilder emitter(kernel, group.plan, group.inGroup(), space);
  SmallVector<Value> made;
  if (hasViews || hasNeighbours())
    made = unrollBeside(emitter);
  else
    made.push_back(unroll(emitter, space));
  Value result = anchor.op->getResult(0);
  Type to = getElementTypeOrSelf(result);
  LogicalResult done = success();
  unsigned number = 0;
  forEachIndex(beside, [&](ArrayRef<int64_t> neighbour) {
    Value tile = made[number++];
    if (failed(done))
      return;
    auto type = cast<RankedTensorType>(tile.getType());
    if (acc != to)
      tile =
          arith::TruncFOp::create(kernel.b, kernel.loc, type.clone(to), tile);
    emitter.bind(result, ofNeighbour(anchor.map, neighbour), tile);
    AccessMap root = ofNeighbour(group.plan.rootMap, neighbour);
    tile = emitter.emit(group.root, root);
    if (tile)
      emitter.store(tile, out, root);
    else
      done = fail(emitter.reason);
  });
  return done;
}

LogicalResult WindowUnroller::run(bool sharesInput) {
  if (failed(findOperands()))
    return failure();
  Type to = getElementTypeOrSelf(anchor.op->getResult(0));
  element = getElementTypeOrSelf(anchor.op->getOperand(0));
  acc = partialType(anchor.op, to);
  if (sharesTiles && sharesInput && spatial > 0)
    chooseBeside();
  if (failed(emitResults())) {
    surrounded.undo();
    orderedFilter.undo();
    return failure();
  }
  Extent steps = conv ? 2 : 1;
  for (unsigned d = 0; d < group.plan.numRootDims; ++d)
    steps = steps * wholeSizes[d];
  for (unsigned d = 0; d < spatial; ++d)
    steps = steps * windowOf(d);
  kernel.finish("generic.unrolled_window", steps);
  return success();
}

LogicalResult kiln::schedule::scheduleUnrolledWindow(prim::FusionOp op,
                                                     ScheduleContext &ctx) {
  if (!computesFromCaches(ctx) && !ctx.tiling.model().sharesTiles())
    return ctx.decline(op, "the machine has a memory for tiles");
  // What follows the window may need its results one by one.
  std::string reason;
  for (bool sharesInput : {true, false}) {
    Group group(op, ctx);
    if (failed(group.plan.run(group.root)))
      return ctx.decline(op, group.plan.reason);
    if (group.plan.anchors.size() != 1 || !group.plan.reductions.empty() ||
        !isa<prim::WindowOpInterface>(group.plan.anchors.front().op))
      return ctx.decline(op, "the group is not one window");
    FailureOr<Buffer> input =
        memoryOf(group, group.plan.anchors.front().op->getOperand(0));
    if (failed(input))
      return ctx.decline(op, "an input that is computed");
    Buffer out = resultLikeInput(group);
    KernelBuilder kernel(ctx.host, op->getLoc(), ctx.kernelName);
    group.addDims(kernel);
    WindowUnroller unroller(group, kernel, out, *input);
    if (succeeded(unroller.run(sharesInput))) {
      ctx.host.setBuffer(group.fusion.getResult(0), out);
      return success();
    }
    kernel.abandon();
    reason = unroller.reason;
    if (!unroller.hasNeighbours())
      break;
  }
  return ctx.decline(op, reason);
}
