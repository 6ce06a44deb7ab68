//===- AssignControlFlow.cpp - Layouts through loops and branches ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Assigner.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

void Assigner::assignYield(Operation *yield, ValueRange like, unsigned skip) {
  for (auto [i, value] : llvm::enumerate(like))
    if (isTile(value.getType()))
      requireOperand(yield->getOpOperand(i + skip), getLayout(value));
}

void Assigner::assignLoop(scf::ForOp loop) {
  for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!isTile(argument.getType()))
      continue;
    OpOperand &init = loop.getInitArgsMutable()[i];
    LayoutAttr layout = predict(loop.getYieldedValues()[i]);
    if (!layout)
      layout = getLayout(init.get());
    if (!layout)
      layout = canonical(argument);
    requireOperand(init, layout);
    setResult(argument, layout);
    setResult(loop.getResult(i), layout);
  }
  assignBlock(loop.getBody());
  assignYield(loop.getBody()->getTerminator(), loop.getRegionIterArgs());
}

void Assigner::assignIf(scf::IfOp op) {
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()})
    if (!region->empty())
      assignBlock(&region->front());
  if (!op.getNumResults())
    return;
  Operation *yields[] = {op.thenYield(), op.elseYield()};
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (!isTile(result.getType()))
      continue;
    LayoutAttr layout;
    for (Operation *yield : yields)
      if (!layout)
        layout = getLayout(yield->getOperand(i));
    if (!layout)
      layout = canonical(result);
    for (Operation *yield : yields)
      requireOperand(yield->getOpOperand(i), layout);
    setResult(result, layout);
  }
}

void Assigner::assignWhile(scf::WhileOp op) {
  auto give = [&](Value value, LayoutAttr layout) {
    if (isTile(value.getType()))
      setResult(value, layout);
  };
  for (auto [i, init] : llvm::enumerate(op.getInitsMutable())) {
    if (!isTile(init.get().getType()))
      continue;
    LayoutAttr layout = settle(init.get());
    requireOperand(init, layout);
    give(op.getBeforeArguments()[i], layout);
  }
  assignBlock(op.getBeforeBody());
  for (auto [i, operand] :
       llvm::enumerate(op.getConditionOp().getArgsMutable())) {
    if (!isTile(operand.get().getType()))
      continue;
    LayoutAttr layout = settle(operand.get());
    requireOperand(operand, layout);
    give(op.getAfterArguments()[i], layout);
    give(op.getResult(i), layout);
  }
  assignBlock(op.getAfterBody());
  assignYield(op.getYieldOp(), op.getBeforeArguments());
}
