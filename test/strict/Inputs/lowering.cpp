// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lowerings, schedules and claims for the target cpu that go wrong.
#include "kiln/Cpu/Lowering.h"
#include "bad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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

void registerAll(TargetRegistry &registry) {
  registry.addLowering({"bad.dot", "cpu", "tile.dot", 300, lowerDot, "", 0});
  registry.addLowering(
      {"bad.store", "cpu", "tile.store", 300, lowerStore, "", 0});
  registry.addPass(
      "cpu.tile", "bad-at-point",
      [](OpPassManager &, const TargetOptions &) { misbehave("build"); });
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
