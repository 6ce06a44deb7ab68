//===- ControlFlow.cpp - Loops and conditions that carry tiles ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalars stay values of the loop; every carried tile has memory of its own,
// which the body updates in place where the plan allows it.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "SmallFloats.h"
#include "kiln-c/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// The generated values of the scalars among `values`.
static SmallVector<Value> scalarsOf(KernelEmitter &e, ValueRange values) {
  SmallVector<Value> scalars;
  for (Value value : values)
    if (!isTile(value.getType()))
      scalars.push_back(e.scalar(value));
  return scalars;
}

/// Generated types of the scalars among `types`.
static SmallVector<Type> scalarTypes(KernelEmitter &e, TypeRange types) {
  SmallVector<Type> scalars;
  for (Type type : types)
    if (!isTile(type))
      scalars.push_back(registerElement(e.scalarType(type)));
  return scalars;
}

LogicalResult KernelEmitter::emitFor(scf::ForOp loop) {
  SmallVector<Value> tiles;
  SmallVector<TileBuffer> targets;
  SmallVector<Value> carriedTiles;
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs())) {
    if (!isTile(init.getType()))
      continue;
    Padding padding;
    Value yielded = loop.getYieldedValues()[i];
    Value carried = loop.getRegionIterArg(i);
    if (plan->inPlaceOf(yielded) == carried)
      if (auto dot = yielded.getDefiningOp<MatrixProductOpInterface>())
        padding = productPadding(dot);
    TileBuffer buffer = allocateUntil(
        init.getType(), plan->lastUse(loop.getResult(i)), padding);
    fill(buffer, init);
    define(carried, buffer);
    define(loop.getResult(i), buffer);
    targets.push_back(buffer);
    carriedTiles.push_back(carried);
    tiles.push_back(yielded);
  }
  auto emitted = scf::ForOp::create(
      b, loc, scalar(loop.getLowerBound()), scalar(loop.getUpperBound()),
      scalar(loop.getStep()), scalarsOf(*this, loop.getInitArgs()));
  mapping.map(loop.getInductionVar(), emitted.getInductionVar());
  size_t next = 0;
  for (auto [carried, result] :
       llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
    if (isTile(carried.getType()))
      continue;
    mapping.map(carried, emitted.getRegionIterArg(next));
    mapping.map(result, emitted.getResult(next++));
  }
  OpBuilder::InsertionGuard guard(b);
  if (next == 0)
    b.setInsertionPoint(emitted.getBody()->getTerminator());
  else
    b.setInsertionPointToEnd(emitted.getBody());
  freshLevels();
  if (failed(emitBlock(loop.getBody())))
    return failure();
  assignTiles(tiles, targets, carriedTiles);
  if (next != 0)
    scf::YieldOp::create(b, loc, scalarsOf(*this, loop.getYieldedValues()));
  releaseAfter(loop.getBody()->getTerminator());
  return success();
}

LogicalResult KernelEmitter::emitIf(scf::IfOp op) {
  SmallVector<TileBuffer> targets;
  for (Value result : op.getResults()) {
    if (!isTile(result.getType()))
      continue;
    targets.push_back(allocateFor(result));
    define(result, targets.back());
  }
  SmallVector<Type> types = scalarTypes(*this, op.getResultTypes());
  bool hasElse = !op.getElseRegion().empty();
  auto emitted = scf::IfOp::create(b, loc, types, scalar(op.getCondition()),
                                   /*addThenBlock=*/true,
                                   /*addElseBlock=*/hasElse);
  size_t next = 0;
  for (Value result : op.getResults())
    if (!isTile(result.getType()))
      mapping.map(result, emitted.getResult(next++));
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
    freshLevels();
    if (failed(emitBlock(&from->front())))
      return failure();
    Operation *yield = from->front().getTerminator();
    SmallVector<Value> tiles = llvm::to_vector(llvm::make_filter_range(
        yield->getOperands(), [](Value v) { return isTile(v.getType()); }));
    assignTiles(tiles, targets, {});
    scf::YieldOp::create(b, loc, scalarsOf(*this, yield->getOperands()));
    releaseAfter(yield);
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
  SmallVector<TileBuffer> entering, leaving;
  SmallVector<Value> tiles;
  for (auto [init, argument] :
       llvm::zip_equal(op.getInits(), before->getArguments())) {
    if (!isTile(init.getType()))
      continue;
    entering.push_back(allocateUntil(init.getType(), op));
    fill(entering.back(), init);
    define(argument, entering.back());
  }
  for (auto [result, argument] :
       llvm::zip_equal(op.getResults(), after->getArguments())) {
    if (!isTile(result.getType()))
      continue;
    Operation *last = plan->lastUse(result);
    leaving.push_back(allocateUntil(result.getType(), last));
    define(result, leaving.back());
    define(argument, leaving.back());
  }
  SmallVector<Value> inits = scalarsOf(*this, op.getInits());
  SmallVector<Type> results = scalarTypes(*this, op.getResultTypes());
  auto emitted = scf::WhileOp::create(b, loc, results, inits);
  auto region = [&](Block *from, Region &to, TypeRange types) -> LogicalResult {
    SmallVector<Location> locations(types.size(), loc);
    Block *block = b.createBlock(&to, to.end(), types, locations);
    size_t next = 0;
    for (BlockArgument argument : from->getArguments())
      if (!isTile(argument.getType()))
        mapping.map(argument, block->getArgument(next++));
    freshLevels();
    return emitBlock(from);
  };
  auto tilesOf = [](ValueRange values) {
    return llvm::to_vector(llvm::make_filter_range(
        values, [](Value v) { return isTile(v.getType()); }));
  };
  OpBuilder::InsertionGuard guard(b);
  if (failed(region(before, emitted.getBefore(), ValueRange(inits).getTypes())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  assignTiles(tilesOf(condition.getArgs()), leaving, {});
  if (waitsForOthers(before))
    letOthersRun();
  scf::ConditionOp::create(b, loc, scalar(condition.getCondition()),
                           scalarsOf(*this, condition.getArgs()));
  releaseAfter(condition);
  if (failed(region(after, emitted.getAfter(), results)))
    return failure();
  Operation *yield = after->getTerminator();
  assignTiles(tilesOf(yield->getOperands()), entering, {});
  scf::YieldOp::create(b, loc, scalarsOf(*this, yield->getOperands()));
  releaseAfter(yield);
  size_t next = 0;
  for (Value result : op.getResults())
    if (!isTile(result.getType()))
      mapping.map(result, emitted.getResult(next++));
  return success();
}
