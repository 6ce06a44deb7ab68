//===- ControlFlow.cpp - Loops and conditions of kernels -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "OwnLowerings.h"
#include "SmallFloats.h"
#include "kiln-c/Kernel.h"
#include "kiln/Dialect/Tile/AtomicOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/PointerAccess.h"
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

LogicalResult cpu::lowerFor(scf::ForOp loop, KernelEmitter &e) {
  auto emitted = scf::ForOp::create(e.b, e.loc, e.scalar(loop.getLowerBound()),
                                    e.scalar(loop.getUpperBound()),
                                    e.scalar(loop.getStep()),
                                    scalarsOf(e, loop.getInitArgs()));
  e.mapping.map(loop.getInductionVar(), emitted.getInductionVar());
  e.mapping.map(loop.getRegionIterArgs(), emitted.getRegionIterArgs());
  e.mapping.map(loop.getResults(), emitted.getResults());
  OpBuilder::InsertionGuard guard(e.b);
  bool carries = loop.getNumResults() != 0;
  if (!carries)
    e.b.setInsertionPoint(emitted.getBody()->getTerminator());
  else
    e.b.setInsertionPointToEnd(emitted.getBody());
  if (failed(e.emitBlock(loop.getBody())))
    return failure();
  if (carries)
    scf::YieldOp::create(e.b, e.loc, scalarsOf(e, loop.getYieldedValues()));
  return success();
}

LogicalResult cpu::lowerIf(scf::IfOp op, KernelEmitter &e) {
  auto emitted =
      scf::IfOp::create(e.b, e.loc, scalarTypes(e, op.getResultTypes()),
                        e.scalar(op.getCondition()), /*addThenBlock=*/true,
                        /*addElseBlock=*/!op.getElseRegion().empty());
  e.mapping.map(op.getResults(), emitted.getResults());
  for (auto [from, to] :
       {std::make_pair(&op.getThenRegion(), &emitted.getThenRegion()),
        std::make_pair(&op.getElseRegion(), &emitted.getElseRegion())}) {
    if (from->empty())
      continue;
    OpBuilder::InsertionGuard guard(e.b);
    Block *block = &to->front();
    if (!block->empty())
      block->back().erase();
    e.b.setInsertionPointToEnd(block);
    if (failed(e.emitBlock(&from->front())))
      return failure();
    Operation *yield = from->front().getTerminator();
    scf::YieldOp::create(e.b, e.loc, scalarsOf(e, yield->getOperands()));
  }
  return success();
}

/// True if the loop may end by what other instances write: its condition, or
/// any part of it in kernels whose instances wait for each other, reads anew.
static bool waitsForOthers(scf::WhileOp loop, tile::Kernel function) {
  auto kernel = cast<tile::KernelOp>(function.getOperation());
  auto polls = [](Operation *op) {
    auto access = dyn_cast<PointerAccessOpInterface>(op);
    return access && (access.isUpdate() || access.isVolatileAccess());
  };
  if (kernel.getProgress() != tile::Progress::concurrent)
    return llvm::any_of(*loop.getBeforeBody(),
                        [&](Operation &op) { return polls(&op); });
  WalkResult result = loop.walk([&](Operation *op) {
    return polls(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// The instance waited for may need this thread's processor.
static void letOthersRun(KernelEmitter &e) {
  constexpr StringLiteral name = "sched_yield";
  auto module = e.kernel->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        e.b, e.loc, name, LLVM::LLVMFunctionType::get(e.b.getI32Type(), {}));
  }
  LLVM::CallOp::create(e.b, e.loc, function, ValueRange());
  // It may have failed.
  Type i32 = e.b.getI32Type();
  e.callRuntime(
      offsetof(KilnKernelRuntime, hasFault), i32, {}, [&](Value fault) {
        Value stops = e.compare(arith::CmpIPredicate::ne, fault, e.zeroOf(i32));
        e.ifEnabled(stops, Type(), [&]() -> Value {
          e.leave();
          return {};
        });
      });
}

LogicalResult cpu::lowerWhile(scf::WhileOp op, KernelEmitter &e) {
  Block *before = op.getBeforeBody(), *after = op.getAfterBody();
  SmallVector<Value> inits = scalarsOf(e, op.getInits());
  SmallVector<Type> results = scalarTypes(e, op.getResultTypes());
  auto emitted = scf::WhileOp::create(e.b, e.loc, results, inits);
  auto region = [&](Block *from, Region &to, TypeRange types) -> LogicalResult {
    SmallVector<Location> locations(types.size(), e.loc);
    Block *block = e.b.createBlock(&to, to.end(), types, locations);
    e.mapping.map(from->getArguments(), block->getArguments());
    return e.emitBlock(from);
  };
  OpBuilder::InsertionGuard guard(e.b);
  if (failed(region(before, emitted.getBefore(), ValueRange(inits).getTypes())))
    return failure();
  if (waitsForOthers(op, e.kernel))
    letOthersRun(e);
  scf::ConditionOp condition = op.getConditionOp();
  scf::ConditionOp::create(e.b, e.loc, e.scalar(condition.getCondition()),
                           scalarsOf(e, condition.getArgs()));
  if (failed(region(after, emitted.getAfter(), results)))
    return failure();
  Operation *yield = after->getTerminator();
  scf::YieldOp::create(e.b, e.loc, scalarsOf(e, yield->getOperands()));
  e.mapping.map(op.getResults(), emitted.getResults());
  return success();
}
