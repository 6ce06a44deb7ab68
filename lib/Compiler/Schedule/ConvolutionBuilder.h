//===- ConvolutionBuilder.h - Kernels of one convolution --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_CONVOLUTIONBUILDER_H
#define KILN_LIB_SCHEDULE_CONVOLUTIONBUILDER_H

#include "WindowInput.h"

namespace kiln::schedule {

/// What builders of kernels have whose group is one convolution and what is
/// computed from its elements alone.
class ConvolutionBuilder {
public:
  ConvolutionBuilder(Group &group, KernelBuilder &kernel, const Buffer &out)
      : group(group), kernel(kernel), out(out),
        anchor(group.plan.anchors.front()),
        conv(mlir::cast<prim::ConvOp>(anchor.op)),
        spatial(conv.getStrides().size()) {}

  /// Removes the kernel after a failure.
  void abandon() { kernel.abandon(); }
  std::string reason; ///< of a failure

protected:
  mlir::LogicalResult fail(const llvm::Twine &why) {
    reason = why.str();
    return mlir::failure();
  }

  Group &group;
  KernelBuilder &kernel;
  const Buffer &out;
  const AnchorVisit &anchor;
  mutable prim::ConvOp conv;
  unsigned spatial; ///< dimensions of the window
};

/// Schedules a group that is one convolution by a `BuilderT`, a
/// ConvolutionBuilder with a function `run`. `refuse` says why the machine has
/// no use for it, or returns an empty string; `place` makes the result.
template <typename BuilderT>
mlir::LogicalResult scheduleOneConvolution(
    prim::FusionOp op, ScheduleContext &ctx,
    llvm::function_ref<llvm::StringRef(ScheduleContext &)> refuse,
    llvm::function_ref<Buffer(Group &)> place) {
  if (llvm::StringRef why = refuse(ctx); !why.empty())
    return ctx.decline(op, why);
  Group group(op, ctx);
  if (std::string why = planOneConvolution(group); !why.empty())
    return ctx.decline(op, why);
  Buffer out = place(group);
  KernelBuilder kernel(ctx.host, op->getLoc(), ctx.kernelName);
  group.addDims(kernel);
  BuilderT builder(group, kernel, out);
  if (failed(builder.run())) {
    builder.abandon();
    return ctx.decline(op, builder.reason);
  }
  ctx.host.setBuffer(group.fusion.getResult(0), out);
  return mlir::success();
}

/// Refuses machines whose threads do not share out the tiles of an instance.
inline llvm::StringRef refuseUnsharedTiles(ScheduleContext &ctx) {
  return ctx.tiling.model().sharesTiles()
             ? ""
             : "the machine's threads share out no tiles";
}

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_CONVOLUTIONBUILDER_H
