// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dialect whose operation has no evaluation, as negations become on their way
// to the target cpu.
#include "bad.h"
#include "kiln/Interfaces/IndexMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

namespace {
class NegOp
    : public Op<NegOp, OpTrait::OneOperand, OpTrait::OneResult,
                OpTrait::ZeroRegions, OpTrait::SameOperandsAndResultType,
                OpTrait::Elementwise, MemoryEffectOpInterface::Trait,
                IndexMapOpInterface::Trait> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NegOp)
  using Op::Op;
  static StringRef getOperationName() { return "own.neg"; }
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  OperandRead getIndexMap(OpOperand &, unsigned) {
    auto type = cast<RankedTensorType>(getOperand().getType());
    return {AffineMap::getMultiDimIdentityMap(type.getRank(), getContext()),
            IntegerSet()};
  }
  bool movesElements() { return false; }
  void getEffects(
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &) {}
};

class OwnDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OwnDialect)
  explicit OwnDialect(MLIRContext *context)
      : Dialect("own", context, TypeID::get<OwnDialect>()) {
    addOperations<NegOp>();
  }
  static StringRef getDialectNamespace() { return "own"; }
};

/// Puts one operation in the place of another, both with one operand.
struct Replace : PassWrapper<Replace, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Replace)
  Replace(std::string from, std::string to)
      : from(std::move(from)), to(std::move(to)) {}
  StringRef getName() const final { return "Replace"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<OwnDialect>();
  }
  void runOnOperation() final {
    getOperation().walk([&](Operation *op) {
      if (op->getName().getStringRef() != from)
        return;
      OpBuilder builder(op);
      OperationState state(op->getLoc(), to, op->getOperands(),
                           op->getResultTypes());
      op->replaceAllUsesWith(builder.create(state));
      op->erase();
    });
  }
  std::string from, to;
};

void registerAll(TargetRegistry &registry) {
  registry.addDialects([](DialectRegistry &all) { all.insert<OwnDialect>(); });
  registry.addPass("core.tile", "own-neg",
                   [](OpPassManager &pm, const TargetOptions &options) {
                     if (options.name == "cpu")
                       pm.addPass(
                           std::make_unique<Replace>("arith.negf", "own.neg"));
                   });
  registry.addPass(
      "cpu.tile", "own-neg-back", [](OpPassManager &pm, const TargetOptions &) {
        pm.addPass(std::make_unique<Replace>("own.neg", "arith.negf"));
      });
}
} // namespace

KILN_TARGET_PLUGIN("unevaluated", "1.0", registerAll)
