//===- Pipeline.cpp - The passes of the target in order -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Passes.h"
#include "kiln/Gpu/Locations.h"
#include "kiln/Gpu/Passes.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::amd;

/// `amd-schedule-products` as the options of the target have it.
static std::unique_ptr<Pass> scheduleOf(const target::TargetOptions &options) {
  return createScheduleProductsPass(options.getBool("priorities", false),
                                    options.getBool("groups", false),
                                    options.getInt("waves", 0));
}

void amd::buildAmdTail(OpPassManager &pm,
                       const target::TargetOptions &options) {
  pm.addPass(createSkipIdleWavesPass());
  pm.addPass(createNarrowCountersPass());
  pm.addPass(createLoadAheadPass());
  pm.addPass(createPeelTripsPass());
  if (options.getBool("pingpong", true))
    pm.addPass(createPingPongPass());
  pm.addPass(createLowerCopiesPass());
  pm.addPass(createLowerAccessesPass());
  pm.addPass(scheduleOf(options));
  // Lanes that do not take part in other accesses are masked by branches.
  pm.addPass(simt::createSimtExpandAccesses());
  pm.addPass(createLowerSimtPass());
  pm.addPass(createRotateLoopsPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerMathPass());
  pm.addPass(arith::createArithExpandOpsPass());
  pm.addPass(createLowerGpuPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  // Places in the source, which the simulated device reports.
  pm.addPass(simt::createResolveLocationsPass());
  LLVM::DIScopeForLLVMFuncOpPassOptions places;
  places.emissionKind = LLVM::DIEmissionKind::LineTablesOnly;
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(places));
}

void amd::registerAmdPasses() {
  registerPass(createRecodeFactorsPass);
  registerPass(createCutFactorsPass);
  registerPass(createSkipIdleWavesPass);
  registerPass(createNarrowCountersPass);
  registerPass(createLoadAheadPass);
  registerPass(createPeelTripsPass);
  registerPass(createPingPongPass);
  registerPass(createLowerCopiesPass);
  registerPass(createLowerAccessesPass);
  registerPass([] { return createScheduleProductsPass(); });
  registerPass(createLowerSimtPass);
  registerPass(createRotateLoopsPass);
  registerPass(createLowerMathPass);
  registerPass(createLowerGpuPass);
  PassPipelineRegistration<>(
      "amd-tail", "Lowers thread code to the llvm dialect, ready to serialise",
      [](OpPassManager &pm) { buildAmdTail(pm, {}); });
}
