//===- SlotBarrierCheck.cpp - Bulk copies and barriers of slots -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All threads go through the function together, so a phase that a wait needs is
// complete where the wait stands, or the wait depends on what comes later.
//
//===----------------------------------------------------------------------===//

#include "BarrierCheck.h"
#include "llvm/ADT/TypeSwitch.h"
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

LogicalResult BarrierCheck::createSlots(CreateBarriersOp op, BlockState &state,
                                        const ThreadValue *active) {
  for (int64_t i = 0; i < int64_t(op.getCount()); ++i) {
    int64_t address = op.getPlace() + i * kSplitBarrierBytes;
    for (const BlockState::SlotBarrier &slot : state.slots)
      if (slot.address == address)
        return unverified(op) << "makes a barrier at byte " << address
                              << ", where there is one already";
    state.slots.push_back({address, int64_t(op.getArrivals())});
  }
  constexpr int64_t kLongest = 24;
  int64_t period = std::lcm(slotPeriod, 2 * int64_t(op.getCount()));
  if (period <= kLongest)
    slotPeriod = period;
  SharedAccess access;
  access.op = op;
  access.touch = Touch::Write;
  access.bytes = op.getCount() * kSplitBarrierBytes;
  access.address = values.number(op.getPlace());
  SmallVector<Interval, 0> who(values.threads, Interval{0, 0});
  who[0] = active->of(0);
  return touch(access, Value(), state, values.get({}, who));
}

LogicalResult BarrierCheck::copyBulk(CopyBulkOp op, BlockState &state,
                                     BlockState::SlotBarrier &slot,
                                     uint64_t bit, const ThreadValue *active) {
  SharedAccess access;
  access.op = op;
  access.touch = Touch::Write;
  access.isCopy = access.isBulk = true;
  access.bytes = op.getBytes();
  access.address = value(state, op.getTarget());
  access.active = active;
  const SharedAccess *now = accesses.get(access);
  if (failed(verifyApart(now, state)))
    return failure();
  Pending pending{now, Pending::Stage::UnderWay};
  pending.slots = bit;
  state.pending.insert(pending);
  slot.bytes -= op.getBytes();
  if (slot.bytes < 0)
    return unverified(op) << "copies " << -slot.bytes
                          << " bytes more than were announced at its barrier";
  slot.advance();
  return success();
}

LogicalResult BarrierCheck::awaitSlot(AwaitParityOp op, BlockState &state,
                                      const BlockState::SlotBarrier &slot,
                                      uint64_t bit, const ThreadValue *active) {
  std::optional<int64_t> parity = value(state, op.getParity())->getNumber();
  if (!parity)
    return unverified(op) << "waits for a parity that is not known";
  if (*parity == int64_t(slot.isOdd))
    return unverified(op) << "waits for a phase that is not complete before it";
  SharedAccesses::awaitSlot(state.pending, bit, active,
                            countActive(active) == values.threads);
  return success();
}

LogicalResult BarrierCheck::runSlotBarrier(Operation *op, BlockState &state,
                                           const ThreadValue *active) {
  if (auto made = dyn_cast<CreateBarriersOp>(op))
    return createSlots(made, state, active);
  Value barrier, mask;
  llvm::TypeSwitch<Operation *>(op)
      .Case<ExpectBytesOp, CopyBulkOp, ArriveAtOp, AwaitParityOp>([&](auto op) {
        barrier = op.getBarrier();
        mask = op.getMask();
      });
  if (mask)
    active = values.choose(mask, value(state, mask), active, boolean(false));
  std::optional<int64_t> count = countActive(active);
  if (!count)
    return unverified(op) << "is done by threads that are not known";
  if (!*count)
    return success();
  std::optional<int64_t> address = value(state, barrier)->getNumber();
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
  access.isBulk = isa<CopyBulkOp>(op);
  access.bytes = kSplitBarrierBytes;
  access.address = values.number(*address);
  access.active = active;
  if (failed(verifyApart(accesses.get(access), state)))
    return failure();
  if (auto copy = dyn_cast<CopyBulkOp>(op))
    return copyBulk(copy, state, *slot, bit, active);
  if (auto wait = dyn_cast<AwaitParityOp>(op))
    return awaitSlot(wait, state, *slot, bit, active);
  if (auto expect = dyn_cast<ExpectBytesOp>(op))
    slot->bytes += int64_t(expect.getBytes()) * *count;
  slot->arrived += *count;
  if (slot->arrived > slot->arrivals)
    return unverified(op) << "is an arrival more than the phase has";
  if (isa<ArriveAtOp>(op)) {
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
