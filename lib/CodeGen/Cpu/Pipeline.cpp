//===- Pipeline.cpp - The passes of the cpu family in order ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Conversion/PtxToTile.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Staging/Passes.h"
#include "kiln/Target/ExtensionPoint.h"
#include "kiln/Target/Lowering.h"
#include "kiln/Transforms/Tile/GridPasses.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// Bytes between rows of an accumulator that would share few sets of a cache.
constexpr int64_t kConflict = 1024;

void cpu::buildCpuPipeline(OpPassManager &pm,
                           const target::TargetOptions &options) {
  target::runExtensionPoint(pm, options, options.name + ".tile");
  OpPassManager &kernels = pm.nest<tile::KernelOp>();
  kernels.addPass(tile::createTileEraseUnused());
  // The lowering of what is left says why.
  kernels.addPass(tile::createTileExpandInstances());
  kernels.addPass(tile::createTileExpandReductions(
      {llvm::to_vector(target::loweredOperations(options, "cpu"))}));
  kernels.addPass(tile::createTileExpandInlineAsm({/*keep=*/true}));
  kernels.addPass(tile::createTileExpandScaledDots());
  kernels.addPass(tile::createTileExpandScaling());
  kernels.addPass(tile::createTileExpandSincos());
  kernels.addPass(tile::createTileWidenAccumulators());
  kernels.addPass(tile::createTileLowerFloat8({/*combine=*/true}));
  kernels.addPass(tile::createTileLowerPointers());
  kernels.addPass(tile::createTileExpandWideProducts());
  kernels.addPass(tile::createTileExpandConversions());
  SelectMatrixInstructionsOptions select;
  select.keepSubnormals = options.get("subnormals", "") == "keep";
  pm.addPass(createSelectMatrixInstructions(select));
  OpPassManager &staging = pm.nest<tile::KernelOp>();
  staging.addPass(staging::createTileDecideStorage());
  staging.addPass(staging::createConvertTileToStage({/*fragments=*/false}));
  staging.addPass(staging::createStageGuardProducts());
  staging.addPass(staging::createStageSplitProducts());
  staging.addPass(createSplitProducts({select.keepSubnormals}));
  staging.addPass(staging::createStagePlace({/*space=*/"", kConflict}));
  staging.addPass(staging::createStageAllocate());
  staging.addPass(createPrefetch());
  staging.addPass(createStreamStores());
  pm.addPass(createConvertStageToCpuPass());
  target::runExtensionPoint(pm, options, options.name + ".vector");
  pm.addPass(createLowerMicroKernels());
  pm.addPass(createConvertCpuToLLVMPass());
  target::runExtensionPoint(pm, options, options.name + ".llvm");
}

void cpu::registerCpuPasses() {
  registerPass([] { return createSelectMatrixInstructions(); });
  registerPass([] { return createSplitProducts(); });
  registerPass([] { return createPrefetch(); });
  registerPass([] { return createStreamStores(); });
  registerPass(createConvertStageToCpuPass);
  registerPass([] { return createLowerMicroKernels(); });
  registerPass(createConvertCpuToLLVMPass);
  PassPipelineRegistration<>(
      "cpu-pipeline", "From tile kernels to the llvm dialect",
      [](OpPassManager &pm) { buildCpuPipeline(pm, {}); });
}
