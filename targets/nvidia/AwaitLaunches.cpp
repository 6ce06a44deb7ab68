//===- AwaitLaunches.cpp - Kernels that begin before others have ended ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programmatic dependent launch (PTX ISA, "griddepcontrol"). A kernel begins
// when all blocks of the kernel in front of it in the queue have begun, and
// waits for the end of that kernel itself. Its launch, and the way to its first
// instruction, then take place while the last blocks of that kernel run.
//
// The wait is the first instruction, before any access to memory. Only behind
// it a block lets the next kernel begin: a kernel that begins finds all kernels
// but the one in front of it done.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"
#include "kiln/Target/TargetRegistry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace kiln;

namespace {
struct AwaitLaunches : PassWrapper<AwaitLaunches, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AwaitLaunches)
  StringRef getName() const final { return "NvidiaAwaitLaunches"; }
  StringRef getArgument() const final { return "nvidia-await-launches"; }
  StringRef getDescription() const final {
    return "Lets kernels begin before the kernel in front of them has ended, "
           "and has them wait for its end";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    if (!hasInstructions(target::getDescription(getOperation())))
      return;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr("nvvm.kernel") && !function.isExternal() &&
          !function->hasAttr("gpu.cooperative"))
        await(function);
  }

private:
  /// Whether the chip has the instructions.
  static bool hasInstructions(target::TargetAttr description) {
    constexpr int64_t kLeast = 90;
    DictionaryAttr extra =
        description ? description.getExtra() : DictionaryAttr();
    auto compute = extra ? extra.getAs<IntegerAttr>("compute") : IntegerAttr();
    return compute && compute.getInt() >= kLeast;
  }

  static void await(LLVM::LLVMFuncOp function) {
    auto b = OpBuilder::atBlockBegin(&function.getBody().front());
    // LLVM's intrinsics access no memory by their definition, so that loads
    // could move across them.
    LLVM::InlineAsmOp::create(
        b, function.getLoc(), TypeRange(), ValueRange(),
        "griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;",
        "~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    function->setAttr("gpu.dependent", b.getUnitAttr());
  }
};
} // namespace

std::unique_ptr<Pass> nvidia::createAwaitLaunchesPass() {
  return std::make_unique<AwaitLaunches>();
}
