//===- Pipeline.cpp - The passes of the vector family in order ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/ExtensionPoint.h"
#include "kiln/Vector/Passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::vec;

void vec::buildVectorPipeline(OpPassManager &pm,
                              const target::TargetOptions &options) {
  target::runExtensionPoint(pm, options, options.name + ".tile");
  pm.addPass(createLowerKernelsPass());
  target::runExtensionPoint(pm, options, options.name + ".vector");
  pm.addPass(createVectorToLLVMPass());
  target::runExtensionPoint(pm, options, options.name + ".llvm");
}

void vec::registerVectorPasses() {
  registerPass(createRetileProductsPass);
  registerPass(createLowerKernelsPass);
  registerPass(createVectorToLLVMPass);
  PassPipelineRegistration<>(
      "vector-pipeline", "From tile kernels to the llvm dialect",
      [](OpPassManager &pm) { buildVectorPipeline(pm, {}); });
}
