//===- BarrierLoops.cpp - Loops gone through by all threads ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop is gone through until nothing new is met at its beginning. Its last
// iterations are told apart: what is copied ahead for later ones is not copied
// in them, so that nothing is under way behind the loop.
//
//===----------------------------------------------------------------------===//

#include "BarrierCheck.h"
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

//===----------------------------------------------------------------------===//
// Counted loops
//===----------------------------------------------------------------------===//

namespace {
/// What is known of how often a counted loop is gone through.
struct TripCount {
  const ThreadValue *high = nullptr; ///< its bound
  int64_t stride = 0;                ///< 0: not known
  /// Where its first iteration begins and its last one ends, if both are known.
  std::optional<int64_t> first, end;
  int64_t fewest = 0, most = std::numeric_limits<int64_t>::max();

  /// How many steps a distance from an interval's bound takes.
  int64_t times(int64_t distance, int64_t from) const {
    __int128 length = __int128(distance) + high->of(0).low - from;
    return length > 0 ? int64_t((length + stride - 1) / stride) : 0;
  }
  bool isWhole() const { return first && end; }
};
} // namespace

static TripCount countTrips(const ThreadValue *low, const ThreadValue *high,
                            const ThreadValue *step, const BlockState &state) {
  TripCount trips;
  trips.high = high;
  trips.stride = step->getNumber().value_or(0);
  std::optional<int64_t> first = low->getNumber(), end = high->getNumber();
  if (trips.stride <= 0)
    return trips;
  if (first && end) {
    int64_t count =
        *end > *first ? llvm::divideCeil(*end - *first, trips.stride) : 0;
    trips.fewest = trips.most = count;
    trips.first = first;
    trips.end = *first + count * trips.stride;
    return trips;
  }
  // The first number may be any of an interval: in the iterations of a loop
  // around it that are told apart.
  if (high->of(0).isOne() && high->threads.size() == 1 &&
      low->threads.size() == 1) {
    Interval known = low->symbol == high->symbol
                         ? Interval{0, 0}
                         : state.boundOf(high->symbol, low->symbol);
    trips.fewest = trips.times(known.low, low->of(0).high);
    trips.most = trips.times(known.high, low->of(0).low);
  }
  return trips;
}

/// The loop's number in the iteration that is the `left`-th last one; with 0 in
/// one before the `toldApart` last ones. Null: not known.
static const ThreadValue *inductionAt(const TripCount &trips, int64_t left,
                                      int64_t toldApart, ThreadValues &values) {
  if (trips.stride <= 0 || trips.high->threads.size() != 1)
    return nullptr;
  Interval bound = trips.high->of(0);
  // Where the end is not met exactly the last one is less than a step away.
  int64_t loose = trips.isWhole() ? 0 : trips.stride - 1;
  __int128 from =
      left ? __int128(trips.end.value_or(bound.low)) - left * trips.stride
           : __int128(-Interval::kFar) / 2;
  __int128 to = __int128(trips.end.value_or(bound.high)) -
                (left ? left : toldApart + 1) * trips.stride + loose;
  if (!left && trips.isWhole())
    from = *trips.first;
  if (from < -Interval::kFar || to > Interval::kFar || from > to)
    return nullptr;
  return values.get(trips.end ? Value() : trips.high->symbol,
                    Interval{int64_t(from), int64_t(to)});
}

void BarrierCheck::leaveFor(scf::ForOp op, const BlockState &before,
                            BlockState &last, ValueRange from, States &out) {
  BlockState after = last;
  after.bounds = before.bounds;
  for (auto [result, value] : llvm::zip_equal(op.getResults(), from))
    if (needed.contains(result))
      set(after, result, carried(last, value, result, op));
  add(out, std::move(after), op.getResults());
}

LogicalResult BarrierCheck::runFor(scf::ForOp op, BlockState state,
                                   const ThreadValue *active, States &out) {
  if (!touching.contains(op)) {
    for (Value result : op.getResults())
      set(state, result, values.unknown(result));
    out.push_back(std::move(state));
    return success();
  }
  // Conditions compare with the end of the loop, whatever that is.
  auto high = value(state, op.getUpperBound());
  if (!high->getNumber() && !high->symbol) {
    high = values.get(op.getUpperBound(), Interval{0, 0});
    set(state, op.getUpperBound(), high);
  }
  TripCount trips = countTrips(value(state, op.getLowerBound()), high,
                               value(state, op.getStep()), state);
  SmallVector<unsigned> told;
  for (Value argument : op.getRegionIterArgs())
    if (auto place = needed.find(argument); place != needed.end())
      told.push_back(place->second);
  const int64_t apart = copying.contains(op) ? toldApart : 2;
  // Slots come round: where the number of iterations is known, so is which
  // slots they end with.
  const int64_t period = trips.isWhole() ? slotPeriod : 1;
  ValueRange yielded = op.getBody()->getTerminator()->getOperands();
  while (true) {
    Rounds rounds;
    States before = out;
    bool isBounded = true;
    auto enter = [&](int64_t left, int64_t residue, BlockState &from,
                     ValueRange args) {
      BlockState next = from;
      for (auto [argument, value] :
           llvm::zip_equal(op.getRegionIterArgs(), args))
        if (needed.contains(argument))
          set(next, argument, carried(from, value, argument, op));
      next.bounds = state.bounds;
      const ThreadValue *induction = inductionAt(trips, left, apart, values);
      set(next, op.getInductionVar(),
          induction ? induction : values.unknown(op.getInductionVar()));
      isBounded &= rounds.add(left, residue, std::move(next), told);
    };
    for (int64_t left = 1; left <= apart; ++left)
      if (left >= trips.fewest && left <= trips.most)
        enter(left, 0, state, op.getInitArgs());
    if (trips.most > apart)
      enter(0, trips.most % period, state, op.getInitArgs());
    if (trips.fewest == 0)
      leaveFor(op, state, state, op.getInitArgs(), out);
    while (!rounds.open.empty() && isBounded) {
      if (isFull(op))
        return success();
      Round &round = rounds.takeNext();
      int64_t left = round.left, behind = (round.residue + period - 1) % period;
      States ends;
      if (failed(runBlock(*op.getBody(), round.state, active, ends)))
        return failure();
      for (BlockState &end : ends) {
        if (left == 0) {
          enter(0, behind, end, yielded);
          if (behind == apart % period)
            enter(apart, 0, end, yielded);
        } else if (left > 1)
          enter(left - 1, 0, end, yielded);
        else
          leaveFor(op, state, end, yielded, out);
      }
    }
    if (isBounded)
      return success();
    if (!widen(op, rounds.mostVaried(told)))
      return success();
    out = std::move(before);
  }
}

//===----------------------------------------------------------------------===//
// Other loops
//===----------------------------------------------------------------------===//

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
