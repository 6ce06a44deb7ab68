//===- LoopSchedule.cpp - Loops as one kernel -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of one instance runs the whole loop, where the host would launch
// kernels in each iteration. Whether there is such a kernel is found out by
// emitting it once: what has no scalar form, and what takes too many of them,
// leaves the loop to the host.
//
//===----------------------------------------------------------------------===//

#include "LoopSchedule.h"
#include "ResultOrder.h"
#include "TileLoop.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Interfaces/HostOp.h"

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

/// A builder for a loop that whole tensors go round in: as lines where each
/// element follows from those at its own place, else as tiles of their shapes.
static std::unique_ptr<WideLoopBuilder>
makeBuilder(KernelBuilder &kernel, prim::WhileOp op, bool asLines) {
  if (asLines)
    return std::make_unique<WideLoopBuilder>(kernel, op);
  return std::make_unique<TileLoopBuilder>(kernel, op);
}

/// The states of such a loop, found out by emitting it once.
static std::optional<SmallVector<LoopState>>
planWide(prim::WhileOp op, ScheduleContext &ctx, bool asLines) {
  KernelBuilder kernel(ctx.host, op.getLoc(), ctx.host.name + "_planned_loop");
  placeInstance(kernel);
  auto builder = makeBuilder(kernel, op, asLines);
  std::optional<SmallVector<LoopState>> states = builder->classify();
  SmallVector<Buffer, 1> memories;
  for (Value init : op.getInits())
    memories.push_back(bufferOf(init, ctx.host));
  bool isEmitted = states && succeeded(builder->emitLoop(*states, memories));
  kernel.abandon();
  return isEmitted ? states : std::nullopt;
}

/// The kernel of such a loop; nothing where the loop is none.
static std::optional<LogicalResult>
scheduleWide(prim::WhileOp op, ScheduleContext &ctx, bool asLines) {
  if (!planWide(op, ctx, asLines))
    return std::nullopt;
  KernelBuilder kernel(ctx.host, op.getLoc(), ctx.kernelName);
  placeInstance(kernel);
  auto builder = makeBuilder(kernel, op, asLines);
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
  if (!computesFromCaches(ctx))
    return decline("the machine's instances are not threads that compute out "
                   "of caches");
  auto calls = [](HostOpInterface) { return WalkResult::interrupt(); };
  if (op->walk(calls).wasInterrupted())
    return decline("the host computes a part of each step");
  for (bool asLines : {true, false})
    if (std::optional<SmallVector<LoopState>> wide = planWide(op, ctx, asLines))
      return wide;
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

LogicalResult kiln::schedule::scheduleLoop(Operation *group,
                                           target::LoweringContext &context) {
  auto *ctx = context.as<ScheduleContext>();
  if (!ctx)
    return context.decline(group, "needs the context of convert-prim-to-tile");
  auto op = cast<prim::WhileOp>(group);
  for (bool asLines : {true, false})
    if (std::optional<LogicalResult> wide = scheduleWide(op, *ctx, asLines))
      return *wide;
  HostProgramBuilder &host = ctx->host;
  KernelBuilder kernel(host, op.getLoc(), ctx->kernelName);
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
    return ctx->decline(group, builder.reason);
  }
  kernel.finish("generic.loop");
  return success();
}
