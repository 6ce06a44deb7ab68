// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// scf under a mask of lanes.
#include "Machine.h"
#include "kiln/Eval/Elements.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace kiln::eval {

namespace {

LogicalResult setAll(Operation *op, Warp &warp, ArrayRef<Value> values) {
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    (void)warp.frame.set(result, value);
  return success();
}

/// Runs a region on some of the active lanes, and merges what it gives into
/// `results`.
LogicalResult runOn(LaneMask mask, Warp &warp, Region &region,
                    SmallVectorImpl<Value> &results) {
  if (!mask || region.empty())
    return success();
  warp.active = mask;
  SmallVector<Value> own;
  if (failed(warp.run(region, {}, own)))
    return failure();
  results.resize(std::max(results.size(), own.size()));
  for (auto [result, value] : llvm::zip(results, own))
    result = warp.merge(mask, value, result);
  return success();
}

LogicalResult evaluateIf(scf::IfOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  Value condition = frame.get(op.getCondition());
  if (failed(warp->checkHasValue(op, condition, "the condition")))
    return failure();
  LaneMask all = warp->active, taken = warp->lanesWhere(condition);
  SmallVector<Value> results;
  // The order of the two sides is not defined: the seed picks one.
  bool isReversed = frame.evaluator.seed && warp->block.random(2);
  for (bool way : {!isReversed, isReversed})
    if (failed(runOn(way ? taken : all & ~taken, *warp,
                     way ? op.getThenRegion() : op.getElseRegion(), results)))
      return failure();
  warp->active = all & warp->live;
  return setAll(op, *warp, results);
}

LogicalResult evaluateSwitch(scf::IndexSwitchOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  Value index = frame.get(op.getArg());
  if (failed(warp->checkHasValue(op, index, "the index")))
    return failure();
  LaneMask all = warp->active, rest = all;
  SmallVector<Value> results;
  for (auto [choice, region] : llvm::zip(op.getCases(), op.getCaseRegions())) {
    LaneMask mask = 0;
    for (unsigned lane = 0; lane < warp->block.code->lanes; ++lane)
      if (rest >> lane & 1 && intAt(index, lane) == choice)
        mask |= LaneMask(1) << lane;
    rest &= ~mask;
    if (failed(runOn(mask, *warp, region, results)))
      return failure();
  }
  if (failed(runOn(rest & warp->live, *warp, op.getDefaultRegion(), results)))
    return failure();
  warp->active = all & warp->live;
  return setAll(op, *warp, results);
}

/// The lanes whose counter is below their bound.
LaneMask below(const Warp &warp, LaneMask among, ArrayRef<int64_t> counters,
               ArrayRef<int64_t> bounds, bool isUnsigned) {
  LaneMask mask = 0;
  for (LaneMask rest = among & warp.live; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctzll(rest);
    int64_t x = counters[lane], y = bounds[lane];
    if (isUnsigned ? uint64_t(x) < uint64_t(y) : x < y)
      mask |= LaneMask(1) << lane;
  }
  return mask;
}

LogicalResult evaluateFor(scf::ForOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  size_t lanes = warp->block.code->lanes;
  SmallVector<int64_t, 64> numbers[3];
  mlir::Value limits[] = {op.getLowerBound(), op.getUpperBound(), op.getStep()};
  for (auto [list, bound] : llvm::zip(numbers, limits)) {
    const Value &value = frame.get(bound);
    if (failed(warp->checkHasValue(op, value, "a bound of the loop")))
      return failure();
    list.resize(lanes);
    loadInts(value.dtype(), value.data(), 0, int64_t(lanes), list.data(),
             op.getUnsignedCmp() ? Extend::zero : Extend::sign);
  }
  auto &counters = numbers[0], &bounds = numbers[1], &steps = numbers[2];
  if (failed(warp->eachLane([&](unsigned lane) -> LogicalResult {
        if (steps[lane] > 0)
          return success();
        return op.emitOpError("expected a positive step, found ")
               << steps[lane];
      })))
    return failure();
  DType dtype = frame.get(op.getLowerBound()).dtype();
  SmallVector<Value> carried = frame.get(op.getInitArgs());
  LaneMask all = warp->active, going = all;
  while ((going = below(*warp, going, counters, bounds, op.getUnsignedCmp()))) {
    warp->active = going;
    SmallVector<Value> args = {Value::tensor(dtype, {int64_t(lanes)})}, next;
    storeInts(dtype, args[0].mutableData(), 0, int64_t(lanes), counters.data());
    llvm::append_range(args, carried);
    if (failed(warp->run(op.getRegion(), args, next)))
      return failure();
    for (auto [old, value] : llvm::zip(carried, next))
      old = (all & warp->live) == (going & warp->live)
                ? value
                : warp->merge(going, value, old);
    // The last number may be the last of its type.
    for (size_t lane = 0; lane < lanes; ++lane) {
      uint64_t rest = uint64_t(bounds[lane]) - uint64_t(counters[lane]);
      if (going >> lane & 1 && rest <= uint64_t(steps[lane]))
        going &= ~(LaneMask(1) << lane);
      counters[lane] = int64_t(uint64_t(counters[lane]) + steps[lane]);
    }
  }
  warp->active = all & warp->live;
  return setAll(op, *warp, carried);
}

LogicalResult evaluateWhile(scf::WhileOp op, Frame &frame) {
  Warp *warp = warpOf(op, frame);
  if (!warp)
    return failure();
  SmallVector<Value> carried = frame.get(op.getInits()), left;
  LaneMask all = warp->active, going = all;
  while (going &= warp->live) {
    warp->active = going;
    SmallVector<Value> results;
    if (failed(warp->run(op.getBefore(), carried, results)))
      return failure();
    if (!warp->active)
      break;
    Value condition = results.front();
    results.erase(results.begin());
    if (failed(warp->checkHasValue(op, condition, "the condition")))
      return failure();
    LaneMask stay = warp->lanesWhere(condition), leave = warp->active & ~stay;
    left.resize(results.size());
    for (auto [result, value] : llvm::zip(left, results))
      if (leave)
        result = warp->merge(leave, value, result);
    going = warp->active = stay;
    if (!stay)
      break;
    SmallVector<Value> next;
    if (failed(warp->run(op.getAfter(), results, next)))
      return failure();
    if (warp->active)
      carried = std::move(next);
    // It may wait for what another thread does.
    warp->yield();
  }
  warp->active = all & warp->live;
  return setAll(op, *warp, left);
}

} // namespace

void addThreadControl(EvaluationInterface &table) {
  table.add<scf::IfOp>(evaluateIf);
  table.add<scf::IndexSwitchOp>(evaluateSwitch);
  table.add<scf::ForOp>(evaluateFor);
  table.add<scf::WhileOp>(evaluateWhile);
}

} // namespace kiln::eval
