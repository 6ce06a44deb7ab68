//===- BarrierWays.cpp - The ways through blocks and conditions -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierCheck.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

void BarrierCheck::evaluate(Step &step, BlockState &state) {
  SmallVector<const ThreadValue *, 3> operands;
  for (const Step::Operand &operand : step.operands) {
    const ThreadValue *known =
        operand.place ? state.values[*operand.place] : nullptr;
    operands.push_back(known ? known : operand.otherwise);
  }
  bool isSame = ArrayRef(step.last) == ArrayRef(operands);
  for (Step::Result &result : step.results) {
    if (!isSame || !result.last)
      result.last = values.evaluate(result.value, operands);
    state.values[result.place] = result.last;
  }
  if (!isSame)
    step.last = std::move(operands);
}

LogicalResult BarrierCheck::runOp(Step &step, BlockState &state,
                                  const ThreadValue *active) {
  if (!step.results.empty())
    evaluate(step, state);
  return step.touches ? runAccess(step.op, state, active) : success();
}

/// More ways than these are not followed.
bool BarrierCheck::isFull(Operation *op) {
  constexpr int64_t kMost = 20000;
  if (++rounds > kMost && !gaveUp)
    gaveUp = op;
  return gaveUp;
}

/// Ways on which the same is known go on together.
void BarrierCheck::add(States &states, BlockState state, ValueRange told) {
  for (BlockState &other : states)
    if (other.bounds == state.bounds && other.slots == state.slots &&
        llvm::all_of(told, [&](Value v) {
          return value(other, v) == value(state, v);
        })) {
      other.pending.insert(state.pending);
      return;
    }
  states.push_back(std::move(state));
}

/// The operations of a block that matter, in their order.
std::vector<BarrierCheck::Step> &BarrierCheck::stepsOf(Block &block) {
  std::unique_ptr<std::vector<Step>> &list = steps[&block];
  if (list)
    return *list;
  list = std::make_unique<std::vector<Step>>();
  for (Operation &op : block.without_terminator()) {
    Step step{&op, touching.contains(&op), {}, {}, {}};
    for (OpResult result : op.getResults())
      if (auto place = needed.find(result); place != needed.end())
        step.results.push_back({result, place->second});
    if (!step.touches && step.results.empty())
      continue;
    if (!step.results.empty() && op.getNumRegions() == 0)
      for (Value operand : op.getOperands()) {
        auto place = needed.find(operand);
        step.operands.push_back({place != needed.end()
                                     ? std::optional(place->second)
                                     : std::nullopt,
                                 values.unknown(operand)});
      }
    list->push_back(std::move(step));
  }
  return *list;
}

LogicalResult BarrierCheck::runBlock(Block &block, BlockState state,
                                     const ThreadValue *active, States &out) {
  States now;
  now.push_back(std::move(state));
  for (Step &step : stepsOf(block)) {
    Operation &op = *step.op;
    if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op)) {
      for (size_t i = 0, count = now.size(); i < count; ++i) {
        if (failed(runOp(step, now[i], active)))
          return failure();
        if (std::optional<BlockState> other = split(&op, now[i]))
          now.push_back(std::move(*other));
      }
      continue;
    }
    States next;
    for (BlockState &one : now) {
      States after;
      LogicalResult ok =
          TypeSwitch<Operation *, LogicalResult>(&op)
              .Case([&](scf::IfOp op) {
                return runIf(op, std::move(one), active, after);
              })
              .Case([&](scf::ForOp op) {
                return runFor(op, std::move(one), active, after);
              })
              .Case([&](scf::WhileOp op) {
                return runWhile(op, std::move(one), active, after);
              });
      if (failed(ok))
        return failure();
      for (BlockState &state : after)
        add(next, std::move(state), op.getResults());
    }
    now = std::move(next);
  }
  out = std::move(now);
  return success();
}

LogicalResult BarrierCheck::runIf(scf::IfOp op, BlockState state,
                                  const ThreadValue *active, States &out) {
  if (isFull(op))
    return success();
  const ThreadValue *condition = value(state, op.getCondition());
  auto results = [&](BlockState &state, Region &region,
                     SmallVectorImpl<const ThreadValue *> &list) {
    for (OpResult result : op.getResults())
      if (needed.contains(result))
        list.push_back(value(state, region.front().getTerminator()->getOperand(
                                        result.getResultNumber())));
  };
  auto assign = [&](BlockState &state, ArrayRef<const ThreadValue *> list) {
    for (OpResult result : op.getResults())
      if (needed.contains(result)) {
        set(state, result, list.front());
        list = list.drop_front();
      }
  };
  auto runOne = [&](Region &region, BlockState state, const ThreadValue *active,
                    States &ends) -> LogicalResult {
    if (region.empty()) {
      ends.push_back(std::move(state));
      return success();
    }
    return runBlock(region.front(), std::move(state), active, ends);
  };
  Region *regions[] = {&op.getElseRegion(), &op.getThenRegion()};
  std::optional<int64_t> all = condition->getNumber();
  // Some threads go one way, the others the other.
  bool parts = condition->isExact && !all;
  if (parts || !touching.contains(op)) {
    States ends[2];
    const ThreadValue *those[2] = {active, active};
    if (parts) {
      those[1] =
          values.choose(op.getCondition(), condition, active, boolean(false));
      those[0] =
          values.choose(op.getCondition(), condition, boolean(false), active);
    }
    if (failed(runOne(*regions[1], state, those[1], ends[1])))
      return failure();
    for (BlockState &then : ends[1]) {
      SmallVector<const ThreadValue *> lists[2];
      results(then, *regions[1], lists[1]);
      States others;
      if (failed(runOne(*regions[0], std::move(then), those[0], others)))
        return failure();
      for (BlockState &both : others) {
        lists[0].clear();
        results(both, *regions[0], lists[0]);
        SmallVector<const ThreadValue *> chosen;
        for (OpResult result : op.getResults())
          if (needed.contains(result))
            chosen.push_back(values.choose(result, condition,
                                           lists[1][chosen.size()],
                                           lists[0][chosen.size()]));
        assign(both, chosen);
        add(out, std::move(both), op.getResults());
      }
    }
    return success();
  }
  for (int way : {1, 0}) {
    if (all && bool(*all) != bool(way))
      continue;
    States ends;
    if (failed(runOne(*regions[way], state, active, ends)))
      return failure();
    for (BlockState &end : ends) {
      SmallVector<const ThreadValue *> list;
      if (op.getNumResults())
        results(end, *regions[way], list);
      assign(end, list);
      add(out, std::move(end), op.getResults());
    }
  }
  return success();
}
