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
  finishCopies();
  Scratch before = space;
  enterLoop(op);
  bool hasRings = touchesRings(op);
  size_t numRings = rings.size();
  SmallVector<Value> inits = flatten(op.getInits());
  if (hasRings) {
    inits.append(ringCounters(numRings));
    enterRingLoop(op);
  }
  PendingReads readsBefore = reads;
  addReadsOfLoop(op);
  CopiesInFlight entered = copiesInFlight();
  auto loop = scf::ForOp::create(b, loc, scalar(op.getLowerBound()),
                                 scalar(op.getUpperBound()),
                                 scalar(op.getStep()), inits);
  if (Attribute hints = op->getAttr(tile::kLoopHintsAttr))
    loop->setAttr(tile::kLoopHintsAttr, hints);
  size_t count = flattenTypes(op.getResultTypes()).size();
  define(op.getInductionVar(), loop.getInductionVar());
  ValueRange arguments = loop.getRegionIterArgs();
  unflatten(op.getRegionIterArgs(), arguments.take_front(count));
  if (hasRings)
    setRingCounters(numRings, arguments.drop_front(count));
  OpBuilder::InsertionGuard guard(b);
  if (!inits.empty())
    b.setInsertionPointToEnd(loop.getBody());
  else
    b.setInsertionPoint(loop.getBody()->getTerminator());
  if (failed(emitBlock(op.getBody())))
    return failure();
  endBody();
  space.leaveBody(before);
  leaveRegion(entered);
  reads.join(readsBefore);
  if (!inits.empty()) {
    SmallVector<Value> yielded = flatten(op.getYieldedValues());
    if (hasRings)
      yielded.append(ringCounters(numRings));
    scf::YieldOp::create(b, loc, yielded);
  }
  ValueRange results = loop.getResults();
  unflatten(op.getResults(), results.take_front(count));
  if (hasRings)
    setRingCounters(numRings, results.drop_front(count));
  return success();
}

LogicalResult KernelWalk::emitIf(scf::IfOp op) {
  bool hasRings = touchesRings(op);
  size_t numRings = rings.size();
  // Which copies are under way must not depend on a condition, but for the
  // filling of a slot as a whole.
  WalkResult walked = op.walk([&](Operation *inner) {
    bool isOurs = isa<stage::ConsumeOp>(inner) ||
                  (isa<stage::ProduceOp>(inner) && inner->getParentOp() != op);
    return isOurs && !op->isAncestor(inner->getOperand(0).getDefiningOp())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return decline(op, "a ring that is consumed under a condition");
  if (hasRings)
    if (std::optional<LogicalResult> filled = emitFillings(op))
      return *filled;
  finishCopies();
  SmallVector<Value> counters =
      hasRings ? ringCounters(numRings) : SmallVector<Value>();
  SmallVector<Type> types = flattenTypes(op.getResultTypes());
  size_t count = types.size();
  types.append(counters.size(), b.getI32Type());
  auto choice = scf::IfOp::create(
      b, loc, types, scalar(op.getCondition()), /*addThenBlock=*/true,
      /*addElseBlock=*/!op.getElseRegion().empty() || hasRings);
  auto before = pending;
  Scratch spaceBefore = space;
  SmallVector<Operation *> after = pending;
  std::optional<Scratch> spaceAfter;
  PendingReads readsBefore = reads, readsAfter;
  CopiesInFlight entered = copiesInFlight();
  // A way without a region leaves all as it is.
  if (op.getElseRegion().empty()) {
    spaceAfter = space;
    readsAfter = reads;
  }
  for (auto [from, to] :
       {std::make_pair(&op.getThenRegion(), &choice.getThenRegion()),
        std::make_pair(&op.getElseRegion(), &choice.getElseRegion())}) {
    if (from->empty() && !hasRings)
      continue;
    pending = before;
    space = spaceBefore;
    reads = readsBefore;
    if (hasRings)
      setRingCounters(numRings, counters);
    OpBuilder::InsertionGuard guard(b);
    Block *block = &to->front();
    if (!block->empty())
      block->back().erase();
    b.setInsertionPointToEnd(block);
    SmallVector<Value> yielded;
    if (!from->empty()) {
      if (failed(emitBlock(&from->front())))
        return failure();
      leaveRegion(entered);
      yielded = flatten(from->front().getTerminator()->getOperands());
    }
    if (hasRings)
      yielded.append(ringCounters(numRings));
    scf::YieldOp::create(b, loc, yielded);
    after.append(pending);
    if (spaceAfter)
      space.join(*spaceAfter);
    spaceAfter = space;
    readsAfter.join(reads);
  }
  reads = std::move(readsAfter);
  // Both ways still have what was before them: once is enough.
  llvm::SmallPtrSet<Operation *, 32> seen;
  llvm::erase_if(after, [&](Operation *op) { return !seen.insert(op).second; });
  pending = std::move(after);
  ValueRange results = choice.getResults();
  unflatten(op.getResults(), results.take_front(count));
  if (hasRings) {
    setRingCounters(numRings, results.drop_front(count));
    // One group, whether or not there was anything to copy.
    op.walk([&](stage::ProduceOp produce) {
      if (auto ring = rings.find(produce.getRing()); ring != rings.end())
        commitCopies(ring->second.get());
    });
  }
  return success();
}

LogicalResult KernelWalk::emitWhile(scf::WhileOp op) {
  if (touchesRings(op))
    return decline(op, "rings in a loop without a count");
  finishCopies();
  Scratch spaceBefore = space;
  PendingReads readsBefore = reads;
  CopiesInFlight entered = copiesInFlight();
  enterLoop(op);
  addReadsOfLoop(op);
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
  Scratch atExit = space;
  if (failed(region(after, loop.getAfter(), results)))
    return failure();
  endBody();
  space.join(atExit);
  space.leaveBody(spaceBefore);
  scf::YieldOp::create(b, loc, flatten(after->getTerminator()->getOperands()));
  leaveRegion(entered);
  reads.join(readsBefore);
  addReadsOfLoop(op);
  unflatten(op.getResults(), loop.getResults());
  return success();
}
