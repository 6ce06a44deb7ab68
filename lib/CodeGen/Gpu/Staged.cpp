//===- Staged.cpp - Storage of the block and rings of it ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings count their slots in scalars that loops carry. Which copies are waited
// for where, simt-insert-barriers has written into the kernel.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Fragments.h"
#include "LayoutChoice.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

Value KernelWalk::nextSlot(const Ring &ring, Value slot) {
  Value next = add(slot, c32(ring.slotBytes));
  return select(
      compare(arith::CmpIPredicate::eq, next, c32(ring.slotBytes * ring.depth)),
      c32(0), next);
}

void KernelWalk::bindSlot(Ring *ring, Value start, ValueRange parts) {
  int64_t at = ring->offset;
  for (Value part : parts) {
    auto type = cast<MemRefType>(part.getType());
    storages[part] = {type, start, at, shape.machine.getRunBytes()};
    at += llvm::alignTo(type.getNumElements() *
                            storedBytes(type.getElementType()),
                        ring->align);
  }
}

LogicalResult KernelWalk::emitStage(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](stage::RingOp op) -> LogicalResult {
        auto ring = std::make_unique<Ring>();
        ring->align = op.getAlign().value_or(16);
        ring->offset = op.getOffset().value_or(0);
        ring->depth = op.getRing().getType().getDepth();
        ring->slotBytes = slotBytes(op);
        ring->fill = ring->use = c32(0);
        rings[op.getRing()] = std::move(ring);
        return success();
      })
      .Case([&](stage::AllocOp op) -> LogicalResult {
        storages[op.getStorage()] = {
            cast<MemRefType>(op.getStorage().getType()), Value(),
            areaOf(op).begin, shape.machine.getRunBytes()};
        return success();
      })
      .Case([&](stage::ProduceOp op) -> LogicalResult {
        Ring *ring = rings.find(op.getRing())->second.get();
        bindSlot(ring, ring->fill, op.getBody().getArguments());
        for (Operation &inner : op.getBody().front().without_terminator())
          if (!emitFilling(&inner) && failed(emitOp(&inner)))
            return failure();
        ring->fill = select(copyMask, nextSlot(*ring, ring->fill), ring->fill);
        return success();
      })
      .Case([&](stage::ConsumeOp op) -> LogicalResult {
        Ring *ring = rings.find(op.getRing())->second.get();
        bindSlot(ring, ring->use, op.getParts());
        ring->use = nextSlot(*ring, ring->use);
        return success();
      })
      .Case([&](stage::ReleaseOp) { return success(); })
      .Case([&](stage::CopyOp op) -> LogicalResult {
        if (op.getAsync() || !isa<tile::ViewType>(op.getSource().getType()))
          return decline(op, "this copy");
        emitCopy(op);
        return success();
      })
      .Case([&](stage::WriteOp op) -> LogicalResult {
        if (!isLookup(op.getValue().getDefiningOp()))
          return decline(op, "this writing of storage");
        emitLookup(op);
        return success();
      })
      .Case([&](stage::ReadOp op) { return emitRead(op); })
      .Default([&](Operation *op) -> LogicalResult {
        return decline(op, op->getName().getStringRef());
      });
}

LogicalResult KernelWalk::emitRead(stage::ReadOp op) {
  Value result = op.getResult();
  LayoutAttr layout = getLayout(result);
  auto place = storages.find(op.getStorage());
  if (!layout || place == storages.end() || !op.getOrigin().empty() ||
      place->second.type.getRank() != 2)
    return decline(op, "this read of storage");
  if (isReadByProduct(op)) {
    StoragePlace from = place->second;
    lateReads[result] = from;
    for (Operation *moved = *result.getUsers().begin(); handsOnBytes(moved);
         moved = *moved->getUsers().begin()) {
      if (isTransposition(moved))
        from = from.transposed();
      lateReads[moved->getResult(0)] = from;
    }
    return success();
  }
  define(result, FragmentReader(*this, place->second, layout,
                                scalarType(getElementTypeOrSelf(result)))
                     .all());
  return success();
}

std::unique_ptr<FragmentReader> KernelWalk::readerOf(Value tile) {
  auto late = lateReads.find(tile);
  if (late == lateReads.end())
    return nullptr;
  return std::make_unique<FragmentReader>(
      *this, late->second, getLayout(tile),
      scalarType(late->second.type.getElementType()));
}

index::Facts KernelWalk::factsOf(Value value) {
  index::Facts known = facts.of(value);
  if (!copyBound.first)
    return known;
  int64_t more = 0;
  if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    index::Interval added = facts.of(sum.getRhs()).range;
    if (!added.low || added.low != added.high)
      return known;
    more = *added.low;
    value = sum.getLhs();
  }
  if (value == copyBound.first)
    known.range.high =
        std::min(known.range.high.value_or(INT64_MAX), copyBound.second + more);
  return known;
}

/// Fills slots where a condition holds, without a branch: each copy asks for
/// itself, and the code around stays in one piece. Nothing where there is more
/// under the condition.
std::optional<LogicalResult> KernelWalk::emitFillings(scf::IfOp op) {
  if (op.getNumResults() || !op.getElseRegion().empty() || copyMask)
    return std::nullopt;
  auto isCopy = [](Operation &op) {
    return isa<stage::CopyOp, stage::CommitOp, stage::WriteOp>(op) ||
           isLookup(&op) || isPure(&op);
  };
  Block::OpListType::iterator begin = op.thenBlock()->begin();
  auto end = op.thenBlock()->without_terminator().end();
  bool fills = false;
  for (Operation &inner : llvm::make_range(begin, end)) {
    auto produce = dyn_cast<stage::ProduceOp>(inner);
    if (produce && llvm::all_of(produce.getBody().front(), isCopy))
      fills = true;
    else if (!isPure(&inner) || inner.getNumRegions())
      return std::nullopt;
  }
  if (!fills)
    return std::nullopt;
  copyMask = scalar(op.getCondition());
  if (auto less = op.getCondition().getDefiningOp<arith::CmpIOp>();
      less && less.getPredicate() == arith::CmpIPredicate::slt)
    if (auto high = facts.of(less.getRhs()).range.high)
      copyBound = {less.getLhs(), *high - 1};
  LogicalResult emitted = success();
  for (Operation &inner : llvm::make_range(begin, end))
    if (succeeded(emitted))
      emitted = emitOp(&inner);
  copyMask = Value();
  copyBound = {};
  return emitted;
}

SmallVector<Value> KernelWalk::ringCounters(size_t count) {
  SmallVector<Value> counters;
  for (auto &ring : llvm::make_range(rings.begin(), rings.begin() + count))
    counters.append({ring.second->fill, ring.second->use});
  return counters;
}

void KernelWalk::setRingCounters(size_t count, ValueRange counters) {
  for (auto &ring : llvm::make_range(rings.begin(), rings.begin() + count)) {
    ring.second->fill = counters[0];
    ring.second->use = counters[1];
    counters = counters.drop_front(2);
  }
}

void KernelWalk::forgetRings(size_t count) {
  // What a region made ends with it.
  while (rings.size() > count)
    rings.pop_back();
}
