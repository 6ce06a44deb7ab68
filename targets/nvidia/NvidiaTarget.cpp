//===- NvidiaTarget.cpp - The target `nvidia` -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Chips.h"
#include "Passes.h"
#include "Serialize.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Target/Plugin.h"
#include "kiln/Transforms/Program/AlignViews.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace kiln;

namespace {
/// Graphics processors with warps of 32 lanes.
class NvidiaTarget : public target::Target {
public:
  StringRef name() const override { return "nvidia"; }
  StringRef help() const override {
    return "NVIDIA's GPUs, from Turing (sm_75) on";
  }
  std::vector<target::ChipInfo> chips() const override {
    return nvidia::listedChips();
  }
  std::vector<target::OptionInfo> options() const override {
    return {
        {"warps", "1|2|4|8|16|32", "warps of a block"},
        {"stages", "1..8",
         "stages of a software pipeline: slots of its ring buffers"},
        {"overlap", "on|off",
         "whether threads compute the operand of a matmul while another one is "
         "in flight, if that is faster (default: on)"},
        {"bulk", "on|off",
         "whether the copy unit (TMA) fills shared memory, if it can (default: "
         "on)"},
        {"producer", "on|off",
         "whether a producer warp starts these copies: in all kernels that "
         "allow it, in none (default: if a loop computes more than matmuls)"},
        {"persistent", "on|off",
         "whether kernels are persistent: all that allow it, none but those "
         "whose hints ask (default: if a producer fills the ring buffers)"},
        {"dependent", "begin|end|none|off",
         "when a kernel lets the next kernel of a queue begin, which waits "
         "for its end: when all blocks have begun, when each block has a "
         "thread that ends, when all have ended (programmatic dependent "
         "launch, from sm_90 on; default: off)"},
        {"part_clusters", "on|off",
         "whether the instances that share the depth of a matmul are clusters "
         "that add up their sums, instead of a second kernel (from sm_90 on; "
         "default: off)"},
        {"verify", "0|1",
         "whether barriers and waits are verified: in no kernel, in all "
         "(default: in those with asynchronous copies or matmuls)"},
        {"order", "on|off",
         "whether code is ordered for low register pressure: in all kernels, "
         "in none (default: in those whose registers ptxas would spill, if "
         "that helps)"},
        {"ptxas", "PATH",
         "the assembler (none: packages hold PTX, which the machine's "
         "driver compiles)"},
        {"llvm_passes", "PASSES",
         "LLVM's pass pipeline, as opt's flag -passes takes it, with | for "
         "commas"}};
  }

  target::TargetAttr
  description(MLIRContext *context,
              const target::TargetOptions &options) const override {
    return nvidia::describeChip(context, options.chip,
                                options.get("part_clusters", "off") == "on");
  }

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<simt::SimtDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
                    gpu::GPUDialect, cf::ControlFlowDialect,
                    mlir::index::IndexDialect>();
    nvidia::registerTranslations(registry);
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
    nvidia::buildNvidiaTail(pm);
    StringRef dependent = options.get("dependent", "off");
    if (dependent != "off")
      pm.addPass(nvidia::createAwaitLaunchesPass(
          dependent == "begin"  ? nvidia::LaunchTrigger::begin
          : dependent == "none" ? nvidia::LaunchTrigger::none
                                : nvidia::LaunchTrigger::end));
    target::runExtensionPoint(pm, options, "nvidia.llvm");
  }
  std::vector<target::ExtensionPoint> extensionPoints() const override {
    return {
        {"nvidia.tile", "verify-tile-form", "tile kernels, before lowering"},
        {"nvidia.layout", "", "tiles with layouts"},
        {"nvidia.thread", "", "the code of one thread, on scalars"},
        {"nvidia.llvm", "", "the llvm dialect"}};
  }
  LogicalResult serialize(ModuleOp module, const target::TargetOptions &options,
                          target::Executable &result) const override {
    return nvidia::serializeModule(module, options, result);
  }
  LogicalResult emit(ModuleOp module, target::EmitKind kind,
                     const target::TargetOptions &options,
                     llvm::raw_ostream &os) const override {
    return nvidia::emitModule(module, kind, options, os);
  }
};

void registerAll(target::TargetRegistry &registry) {
  nvidia::registerNvidiaPasses();
  registry.addTarget(std::make_unique<NvidiaTarget>());
}
} // namespace

KILN_TARGET_PLUGIN("nvidia", "1.0", registerAll)
