// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that change what a program computes, one at each level: the option
// broken=LEVEL of target cpu runs one of them.
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;

namespace {
/// The second operand before the first.
template <typename Op> void swapOperands(ModuleOp module) {
  module.walk([](Op op) {
    SmallVector<Value> operands(llvm::reverse(op->getOperands()));
    op->setOperands(operands);
  });
}

void breakProgram(ModuleOp module) {
  for (auto function : module.getOps<program::FuncOp>()) {
    program::LaunchOp last;
    function.walk([&](program::LaunchOp launch) { last = launch; });
    if (last)
      last.erase();
  }
}

struct Break : public PassWrapper<Break, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Break)
  Break(StringRef name, void (*run)(ModuleOp)) : name(name), run(run) {}
  StringRef getArgument() const final { return name; }
  StringRef getName() const final { return name; }
  void runOnOperation() override { run(getOperation()); }
  StringRef name;
  void (*run)(ModuleOp);
};

void registerAll(target::TargetRegistry &registry) {
  registry.addOption("cpu", {"broken", "prim|tile|program|kernel|llvm",
                             "what computes something else"});
  auto add = [&](std::string point, StringRef level, StringRef name,
                 void (*run)(ModuleOp)) {
    registry.addPass(
        point, name.str(),
        [=](OpPassManager &pm, const target::TargetOptions &options) {
          if (options.get("broken", "") == level)
            pm.addPass(std::make_unique<Break>(name, run));
        });
  };
  add("core.after-raise", "prim", "broken-prim", swapOperands<prim::SubOp>);
  add("core.tile", "tile", "broken-tile", swapOperands<arith::SubFOp>);
  add("core.tile", "program", "broken-program", breakProgram);
  add("cpu.tile", "kernel", "broken-kernel", swapOperands<arith::SubFOp>);
  add("cpu.llvm", "llvm", "broken-llvm", swapOperands<LLVM::FSubOp>);
}
} // namespace

KILN_TARGET_PLUGIN("broken-levels", "1.0", registerAll)
