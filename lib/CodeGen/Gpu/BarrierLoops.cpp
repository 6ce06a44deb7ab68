//===- BarrierLoops.cpp - Loops gone through by all threads ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop is gone through until nothing new is met at its beginning. Its last
// iterations are told apart: what is copied ahead for later ones is not copied
// in them, so that nothing is under way behind the loop.
//
//===----------------------------------------------------------------------===//

#include "BarrierCheck.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "llvm/ADT/SetVector.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

const ThreadValue *BarrierCheck::carried(BlockState &state, Value from,
                                         Value to, Operation *loop) {
  const ThreadValue *known = value(state, from);
  auto place = needed.find(to);
  if (place != needed.end() && widened.contains(place->second))
    return values.unknown(to);
  // A number that only this round knew.
  Value symbol = known->symbol;
  if (symbol && symbol != to &&
      loop->isAncestor(symbol.getParentBlock()->getParentOp()))
    return values.unknown(to);
  return known;
}

namespace {
/// What is known at the beginning of an iteration.
struct Round {
  int64_t
      left; ///< iterations, this one among them; 0: more than are told apart
  int64_t residue; ///< of iterations that are left, where their number is known
  BlockState state;
};

/// The rounds of one loop, by what they begin with.
struct Rounds {
  SmallVector<Round> all;
  SmallVector<size_t> open;

  /// False: the rounds that differ in what is at the places `told` are too
  /// many.
  bool add(int64_t left, int64_t residue, BlockState state,
           ArrayRef<unsigned> told) {
    for (size_t i = 0; i < all.size(); ++i) {
      Round &round = all[i];
      if (round.left != left || round.residue != residue ||
          round.state.bounds != state.bounds ||
          round.state.slots != state.slots ||
          !llvm::all_of(told, [&](unsigned place) {
            return round.state.values[place] == state.values[place];
          }))
        continue;
      size_t before = round.state.pending.size();
      round.state.pending.insert(state.pending);
      if (round.state.pending.size() > before && !llvm::is_contained(open, i))
        open.push_back(i);
      return true;
    }
    open.push_back(all.size());
    // Slots of two rings differ independently.
    const int64_t kMost = state.slots.empty() ? 24 : 160;
    all.push_back({left, residue, std::move(state)});
    return llvm::count_if(all, [&](const Round &round) {
             return round.left == left;
           }) <= kMost;
  }

  /// An open round, no longer open: early iterations before the later ones that
  /// come of them, so that fewer are gone through again.
  Round &takeNext() {
    auto order = [&](size_t i) {
      return all[i].left ? all[i].left : std::numeric_limits<int64_t>::max();
    };
    auto next = llvm::max_element(
        open, [&](size_t a, size_t b) { return order(a) < order(b); });
    Round &round = all[*next];
    open.erase(next);
    return round;
  }

  /// The one of `told` that has the most values.
  std::optional<unsigned> mostVaried(ArrayRef<unsigned> told) {
    std::optional<unsigned> most;
    size_t count = 1;
    for (unsigned place : told) {
      llvm::DenseSet<const ThreadValue *> seen;
      for (const Round &round : all)
        seen.insert(round.state.values[place]);
      if (seen.size() > count) {
        count = seen.size();
        most = place;
      }
    }
    return most;
  }
};
} // namespace

bool BarrierCheck::widen(Operation *loop, std::optional<unsigned> varied) {
  if (varied)
    widened.insert(*varied);
  else
    gaveUp = loop;
  return varied.has_value();
}

LogicalResult BarrierCheck::runFor(scf::ForOp op, BlockState state,
                                   const ThreadValue *active, States &out) {
  SmallVector<unsigned> told, index;
  for (auto [i, argument] : llvm::enumerate(op.getRegionIterArgs()))
    if (auto place = needed.find(argument); place != needed.end()) {
      told.push_back(place->second);
      index.push_back(i);
    }
  if (!touching.contains(op)) {
    for (Value result : op.getResults())
      set(state, result, values.unknown(result));
    out.push_back(std::move(state));
    return success();
  }
  auto low = value(state, op.getLowerBound()),
       high = value(state, op.getUpperBound()),
       step = value(state, op.getStep());
  int64_t stride = step->getNumber().value_or(0);
  std::optional<int64_t> first = low->getNumber(), end = high->getNumber(),
                         count;
  if (stride > 0 && first && end) {
    count = *end > *first ? llvm::divideCeil(*end - *first, stride) : 0;
    end = *first + *count * stride;
  }
  const int64_t told_apart = copying.contains(op) ? toldApart : 2;
  // Conditions compare with the end of the loop, whatever that is.
  if (!high->getNumber() && !high->symbol) {
    high = values.get(op.getUpperBound(), Interval{0, 0});
    set(state, op.getUpperBound(), high);
  }
  Interval bound = high->of(0);
  // Slots come round: where the number of iterations is known, so is which
  // slots they end with.
  const int64_t period = count ? slotPeriod : 1;
  // How often it is gone through, as far as is known before.
  int64_t fewest = count.value_or(0),
          most = count.value_or(std::numeric_limits<int64_t>::max());
  // The first number may be any of an interval: in the iterations of a loop
  // around it that are told apart.
  if (!count && stride > 0 && bound.isOne() && high->threads.size() == 1 &&
      low->threads.size() == 1) {
    Interval known = low->symbol == high->symbol
                         ? Interval{0, 0}
                         : state.boundOf(high->symbol, low->symbol);
    auto times = [&](int64_t distance, int64_t from) {
      __int128 length = __int128(distance) + bound.low - from;
      return length > 0 ? int64_t((length + stride - 1) / stride) : 0;
    };
    fewest = times(known.low, low->of(0).high);
    most = times(known.high, low->of(0).low);
  }
  auto inductionAt = [&](int64_t left) -> const ThreadValue * {
    if (stride <= 0 || high->threads.size() != 1)
      return values.unknown(op.getInductionVar());
    // Where the end is not met exactly the last one is less than a step away.
    int64_t loose = end && first ? 0 : stride - 1;
    __int128 from = left ? __int128(end.value_or(bound.low)) - left * stride
                         : __int128(-Interval::kFar) / 2;
    __int128 to = __int128(end.value_or(bound.high)) -
                  (left ? left : told_apart + 1) * stride + loose;
    if (!left && first && end)
      from = *first;
    if (from < -Interval::kFar || to > Interval::kFar || from > to)
      return values.unknown(op.getInductionVar());
    return values.get(end ? Value() : high->symbol,
                      Interval{int64_t(from), int64_t(to)});
  };

  auto leave = [&](BlockState &last, ValueRange from) {
    BlockState after = last;
    after.bounds = state.bounds;
    for (unsigned i : index)
      if (Value result = op.getResult(i); needed.contains(result))
        set(after, result, carried(last, from[i], result, op));
    add(out, std::move(after), op.getResults());
  };
  while (true) {
    Rounds rounds;
    States before = out;
    bool isBounded = true;
    auto enter = [&](int64_t left, int64_t residue, BlockState &from,
                     ValueRange args) {
      BlockState next = from;
      for (unsigned i : index)
        set(next, op.getRegionIterArg(i),
            carried(from, args[i], op.getRegionIterArg(i), op));
      next.bounds = state.bounds;
      set(next, op.getInductionVar(), inductionAt(left));
      isBounded &= rounds.add(left, left ? 0 : residue, std::move(next), told);
    };
    for (int64_t left = 1; left <= told_apart; ++left)
      if (left >= fewest && left <= most)
        enter(left, 0, state, op.getInitArgs());
    if (most > told_apart)
      enter(0, most % period, state, op.getInitArgs());
    if (fewest == 0)
      leave(state, op.getInitArgs());
    while (!rounds.open.empty() && isBounded) {
      if (isFull(op))
        return success();
      Round &round = rounds.takeNext();
      int64_t left = round.left, behind = (round.residue + period - 1) % period;
      States ends;
      if (failed(runBlock(*op.getBody(), round.state, active, ends)))
        return failure();
      ValueRange yielded = op.getBody()->getTerminator()->getOperands();
      for (BlockState &end : ends) {
        if (left == 0) {
          enter(0, behind, end, yielded);
          if (behind == told_apart % period)
            enter(told_apart, 0, end, yielded);
        } else if (left > 1)
          enter(left - 1, 0, end, yielded);
        else
          leave(end, yielded);
      }
    }
    if (isBounded)
      return success();
    if (!widen(op, rounds.mostVaried(told)))
      return success();
    out = std::move(before);
  }
}

LogicalResult BarrierCheck::runWhile(scf::WhileOp op, BlockState state,
                                     const ThreadValue *active, States &out) {
  if (!touching.contains(op)) {
    for (Value result : op.getResults())
      set(state, result, values.unknown(result));
    out.push_back(std::move(state));
    return success();
  }
  scf::ConditionOp condition = op.getConditionOp();
  SmallVector<unsigned> told;
  for (Value argument : op.getBeforeArguments())
    if (auto place = needed.find(argument); place != needed.end())
      told.push_back(place->second);
  auto give = [&](BlockState &state, ValueRange from, ValueRange to) {
    SmallVector<const ThreadValue *> list;
    for (auto [a, b] : llvm::zip_equal(from, to))
      list.push_back(carried(state, a, b, op));
    for (auto [b, known] : llvm::zip_equal(to, list))
      set(state, b, known);
  };
  while (true) {
    Rounds rounds;
    States before = out;
    give(state, op.getInits(), op.getBeforeArguments());
    bool isBounded = rounds.add(0, 0, state, told);
    while (!rounds.open.empty() && isBounded) {
      if (isFull(op))
        return success();
      BlockState begin = rounds.takeNext().state;
      States tried;
      if (failed(
              runBlock(*op.getBeforeBody(), std::move(begin), active, tried)))
        return failure();
      for (BlockState &one : tried) {
        std::optional<int64_t> goesOn =
            value(one, condition.getCondition())->getNumber();
        if (!goesOn || !*goesOn) {
          BlockState after = one;
          give(after, condition.getArgs(), op.getResults());
          after.forgetBounds(op);
          add(out, std::move(after), op.getResults());
        }
        if (goesOn && !*goesOn)
          continue;
        give(one, condition.getArgs(), op.getAfterArguments());
        States ends;
        if (failed(runBlock(*op.getAfterBody(), std::move(one), active, ends)))
          return failure();
        for (BlockState &end : ends) {
          give(end, op.getYieldOp().getOperands(), op.getBeforeArguments());
          end.forgetBounds(op);
          isBounded &= rounds.add(0, 0, std::move(end), told);
        }
      }
    }
    if (isBounded)
      return success();
    if (!widen(op, rounds.mostVaried(told)))
      return success();
    out = std::move(before);
  }
}

LogicalResult BarrierCheck::run() {
  findNeeded();
  if (!function.getBody().hasOneBlock()) {
    gaveUp = function;
    return success();
  }
  if (failed(verifyPhases()))
    return failure();
  BlockState begin;
  begin.values.resize(needed.size());
  States ends;
  if (failed(runBlock(function.getBody().front(), std::move(begin),
                      boolean(true), ends)))
    return failure();
  for (const BlockState &end : ends)
    if (failed(verifyEnd(end)) || objects)
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
    if (isa_and_nonnull<ArriveOp>(owner))
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
    if (isa<ArriveOp>(op) && !op->hasOneUse()) {
      unverified(op) << "is an arrival that "
                     << (op->use_empty() ? "nothing waits for"
                                         : "is waited for in several places");
      return WalkResult::interrupt();
    }
    auto wait = dyn_cast<AwaitOp>(op);
    if (wait && !llvm::all_of(phasesOf(wait.getPhase()), [](Value value) {
          return value && value.hasOneUse();
        })) {
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
