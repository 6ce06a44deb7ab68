//===- LoopSchedule.cpp - Loops as one kernel -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of one instance runs the whole loop, where the host would launch
// kernels in each iteration. Whether there is such a kernel is found out by
// emitting it once: what has no scalar form, and what takes too many of them,
// leaves the loop to the host. So does what one core of a GPU computes more
// slowly than launches on all of them.
//
//===----------------------------------------------------------------------===//

#include "LoopSchedule.h"
#include "BlockThreads.h"
#include "ResultOrder.h"
#include "TileLoop.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Interfaces/HostOp.h"
#include "kiln/Target/Rates.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Starts the kernel of a loop: one instance.
static void placeInstance(KernelBuilder &kernel) {
  kernel.dims.push_back(KernelDim());
  kernel.addGridDim(0);
  kernel.placeGrid();
}

/// Where a value lies, if that is decided.
static Buffer bufferOf(Value value, HostProgramBuilder &host) {
  return host.hasBuffer(value) ? host.buffer(value) : Buffer();
}

/// A step of more operations on elements takes one core longer than launches
/// take that share it between all cores. A power of two.
static double mostCoreWork(target::TargetAttr description) {
  return double(
      llvm::bit_floor(uint64_t(target::launchWorkOfCore(description))));
}

/// How many elements of the largest tile each thread has.
static constexpr int64_t kThreadElements = 8;
/// More threads wait longer for each other than they compute, unless each has
/// many elements to compute.
static constexpr int64_t kMostLoopThreads = 256, kManyElements = 16;

static int64_t countTile(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getNumElements() : 1;
}

/// Operations on elements in an iteration of a loop that was emitted. Products
/// count by their results: how large each is has a limit of its own.
static double countWork(KernelBuilder &kernel) {
  // What a function of `math` takes beside an addition.
  constexpr double kFunction = 16;
  double work = 0;
  kernel.kernel->walk([&](scf::WhileOp loop) {
    loop->walk([&](Operation *op) {
      bool isFunction =
          op->getDialect() && op->getDialect()->getNamespace() ==
                                  math::MathDialect::getDialectNamespace();
      for (Type type : op->getResultTypes())
        if (!op->getNumRegions())
          work += static_cast<double>(countTile(type)) *
                  (isFunction ? kFunction : 1);
    });
  });
  return work;
}

/// Asks for threads by the largest tile, where threads share tiles: a warp for
/// single elements.
static void askThreads(KernelBuilder &kernel, ScheduleContext &ctx) {
  if (!ctx.tiling.model().sharesTiles())
    return;
  int64_t largest = 1;
  kernel.kernel->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      largest = std::max(largest, countTile(type));
  });
  int64_t most = std::min(mostBlockThreads(ctx.description),
                          std::max(kMostLoopThreads, largest / kManyElements));
  int64_t wanted = std::min(largest / kThreadElements, most);
  int64_t warps = std::max<int64_t>(wanted / countLanes(ctx.description), 1);
  kernel.kernel->setAttr(
      tile::kHintsAttr,
      tile::KernelHintsAttr::get(kernel.b.getContext(),
                                 llvm::bit_floor<uint64_t>(warps), 0, 0, 0));
}

/// A builder for a loop that whole tensors go round in: as lines where each
/// element follows from those at its own place, else as tiles of their shapes.
static std::unique_ptr<WideLoopBuilder> makeBuilder(KernelBuilder &kernel,
                                                    prim::WhileOp op,
                                                    ScheduleContext &ctx,
                                                    bool asLines) {
  bool sharesTiles = ctx.tiling.model().sharesTiles();
  if (asLines)
    return std::make_unique<WideLoopBuilder>(kernel, op, sharesTiles);
  return std::make_unique<TileLoopBuilder>(kernel, op, sharesTiles,
                                           mostBlockThreads(ctx.description));
}

/// The states of such a loop, found out by emitting it once. Sets `isLong` if
/// one core would take too long for a step.
static std::optional<SmallVector<LoopState>>
planWide(prim::WhileOp op, ScheduleContext &ctx, bool asLines, bool &isLong) {
  KernelBuilder kernel(ctx.host, op.getLoc(), ctx.host.name + "_planned_loop");
  placeInstance(kernel);
  auto builder = makeBuilder(kernel, op, ctx, asLines);
  std::optional<SmallVector<LoopState>> states = builder->classify();
  SmallVector<Buffer, 1> memories;
  for (Value init : op.getInits())
    memories.push_back(bufferOf(init, ctx.host));
  bool isEmitted = states && succeeded(builder->emitLoop(*states, memories));
  isLong = isEmitted && ctx.tiling.model().sharesTiles() &&
           countWork(kernel) > mostCoreWork(ctx.description);
  kernel.abandon();
  return isEmitted && !isLong ? states : std::nullopt;
}

/// The kernel of such a loop; nothing where the loop is none.
static std::optional<LogicalResult>
scheduleWide(prim::WhileOp op, ScheduleContext &ctx, bool asLines) {
  bool isLong = false;
  if (!planWide(op, ctx, asLines, isLong))
    return std::nullopt;
  KernelBuilder kernel(ctx.host, op.getLoc(), ctx.kernelName);
  placeInstance(kernel);
  auto builder = makeBuilder(kernel, op, ctx, asLines);
  std::optional<SmallVector<LoopState>> states = builder->classify();
  SmallVector<Buffer, 1> memories;
  for (Value result : op.getResults())
    memories.push_back(ctx.host.buffer(result));
  bool isEmitted = states && succeeded(builder->emitLoop(*states, memories));
  for (unsigned i = 0; isEmitted && i < op.getNumResults(); ++i)
    if ((*states)[i] == LoopState::scalars && !op.getResult(i).use_empty())
      isEmitted = succeeded(builder->storeResult(i, memories[i]));
  if (!isEmitted) {
    kernel.abandon();
    return ctx.decline(op, builder->reason);
  }
  askThreads(kernel, ctx);
  kernel.finish("generic.loop");
  return success();
}

std::optional<SmallVector<LoopState>>
kiln::schedule::planLoop(prim::WhileOp op, ScheduleContext &ctx) {
  auto decline = [&](const Twine &why) {
    target::Report &report = target::Report::of(op.getContext());
    report.declined(op, "generic.loop", why.str());
    report.chose(op, "schedule", ctx.options.name, "a loop of the host");
    return std::nullopt;
  };
  if (!computesFromCaches(ctx) && !ctx.tiling.model().sharesTiles())
    return decline("instances neither compute out of caches nor have threads "
                   "that share tiles");
  auto calls = [](HostOpInterface) { return WalkResult::interrupt(); };
  if (op->walk(calls).wasInterrupted())
    return decline("the host computes a part of each step");
  for (bool asLines : {true, false}) {
    bool isLong = false;
    if (std::optional<SmallVector<LoopState>> wide =
            planWide(op, ctx, asLines, isLong))
      return wide;
    if (isLong)
      return decline("a step takes one core longer than launches on all cores");
  }
  KernelBuilder kernel(ctx.host, op.getLoc(), ctx.host.name + "_planned_loop");
  placeInstance(kernel);
  LoopBuilder builder(kernel, op);
  std::optional<SmallVector<LoopState>> states = builder.classify(op);
  bool isEmitted = false;
  if (states) {
    SmallVector<Buffer, 1> memories;
    for (Value init : op.getInits())
      memories.push_back(bufferOf(init, ctx.host));
    isEmitted = succeeded(builder.emitLoop(op, *states, memories));
  }
  kernel.abandon();
  if (!isEmitted)
    return decline(builder.reason);
  return states;
}

LogicalResult kiln::schedule::scheduleLoop(prim::WhileOp op,
                                           ScheduleContext &ctx) {
  for (bool asLines : {true, false})
    if (std::optional<LogicalResult> wide = scheduleWide(op, ctx, asLines))
      return *wide;
  HostProgramBuilder &host = ctx.host;
  KernelBuilder kernel(host, op.getLoc(), ctx.kernelName);
  placeInstance(kernel);
  LoopBuilder builder(kernel, op);
  std::optional<SmallVector<LoopState>> states = builder.classify(op);
  SmallVector<Buffer, 1> memories;
  for (Value result : op.getResults())
    memories.push_back(host.buffer(result));
  bool isEmitted = states && succeeded(builder.emitLoop(op, *states, memories));
  if (isEmitted)
    for (auto [number, state] : llvm::enumerate(*states)) {
      Value result = op.getResult(number);
      if (state != LoopState::scalars || result.use_empty())
        continue;
      for (int64_t i = 0; i < numElements(result); ++i) {
        SmallVector<Coord> at = coordsOf(i, shapeOf(result), kernel.b);
        builder.store(builder.element(result, at), memories[number], at);
      }
    }
  if (!isEmitted || !builder.reason.empty()) {
    kernel.abandon();
    return ctx.decline(op, builder.reason);
  }
  askThreads(kernel, ctx);
  kernel.finish("generic.loop");
  return success();
}
