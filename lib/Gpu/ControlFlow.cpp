//===- ControlFlow.cpp - Loops and conditions of kernels ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelWalk.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

SmallVector<Value> KernelWalk::flatten(ValueRange values) {
  SmallVector<Value> flat;
  for (Value value : values) {
    if (isa<RankedTensorType>(value.getType()))
      llvm::append_range(flat, registers(value));
    else
      flat.push_back(scalar(value));
  }
  return flat;
}

SmallVector<Type> KernelWalk::flattenTypes(TypeRange types) {
  SmallVector<Type> flat;
  for (Type type : types) {
    LayoutAttr layout = getLayout(type);
    flat.append(layout ? layout.getNumRegisters() : 1,
                scalarType(getElementTypeOrSelf(type)));
  }
  return flat;
}

void KernelWalk::unflatten(ValueRange values, ValueRange flat) {
  for (Value value : values) {
    if (!isa<RankedTensorType>(value.getType())) {
      define(value, flat.front());
      flat = flat.drop_front();
      continue;
    }
    int64_t count = getLayout(value).getNumRegisters();
    define(value, Regs(flat.take_front(count)));
    flat = flat.drop_front(count);
  }
}

LogicalResult KernelWalk::emitFor(scf::ForOp op) {
  enterLoop(op);
  auto loop = scf::ForOp::create(b, loc, scalar(op.getLowerBound()),
                                 scalar(op.getUpperBound()),
                                 scalar(op.getStep()), flatten(op.getInits()));
  if (Attribute hints = op->getAttr("tile.loop"))
    loop->setAttr("tile.loop", hints);
  define(op.getInductionVar(), loop.getInductionVar());
  unflatten(op.getRegionIterArgs(), loop.getRegionIterArgs());
  OpBuilder::InsertionGuard guard(b);
  if (op.getNumResults())
    b.setInsertionPointToEnd(loop.getBody());
  else
    b.setInsertionPoint(loop.getBody()->getTerminator());
  if (failed(emitBlock(op.getBody())))
    return failure();
  if (op.getNumResults())
    scf::YieldOp::create(b, loc, flatten(op.getYieldedValues()));
  unflatten(op.getResults(), loop.getResults());
  return success();
}

LogicalResult KernelWalk::emitIf(scf::IfOp op) {
  auto choice = scf::IfOp::create(b, loc, flattenTypes(op.getResultTypes()),
                                  scalar(op.getCondition()),
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/!op.getElseRegion().empty());
  auto before = pending;
  bool wasInUse = scratchInUse;
  SmallVector<Pending> after = pending;
  bool isInUse = scratchInUse;
  for (auto [from, to] :
       {std::make_pair(&op.getThenRegion(), &choice.getThenRegion()),
        std::make_pair(&op.getElseRegion(), &choice.getElseRegion())}) {
    if (from->empty())
      continue;
    pending = before;
    scratchInUse = wasInUse;
    OpBuilder::InsertionGuard guard(b);
    Block *block = &to->front();
    if (!block->empty())
      block->back().erase();
    b.setInsertionPointToEnd(block);
    if (failed(emitBlock(&from->front())))
      return failure();
    Operation *yield = from->front().getTerminator();
    scf::YieldOp::create(b, loc, flatten(yield->getOperands()));
    after.append(pending);
    isInUse |= scratchInUse;
  }
  pending = std::move(after);
  scratchInUse = isInUse;
  unflatten(op.getResults(), choice.getResults());
  return success();
}

LogicalResult KernelWalk::emitWhile(scf::WhileOp op) {
  enterLoop(op);
  SmallVector<Value> inits = flatten(op.getInits());
  SmallVector<Type> results = flattenTypes(op.getResultTypes());
  auto loop = scf::WhileOp::create(b, loc, results, inits);
  auto region = [&](Block *from, Region &to, TypeRange types) {
    SmallVector<Location> locations(types.size(), loc);
    Block *block = b.createBlock(&to, to.end(), types, locations);
    unflatten(from->getArguments(), block->getArguments());
    return emitBlock(from);
  };
  OpBuilder::InsertionGuard guard(b);
  Block *before = op.getBeforeBody(), *after = op.getAfterBody();
  if (failed(region(before, loop.getBefore(), ValueRange(inits).getTypes())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  scf::ConditionOp::create(b, loc, scalar(condition.getCondition()),
                           flatten(condition.getArgs()));
  if (failed(region(after, loop.getAfter(), results)))
    return failure();
  scf::YieldOp::create(b, loc, flatten(after->getTerminator()->getOperands()));
  unflatten(op.getResults(), loop.getResults());
  return success();
}
