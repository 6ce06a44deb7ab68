//===- SlotBarrierCheck.cpp - Bulk copies and barriers of slots -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All threads go through the function together, so a phase that a wait needs is
// complete where the wait stands, or the wait depends on what comes later.
//
//===----------------------------------------------------------------------===//

#include "BarrierCheck.h"
#include "SharedPlaces.h"
#include "kiln/Dialect/Simt/ClusterOps.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include <numeric>

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

std::optional<int64_t> BarrierCheck::countActive(const ThreadValue *active) {
  int64_t count = 0;
  for (int64_t t = 0; t < values.threads; ++t) {
    Interval is = active->of(t);
    if (!is.isOne() || active->symbol)
      return std::nullopt;
    count += is.low != 0;
  }
  return count;
}

LogicalResult BarrierCheck::createSlots(Operation *op, Synchronization made,
                                        BlockState &state,
                                        const ThreadValue *active) {
  for (int64_t i = 0; i < made.count; ++i) {
    int64_t address = made.place + i * kSplitBarrierBytes;
    for (const BlockState::SlotBarrier &slot : state.slots)
      if (slot.address == address)
        return unverified(op) << "makes a barrier at byte " << address
                              << ", where there is one already";
    state.slots.push_back({address, made.arrivals});
  }
  constexpr int64_t kLongest = 24;
  int64_t period = std::lcm(slotPeriod, 2 * made.count);
  if (period <= kLongest)
    slotPeriod = period;
  SharedAccess access;
  access.op = op;
  access.touch = Touch::Write;
  access.bytes = made.count * kSplitBarrierBytes;
  access.address = values.number(made.place);
  SmallVector<Interval, 0> who(values.threads, Interval{0, 0});
  who[0] = active->of(0);
  return touch(access, Value(), state, values.get({}, who));
}

LogicalResult BarrierCheck::copyBulk(SlotBarrierOpInterface op,
                                     BlockState &state,
                                     BlockState::SlotBarrier &slot,
                                     uint64_t bit, const ThreadValue *active) {
  int64_t bytes = op.getCopiedBytes();
  for (const ThreadAccess &one : getThreadAccesses(op)) {
    SharedAccess access;
    access.op = op;
    access.touch = one.touch;
    access.isCopy = access.isBulk = true;
    access.bytes = one.bytes;
    access.address = value(state, one.address);
    access.active = active;
    const SharedAccess *now = accesses.get(access);
    if (failed(verifyApart(now, state)))
      return failure();
    Pending pending{now, Pending::Stage::UnderWay};
    pending.slots = bit;
    state.pending.insert(pending);
  }
  slot.bytes -= bytes;
  if (slot.bytes < 0)
    return unverified(op) << "copies " << -slot.bytes
                          << " bytes more than were announced at its barrier";
  slot.advance();
  return success();
}

LogicalResult BarrierCheck::awaitSlot(SlotBarrierOpInterface op,
                                      BlockState &state,
                                      const BlockState::SlotBarrier &slot,
                                      uint64_t bit, const ThreadValue *active) {
  std::optional<int64_t> parity =
      value(state, op.getAwaitedParity())->getNumber();
  if (!parity)
    return unverified(op) << "waits for a parity that is not known";
  if (*parity == int64_t(slot.isOdd))
    return unverified(op) << "waits for a phase that is not complete before it";
  SharedAccesses::awaitSlot(state.pending, bit, active,
                            countActive(active) == values.threads);
  return success();
}

LogicalResult BarrierCheck::runSlotBarrier(SlotBarrierOpInterface op,
                                           BlockState &state,
                                           const ThreadValue *active) {
  bool isCopy = op.getCopiedBytes() != 0;
  if (Value mask = op.getMask())
    active = values.choose(mask, value(state, mask), active, boolean(false));
  std::optional<int64_t> count = countActive(active);
  if (!count)
    return unverified(op) << "is done by threads that are not known";
  if (!*count)
    return success();
  std::optional<int64_t> address = value(state, op.getBarrier())->getNumber();
  auto *slot = llvm::find_if(state.slots, [&](auto &one) {
    return address && one.address == *address;
  });
  if (slot == state.slots.end())
    return unverified(op) << "names a barrier that is not known";
  constexpr size_t kMost = 8 * sizeof(Pending::slots);
  size_t number = slot - state.slots.begin();
  if (number >= kMost)
    return unverified(op) << "is one of too many barriers";
  uint64_t bit = uint64_t(1) << number;
  // The object must be there, for a copy unit, too.
  SharedAccess access;
  access.op = op;
  access.touch = Touch::Read;
  access.isBulk = isCopy;
  access.bytes = kSplitBarrierBytes;
  access.address = values.number(*address);
  access.active = active;
  if (failed(verifyApart(accesses.get(access), state)))
    return failure();
  if (isCopy)
    return copyBulk(op, state, *slot, bit, active);
  if (op.getAwaitedParity())
    return awaitSlot(op, state, *slot, bit, active);
  slot->bytes += op.getAnnouncedBytes() * *count;
  // The other blocks of a cluster go through the function as this one does.
  slot->arrived += *count * arrivalsOf(op);
  if (slot->arrived > slot->arrivals)
    return unverified(op) << "is an arrival more than the phase has";
  if (op.releasesAccesses()) {
    // Of each warp at least one thread.
    bool isEachWarp = true;
    for (int64_t first = 0; first < values.threads; first += lanes) {
      bool isAny = false;
      for (int64_t t = first; t < std::min(first + lanes, values.threads); ++t)
        isAny |= active->of(t).low != 0;
      isEachWarp &= isAny;
    }
    if (isEachWarp)
      SharedAccesses::arriveAt(state.pending, bit, *count == values.threads);
  }
  slot->advance();
  return success();
}

LogicalResult BarrierCheck::verifyCluster() {
  SmallVector<Operation *> inCluster, alone;
  bool isShared = false;
  function.walk([&](Operation *op) {
    auto slot = dyn_cast<SlotBarrierOpInterface>(op);
    if (!slot)
      return;
    if (!isInCluster(op)) {
      if (slot.releasesAccesses())
        alone.push_back(op);
      return;
    }
    isShared |= slot.getCopiedBytes() != 0;
    inCluster.push_back(op);
  });
  if (inCluster.empty())
    return success();
  if (isShared && !alone.empty())
    return unverified(alone.front())
           << "does not let the other blocks know that copy into the slot";
  Block &entry = function.getBody().front();
  Operation *made = nullptr;
  SmallVector<Operation *> meetings;
  for (Operation &op : entry) {
    if (synchronizes(&op, Synchronization::Kind::CreateBarriers))
      made = &op;
    if (isa<tile::ClusterBarrierOp>(op))
      meetings.push_back(&op);
  }
  auto meets = [&](Operation *from, Operation *to) {
    return llvm::any_of(meetings, [&](Operation *meeting) {
      return (!from || from->isBeforeInBlock(meeting)) &&
             (!to || meeting->isBeforeInBlock(to));
    });
  };
  for (Operation *op : inCluster) {
    Operation *whole = entry.findAncestorOpInBlock(*op);
    if (!meets(made, whole))
      return unverified(op) << "reaches barriers of other blocks, which may "
                               "not be there yet";
    if (!meets(whole, nullptr))
      return unverified(op)
             << "reaches the memory of other blocks, which may end before";
  }
  return success();
}
