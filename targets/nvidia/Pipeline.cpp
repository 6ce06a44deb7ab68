//===- Pipeline.cpp - The passes of the target in order -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Passes.h"
#include "kiln/Gpu/Locations.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace kiln;

void nvidia::buildNvidiaTail(OpPassManager &pm) {
  pm.addPass(createLowerSimtPass());
  pm.addPass(createExpandBesselPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerMathPass());
  pm.addPass(createLowerGpuPass());
  // Places in the source, for tools that look at machine code. Full tables
  // would make the assembler leave out its optimisations.
  pm.addPass(simt::createResolveLocationsPass());
  LLVM::DIScopeForLLVMFuncOpPassOptions options;
  options.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(options));
}

void nvidia::registerNvidiaPasses() {
  registerPass(createLowerSimtPass);
  registerPass(createExpandBesselPass);
  registerPass(createLowerMathPass);
  registerPass(createLowerGpuPass);
  registerPass([] { return createAwaitLaunchesPass(LaunchTrigger::end); });
  registerPass(createSerializePass);
  PassPipelineRegistration<>(
      "nvidia-tail",
      "Lowers thread code to the llvm dialect, ready to serialise",
      [](OpPassManager &pm) { buildNvidiaTail(pm); });
}
