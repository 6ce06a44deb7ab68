//===- BarrierAccesses.cpp - What an operation does to a block's memory ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierCheck.h"
#include "SharedPlaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

LogicalResult BarrierCheck::wholeBlock(Operation *op,
                                       const ThreadValue *active) {
  for (int64_t t = 0; t < values.threads; ++t) {
    Interval is = active->of(t);
    if (is.isOne() && !is.low)
      return unverified(op) << "is a barrier that thread " << t
                            << " of the block does not reach";
  }
  return success();
}

/// What should stand between an access and the next one that meets it.
static StringRef missing(const Pending &before) {
  switch (before.stage) {
  case Pending::Stage::UnderWay:
    return before.access->isProduct ? "wait covers that product"
                                    : "wait covers that copy";
  case Pending::Stage::Unfenced:
    return "proxy fence stands between it and the barrier behind it";
  default:
    return "barrier parts the two";
  }
}

LogicalResult BarrierCheck::verifyApart(const SharedAccess *now,
                                        const BlockState &state) {
  const char *what[] = {"reads", "writes", "updates"};
  // Threads that write to one place in one step have copies of one element.
  for (const Pending &before : state.pending)
    if (auto meeting = accesses.meet(before, now)) {
      Objection error =
          std::move(unverified(now->op)
                    << what[size_t(now->touch)] << " byte " << meeting->byte
                    << " of the block's memory in thread " << meeting->second
                    << ", which thread " << meeting->first << " "
                    << what[size_t(before.access->touch)] << " before, and no "
                    << missing(before));
      error.attachNote(before.access->op->getLoc(), "it does so here");
      return error;
    }
  return success();
}

LogicalResult BarrierCheck::touch(SharedAccess access, Value mask,
                                  BlockState &state,
                                  const ThreadValue *active) {
  access.active =
      mask ? values.choose(mask, value(state, mask), active, boolean(false))
           : active;
  const SharedAccess *now = accesses.get(access);
  if (now->spans.empty())
    return success();
  if (failed(verifyApart(now, state)))
    return failure();
  state.pending.insert({now, now->isCopy || now->isProduct
                                 ? Pending::Stage::UnderWay
                                 : Pending::Stage::Threads});
  return success();
}

/// Which threads give the addresses of a matrix's rows: of the other lanes the
/// address does not count.
const ThreadValue *BarrierCheck::ofRows(const ThreadValue *active,
                                        size_t rows) {
  const ThreadValue *&known = activeOfRows[{active, rows}];
  if (known)
    return known;
  SmallVector<Interval, 0> who;
  for (int64_t t = 0; t < values.threads; ++t)
    who.push_back(size_t(t % lanes) < rows ? active->of(t) : Interval{0, 0});
  return known = values.get({}, who);
}

/// The first thread creates a split barrier, and each thread that arrives reads
/// it.
LogicalResult BarrierCheck::touchBarrier(Operation *op, Synchronization sync,
                                         BlockState &state,
                                         const ThreadValue *active) {
  SharedAccess access;
  access.op = op;
  access.active = active;
  access.touch = Touch::Read;
  access.bytes = kSplitBarrierBytes;
  if (sync.is(Synchronization::Kind::CreateSplit)) {
    access.touch = Touch::Write;
    SmallVector<Interval, 0> who(values.threads, Interval{0, 0});
    who[0] = active->of(0);
    access.active = values.get({}, who);
  }
  access.address = values.number(sync.place);
  return touch(access, Value(), state, access.active);
}

/// Passes a barrier of all threads, which orders accesses to shared memory.
LogicalResult BarrierCheck::passBarrier(Operation *op, BlockState &state,
                                        const ThreadValue *active) {
  // The thread that starts copies passes those behind a fence, outside of
  // loops and conditions.
  using ForCopies = SharedAccesses::ForCopies;
  bool isOuter = op->getParentOp() == function;
  SharedAccesses::waitForBlock(state.pending, hasProducts,
                               !hasBulkCopies ? ForCopies::None
                               : isOuter      ? ForCopies::Unfenced
                                              : ForCopies::All);
  return wholeBlock(op, active);
}

LogicalResult BarrierCheck::synchronize(Operation *op, Synchronization sync,
                                        BlockState &state,
                                        const ThreadValue *active) {
  using Kind = Synchronization::Kind;
  bool isOfProducts = sync.group == Synchronization::Group::Products;
  switch (sync.kind) {
  case Kind::BlockBarrier:
    return passBarrier(op, state, active);
  case Kind::CreateBarriers:
    return createSlots(op, sync, state, active);
  case Kind::CreateSplit:
    return touchBarrier(op, sync, state, active);
  case Kind::ArriveAtSplit:
    if (failed(touchBarrier(op, sync, state, active)))
      return failure();
    if (!SharedAccesses::arrive(state.pending))
      return unverified(op) << "is a second arrival before the wait for the "
                            << "first one";
    return wholeBlock(op, active);
  case Kind::AwaitSplit:
    SharedAccesses::await(state.pending, hasProducts);
    return wholeBlock(op, active);
  case Kind::WarpBarrier:
    SharedAccesses::waitForWarp(state.pending);
    return success();
  case Kind::ProxyFence:
    SharedAccesses::fence(state.pending);
    return success();
  case Kind::Commit:
    SharedAccesses::commit(state.pending, isOfProducts);
    return success();
  case Kind::WaitForGroups:
    SharedAccesses::waitForGroups(state.pending, sync.but, isOfProducts);
    return success();
  case Kind::PartBarrier:
    return success();
  }
  return success();
}

LogicalResult BarrierCheck::runAccess(Operation *op, BlockState &state,
                                      const ThreadValue *active) {
  if (auto slot = dyn_cast<SlotBarrierOpInterface>(op))
    return runSlotBarrier(slot, state, active);
  if (std::optional<Synchronization> sync = synchronizationOf(op))
    return synchronize(op, *sync, state, active);
  for (const ThreadAccess &one : sharedAccesses(op)) {
    SharedAccess access;
    access.op = op;
    access.address = value(state, one.address);
    access.active = one.lanes ? ofRows(active, one.lanes) : active;
    access.touch = one.touch;
    access.bytes = one.bytes;
    access.isOfWarp = one.lanes != 0;
    access.isCopy = one.flight == ThreadAccess::Flight::Copies;
    access.isProduct = one.flight == ThreadAccess::Flight::Products;
    if (failed(touch(access, one.mask, state, access.active)))
      return failure();
  }
  return success();
}
