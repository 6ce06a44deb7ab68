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
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

static Value nextSlot(ThreadWriter &w, const Ring &ring, Value slot) {
  Value next = w.add(slot, w.c32(ring.slotBytes));
  return w.select(w.compare(arith::CmpIPredicate::eq, next,
                            w.c32(ring.slotBytes * ring.depth)),
                  w.c32(0), next);
}

void simt::bindSlot(ThreadWriter &w, const Ring &ring, Value start,
                    ValueRange parts) {
  int64_t at = ring.offset;
  for (Value part : parts) {
    auto type = cast<MemRefType>(part.getType());
    w.storages[part] = {type, start, at, w.shape.machine.getRunBytes()};
    at += llvm::alignTo(type.getNumElements() *
                            ThreadBuilder::storedBytes(type.getElementType()),
                        ring.align);
  }
}

static LogicalResult lowerRing(stage::RingOp op, ThreadWriter &w) {
  Ring ring(op.getRing(), w);
  if (op.getBarriersAttr() && !ring.barriers)
    return w.decline(op, "these barriers of a ring");
  ring.start();
  return success();
}

static LogicalResult lowerAlloc(stage::AllocOp op, ThreadWriter &w) {
  w.storages[op.getStorage()] = {cast<MemRefType>(op.getStorage().getType()),
                                 Value(), areaOf(op.getStorage()).begin,
                                 w.shape.machine.getRunBytes()};
  return success();
}

static LogicalResult lowerProduce(stage::ProduceOp op, ThreadWriter &w) {
  Ring ring(op.getRing(), w);
  if (ring.barriers)
    return fillInBulk(op, ring, w);
  Value fill = ring.get(RingCounter::Fill);
  bindSlot(w, ring, fill, op.getBody().getArguments());
  for (Operation &inner : op.getBody().front().without_terminator()) {
    FailureOr<bool> fills = fillStorage(&inner, w);
    if (failed(fills) || (!*fills && failed(w.lower(&inner))))
      return failure();
  }
  ring.set(RingCounter::Fill,
           w.select(conditionOf(op, w).mask, nextSlot(w, ring, fill), fill));
  return success();
}

static LogicalResult lowerConsume(stage::ConsumeOp op, ThreadWriter &w) {
  Ring ring(op.getRing(), w);
  Value use = ring.get(RingCounter::Use);
  if (ring.barriers) {
    awaitFull(ring, w);
    bindSlot(w, ring, slotStart(ring, use, w), op.getParts());
    ring.set(RingCounter::Use, nextNumber(ring, use, w));
    return success();
  }
  bindSlot(w, ring, use, op.getParts());
  ring.set(RingCounter::Use, nextSlot(w, ring, use));
  return success();
}

static LogicalResult lowerRelease(stage::ReleaseOp op, ThreadWriter &w) {
  Ring ring(op.getRing(), w);
  if (ring.barriers && isRefilled(op.getRing()))
    releaseSlot(ring, w);
  return success();
}

static LogicalResult lowerRead(stage::ReadOp op, ThreadWriter &w) {
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
    return isa<stage::StorageCopyOpInterface, stage::StorageWriteOpInterface>(
               op) ||
           op.hasTrait<OpTrait::IsTerminator>() || isLookup(&op) || isPure(&op);
  };
  bool fills = false;
  for (Operation &inner : op.thenBlock()->without_terminator()) {
    if (stage::ringFilledBy(&inner) &&
        llvm::all_of(inner.getRegion(0).front(), isCopy))
      fills = true;
    else if (!isPure(&inner) || inner.getNumRegions())
      return false;
  }
  return fills;
}

FillCondition simt::conditionOf(Operation *op, ThreadWriter &w) {
  if (!stage::ringFilledBy(op))
    op = stage::fillAround(op);
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

std::optional<LogicalResult> simt::fillSlots(scf::IfOp op, ThreadWriter &w) {
  if (!onlyFills(op))
    return std::nullopt;
  for (Operation &inner : op.thenBlock()->without_terminator())
    if (failed(w.lower(&inner)))
      return failure();
  return success();
}

void simt::addStagedLowerings(LoweringTable &table) {
  table.add<stage::RingOp>(lowerRing);
  table.add<stage::AllocOp>(lowerAlloc);
  table.add<stage::ProduceOp>(lowerProduce);
  table.add<stage::ConsumeOp>(lowerConsume);
  table.add<stage::ReleaseOp>(lowerRelease);
  table.add<stage::ReadOp>(lowerRead);
}
