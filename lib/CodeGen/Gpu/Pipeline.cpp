//===- Pipeline.cpp - The passes of the gpu family in order ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Float8Products.h"
#include "LoweringOffer.h"
#include "OwnLowerings.h"
#include "kiln/Conversion/PtxToTile.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Locations.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Staging/Passes.h"
#include "kiln/Target/Decisions.h"
#include "kiln/Target/ExtensionPoint.h"
#include "kiln/Target/TargetRegistry.h"
#include "kiln/Transforms/Tile/GridPasses.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace kiln;

void simt::addTileExpansions(OpPassManager &kernels,
                             const target::TargetOptions &options) {
  kernels.addPass(tile::createTileExpandReductions({llvm::to_vector(
      target::loweredOperations(options, GpuLoweringContext::kFamily,
                                GpuLoweringContext::kRegisters))}));
  kernels.addPass(tile::createTileExpandInlineAsm({/*keep=*/true}));
  kernels.addPass(tile::createTileExpandScaledDots({/*narrow=*/true}));
  kernels.addPass(tile::createTileExpandScaling());
  kernels.addPass(createSimtNarrowOperands());
  kernels.addPass(createWidenAccumulatorsPass());
  kernels.addPass(createWidenFloat8FactorsPass());
  kernels.addPass(tile::createTileLowerFloat8());
  kernels.addPass(tile::createTileExpandWideProducts());
  kernels.addPass(tile::createTileExpandConversions());
}

void simt::buildGpuPipeline(OpPassManager &pm,
                            const target::TargetOptions &options,
                            int64_t lanes) {
  // Without a target no plug-in extends it.
  auto extend = [&](StringRef point) {
    if (!options.name.empty())
      target::runExtensionPoint(pm, options, options.name + point.str());
  };
  extend(".tile");
  if (options.name.empty()) // as the form of that point
    pm.addNestedPass<tile::KernelOp>(tile::createVerifyTileForm());
  OpPassManager &kernels = pm.nest<tile::KernelOp>();
  kernels.addPass(tile::createTileEraseUnused());
  kernels.addPass(createSimtApplyLowerings({/*early=*/true}));
  addTileExpansions(kernels, options);
  kernels.addPass(createSimtApplyLowerings());
  SimtAssignLayoutsOptions layouts;
  layouts.lanes = lanes;
  int64_t warps = 0;
  if (llvm::to_integer(options.get("warps", "0"), warps))
    layouts.warps = warps;
  kernels.addPass(createSimtAssignLayouts(layouts));
  kernels.addPass(createSimtUnrollLoops());
  kernels.addPass(createSimtSinkConversions());
  SimtStageOperandsOptions staged;
  int64_t stages = 0;
  if (llvm::to_integer(options.get("stages", "0"), stages))
    staged.stages = stages;
  staged.lanes = lanes;
  kernels.addPass(createSimtStageOperands(staged));
  const bool overlaps = options.getBool("overlap", true);
  if (overlaps)
    kernels.addPass(createSimtOverlapProducts());
  extend(".layout");
  OpPassManager &staging = pm.nest<tile::KernelOp>();
  staging.addPass(staging::createStageMakeRings());
  staging.addPass(staging::createStageSchedule());
  staging.addPass(staging::createStagePipeline());
  if (overlaps)
    staging.addPass(createSimtRotateSums());
  if (options.getBool("bulk", true))
    staging.addPass(createSimtChooseBulkCopies());
  SimtPersistRingsOptions persistent;
  persistent.lanes = lanes;
  persistent.all = options.getBool("persistent", false);
  persistent.askedOnly = !options.getBool("producer", true) ||
                         !options.getBool("persistent", true);
  staging.addPass(createSimtPersistRings(persistent));
  staging.addPass(tile::createTileMakePersistent(
      {/*all=*/options.getBool("persistent", false)}));
  staging.addPass(createSimtShareCopies());
  staging.addPass(createSimtRequestLoads());
  staging.addPass(staging::createStageAllocate());
  staging.addPass(createSimtStageProducts({lanes}));
  staging.addPass(createSimtInsertBarriers({lanes}));
  if (overlaps)
    staging.addPass(createSimtSplitBarriers());
  pm.addPass(createConvertTileToSimt({lanes}));
  pm.addNestedPass<LLVM::LLVMFuncOp>(createSimtInterleaveCopies());
#ifdef NDEBUG
  constexpr bool kAsyncOnly = true;
#else
  constexpr bool kAsyncOnly = false;
#endif
  // Asynchronous code is always verified, unless the user says `verify=0`; all
  // code with `verify=1`.
  if (options.getBool("verify", true))
    pm.addNestedPass<LLVM::LLVMFuncOp>(createSimtVerifyBarriers(
        {lanes, kAsyncOnly && !options.getBool("verify", false)}));
  if (options.getBool("producer", true))
    pm.addNestedPass<LLVM::LLVMFuncOp>(createSimtSplitProducer(
        {lanes, /*everywhere=*/options.getBool("producer", false)}));
  pm.addNestedPass<LLVM::LLVMFuncOp>(createSimtApplyLowerings(
      {/*early=*/false, /*copies=*/options.getBool("keep_copies", false)}));
  extend(".thread");
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> options{
      *this, "options",
      llvm::cl::desc("options of the target, such as overlap=off:stages=3")};
};
} // namespace

void simt::registerGpuPasses() {
  registerPass([] { return createSimtApplyLowerings(); });
  registerPass([] { return createSimtAssignLayouts(); });
  registerPass(createWidenAccumulatorsPass);
  registerPass(createWidenFloat8FactorsPass);
  registerPass([] { return createSimtStageOperands(); });
  registerPass([] { return createSimtUnrollLoops(); });
  registerPass([] { return createSimtSinkConversions(); });
  registerPass([] { return createSimtNarrowOperands(); });
  registerPass([] { return createSimtRequestLoads(); });
  registerPass([] { return createSimtOverlapProducts(); });
  registerPass([] { return createSimtRotateSums(); });
  registerPass([] { return createSimtChooseBulkCopies(); });
  registerPass([] { return createSimtPersistRings(); });
  registerPass([] { return createSimtShareCopies(); });
  registerPass([] { return createSimtStageProducts(); });
  registerPass([] { return createSimtInsertBarriers(); });
  registerPass([] { return createSimtSplitBarriers(); });
  registerPass([] { return createConvertTileToSimt(); });
  registerPass([] { return createSimtInterleaveCopies(); });
  registerPass(createResolveLocationsPass);
  registerPass([] { return createSimtExpandAccesses(); });
  registerPass([] { return createSimtVerifyBarriers(); });
  registerPass([] { return createSimtSplitProducer(); });
  PassPipelineRegistration<PipelineOptions>(
      "gpu-pipeline", "From tile kernels to functions of one thread",
      [](OpPassManager &pm, const PipelineOptions &options) {
        target::TargetOptions own;
        SmallVector<StringRef> pairs;
        StringRef(options.options).split(pairs, ':', -1, /*KeepEmpty=*/false);
        for (StringRef pair : pairs) {
          auto [key, value] = pair.split('=');
          own.values.push_back({key.str(), value.str()});
        }
        buildGpuPipeline(pm, own);
      });
}

void simt::registerGpuFamily(target::TargetRegistry &registry) {
  if (registry.findFamily("gpu"))
    return;
  // Its targets have pipelines and serialisers of their own.
  addOwnLowerings(registry);
  registry.addFamily({GpuLoweringContext::kFamily.str(), nullptr, nullptr});
  target::addDecisions(GpuLoweringContext::kFamily,
                       {"instruction", "layout", "stages", "warps"});
  registry.addDialects(
      [](DialectRegistry &dialects) { dialects.insert<SimtDialect>(); });
}
