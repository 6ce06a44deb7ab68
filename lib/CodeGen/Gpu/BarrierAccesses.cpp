//===- BarrierAccesses.cpp - What an operation does to a block's memory ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierCheck.h"
#include "SharedPlaces.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"

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

/// The first thread writes what a split barrier is, and who arrives reads it.
LogicalResult BarrierCheck::touchBarrier(Operation *op, BlockState &state,
                                         const ThreadValue *active) {
  SharedAccess access;
  access.op = op;
  access.active = active;
  access.touch = Touch::Read;
  access.bytes = kSplitBarrierBytes;
  int64_t place;
  if (auto made = dyn_cast<CreateSplitBarrierOp>(op)) {
    place = made.getPlace();
    access.touch = Touch::Write;
    SmallVector<Interval, 0> who(values.threads, Interval{0, 0});
    who[0] = active->of(0);
    access.active = values.get({}, who);
  } else {
    place = cast<ArriveOp>(op).getPlace();
  }
  access.address = values.number(place);
  return touch(access, Value(), state, access.active);
}

/// What a barrier does; nothing where the operation is none.
std::optional<LogicalResult>
BarrierCheck::passBarrier(Operation *op, BlockState &state,
                          const ThreadValue *active) {
  // Both order accesses to shared memory.
  if (isa<gpu::BarrierOp, BarrierOp>(op)) {
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
  if (isa<CreateBarriersOp, ExpectBytesOp, CopyBulkOp, ArriveAtOp,
          AwaitParityOp>(op))
    return runSlotBarrier(op, state, active);
  if (isa<CreateSplitBarrierOp, ArriveOp>(op))
    if (failed(touchBarrier(op, state, active)))
      return failure();
  if (isa<ArriveOp>(op)) {
    if (!SharedAccesses::arrive(state.pending))
      return unverified(op) << "is a second arrival before the wait for the "
                            << "first one";
    return wholeBlock(op, active);
  }
  if (isa<AwaitOp>(op)) {
    SharedAccesses::await(state.pending, hasProducts);
    return wholeBlock(op, active);
  }
  return std::nullopt;
}

/// What warps and groups of copies and products wait for.
static void passWait(Operation *op, PendingSet &pending) {
  if (isa<WarpBarrierOp>(op))
    SharedAccesses::waitForWarp(pending);
  if (isa<PublishOp>(op))
    SharedAccesses::fence(pending);
  if (isa<CommitCopiesOp, CommitProductsOp>(op))
    SharedAccesses::commit(pending, isa<CommitProductsOp>(op));
  if (auto wait = dyn_cast<WaitCopiesOp>(op))
    SharedAccesses::waitForGroups(pending, wait.getBut(), false);
  if (auto wait = dyn_cast<WaitProductsOp>(op))
    SharedAccesses::waitForGroups(pending, wait.getBut(), true);
}

/// A product reads the factors that are in shared memory.
LogicalResult BarrierCheck::touchFactors(MmaAsyncOp product, BlockState &state,
                                         const ThreadValue *active) {
  SharedAccess access;
  access.op = product;
  access.active = active;
  access.touch = Touch::Read;
  access.isProduct = true;
  for (auto [factor, matrix] :
       {std::pair(product.getLhsAddress(), product.getLhsMatrixAttr()),
        std::pair(product.getRhs(), product.getRhsMatrixAttr())}) {
    if (!factor)
      continue;
    access.address = value(state, factor);
    access.bytes = matrix.getBytes();
    if (failed(touch(access, Value(), state, active)))
      return failure();
  }
  return success();
}

LogicalResult BarrierCheck::runAccess(Operation *op, BlockState &state,
                                      const ThreadValue *active) {
  if (std::optional<LogicalResult> passed = passBarrier(op, state, active))
    return *passed;
  passWait(op, state.pending);
  Value place = sharedPlace(op);
  if (!place)
    return success();
  if (auto product = dyn_cast<MmaAsyncOp>(op))
    return touchFactors(product, state, active);
  SharedAccess access;
  access.op = op;
  access.address = value(state, place);
  access.active = active;
  TypeSwitch<Operation *>(op)
      .Case<LLVM::LoadOp, LoadOp>([&](auto load) {
        access.touch = Touch::Read;
        access.bytes = bytesOf(load.getResult().getType());
      })
      .Case<LLVM::StoreOp, StoreOp>([&](auto store) {
        access.touch = Touch::Write;
        access.bytes = bytesOf(store.getValue().getType());
      })
      .Case([&](AsyncCopyOpInterface copy) {
        access.touch = Touch::Write;
        access.bytes = copy.getBytes();
        access.isCopy = true;
      })
      .Case<LoadMatrixOp, StoreMatrixOp>([&](auto matrices) {
        access.touch = isa<LoadMatrixOp>(op) ? Touch::Read : Touch::Write;
        access.isOfWarp = true;
        access.bytes = matrices.getBytes();
        access.active = ofRows(active, matrices.getLanes());
      })
      .Default([&](Operation *) {
        access.bytes = bytesOf(op->getOperand(1).getType());
      });
  return touch(access, maskOf(op), state, access.active);
}
