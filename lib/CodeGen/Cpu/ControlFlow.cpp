//===- ControlFlow.cpp - Loops and conditions of kernels -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "SmallFloats.h"
#include "kiln-c/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The generated values of scalars.
static SmallVector<Value> scalarsOf(KernelEmitter &e, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value v) { return e.scalar(v); });
}

static SmallVector<Type> scalarTypes(KernelEmitter &e, TypeRange types) {
  return llvm::map_to_vector(
      types, [&](Type type) { return registerElement(e.scalarType(type)); });
}

LogicalResult KernelEmitter::emitFor(scf::ForOp loop) {
  auto emitted = scf::ForOp::create(
      b, loc, scalar(loop.getLowerBound()), scalar(loop.getUpperBound()),
      scalar(loop.getStep()), scalarsOf(*this, loop.getInitArgs()));
  mapping.map(loop.getInductionVar(), emitted.getInductionVar());
  mapping.map(loop.getRegionIterArgs(), emitted.getRegionIterArgs());
  mapping.map(loop.getResults(), emitted.getResults());
  OpBuilder::InsertionGuard guard(b);
  bool carries = loop.getNumResults() != 0;
  if (!carries)
    b.setInsertionPoint(emitted.getBody()->getTerminator());
  else
    b.setInsertionPointToEnd(emitted.getBody());
  if (failed(emitBlock(loop.getBody())))
    return failure();
  if (carries)
    scf::YieldOp::create(b, loc, scalarsOf(*this, loop.getYieldedValues()));
  return success();
}

LogicalResult KernelEmitter::emitIf(scf::IfOp op) {
  auto emitted =
      scf::IfOp::create(b, loc, scalarTypes(*this, op.getResultTypes()),
                        scalar(op.getCondition()), /*addThenBlock=*/true,
                        /*addElseBlock=*/!op.getElseRegion().empty());
  mapping.map(op.getResults(), emitted.getResults());
  for (auto [from, to] :
       {std::make_pair(&op.getThenRegion(), &emitted.getThenRegion()),
        std::make_pair(&op.getElseRegion(), &emitted.getElseRegion())}) {
    if (from->empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    Block *block = &to->front();
    if (!block->empty())
      block->back().erase();
    b.setInsertionPointToEnd(block);
    if (failed(emitBlock(&from->front())))
      return failure();
    Operation *yield = from->front().getTerminator();
    scf::YieldOp::create(b, loc, scalarsOf(*this, yield->getOperands()));
  }
  return success();
}

/// Whether a loop's condition looks at what other instances write.
static bool waitsForOthers(Block *before) {
  return llvm::any_of(*before, [](Operation &op) {
    return isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op);
  });
}

/// The instance waited for may need this thread's processor.
void KernelEmitter::letOthersRun() {
  constexpr StringLiteral name = "sched_yield";
  auto module = kernel->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        b, loc, name, LLVM::LLVMFunctionType::get(b.getI32Type(), {}));
  }
  LLVM::CallOp::create(b, loc, function, ValueRange());
  // It may have failed.
  Type i32 = b.getI32Type();
  callRuntime(offsetof(KilnKernelRuntime, hasFault), i32, {}, [&](Value fault) {
    Value stops = compare(arith::CmpIPredicate::ne, fault, zeroOf(i32));
    ifEnabled(stops, Type(), [&]() -> Value {
      leave();
      return {};
    });
  });
}

LogicalResult KernelEmitter::emitWhile(scf::WhileOp op) {
  Block *before = op.getBeforeBody(), *after = op.getAfterBody();
  SmallVector<Value> inits = scalarsOf(*this, op.getInits());
  SmallVector<Type> results = scalarTypes(*this, op.getResultTypes());
  auto emitted = scf::WhileOp::create(b, loc, results, inits);
  auto region = [&](Block *from, Region &to, TypeRange types) -> LogicalResult {
    SmallVector<Location> locations(types.size(), loc);
    Block *block = b.createBlock(&to, to.end(), types, locations);
    mapping.map(from->getArguments(), block->getArguments());
    return emitBlock(from);
  };
  OpBuilder::InsertionGuard guard(b);
  if (failed(region(before, emitted.getBefore(), ValueRange(inits).getTypes())))
    return failure();
  if (waitsForOthers(before))
    letOthersRun();
  scf::ConditionOp condition = op.getConditionOp();
  scf::ConditionOp::create(b, loc, scalar(condition.getCondition()),
                           scalarsOf(*this, condition.getArgs()));
  if (failed(region(after, emitted.getAfter(), results)))
    return failure();
  Operation *yield = after->getTerminator();
  scf::YieldOp::create(b, loc, scalarsOf(*this, yield->getOperands()));
  mapping.map(op.getResults(), emitted.getResults());
  return success();
}
