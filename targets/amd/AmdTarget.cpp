//===- AmdTarget.cpp - The target `amd` -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"
#include "Passes.h"
#include "Serialize.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Target/Plugin.h"
#include "kiln/Transforms/Program/AlignViews.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace kiln;

namespace {
/// Graphics processors with waves of 64 lanes (CDNA) or 32 (RDNA).
class AmdTarget : public target::Target {
public:
  StringRef name() const override { return "amd"; }
  StringRef help() const override {
    return "AMD's GPUs: CDNA2 to CDNA4, RDNA3 and RDNA4";
  }
  std::vector<target::ChipInfo> chips() const override {
    return amd::listedChips();
  }
  std::vector<target::OptionInfo> options() const override {
    return {
        {"warps", "1|2|4|8|16|32", "waves of a workgroup"},
        {"verify", "0|1",
         "whether barriers and waits are verified: in no kernel, in all "
         "(default: in those with asynchronous copies or matmuls)"},
        {"copies", "0|1",
         "whether operands go to LDS without registers, if the chip can do it "
         "(default: 0)"},
        {"pingpong", "0|1",
         "whether one half of eight waves reads LDS while the other "
         "multiplies"},
        {"priorities", "0|1",
         "whether waves that multiply have priority over others of their SIMD"},
        {"groups", "0|1",
         "whether reads of LDS are spread among matrix instructions"},
        {"tf32", "cut|round",
         "how f32 operands of tf32 matmuls lose their low bits on gfx942: "
         "dropped, as tile.dot says (default), or rounded by the instruction"},
        {"waves", "N",
         "the most waves of a SIMD that share its registers in loops with "
         "matmuls (default: the back end chooses)"},
        {"device", "sim",
         "run packages on the simulated device instead of a GPU"},
        {"seed", "N", "device=sim: seed of the order in which waves run"},
        {"checks", "0|1",
         "device=sim: whether it checks bounds, waits and races (default: 1)"},
        {"counters", "0|1", "device=sim: prints counters of each launch"},
        {"float8", "ocp|fnuz",
         "device=sim: the 8-bit floats of all buffers; reports instructions "
         "for the other formats"},
        {"stale", "0|1",
         "device=sim: whether it reports reads of old values of LDS among new "
         "ones (default: in Kiln's code)"},
        {"lld", "PATH", "the linker, LLVM's ld.lld of version 16 or newer"},
        {"device_libs", "PATH",
         "the folder of AMD's device library, with ocml.bc"}};
  }

  target::TargetAttr
  description(MLIRContext *context,
              const target::TargetOptions &options) const override {
    return amd::describeChip(context, options.chip,
                             options.getBool("copies", false));
  }

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<simt::SimtDialect, LLVM::LLVMDialect, ROCDL::ROCDLDialect,
                    gpu::GPUDialect, cf::ControlFlowDialect,
                    mlir::index::IndexDialect>();
    amd::registerTranslations(registry);
  }

  LogicalResult claimProgram(ModuleOp module,
                             const target::TargetOptions &) const override {
    // What one access of a thread moves at most.
    program::alignViews(module, 16);
    program::boundGrids(module);
    return success();
  }

  bool hasPipeline() const override { return true; }
  void buildPipeline(OpPassManager &pm,
                     const target::TargetOptions &options) const override {
    simt::buildGpuPipeline(pm, options);
    amd::buildAmdTail(pm, options);
    target::runExtensionPoint(pm, options, "amd.llvm");
  }
  std::vector<target::ExtensionPoint> extensionPoints() const override {
    return {{"amd.tile", "verify-tile-form", "tile kernels, before lowering"},
            {"amd.layout", "", "tiles with layouts"},
            {"amd.thread", "", "the code of one thread, on scalars"},
            {"amd.llvm", "", "the llvm dialect"}};
  }
  LogicalResult serialize(ModuleOp module, const target::TargetOptions &options,
                          target::Executable &result) const override {
    return amd::serializeModule(module, options, result);
  }
  LogicalResult emit(ModuleOp module, target::EmitKind kind,
                     const target::TargetOptions &options,
                     llvm::raw_ostream &os) const override {
    return amd::emitModule(module, kind, options, os);
  }
};

void registerAll(target::TargetRegistry &registry) {
  amd::registerAmdPasses();
  registry.addTarget(std::make_unique<AmdTarget>());
  registry.addPass("core.after-fuse", "amd-recode-factors",
                   [](OpPassManager &pm, const target::TargetOptions &options) {
                     if (options.name == "amd") // the point is of all targets
                       pm.addPass(amd::createRecodeFactorsPass());
                   });
  registry.addPass("amd.layout", "amd-cut-factors",
                   [](OpPassManager &pm, const target::TargetOptions &options) {
                     if (options.get("tf32", "cut") != "round")
                       pm.addNestedPass<tile::KernelOp>(
                           amd::createCutFactorsPass());
                   });
}
} // namespace

KILN_TARGET_PLUGIN("amd", "1.0", registerAll)
