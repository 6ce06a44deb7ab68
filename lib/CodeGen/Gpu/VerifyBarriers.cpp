//===- VerifyBarriers.cpp - Whether threads wait for each other -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierCheck.h"
#include "Machine.h"
#include "SharedPlaces.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Target/Unverified.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTVERIFYBARRIERS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
struct VerifyBarriers : simt::impl::SimtVerifyBarriersBase<VerifyBarriers> {
  using SimtVerifyBarriersBase::SimtVerifyBarriersBase;

  void runOnOperation() override {
    LLVM::LLVMFuncOp function = getOperation();
    markAllAnalysesPreserved();
    ThreadBlockAttr block = getThreadBlock(function);
    if (function.isExternal() || !block || !block.getSharedBytes())
      return;
    int64_t threads = block.getThreads(), bytes = block.getSharedBytes();
    bool isAsync =
        function
            .walk([](Operation *op) {
              return llvm::any_of(getThreadAccesses(op),
                                  std::mem_fn(&ThreadAccess::isAsync))
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            })
            .wasInterrupted();
    if (asyncOnly && !isAsync)
      return;
    if (failed(verifySumsInFlight(function)))
      return signalPassFailure();
    int64_t lanes = lanesOf(target::getDescription(function), this->lanes);
    // As many iterations as copies are ahead are enough for most functions.
    int64_t ahead = 0;
    function.walk([&](SynchronizationOpInterface op) {
      Synchronization sync = op.getSynchronization();
      if (sync.isWaitFor(Synchronization::Group::Copies))
        ahead = std::max(ahead, sync.but + 1);
    });
    constexpr int64_t kMost = 9;
    if (ahead + 2 < kMost) {
      BarrierCheck trial(function, threads, lanes, bytes, ahead + 2,
                         /*isTrial=*/true);
      if (succeeded(trial.run()) && !trial.gaveUp)
        return;
    }
    BarrierCheck check(function, threads, lanes, bytes, kMost,
                       /*isTrial=*/false);
    if (failed(check.run()))
      return signalPassFailure();
    if (!check.gaveUp)
      return;
    constexpr StringLiteral kMany = "has too many ways through it to follow";
    if (!isAsync) {
      check.gaveUp->emitRemark("barriers are not verified: this ") << kMany;
      return;
    }
    target::emitUnverified(check.gaveUp, function) << kMany;
    signalPassFailure();
  }
};
} // namespace
