//===- ConvolutionSchedule.cpp - Convolutions and poolings ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ResultOrder.h"
#include "WindowBuilder.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

LogicalResult kiln::schedule::scheduleConvolution(prim::FusionOp op,
                                                  ScheduleContext &ctx) {
  Group group(op, ctx);
  if (failed(group.plan.run(group.root)))
    return ctx.decline(op, group.plan.reason);
  if (group.plan.anchors.size() != 1 || !group.plan.reductions.empty() ||
      !isa<prim::WindowOpInterface>(group.plan.anchors.front().op))
    return ctx.decline(op, "the group is not one window");
  Buffer out = resultLikeInput(group);
  KernelBuilder kernel(ctx.host, op->getLoc(), ctx.kernelName);
  group.addDims(kernel);
  WindowBuilder builder(group, kernel, out);
  if (failed(builder.run())) {
    kernel.abandon();
    return ctx.decline(op, builder.reason);
  }
  ctx.host.setBuffer(group.fusion.getResult(0), out);
  return success();
}
