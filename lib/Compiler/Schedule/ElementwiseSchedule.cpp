//===- ElementwiseSchedule.cpp - Elementwise and movement groups ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One grid over the result; each instance computes a block of it.
//
//===----------------------------------------------------------------------===//

#include "ElementBlocks.h"
#include "ResultOrder.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

LogicalResult kiln::schedule::emitElementwise(Group &group, const Buffer &out,
                                              std::string &reason) {
  GroupPlan &plan = group.plan;
  KernelBuilder kernel(group.host, group.fusion.getLoc(), group.ctx.kernelName);
  group.addDims(kernel);
  SmallVector<int> dims;
  for (unsigned d = 0; d < plan.numRootDims; ++d)
    dims.push_back(d);
  group.merge(kernel, dims, out);
  dims = Group::physical(kernel, dims);

  auto tiled = elementRoles(dims);
  group.chooseBlocks(kernel,
                     group.problemFor(kernel,
                                      target::TilingProblem::Kind::Elementwise,
                                      tiled, &out),
                     tiled);
  Space space = elementSpace(kernel, dims);
  placeInGrid(kernel, dims);

  TileBuilder emitter(kernel, plan, group.inGroup(), space);
  Value tile = emitter.emit(group.root, plan.rootMap);
  if (!tile) {
    kernel.abandon();
    reason = emitter.reason;
    return failure();
  }
  emitter.store(tile, out, plan.rootMap);
  kernel.finish("generic.elementwise");
  return success();
}

LogicalResult kiln::schedule::scheduleElementwise(prim::FusionOp op,
                                                  ScheduleContext &ctx) {
  Group group(op, ctx);
  GroupPlan &plan = group.plan;
  if (failed(plan.run(group.root)))
    return ctx.decline(op, plan.reason);
  if (!plan.reductions.empty() || !plan.anchors.empty())
    return ctx.decline(op, "the group has a reduction or a product");

  Buffer out = resultForWindows(group);
  std::string reason;
  if (failed(emitElementwise(group, out, reason)))
    return ctx.decline(op, reason);
  ctx.host.setBuffer(group.fusion.getResult(0), out);
  return success();
}
