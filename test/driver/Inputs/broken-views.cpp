// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recovery of views with faults, each in a way that it can go wrong: the option
// broken=FAULT of target cpu puts one of them behind it, before anything else.
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;

namespace {
/// A view reaches one element less than the mask says.
void shorten(ModuleOp module) {
  module.walk([](tile::MakeViewOp view) {
    if (view.getSizes().empty())
      return;
    OpBuilder b(view);
    Value one = arith::ConstantIndexOp::create(b, view.getLoc(), 1);
    Value size = view.getSizes().back();
    view.getSizesMutable()
        .slice(view.getSizes().size() - 1, 1)
        .assign(arith::SubIOp::create(b, view.getLoc(), size, one).getResult());
  });
}

/// Variants claim launches that they are not for.
void promise(ModuleOp module) {
  module.walk([](tile::KernelOp kernel) {
    auto set = kernel.getConditionAttr();
    if (!set)
      return;
    AffineExpr holds = getAffineConstantExpr(1, kernel.getContext());
    kernel.setConditionAttr(IntegerSetAttr::get(
        IntegerSet::get(0, set.getValue().getNumSymbols(), holds, false)));
  });
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
  registry.addOption("cpu",
                     {"broken", "shorten|promise", "what recovers wrongly"});
  auto add = [&](StringRef name, void (*run)(ModuleOp)) {
    registry.addPass(
        "core.tile", ("broken-" + name).str(),
        [=](OpPassManager &pm, const target::TargetOptions &options) {
          if (options.get("broken", "") == name)
            pm.addPass(std::make_unique<Break>(name, run));
        });
  };
  add("shorten", shorten);
  add("promise", promise);
}
} // namespace

KILN_TARGET_PLUGIN("broken-views", "1.0", registerAll)
