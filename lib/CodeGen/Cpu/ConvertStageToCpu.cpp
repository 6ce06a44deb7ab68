//===- ConvertStageToCpu.cpp - The pass from stage to loops
//-------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelEmitter.h"
#include "kiln/Cpu/Passes.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Target/ModuleOptions.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// Every tile.kernel of a module becomes a function.
struct ConvertStageToCpuPass
    : PassWrapper<ConvertStageToCpuPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertStageToCpuPass)
  StringRef getName() const final { return "ConvertStageToCpu"; }

  StringRef getArgument() const override { return "convert-stage-to-cpu"; }
  StringRef getDescription() const override {
    return "Turns kernels of the stage level into loops over vector registers";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                    scf::SCFDialect, vector::VectorDialect, LLVM::LLVMDialect,
                    CpuDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    target::TargetAttr description = target::getDescription(module);
    auto options =
        target::findModuleOptions(module).value_or(target::TargetOptions());
    CpuConfig config = CpuConfig::fromDescription(description);
    IRRewriter rewriter(&getContext());
    SmallVector<tile::KernelOp> kernels(module.getOps<tile::KernelOp>());
    for (tile::KernelOp kernel : kernels) {
      if (failed(KernelEmitter(kernel, rewriter, config, options, description)
                     .run()))
        return signalPassFailure();
      kernel.erase();
    }
  }
};
} // namespace

std::unique_ptr<Pass> cpu::createConvertStageToCpuPass() {
  return std::make_unique<ConvertStageToCpuPass>();
}
