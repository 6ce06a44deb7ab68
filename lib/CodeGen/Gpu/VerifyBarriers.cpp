//===- VerifyBarriers.cpp - Whether threads wait for each other -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierCheck.h"
#include "Machine.h"
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
    auto count = [&](StringRef name) {
      auto n = function->getAttrOfType<IntegerAttr>(name);
      return n ? n.getInt() : 0;
    };
    int64_t threads = count(kThreadsAttr), bytes = count(kSharedBytesAttr);
    if (function.isExternal() || threads <= 0 || !bytes)
      return;
    bool isAsync = function
                       .walk([](Operation *op) {
                         return isa<CopyAsyncOp, MmaAsyncOp>(op)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
    if (asyncOnly && !isAsync)
      return;
    BarrierCheck check(function, threads,
                       lanesOf(target::getDescription(function), lanes), bytes);
    if (failed(verifySumsInFlight(function)) || failed(check.run()))
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
