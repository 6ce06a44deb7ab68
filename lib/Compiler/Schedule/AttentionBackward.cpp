//===- AttentionBackward.cpp - The gradients of attention as kernels ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttentionGradients.h"
#include "ConvertFactors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

AttentionGradients::AttentionGradients(ScheduleContext &ctx, GroupPlan &plan,
                                       AttentionDims given,
                                       GroupPlan::InGroupFn inGroup)
    : ctx(ctx), plan(plan), dims(std::move(given)), inGroup(std::move(inGroup)),
      anchor(plan.anchors.front()),
      op(cast<prim::AttentionBackwardOp>(anchor.op)),
      element(getElementTypeOrSelf(op.getQuery().getType())),
      wide(sumType(element)),
      isThreaded(
          multipliesWithThreads(ctx.description, ctx.tiling.model(), element)),
      narrow(isThreaded && ctx.options.get("attention") != "wide" ? element
                                                                  : wide),
      readsLeftFactors(isThreaded && hasSharedFactors(ctx.description, narrow)),
      isPowerOfTwo(narrow != wide && op.getScale().convertToDouble() > 0) {
  if (op.getMask())
    bound = findMaskBound(op.getMask(), anchor.operandMaps[Mask], plan,
                          this->inGroup, dims);
  SmallVector<Extent> sizes;
  auto add = [&](int dim) {
    rowMap.index.push_back(IndexExpr::dim(dim));
    sizes.push_back(plan.sizes[dim]);
  };
  for (int dim : dims.outer)
    add(dim);
  if (dims.query >= 0)
    add(dims.query);
  shift = ctx.host.allocate(wide, sizes);
  weighted = ctx.host.allocate(wide, sizes);
}

bool AttentionGradients::splitsSums() const {
  // Tiles have sizes of powers of two.
  auto sizeOf = [&](int dim) -> int64_t {
    return dim < 0 ? 1 : llvm::PowerOf2Ceil(plan.sizes[dim].get());
  };
  return isThreaded && sizeOf(dims.depth) + sizeOf(dims.width) > manySums();
}

LogicalResult kiln::schedule::scheduleAttentionBackward(prim::ClaimOp claim,
                                                        ScheduleContext &ctx) {
  Block &body = claim->getRegion(0).front();
  HostProgramBuilder &host = ctx.host;
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), claim->getOperands()))
    host.setAlias(argument, input);
  auto ops = body.getOps<prim::AttentionBackwardOp>();
  if (!llvm::hasSingleElement(ops))
    return ctx.decline(claim, "the group is not one attention");
  prim::AttentionBackwardOp op = *ops.begin();
  auto inGroup = [&body](Operation *op) { return op->getBlock() == &body; };
  GroupPlan plan(host.math, host.dimFn(), inGroup);
  if (failed(plan.run(op.getQueryGradient())))
    return ctx.decline(claim, plan.reason);
  std::string reason;
  FailureOr<AttentionDims> dims = findAttentionDims(plan, reason);
  if (failed(dims))
    return ctx.decline(claim, reason);
  for (int dim : {dims->depth, dims->width})
    if (dim >= 0 && !plan.sizes[dim].isStatic())
      return ctx.decline(claim,
                         "only a launch knows how many elements a head has");
  // The gradients that are read.
  std::optional<Buffer> out[3];
  for (auto [yielded, result] :
       llvm::zip(body.getTerminator()->getOperands(), claim->getResults())) {
    auto made = dyn_cast<OpResult>(yielded);
    if (!made || made.getOwner() != op)
      return ctx.decline(claim, "something else than gradients is read");
    out[made.getResultNumber()] = host.destination(result);
  }
  AttentionGradients all(ctx, plan, *dims, inGroup);
  std::vector<std::unique_ptr<GradientKernel>> kernels;
  auto add = [&](StringRef suffix) -> GradientKernel & {
    kernels.push_back(
        std::make_unique<GradientKernel>(all, ctx.kernelName + suffix.str()));
    return *kernels.back();
  };
  add("_rows").sumRows();
  const Buffer *ofKey = out[1] ? &*out[1] : nullptr,
               *ofValue = out[2] ? &*out[2] : nullptr;
  if (ofKey && ofValue && all.splitsSums()) {
    add("_values").buildOfKey(nullptr, ofValue);
    add("_keys").buildOfKey(ofKey, nullptr);
  } else if (ofKey || ofValue) {
    add("_keys").buildOfKey(ofKey, ofValue);
  }
  if (out[0])
    add("_queries").buildOfQuery(*out[0]);
  for (const auto &kernel : kernels)
    if (reason.empty())
      reason = kernel->reason;
  if (!reason.empty()) {
    for (const auto &kernel : kernels)
      kernel->abandon();
    return ctx.decline(claim, reason);
  }
  for (const auto &kernel : kernels)
    kernel->finish();
  for (auto [yielded, result] :
       llvm::zip(body.getTerminator()->getOperands(), claim->getResults()))
    host.setBuffer(result, *out[cast<OpResult>(yielded).getResultNumber()]);
  return success();
}
