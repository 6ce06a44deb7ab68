//===- UnrolledWindow.cpp - Windows as one expression ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "UnrolledWindow.h"
#include "ResultOrder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Larger windows are loops, and where each position is a view of its own,
/// which has to be passed.
static constexpr int64_t kMostPositions = 49, kMostViews = 25;

namespace {

/// Builds the kernel.
class WindowUnroller {
public:
  WindowUnroller(Group &group, KernelBuilder &kernel, const Buffer &out,
                 const Buffer &input)
      : group(group), kernel(kernel), out(out),
        anchor(group.plan.anchors.front()), input(input),
        conv(dyn_cast<prim::ConvOp>(anchor.op)),
        spatial(anchor.virtualDims.size()),
        hasViews(group.ctx.tiling.model().sharesTiles()) {}

  LogicalResult run();
  std::string reason;

private:
  ArrayRef<int64_t> list(StringRef name) const {
    auto attr = anchor.op->getAttrOfType<DenseI64ArrayAttr>(name);
    return attr ? attr.asArrayRef() : ArrayRef<int64_t>();
  }
  int64_t windowOf(unsigned d) const {
    return conv ? cast<RankedTensorType>(conv.getFilter().getType())
                      .getDimSize(d + 1)
                : list("window")[d];
  }
  int64_t dilationOf(unsigned d) const {
    ArrayRef<int64_t> dilation = list("dilation");
    return dilation.empty() ? 1 : dilation[d];
  }
  void surroundInput();
  void chooseBlocks(Space &space);
  /// Makes what a position of the window reads of the input a part of it, with
  /// nothing around. False where that is empty.
  bool placeView(AccessMap &from, ArrayRef<int64_t> position);
  /// What stands for an element around the input.
  TypedAttr outside() const {
    return isa<prim::MaxPoolOp>(anchor.op) ? neutralValue(anchor.op, element)
                                           : zeroOf(element);
  }
  /// The elements of all positions, put together.
  Value unroll(TileBuilder &emitter);
  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }

  Group &group;
  KernelBuilder &kernel;
  const Buffer &out;
  const AnchorVisit &anchor;
  Buffer input, filter;
  mutable prim::ConvOp conv;
  unsigned spatial;
  /// Threads read around the input by masks, at no cost; others take a copy.
  bool hasViews;
  Surrounded surrounded;
  /// Into how many parts the copy of the input divides its lines.
  int64_t phases = 1;
  Type element, acc;
};

} // namespace

void WindowUnroller::surroundInput() {
  auto type = cast<RankedTensorType>(anchor.op->getResult(0).getType());
  SmallVector<int64_t> sizes;
  bool isInside = true;
  for (unsigned d = 0; d < spatial; ++d) {
    int64_t needed = (type.getDimSize(d + 1) - 1) * list("strides")[d] +
                     (windowOf(d) - 1) * dilationOf(d) + 1;
    int64_t low = list("pad_low")[d], size = input.sizes[d + 1].get();
    isInside &= low == 0 && needed <= size;
    sizes.push_back(std::max(needed, low + size));
  }
  if (isInside)
    return;
  // What a position of the window reads along a line is side by side there.
  constexpr int64_t kMostPhases = 4;
  int64_t stride = list("strides").back();
  if (stride <= kMostPhases && input.strides[spatial].is(1) &&
      input.sizes[spatial].isStatic())
    phases = stride;
  surrounded = surround(group, input, list("pad_low"), sizes, orderOf(input),
                        outside(), "generic.unrolled_window", phases);
  input = surrounded.buffer;
}

/// The widest block of whole lines that leaves few of its columns empty.
static int64_t mostColumns(int64_t columns, int64_t bits) {
  constexpr int64_t kLine = 1024;
  int64_t line = std::max<int64_t>(kLine / bits, 1);
  int64_t best = line;
  for (int64_t block = line; block < 2 * columns; block *= 2)
    if (llvm::alignTo(columns, block) <= llvm::alignTo(columns, best))
      best = block;
  return best;
}

void WindowUnroller::chooseBlocks(Space &space) {
  using target::TilingRole;
  // Outermost first in the result.
  SmallVector<int> dims;
  for (unsigned dim = 0; dim < group.plan.numRootDims; ++dim)
    dims.push_back(dim);
  auto keyOf = [&](int dim) {
    return std::pair(-group.strideOf(out, group.plan.rootMap, dim).asStatic(),
                     dim);
  };
  llvm::sort(dims, [&](int a, int b) { return keyOf(a) < keyOf(b); });
  SmallVector<std::pair<int, TilingRole>> tiled;
  for (int dim : dims)
    tiled.push_back(
        {dim, dim == dims.back() ? TilingRole::Column : TilingRole::Row});
  target::TilingProblem problem = group.problemFor(
      kernel, target::TilingProblem::Kind::Elementwise, tiled, &out);
  if (hasViews)
    problem.dims.back().most =
        mostColumns(problem.dims.back().size, element.getIntOrFloatBitWidth());
  group.chooseBlocks(kernel, problem, tiled);
  for (int dim : dims)
    if (kernel.dims[dim].block > 1)
      space.axes.push_back(dim);
  if (space.axes.empty())
    space.axes.push_back(dims.back());
  for (int dim : llvm::reverse(dims))
    kernel.addGridDim(dim);
  kernel.placeGrid();
}

bool WindowUnroller::placeView(AccessMap &from, ArrayRef<int64_t> position) {
  MapContext ctx = group.plan.context();
  for (unsigned d = 0; d < spatial; ++d) {
    from.index[d + 1] = anchor.map.index[d + 1] * list("strides")[d] +
                        (position[d] * dilationOf(d) - list("pad_low")[d]);
    if (failed(
            restrictMap(from, from.index[d + 1], 0, input.sizes[d + 1], ctx)))
      return false;
  }
  return llvm::all_of(from.ranges, [](const IndexRange &range) {
    return range.lo.get() < range.hi.get();
  });
}

Value WindowUnroller::unroll(TileBuilder &emitter) {
  AccessMap from = anchor.operandMaps[0];
  int64_t positions = 1;
  for (unsigned d = 0; d < spatial; ++d) {
    from.index[d + 1] = anchor.map.index[d + 1] * list("strides")[d] +
                        anchor.window[d] * dilationOf(d);
    positions *= windowOf(d);
  }
  SmallVector<int64_t> shape = emitter.shapeOf(anchor.map);
  OpBuilder &b = kernel.b;
  auto widened = [&](Value tile) -> Value {
    auto type = cast<RankedTensorType>(tile.getType());
    if (type.getElementType() == acc)
      return tile;
    Type to = type.clone(acc);
    if (isa<FloatType>(acc))
      return arith::ExtFOp::create(b, kernel.loc, to, tile);
    return arith::ExtSIOp::create(b, kernel.loc, to, tile);
  };
  Value made =
      emitter.splat(conv ? zeroOf(acc) : neutralValue(anchor.op, acc), shape);
  for (int64_t number = 0; number < positions; ++number) {
    int64_t rest = number;
    SmallVector<int64_t> position(spatial);
    for (unsigned d = spatial; d-- > 0; rest /= windowOf(d)) {
      position[d] = rest % windowOf(d);
      for (int dim : anchor.window[d].dims())
        kernel.place(dim, kernel.constant(position[d]));
    }
    AccessMap read = from;
    if (hasViews && !placeView(read, position))
      continue;
    if (phases > 1) {
      int64_t at = position.back() * dilationOf(spatial - 1);
      read.index[spatial] = anchor.map.index[spatial] + at / phases;
      read.index.push_back(IndexExpr(at % phases));
    }
    Value x = emitter.load(input, read, hasViews ? outside() : TypedAttr());
    if (conv) {
      Value y = emitter.load(filter, anchor.operandMaps[1]);
      made = multiplyAdd(x, y, made, emitter);
    } else {
      made = combine(anchor.op, made, emitter.broadcast(widened(x), shape), b);
    }
  }
  return made;
}

LogicalResult WindowUnroller::run() {
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
  if (positions > (hasViews ? kMostViews : kMostPositions))
    return fail("a large window");
  Type to = getElementTypeOrSelf(anchor.op->getResult(0));
  element = getElementTypeOrSelf(anchor.op->getOperand(0));
  acc = isa<prim::MaxPoolOp>(anchor.op) ? to : sumType(to);
  Space space;
  chooseBlocks(space);
  if (!hasViews)
    surroundInput();
  TileBuilder emitter(kernel, group.plan, group.inGroup(), space);
  Value made = unroll(emitter);
  if (acc != to)
    made = arith::TruncFOp::create(
        kernel.b, kernel.loc, cast<RankedTensorType>(made.getType()).clone(to),
        made);
  emitter.bind(anchor.op->getResult(0), anchor.map, made);
  Value tile = emitter.emit(group.root, group.plan.rootMap);
  if (!tile) {
    surrounded.undo();
    return fail(emitter.reason);
  }
  emitter.store(tile, out, group.plan.rootMap);
  Extent flops = conv ? 2 : 1;
  for (unsigned d = 0; d < group.plan.numRootDims; ++d)
    flops = flops * group.plan.sizes[d];
  kernel.finish("generic.unrolled_window", flops * positions);
  return success();
}

LogicalResult
kiln::schedule::scheduleUnrolledWindow(Operation *op,
                                       target::LoweringContext &context) {
  auto *ctx = context.as<ScheduleContext>();
  if (!ctx)
    return context.decline(op, "needs the context of convert-prim-to-tile");
  if (!computesFromCaches(*ctx) && !ctx->tiling.model().sharesTiles())
    return ctx->decline(op, "the machine has a memory for tiles");
  Group group(cast<prim::FusionOp>(op), *ctx);
  if (failed(group.plan.run(group.root)))
    return ctx->decline(op, group.plan.reason);
  if (group.plan.anchors.size() != 1 || !group.plan.reductions.empty() ||
      isa<prim::DotGeneralOp>(group.plan.anchors.front().op))
    return ctx->decline(op, "the group is not one window");
  FailureOr<Buffer> input =
      memoryOf(group, group.plan.anchors.front().op->getOperand(0));
  if (failed(input))
    return ctx->decline(op, "an input that is computed");
  Buffer out = resultLikeInput(group);
  KernelBuilder kernel(ctx->host, op->getLoc(), ctx->kernelName);
  group.addDims(kernel);
  WindowUnroller unroller(group, kernel, out, *input);
  if (failed(unroller.run())) {
    kernel.abandon();
    return ctx->decline(op, unroller.reason);
  }
  ctx->host.setBuffer(group.fusion.getResult(0), out);
  return success();
}
