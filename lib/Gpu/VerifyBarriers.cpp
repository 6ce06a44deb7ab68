//===- VerifyBarriers.cpp - Whether threads wait for each other -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierCheck.h"
#include "kiln/Gpu/Passes.h"

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
    int64_t threads = count("simt.threads"), bytes = count("simt.shared_bytes");
    if (function.isExternal() || threads <= 0 || !bytes)
      return;
    BarrierCheck check(function, threads, lanes, bytes);
    if (failed(check.run()))
      return signalPassFailure();
    if (check.gaveUp)
      check.gaveUp->emitRemark("barriers are not checked: there are too many "
                               "ways to go through this");
  }
};
} // namespace
