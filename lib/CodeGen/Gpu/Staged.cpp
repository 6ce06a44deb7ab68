//===- Staged.cpp - Storage of the block and rings of it ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings count their slots in scalars that loops carry. Which copies are waited
// for where, simt-insert-barriers has written into the kernel.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "BulkCopies.h"
#include "Fragments.h"
#include "LayoutChoice.h"
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

static Value nextSlot(KernelWalk &w, const KernelWalk::Ring &ring, Value slot) {
  Value next = w.add(slot, w.c32(ring.slotBytes));
  return w.select(w.compare(arith::CmpIPredicate::eq, next,
                            w.c32(ring.slotBytes * ring.depth)),
                  w.c32(0), next);
}

void simt::bindSlot(KernelWalk &w, KernelWalk::Ring *ring, Value start,
                    ValueRange parts) {
  int64_t at = ring->offset;
  for (Value part : parts) {
    auto type = cast<MemRefType>(part.getType());
    w.storages[part] = {type, start, at, w.shape.machine.getRunBytes()};
    at += llvm::alignTo(type.getNumElements() *
                            ThreadBuilder::storedBytes(type.getElementType()),
                        ring->align);
  }
}

static LogicalResult lowerRing(stage::RingOp op, KernelWalk &w) {
  auto ring = std::make_unique<KernelWalk::Ring>();
  ring->align = op.getAlign().value_or(16);
  ring->offset = op.getOffset().value_or(0);
  ring->depth = op.getRing().getType().getDepth();
  ring->slotBytes = slotBytes(op);
  ring->held = op.getHeld().value_or(0);
  ring->fill = ring->use = ring->release = w.c32(0);
  if (op.getBarriersAttr()) {
    ring->barriers = dyn_cast<SlotBarriersAttr>(op.getBarriersAttr());
    if (!ring->barriers)
      return w.decline(op, "these barriers of a ring");
    ring->isReadByThreads = isReadByThreads(op.getRing());
  }
  w.rings[op.getRing()] = std::move(ring);
  return success();
}

static LogicalResult lowerAlloc(stage::AllocOp op, KernelWalk &w) {
  w.storages[op.getStorage()] = {cast<MemRefType>(op.getStorage().getType()),
                                 Value(), areaOf(op).begin,
                                 w.shape.machine.getRunBytes()};
  return success();
}

static LogicalResult lowerProduce(stage::ProduceOp op, KernelWalk &w) {
  KernelWalk::Ring *ring = w.rings.find(op.getRing())->second.get();
  if (ring->barriers)
    return fillInBulk(op, *ring, w);
  bindSlot(w, ring, ring->fill, op.getBody().getArguments());
  for (Operation &inner : op.getBody().front().without_terminator()) {
    FailureOr<bool> fills = fillStorage(&inner, w);
    if (failed(fills) || (!*fills && failed(w.lower(&inner))))
      return failure();
  }
  ring->fill = w.select(conditionOf(op, w).mask, nextSlot(w, *ring, ring->fill),
                        ring->fill);
  return success();
}

static LogicalResult lowerConsume(stage::ConsumeOp op, KernelWalk &w) {
  KernelWalk::Ring *ring = w.rings.find(op.getRing())->second.get();
  if (ring->barriers) {
    awaitFull(*ring, w);
    bindSlot(w, ring, slotStart(*ring, ring->use, w), op.getParts());
    ring->use = nextNumber(*ring, ring->use, w);
    return success();
  }
  bindSlot(w, ring, ring->use, op.getParts());
  ring->use = nextSlot(w, *ring, ring->use);
  return success();
}

static LogicalResult lowerRelease(stage::ReleaseOp op, KernelWalk &w) {
  KernelWalk::Ring *ring = w.rings.find(op.getRing())->second.get();
  if (ring->barriers && isRefilled(op.getRing()))
    releaseSlot(*ring, w);
  return success();
}

static LogicalResult lowerRead(stage::ReadOp op, KernelWalk &w) {
  Value result = op.getResult();
  LayoutAttr layout = getLayout(result);
  auto place = w.storages.find(op.getStorage());
  if (!layout || place == w.storages.end() || !op.getOrigin().empty() ||
      place->second.type.getRank() != 2)
    return w.decline(op, "this read of storage");
  w.define(result, FragmentReader(
                       w, place->second, layout,
                       ThreadBuilder::scalarType(getElementTypeOrSelf(result)))
                       .all());
  return success();
}

//===----------------------------------------------------------------------===//
// Slots that are filled under a condition
//===----------------------------------------------------------------------===//

index::Facts FillCondition::factsOf(Value value, index::Analysis &facts) const {
  index::Facts known = facts.of(value);
  if (!bound.first)
    return known;
  int64_t more = 0;
  if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    index::Interval added = facts.of(sum.getRhs()).range;
    if (!added.low || added.low != added.high)
      return known;
    more = *added.low;
    value = sum.getLhs();
  }
  if (value == bound.first)
    known.range.high =
        std::min(known.range.high.value_or(INT64_MAX), bound.second + more);
  return known;
}

/// Whether an operation fills slots and does nothing else.
static bool onlyFills(scf::IfOp op) {
  if (op.getNumResults() || !op.getElseRegion().empty())
    return false;
  auto isCopy = [](Operation &op) {
    return isa<stage::CopyOp, stage::CommitOp, stage::WriteOp>(op) ||
           isLookup(&op) || isPure(&op);
  };
  bool fills = false;
  for (Operation &inner : op.thenBlock()->without_terminator()) {
    auto produce = dyn_cast<stage::ProduceOp>(inner);
    if (produce && llvm::all_of(produce.getBody().front(), isCopy))
      fills = true;
    else if (!isPure(&inner) || inner.getNumRegions())
      return false;
  }
  return fills;
}

FillCondition simt::conditionOf(Operation *op, KernelWalk &w) {
  if (!isa<stage::ProduceOp>(op))
    op = op->getParentOfType<stage::ProduceOp>();
  auto choice = op ? dyn_cast<scf::IfOp>(op->getParentOp()) : scf::IfOp();
  FillCondition condition;
  if (!choice || !onlyFills(choice))
    return condition;
  condition.mask = w.scalar(choice.getCondition());
  if (auto less = choice.getCondition().getDefiningOp<arith::CmpIOp>();
      less && less.getPredicate() == arith::CmpIPredicate::slt)
    if (auto high = w.facts.of(less.getRhs()).range.high)
      condition.bound = {less.getLhs(), *high - 1};
  return condition;
}

std::optional<LogicalResult> simt::fillSlots(scf::IfOp op, KernelWalk &w) {
  if (!onlyFills(op))
    return std::nullopt;
  for (Operation &inner : op.thenBlock()->without_terminator())
    if (failed(w.lower(&inner)))
      return failure();
  return success();
}

SmallVector<Value> KernelWalk::ringCounters(size_t count) {
  SmallVector<Value> counters;
  for (auto &ring : llvm::make_range(rings.begin(), rings.begin() + count))
    for (Value *counter : ring.second->counters())
      counters.push_back(*counter);
  return counters;
}

void KernelWalk::setRingCounters(size_t count, ValueRange counters) {
  for (auto &ring : llvm::make_range(rings.begin(), rings.begin() + count)) {
    for (Value *counter : ring.second->counters()) {
      *counter = counters.front();
      counters = counters.drop_front();
    }
  }
}

void KernelWalk::forgetRings(size_t count) {
  // What a region made ends with it.
  while (rings.size() > count)
    rings.pop_back();
}

void simt::addStagedLowerings(LoweringTable &table) {
  table.add<stage::RingOp>(lowerRing);
  table.add<stage::AllocOp>(lowerAlloc);
  table.add<stage::ProduceOp>(lowerProduce);
  table.add<stage::ConsumeOp>(lowerConsume);
  table.add<stage::ReleaseOp>(lowerRelease);
  table.add<stage::ReadOp>(lowerRead);
}
