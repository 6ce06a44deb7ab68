// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that change what kernels compute, each in a way that passes can go
// wrong.
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Target/Plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace kiln;

namespace {

/// A pass with a name and a wrong idea.
template <typename Derived>
struct Broken : PassWrapper<Derived, OperationPass<tile::KernelOp>> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }
};

struct SwapOperands : Broken<SwapOperands> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SwapOperands)
  StringRef getArgument() const override { return "broken-swap"; }
  void runOnOperation() override {
    getOperation().walk([](arith::SubFOp op) {
      Value lhs = op.getLhs();
      op.getLhsMutable().assign(op.getRhs());
      op.getRhsMutable().assign(lhs);
    });
  }
};

struct LosePadding : Broken<LosePadding> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LosePadding)
  StringRef getArgument() const override { return "broken-padding"; }
  void runOnOperation() override {
    getOperation().walk([](tile::LoadOp op) {
      if (!op.getPad())
        return;
      op.getPadMutable().clear();
      op.setPadding(tile::Padding::zero);
    });
  }
};

struct FirstIteration : Broken<FirstIteration> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FirstIteration)
  StringRef getArgument() const override { return "broken-loop"; }
  void runOnOperation() override {
    getOperation().walk(
        [](scf::ForOp op) { op.getLowerBoundMutable().assign(op.getStep()); });
  }
};

struct DropStore : Broken<DropStore> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropStore)
  StringRef getArgument() const override { return "broken-store"; }
  void runOnOperation() override {
    getOperation().walk([](tile::StoreOp op) { op.erase(); });
  }
};

struct WrongBlock : Broken<WrongBlock> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WrongBlock)
  StringRef getArgument() const override { return "broken-block"; }
  void runOnOperation() override {
    getOperation().walk([](tile::LoadOp op) {
      SmallVector<Value> swapped(llvm::reverse(op.getCoords()));
      op.getCoordsMutable().assign(swapped);
    });
  }
};

void registerAll(target::TargetRegistry &registry) {
  // A plug-in is to bring something that the registry knows.
  registry.addDialects([](DialectRegistry &) {});
  PassRegistration<SwapOperands>();
  PassRegistration<LosePadding>();
  PassRegistration<FirstIteration>();
  PassRegistration<DropStore>();
  PassRegistration<WrongBlock>();
}

} // namespace

KILN_TARGET_PLUGIN("broken", "0.1.0", registerAll)
