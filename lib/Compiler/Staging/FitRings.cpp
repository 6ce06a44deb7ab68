//===- FitRings.cpp - Rings as deep as their space allows -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Allocate.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Staging/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace kiln::staging {
#define GEN_PASS_DEF_STAGEFITRINGS
#include "kiln/Staging/Passes.h.inc"
} // namespace kiln::staging

using namespace kiln;

namespace {

struct StageFitRingsPass : staging::impl::StageFitRingsBase<StageFitRingsPass> {
  using StageFitRingsBase::StageFitRingsBase;

  void runOnOperation() override {
    FailureOr<llvm::StringMap<int64_t>> bytesOf =
        staging::parseLimits(getOperation(), limits);
    if (failed(bytesOf) ||
        failed(staging::checkAtLeastOne(getOperation(), align,
                                        "an alignment of storage")) ||
        failed(staging::checkAtLeastOne(getOperation(), depth,
                                        "a number of slots of rings")))
      return signalPassFailure();
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>()))
      if (failed(fit(kernel, *bytesOf)))
        return signalPassFailure();
  }

private:
  /// The kernel with rings of that depth, made in a copy beside it. No rings
  /// leave it as it is: what does not fit then is the allocation's to say.
  LogicalResult fit(tile::KernelOp kernel,
                    const llvm::StringMap<int64_t> &bytesOf) {
    target::ReportRow row;
    for (int64_t slots = depth; slots > 1; --slots) {
      OpBuilder b(kernel);
      auto trial = cast<tile::KernelOp>(b.clone(*kernel));
      llvm::scope_exit erase([&] { trial.erase(); });
      OpPassManager pm(tile::KernelOp::getOperationName());
      pm.addPass(staging::createStageMakeRings({slots}));
      pm.addPass(staging::createStageSchedule());
      pm.addPass(staging::createStagePipeline());
      if (failed(runPipeline(pm, trial)))
        return failure();
      std::optional<staging::Overflow> overflow =
          staging::allocate(trial, bytesOf, align);
      if (!overflow) {
        kernel.getBody().takeBody(trial.getBody());
        return report(kernel, slots, std::move(row));
      }
      row.declines.push_back(
          {std::to_string(slots) + " slots", overflow->text()});
    }
    return report(kernel, 1, std::move(row));
  }

  LogicalResult report(tile::KernelOp kernel, int64_t slots,
                       target::ReportRow row) {
    if (row.declines.empty())
      return success();
    target::Report &report = target::Report::of(&getContext());
    std::vector<target::Decline> declines = std::move(row.declines);
    row = report.describe(kernel);
    row.stage = "rings";
    row.chosen = slots == 1 ? "no rings" : std::to_string(slots) + " slots";
    row.declines = std::move(declines);
    report.add(std::move(row));
    return success();
  }
};

} // namespace
