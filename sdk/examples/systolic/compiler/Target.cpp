// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plug-in: what Kiln's tools load.
#include "../device/Isa.h"
#include "ChipText.h"
#include "SystolicDialect.h"
#include "kiln/Staging/Scratchpad.h"
#include "kiln/Target/Plugin.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/Transforms/Passes.h"
#if SYSTOLIC_STEP > 1
#include "Extensions.h"
#endif

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {

class SystolicTarget : public Target {
public:
  StringRef name() const override { return "systolic"; }
  std::vector<ChipInfo> chips() const override {
    return {{"s1", "64 KiB, 16 x 16, 64 lanes"}};
  }
  std::vector<OptionInfo> options() const override {
    return {{"slots", "1..8", "blocks of a loop that are there at once (2)"},
            {"pack", "on|off", "constant factors lie in blocks (on)"}};
  }
  TargetAttr description(MLIRContext *context,
                         const TargetOptions &) const override {
    return parseDescription(kChip, context, "systolic");
  }
  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<systolic::SystolicDialect>();
  }
#if SYSTOLIC_STEP > 2
  LogicalResult claimProgram(ModuleOp module,
                             const TargetOptions &options) const override {
    if (options.getBool("pack", true))
      systolic::packWeights(module);
    return success();
  }
#endif
  bool hasPipeline() const override { return true; }
  std::vector<ExtensionPoint> extensionPoints() const override {
    return {{"systolic.tile", "verify-tile-form", "tile kernels"},
            {"systolic.stage", "verify-stage-form", "places are known"},
            {"systolic.machine", "", "instructions"}};
  }

  void buildPipeline(OpPassManager &pm,
                     const TargetOptions &options) const override {
    runExtensionPoint(pm, options, "systolic.tile");
    OpPassManager &kernels = pm.nest<tile::KernelOp>();
    kernels.addPass(tile::createTileExpandScaledDots());
    kernels.addPass(tile::createTileWidenAccumulators());
    kernels.addPass(tile::createTileExpandWideProducts());
    kernels.addPass(tile::createTileExpandConversions());
    staging::ScratchpadOptions pad;
    pad.space = "pad";
    pad.bytes = systolic::kPadBytes;
    pad.slots = options.getInt("slots", 2);
    staging::buildScratchpadPipeline(pm, pad);
    runExtensionPoint(pm, options, "systolic.stage");
    pm.addPass(systolic::createConvertStageToSystolic());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createLoopInvariantCodeMotionPass());
    runExtensionPoint(pm, options, "systolic.machine");
  }

  LogicalResult serialize(ModuleOp module, const TargetOptions &options,
                          Executable &result) const override {
    std::vector<uint64_t> words{systolic::kMagic, systolic::kVersion, 0};
    for (auto kernel : module.getOps<tile::KernelOp>()) {
      if (failed(systolic::writeKernel(kernel, words)))
        return failure();
      CompiledKernel compiled;
      compiled.name = compiled.symbol = kernel.getSymName().str();
      result.kernels.push_back(compiled);
    }
    words[2] = systolic::checksum(words.data() + 3, words.size() - 3);
    result.blobs.emplace_back(reinterpret_cast<const char *>(words.data()),
                              words.size() * sizeof(uint64_t));
    return success();
  }

#if SYSTOLIC_STEP > 1
  LogicalResult emit(ModuleOp module, EmitKind kind,
                     const TargetOptions &options,
                     raw_ostream &os) const override {
    if (kind != EmitKind::Assembly)
      return Target::emit(module, kind, options, os);
    for (auto kernel : module.getOps<tile::KernelOp>()) {
      std::vector<uint64_t> words;
      os << kernel.getSymName() << ":\n";
      if (failed(systolic::writeKernel(kernel, words, os)))
        return failure();
    }
    return success();
  }
#endif
};

void registerAll(TargetRegistry &registry) {
  registry.addTarget(std::make_unique<SystolicTarget>());
  registerPass(systolic::createConvertStageToSystolic);
#if SYSTOLIC_STEP > 1
  systolic::registerVectorUnit(registry);
#endif
#if SYSTOLIC_STEP > 2
  systolic::registerSoftmax(registry);
#endif
}

} // namespace

KILN_TARGET_PLUGIN("systolic", "0.1", registerAll)
