// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowerings, schedules and claims for the target cpu that go wrong.
#include "kiln/Cpu/Lowering.h"
#include "bad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include <cstdio>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
LogicalResult lowerDot(Operation *op, LoweringContext &base) {
  auto *ctx = base.as<cpu::CpuLoweringContext>();
  if (!ctx)
    return base.decline(op, "it is written for the cpu family");
  misbehave("lowering");
  if (bad("lowering-no-reason"))
    return failure();
  if (bad("lowering-errs"))
    return op->emitError("the product is too fat");
  if (bad("lowering-nothing"))
    return success();
  if (bad("lowering-illegal")) {
    (void)ctx->createResult(op->getResult(0));
    tile::NumProgramsOp::create(ctx->rewriter, op->getLoc(),
                                ctx->rewriter.getIndexType());
    return success();
  }
  OpBuilder builder(op);
  if (bad("lowering-changes")) {
    Value sum = op->getOperand(2);
    op->setOperand(
        2, arith::NegFOp::create(builder, op->getLoc(), sum).getResult());
  }
  if (bad("lowering-marks"))
    op->setAttr("bad.seen", builder.getUnitAttr());
  return base.decline(op, "it is not in the mood");
}

LogicalResult lowerStore(Operation *op, LoweringContext &base) {
  return bad("store-nothing") ? success()
                              : base.decline(op, "nobody asked for it");
}

LogicalResult emitGroup(Operation *op, LoweringContext &ctx) {
  misbehave("schedule");
  if (bad("schedule-no-reason"))
    return failure();
  return bad("schedule-nothing") ? success()
                                 : ctx.decline(op, "nobody asked for it");
}

LogicalResult claimNothing(Operation *op, LoweringContext &) {
  misbehave("claim");
  return failure(bad("claim-no-reason"));
}

namespace {
/// A pass at an extension point that changes what is not its own.
struct PointPass : PassWrapper<PointPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PointPass)
  StringRef getArgument() const final { return "bad-point-pass"; }
  StringRef getName() const final { return "PointPass"; }
  void runOnOperation() final {
    if (bad("point-target"))
      getOperation()->removeAttr("kiln.target");
    if (bad("point-spec"))
      getOperation()->setAttr("kiln.spec",
                              StringAttr::get(&getContext(), "reference"));
    for (auto kernel : getOperation().getOps<tile::KernelOp>()) {
      auto function = cast<FunctionOpInterface>(*kernel);
      if (bad("point-parameter"))
        (void)function.insertArgument(function.getNumArguments(),
                                      IndexType::get(&getContext()), {},
                                      kernel.getLoc());
      if (bad("point-name"))
        kernel.setSymName("other");
    }
    if (bad("point-closes-output"))
      close(1);
    if (bad("point-closes-errors"))
      close(2);
    if (bad("point-moves-output")) // a log of its own, it thinks
      (void)!freopen("/dev/null", "w", stdout);
  }
};
} // namespace

void registerAll(TargetRegistry &registry) {
  registry.addLowering({"bad.dot", "cpu", "tile.dot", 300, lowerDot, "", 0});
  registry.addLowering(
      {"bad.store", "cpu", "tile.store", 300, lowerStore, "", 0});
  registry.addPass("cpu.tile", "bad-at-point",
                   [](OpPassManager &pm, const TargetOptions &) {
                     misbehave("build");
                     if (bad("build-null"))
                       pm.addPass(nullptr);
                     if (bad("build-null-nested"))
                       pm.nest("tile.kernel").addPass(nullptr);
                     pm.addPass(std::make_unique<PointPass>());
                   });
  Schedule schedule;
  schedule.name = "bad.schedule";
  schedule.kind = "elementwise";
  schedule.priority = 300;
  schedule.emit = emitGroup;
  registry.addSchedule(schedule);
  PrimClaim claim;
  claim.name = "bad.claim";
  claim.target = "cpu";
  claim.claim = claimNothing;
  registry.addPrimClaim(claim);
}
} // namespace

KILN_TARGET_PLUGIN("lowerings", "1.0", registerAll)
