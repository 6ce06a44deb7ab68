//===- BarrierCheck.cpp - One function gone through by all threads --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierCheck.h"
#include "SharedPlaces.h"
#include "kiln/Target/Unverified.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

BarrierCheck::BarrierCheck(LLVM::LLVMFuncOp function, int64_t threads,
                           int64_t lanes, int64_t bytes, int64_t toldApart,
                           bool isTrial)
    : function(function), values(threads), accesses(threads, lanes, bytes),
      lanes(lanes), toldApart(toldApart), isTrial(isTrial) {}

Objection BarrierCheck::unverified(Operation *op) {
  if (isTrial)
    return Objection(std::nullopt);
  return Objection(target::emitUnverified(op, function));
}

const ThreadValue *BarrierCheck::value(const BlockState &state, Value value) {
  auto place = needed.find(value);
  if (place != needed.end())
    if (const ThreadValue *known = state.values[place->second])
      return known;
  return values.unknown(value);
}

void BarrierCheck::set(BlockState &state, Value value,
                       const ThreadValue *known) {
  auto place = needed.find(value);
  if (place != needed.end())
    state.values[place->second] = known;
}

LogicalResult BarrierCheck::run() {
  findNeeded();
  if (!function.getBody().hasOneBlock()) {
    gaveUp = function;
    return success();
  }
  if (failed(verifyPhases()) || failed(verifyCluster()))
    return failure();
  BlockState begin;
  begin.values.resize(needed.size());
  States ends;
  if (failed(runBlock(function.getBody().front(), std::move(begin),
                      boolean(true), ends)))
    return failure();
  for (const BlockState &end : ends)
    if (failed(verifyEnd(end)))
      return failure();
  return success();
}

/// The values that a phase has been, back to arrivals. Null among them: it
/// comes from something else.
static llvm::SetVector<Value> phasesOf(Value phase) {
  llvm::SetVector<Value> all;
  all.insert(phase);
  for (size_t i = 0; i < all.size() && all[i]; ++i) {
    Value value = all[i];
    Operation *owner = value.getDefiningOp();
    if (synchronizes(owner, Synchronization::Kind::ArriveAtSplit))
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    auto loop = dyn_cast_or_null<scf::ForOp>(
        argument ? argument.getOwner()->getParentOp() : owner);
    if (!loop || value == loop.getInductionVar()) {
      all.insert(Value());
      break;
    }
    unsigned place = argument
                         ? argument.getArgNumber() - loop.getNumInductionVars()
                         : cast<OpResult>(value).getResultNumber();
    all.insert(loop.getInitArgs()[place]);
    all.insert(loop.getYieldedValues()[place]);
  }
  return all;
}

LogicalResult BarrierCheck::verifyPhases() {
  WalkResult walked = function.walk([&](Operation *op) {
    std::optional<Synchronization> sync = synchronizationOf(op);
    if (!sync)
      return WalkResult::advance();
    if (sync->is(Synchronization::Kind::ArriveAtSplit) &&
        !sync->phase.hasOneUse()) {
      unverified(op) << "is an arrival that "
                     << (sync->phase.use_empty()
                             ? "nothing waits for"
                             : "is waited for in several places");
      return WalkResult::interrupt();
    }
    if (sync->is(Synchronization::Kind::AwaitSplit) &&
        !llvm::all_of(phasesOf(sync->phase),
                      [](Value value) { return value && value.hasOneUse(); })) {
      unverified(op) << "waits for a phase that is not that of the latest "
                     << "arrival";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult BarrierCheck::verifyEnd(const BlockState &end) {
  for (const Pending &access : end.pending)
    if (access.stage == Pending::Stage::UnderWay)
      return unverified(access.access->op)
             << "may still be in flight where the function ends: no wait "
             << "covers it";
  return success();
}
