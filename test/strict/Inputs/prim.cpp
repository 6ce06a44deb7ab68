// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target that takes prim but no exponentials, and a claim of cpu whose only
// schedule declines.
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Target/Plugin.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
class Picky : public Target {
public:
  StringRef name() const override { return "picky"; }
  InputLevel inputLevel() const override { return InputLevel::Prim; }
  bool hasPipeline() const override { return true; }
  TargetAttr description(MLIRContext *context,
                         const TargetOptions &) const override {
    return parseDescription("#kiln.target<name = \"picky\", chip = \"p1\">",
                            context);
  }
  bool accepts(Operation *op, TargetAttr, const TargetOptions &,
               std::string &reason) const override {
    op->walk([&](prim::ExpOp) { reason = "it has no exponentials"; });
    return reason.empty();
  }
};

LogicalResult claimExp(Operation *func, LoweringContext &ctx) {
  SmallVector<Operation *> found;
  func->walk([&](prim::ExpOp op) { found.push_back(op); });
  for (Operation *op : found)
    if (failed(claimOps({op}, "exp", "cpu", ctx)))
      return failure();
  return success();
}

void registerAll(TargetRegistry &registry) {
  registry.addTarget(std::make_unique<Picky>());
  PrimClaim claim;
  claim.name = "claim.exp";
  claim.target = "cpu";
  claim.claim = claimExp;
  registry.addPrimClaim(claim);
  Schedule schedule;
  schedule.name = "never";
  schedule.kind = "claim.exp";
  schedule.emit = [](Operation *op, LoweringContext &ctx) {
    return ctx.decline(op, "the unit for it is cold");
  };
  registry.addSchedule(schedule);
}
} // namespace

KILN_TARGET_PLUGIN("prim", "1.0", registerAll)
