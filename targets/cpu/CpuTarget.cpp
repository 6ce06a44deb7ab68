//===- CpuTarget.cpp - The target `cpu` -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of processors; everything else is the cpu family's.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "MatrixInstructions.h"
#include "Requirements.h"
#include "kiln/Cpu/Lowering.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/LLVM/Serialize.h"
#include "kiln/Target/Plugin.h"
#include "kiln/Tiling/Tiling.h"

using namespace mlir;
using namespace kiln;

namespace {
/// Processors with vector registers and caches.
class CpuTarget : public target::Target {
public:
  StringRef name() const override { return "cpu"; }
  StringRef help() const override {
    return "processors, with vector registers and threads";
  }
  std::vector<target::ChipInfo> chips() const override {
    std::vector<target::ChipInfo> chips = cpu_target::listedChips();
    chips.push_back({"*", "any processor that LLVM knows"});
    return chips;
  }
  std::vector<target::OptionInfo> options() const override {
    return {
        {"threads", "1..1024",
         "threads that run a kernel (default: all cores)"},
        {"subnormals", "keep|flush",
         "keep: take no bf16 instruction that reads subnormal numbers as zero"},
        {cpu_target::kVectorBitsKey.str(), "N",
         "bits of a vector register, for chips that differ in it (default: "
         "those of the chip, or the least of its kind)"},
        {cpu_target::kStreamingBitsKey.str(), "N",
         "the same in AArch64's streaming mode, which enables its matrix "
         "instructions (SME) (default: those of the chip)"},
        {"hide", "NAME+NAME",
         "features, such as avx2, that the driver treats as absent"}};
  }
  int fallbackPriority() const override { return 10; }

  target::TargetAttr
  description(MLIRContext *context,
              const target::TargetOptions &options) const override {
    return cpu_target::describeChip(context, options);
  }

  std::unique_ptr<target::TilingModel>
  tilingModel(target::TargetAttr description,
              const target::TargetOptions &options) const override {
    return tiling::createDescribedModel(description, options, /*packs=*/true);
  }

  bool hasPipeline() const override { return true; }
  void buildPipeline(OpPassManager &pm,
                     const target::TargetOptions &options) const override {
    cpu::buildCpuPipeline(pm, options);
  }
  std::vector<target::ExtensionPoint> extensionPoints() const override {
    return {{"cpu.tile", "verify-tile-form", "tile kernels, before lowering"},
            {"cpu.vector", "", "loops over vector registers"},
            {"cpu.llvm", "", "the llvm dialect"}};
  }
  LogicalResult serialize(ModuleOp module, const target::TargetOptions &options,
                          target::Executable &result) const override {
    if (failed(cpu::serializeKernels(module, options, result)))
      return failure();
    cpu_target::keepRequirements(target::getDescription(module),
                                 result.requirements);
    return success();
  }
  LogicalResult emit(ModuleOp module, target::EmitKind kind,
                     const target::TargetOptions &options,
                     llvm::raw_ostream &os) const override {
    return cpu::emitKernels(module, kind, options, os);
  }
};

void registerAll(target::TargetRegistry &registry) {
  cpu::registerCpuFamily(registry);
  cpu_target::addMatrixInstructions();
  registry.addTarget(std::make_unique<CpuTarget>());
}
} // namespace

KILN_TARGET_PLUGIN("cpu", "1.0", registerAll)
