//===- SkipIdleWaves.cpp - Waves without elements end at once -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks of a kernel that only loads, computes and stores say which threads
// store anything. All that the others do has no effect: a branch around it
// costs two instructions, and a wave of such threads ends there. A barrier
// does not count waves that have ended ("AMD Instinct MI300" instruction set
// manual, S_BARRIER).
//
//===----------------------------------------------------------------------===//

#include "Passes.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;

namespace {
/// One kernel.
class Skipper {
public:
  explicit Skipper(LLVM::LLVMFuncOp function)
      : body(function.getBody().front()), b(function.getContext()) {}

  void run() {
    if (!actsAlone())
      return;
    b.setInsertionPointToStart(&body);
    SmallVector<Value> conditions;
    for (simt::StoreOp store : stores) {
      Value condition = conditionOf(store);
      if (!condition)
        return;
      if (!llvm::is_contained(conditions, condition))
        conditions.push_back(condition);
    }
    if (!conditions.empty())
      branch(conditions);
  }

private:
  /// Whether no thread needs another one: all effects are stores to global
  /// memory.
  bool actsAlone() {
    return !body.getParentOp()
                ->walk([&](Operation *op) {
                  if (auto store = dyn_cast<simt::StoreOp>(op)) {
                    auto type = dyn_cast<LLVM::LLVMPointerType>(
                        store.getAddress().getType());
                    stores.push_back(store);
                    return type && type.getAddressSpace() != simt::kShared &&
                                   !store.getIsVolatile()
                               ? WalkResult::advance()
                               : WalkResult::interrupt();
                  }
                  if (auto load = dyn_cast<simt::LoadOp>(op))
                    return load.getIsVolatile() ? WalkResult::interrupt()
                                                : WalkResult::advance();
                  bool isFrame = isa<LLVM::LLVMFuncOp, LLVM::ReturnOp,
                                     scf::IfOp, scf::ForOp, scf::YieldOp,
                                     gpu::BarrierOp, simt::BarrierOp>(op);
                  return isFrame || (isMemoryEffectFree(op) &&
                                     !isa<gpu::ShuffleOp, simt::MmaOp>(op))
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  /// Makes a value again at the beginning; null where it is not known there.
  Value makeEarly(Value value, unsigned depth = 0) {
    constexpr unsigned kDeepest = 64;
    if (Value known = early.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op)
      return cast<BlockArgument>(value).getOwner() == &body ? value : Value();
    // What is under a condition is computed whatever that is.
    bool isAlways = op->getBlock() == &body;
    if (depth > kDeepest || !isMemoryEffectFree(op) ||
        (!isAlways && (op->getNumRegions() || !isPure(op))))
      return {};
    llvm::SetVector<Value> operands(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), operands);
    IRMapping own;
    for (Value operand : operands) {
      Value made = makeEarly(operand, depth + 1);
      if (!made)
        return {};
      own.map(operand, made);
    }
    Operation *made = b.clone(*op, own);
    for (auto [from, to] : llvm::zip(op->getResults(), made->getResults()))
      early.map(from, to);
    return early.lookup(value);
  }

  /// A number of the beginning that is true in all threads that store.
  Value conditionOf(simt::StoreOp store) {
    Value early = store.getMask() ? makeEarly(store.getMask()) : Value();
    for (Operation *op = store; !early && op->getBlock() != &body;
         op = op->getParentOp())
      if (auto choice = dyn_cast<scf::IfOp>(op->getParentOp()))
        if (choice.getThenRegion().isAncestor(op->getParentRegion()))
          early = makeEarly(choice.getCondition());
    return early;
  }

  void branch(ArrayRef<Value> conditions) {
    Location loc = stores.front().getLoc();
    Value any = conditions[0];
    for (Value condition : conditions.drop_front())
      any = arith::OrIOp::create(b, loc, any, condition);
    auto choice = scf::IfOp::create(b, loc, any, /*withElseRegion=*/false);
    Block *inner = choice.thenBlock();
    inner->getOperations().splice(
        inner->getTerminator()->getIterator(), body.getOperations(),
        std::next(choice->getIterator()), body.getTerminator()->getIterator());
  }

  Block &body;
  SmallVector<simt::StoreOp> stores;
  OpBuilder b;
  IRMapping early;
};

struct SkipIdleWaves : PassWrapper<SkipIdleWaves, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SkipIdleWaves)
  StringRef getName() const final { return "AmdSkipIdleWaves"; }
  StringRef getArgument() const override { return "amd-skip-idle-waves"; }
  StringRef getDescription() const override {
    return "Lets threads whose stores are all masked skip the kernel";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, scf::SCFDialect>();
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (simt::isThreadFunction(function) && function.getBody().hasOneBlock())
        Skipper(function).run();
  }
};
} // namespace

std::unique_ptr<Pass> amd::createSkipIdleWavesPass() {
  return std::make_unique<SkipIdleWaves>();
}
