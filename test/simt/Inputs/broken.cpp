// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that change what threads do, each in a way that passes can go wrong.
// The option broken=NAME of target nvidia runs one of them.
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;

namespace {

/// Loses what orders threads: a race, not always another result.
struct DropBarriers
    : PassWrapper<DropBarriers, OperationPass<LLVM::LLVMFuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropBarriers)
  StringRef getArgument() const override { return "broken-barriers"; }
  void runOnOperation() override {
    getOperation().walk([](gpu::BarrierOp op) { op.erase(); });
  }
};

/// Computes something else.
struct SwapOperands
    : PassWrapper<SwapOperands, OperationPass<LLVM::LLVMFuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SwapOperands)
  StringRef getArgument() const override { return "broken-operands"; }
  void runOnOperation() override {
    getOperation().walk([](arith::SubFOp op) {
      Value lhs = op.getLhs();
      op.getLhsMutable().assign(op.getRhs());
      op.getRhsMutable().assign(lhs);
    });
  }
};

template <typename Pass>
void add(target::TargetRegistry &registry, StringRef name) {
  registry.addPass(
      "nvidia.thread", ("broken-" + name).str(),
      [=](OpPassManager &pm, const target::TargetOptions &options) {
        if (options.get("broken", "") == name)
          pm.addNestedPass<LLVM::LLVMFuncOp>(std::make_unique<Pass>());
      });
}

void registerAll(target::TargetRegistry &registry) {
  registry.addOption("nvidia",
                     {"broken", "barriers|operands", "what threads do wrong"});
  add<DropBarriers>(registry, "barriers");
  add<SwapOperands>(registry, "operands");
}

} // namespace

KILN_TARGET_PLUGIN("broken-threads", "0.1.0", registerAll)
