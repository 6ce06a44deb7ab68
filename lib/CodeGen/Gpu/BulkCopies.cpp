//===- BulkCopies.cpp - Ring buffers that a copy unit fills ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fill n of a ring waits for release n - depth of each warp, and a consumer for
// fill n. The barriers of slot n modulo depth are in phase n / depth then, so
// that the parity of that number is enough to wait for it.
//
//===----------------------------------------------------------------------===//

#include "BulkCopies.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Simt/ClusterOps.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;
using Pred = arith::CmpIPredicate;

static Value isOddRound(const Ring &ring, Value number, ThreadWriter &w) {
  return w.compare(Pred::sge, number, w.c32(ring.depth));
}

static Value slotOf(const Ring &ring, Value number, ThreadWriter &w) {
  if (llvm::isPowerOf2_64(ring.depth))
    return w.and_(number, w.c32(ring.depth - 1));
  return w.select(isOddRound(ring, number, w), w.sub(number, w.c32(ring.depth)),
                  number);
}

/// The number `by` behind another one.
static Value advance(const Ring &ring, Value number, int64_t by,
                     ThreadWriter &w) {
  if (!by)
    return number;
  Value next = w.add(number, w.c32(by)), all = w.c32(2 * ring.depth);
  if (llvm::isPowerOf2_64(ring.depth))
    return w.and_(next, w.c32(2 * ring.depth - 1));
  return w.select(w.compare(Pred::sge, next, all), w.sub(next, all), next);
}

Value simt::nextNumber(const Ring &ring, Value number, ThreadWriter &w) {
  return advance(ring, number, 1, w);
}

Value simt::slotStart(const Ring &ring, Value number, ThreadWriter &w) {
  return w.mul(slotOf(ring, number, w), w.c32(ring.slotBytes));
}

/// The barrier that says that a slot is full, or that it is empty.
static Value barrierOf(const Ring &ring, Value number, bool isEmpty,
                       ThreadWriter &w) {
  int64_t first = ring.barriers.getPlace() +
                  (isEmpty ? ring.depth * kSplitBarrierBytes : 0);
  return w.elementPointer(
      w.shared(first),
      w.mul(slotOf(ring, number, w), w.c32(kSplitBarrierBytes)),
      w.b.getI8Type());
}

static Value parity(Value isOdd, ThreadWriter &w) {
  return w.select(isOdd, w.c32(1), w.c32(0));
}

/// The copy of a box of a view into a part of a slot.
static void copyInBulk(stage::StorageCopyOpInterface op, Value barrier,
                       Value mask, ThreadWriter &w) {
  StoragePlace place = w.storages.find(op.getTarget())->second;
  ViewParts view = w.viewOf(op.getSource());
  int64_t rank = view.sizes.size(), boxRank = place.type.getRank();
  SmallVector<int64_t> box(rank - boxRank, 1);
  llvm::append_range(box, place.type.getShape());
  SmallVector<Value> at;
  for (auto [coordinate, size] : llvm::zip(op.getFrom(), box)) {
    Value first = w.scalar(coordinate);
    at.push_back(op.hasSourceOffsets() ? first : w.mul(first, w.c64(size)));
  }
  Permutation permutation = permutationOf(place.type);
  // A single row has nothing to permute.
  SwizzleAttr swizzle;
  if (place.type.getDimSize(1 - permutation.inner) > 1)
    swizzle =
        SwizzleAttr::get(w.b.getContext(), permutation.piece, permutation.unit,
                         /*align=*/permutation.piece, /*across=*/false);
  Value target =
      w.elementPointer(w.shared(place.offset), place.start, w.b.getI8Type());
  Type element = place.type.getElementType();
  int64_t along = rank - boxRank + permutation.inner,
          blocks = countSharers(op.getOperation());
  if (blocks > 1)
    CopyInClusterOp::create(w.b, w.loc, blocks, view.base, at, view.sizes,
                            view.strides, target, barrier, mask, box, element,
                            along, swizzle);
  else
    CopyBulkOp::create(w.b, w.loc, view.base, at, view.sizes, view.strides,
                       target, barrier, mask, box, element, along, swizzle);
}

/// Starts the copies that fill a slot, which is waited for before.
static LogicalResult startCopies(stage::ProduceOp op, Ring &ring,
                                 ThreadWriter &w) {
  // The first warp waits, its first thread copies.
  Value thread = w.threadId();
  auto isBelow = [&](int64_t count) {
    return w.compare(Pred::slt, thread, w.c32(count));
  };
  Value fill = ring.get(RingCounter::Fill);
  // The first round finds all slots empty.
  Value emptied = advance(ring, fill, ring.held, w);
  std::optional<int64_t> number = getConstantIntValue(emptied);
  if (!number || *number >= ring.depth)
    AwaitParityOp::create(
        w.b, w.loc, barrierOf(ring, emptied, /*isEmpty=*/true, w),
        w.sub(w.c32(1), parity(isOddRound(ring, emptied, w), w)),
        isBelow(w.lanes));
  Value barrier = barrierOf(ring, fill, /*isEmpty=*/false, w),
        mask = isBelow(1);
  int64_t bytes = 0;
  for (auto copy : op.getBody().getOps<stage::StorageCopyOpInterface>()) {
    auto type = cast<MemRefType>(copy.getTarget().getType());
    bytes += type.getNumElements() *
             ThreadBuilder::storedBytes(type.getElementType());
  }
  ExpectBytesOp::create(w.b, w.loc, barrier, bytes, mask);
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (auto copy = dyn_cast<stage::StorageCopyOpInterface>(inner))
      copyInBulk(copy, barrier, mask, w);
    else if (failed(w.lower(&inner)))
      return failure();
  }
  return success();
}

LogicalResult simt::fillInBulk(stage::ProduceOp op, Ring &ring,
                               ThreadWriter &w) {
  Value fill = ring.get(RingCounter::Fill);
  bindSlot(w, ring, slotStart(ring, fill, w), op.getBody().getArguments());
  Value mask = conditionOf(op, w).mask;
  if (mask) {
    auto choice = scf::IfOp::create(w.b, w.loc, mask);
    w.b.setInsertionPointToStart(choice.thenBlock());
  }
  if (failed(startCopies(op, ring, w)))
    return failure();
  if (mask)
    w.b.setInsertionPointAfter(w.b.getInsertionBlock()->getParentOp());
  // Where a slot is not filled, no later one is, and nothing reads the number:
  // unless the ring is filled again by a loop around.
  Value next = nextNumber(ring, fill, w);
  ring.set(RingCounter::Fill,
           mask && lastsForLaunch(ring.op) ? w.select(mask, next, fill) : next);
  return success();
}

void simt::awaitFull(const Ring &ring, ThreadWriter &w) {
  Value use = ring.get(RingCounter::Use);
  AwaitParityOp::create(w.b, w.loc, barrierOf(ring, use, /*isEmpty=*/false, w),
                        parity(isOddRound(ring, use, w), w),
                        /*mask=*/Value());
}

void simt::releaseSlot(Ring &ring, ThreadWriter &w) {
  // One lane arrives for what all lanes of its warp have read.
  if (isReadByThreads(ring.ring))
    WarpBarrierOp::create(w.b, w.loc);
  Value release = ring.get(RingCounter::Release);
  Value lane = w.and_(w.threadId(), w.c32(w.lanes - 1));
  Value barrier = barrierOf(ring, release, /*isEmpty=*/true, w),
        isFirst = w.compare(Pred::eq, lane, w.c32(0));
  // Where other blocks copy into the slot, they have to know, too.
  if (int64_t blocks = countSharers(ring.ring); blocks > 1)
    ArriveInClusterOp::create(w.b, w.loc, blocks, barrier, isFirst);
  else
    ArriveAtOp::create(w.b, w.loc, barrier, isFirst);
  ring.set(RingCounter::Release, nextNumber(ring, release, w));
}
