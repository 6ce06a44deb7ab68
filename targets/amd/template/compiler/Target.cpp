// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ChipText.h"
#include "@Name@.h"
#include "kiln-c/Device.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {

class @Name@Target : public Target {
public:
  StringRef name() const override { return "@name@"; }
  /// Any driver that loads code objects will do; this one needs no GPU.
  std::string deviceName() const override { return "amd-sim"; }
  std::vector<ChipInfo> chips() const override { return {{"gfx942", ""}}; }
  std::vector<OptionInfo> options() const override {
    return {{"warps", "1|2|4|8|16", "waves of an instance"},
            {"verify", "0|1", "whether barriers and waits are verified"},
            {"seed", "N", "draws the order in which waves run"}};
  }
  TargetAttr description(MLIRContext *context,
                         const TargetOptions &) const override {
    return parseDescription(kChip, context, "@name@");
  }
  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<simt::SimtDialect, LLVM::LLVMDialect, ROCDL::ROCDLDialect,
                    gpu::GPUDialect, cf::ControlFlowDialect>();
    @name@::registerTranslations(registry);
  }
  bool hasPipeline() const override { return true; }
  std::vector<ExtensionPoint> extensionPoints() const override {
    return {{"@name@.tile", "verify-tile-form", "tile kernels"},
            {"@name@.layout", "", "tiles with layouts"},
            {"@name@.thread", "", "the code of one thread"}};
  }
  void buildPipeline(OpPassManager &pm,
                     const TargetOptions &options) const override {
    simt::buildGpuPipeline(pm, options);
    pm.addPass(@name@::createLowerCopiesPass());
    pm.addPass(simt::createSimtExpandAccesses());
    pm.addPass(createSCFToControlFlowPass());
    pm.addPass(@name@::createLowerExtremesPass());
    pm.addPass(arith::createArithExpandOpsPass());
    pm.addPass(@name@::createLowerPass());
    pm.addPass(createReconcileUnrealizedCastsPass());
  }
  LogicalResult emit(ModuleOp module, EmitKind kind, const TargetOptions &,
                     llvm::raw_ostream &os) const override {
    return @name@::generate(module, kind == EmitKind::LLVM ? "llvm" : "text",
                             os);
  }
  LogicalResult serialize(ModuleOp module, const TargetOptions &,
                          Executable &result) const override {
    std::string object;
    llvm::raw_string_ostream os(object);
    if (failed(@name@::generate(module, "object", os)))
      return failure();
    for (auto kernel : module.getOps<LLVM::LLVMFuncOp>()) {
      simt::ThreadBlockAttr block = simt::getThreadBlock(kernel);
      if (!block)
        continue;
      CompiledKernel compiled;
      compiled.name = compiled.symbol = kernel.getSymName().str();
      compiled.attributes.push_back(
          {KILN_LAUNCH_THREADS, true, {block.getThreads()}});
      int64_t bytes = block.getSharedBytes();
      if (bytes > getDescription(module).getSharedMemory().getSize())
        return kernel.emitError("unsupported: ") << bytes << " bytes of LDS";
      if (bytes)
        compiled.attributes.push_back({KILN_LAUNCH_LOCAL_BYTES, true, {bytes}});
      result.kernels.push_back(compiled);
    }
    result.blobs.push_back(std::move(object));
    return success();
  }
};

void registerAll(TargetRegistry &registry) {
  registry.addTarget(std::make_unique<@Name@Target>());
  registerPass(@name@::createLowerCopiesPass);
  registerPass(@name@::createLowerExtremesPass);
  registerPass(@name@::createLowerPass);
}

} // namespace

KILN_TARGET_PLUGIN("@name@", "0.1", registerAll)
