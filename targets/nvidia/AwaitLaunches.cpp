//===- AwaitLaunches.cpp - Kernels that begin before others have ended ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programmatic dependent launch (PTX ISA, "griddepcontrol"). A kernel begins
// when all blocks of the kernel in front of it in the queue have let it, and
// waits for the end of that kernel itself. Its launch, and the way to its first
// instruction, then take place while the last blocks of that kernel run.
//
// The wait is the first instruction, before any access to memory. Only behind
// it a block lets the next kernel begin: a kernel that begins finds all kernels
// but the one in front of it done.
//
// The wait is assembly that may access any memory. That holds no load back that
// is said to find the same whenever it takes place, nor an access by a pointer
// that nothing else is said to reach; what LLVM finds out itself about such a
// pointer makes loads of the first kind. In kernels that wait, other kernels
// write behind all pointers until the wait is over, so that the pass takes
// these attributes away.
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

  AwaitLaunches() = default;
  explicit AwaitLaunches(nvidia::LaunchTrigger trigger) : trigger(trigger) {}

  void runOnOperation() override {
    if (!hasInstructions(target::getDescription(getOperation())))
      return;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr("nvvm.kernel") && !function.isExternal() &&
          !function->hasAttr("gpu.cooperative"))
        await(function);
  }

private:
  /// Takes away what would let accesses to memory move across the wait.
  static void forgetOrder(LLVM::LLVMFuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (StringRef name : {LLVM::LLVMDialect::getNoAliasAttrName(),
                             LLVM::LLVMDialect::getReadonlyAttrName()})
        function.removeArgAttr(i, name);
    function.walk([](LLVM::LoadOp load) { load.setInvariant(false); });
  }

  /// Whether the chip has the instructions.
  static bool hasInstructions(target::TargetAttr description) {
    constexpr int64_t kLeast = 90;
    DictionaryAttr extra =
        description ? description.getExtra() : DictionaryAttr();
    auto compute = extra ? extra.getAs<IntegerAttr>("compute") : IntegerAttr();
    return compute && compute.getInt() >= kLeast;
  }

  void await(LLVM::LLVMFuncOp function) {
    forgetOrder(function);
    auto b = OpBuilder::atBlockBegin(&function.getBody().front());
    insert(b, function.getLoc(), "griddepcontrol.wait;");
    if (trigger == nvidia::LaunchTrigger::begin)
      insert(b, function.getLoc(), kTrigger);
    if (trigger == nvidia::LaunchTrigger::end)
      function.walk([&](LLVM::ReturnOp end) {
        b.setInsertionPoint(end);
        insert(b, end.getLoc(), kTrigger);
      });
    function->setAttr("gpu.dependent", b.getUnitAttr());
  }

  /// LLVM's intrinsics access no memory by their definition, so that loads
  /// could move across them.
  static void insert(OpBuilder &b, Location loc, StringRef text) {
    LLVM::InlineAsmOp::create(b, loc, TypeRange(), ValueRange(), text,
                              "~{memory}", /*has_side_effects=*/true,
                              /*is_align_stack=*/false,
                              LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                              ArrayAttr());
  }

  static constexpr StringLiteral kTrigger = "griddepcontrol.launch_dependents;";
  nvidia::LaunchTrigger trigger = nvidia::LaunchTrigger::end;
};
} // namespace

std::unique_ptr<Pass> nvidia::createAwaitLaunchesPass(LaunchTrigger trigger) {
  return std::make_unique<AwaitLaunches>(trigger);
}
