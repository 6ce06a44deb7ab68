//===- BarrierBounds.cpp - What conditions say on a way -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that are not known are told apart by how far they are from each
// other: a condition that compares two of them makes two ways.
//
//===----------------------------------------------------------------------===//

#include "BarrierCheck.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

Interval BlockState::boundOf(Value symbol, Value from) const {
  for (const Bound &bound : bounds) {
    if (bound.symbol == symbol && bound.from == from)
      return bound.distance;
    if (bound.symbol == from && bound.from == symbol)
      return {-bound.distance.high, -bound.distance.low};
  }
  return {-Interval::kFar, Interval::kFar};
}

void BlockState::setBound(Value symbol, Value from, Interval distance) {
  for (Bound &bound : bounds) {
    if (bound.symbol == symbol && bound.from == from) {
      bound.distance = distance;
      return;
    }
    if (bound.symbol == from && bound.from == symbol) {
      bound.distance = {-distance.high, -distance.low};
      return;
    }
  }
  bounds.push_back({symbol, from, distance});
}

void BlockState::forgetBounds(Operation *loop) {
  auto isInside = [&](Value symbol) {
    return symbol && loop->isAncestor(symbol.getParentBlock()->getParentOp());
  };
  llvm::erase_if(bounds, [&](const Bound &bound) {
    return isInside(bound.symbol) || isInside(bound.from);
  });
}

std::optional<BlockState> BarrierCheck::split(Operation *op,
                                              BlockState &state) {
  using P = arith::CmpIPredicate;
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !needed.contains(compare.getResult()))
    return std::nullopt;
  P predicate = compare.getPredicate();
  const ThreadValue *lhs = value(state, compare.getLhs()),
                    *rhs = value(state, compare.getRhs());
  if (!lhs->symbol) {
    std::swap(lhs, rhs);
    switch (predicate) {
    case P::slt:
      predicate = P::sgt;
      break;
    case P::sle:
      predicate = P::sge;
      break;
    case P::sgt:
      predicate = P::slt;
      break;
    case P::sge:
      predicate = P::sle;
      break;
    default:
      return std::nullopt;
    }
  }
  auto isSingle = [](const ThreadValue *value) {
    return value->threads.size() == 1 && value->threads[0].isOne();
  };
  if (!lhs->symbol || lhs->symbol == rhs->symbol || !isSingle(lhs) ||
      !isSingle(rhs))
    return std::nullopt;
  // The distance is at most `last` on one way, and more on the other one.
  int64_t last = rhs->threads[0].low - lhs->threads[0].low;
  bool isWithin = predicate == P::slt || predicate == P::sle;
  if (predicate == P::slt || predicate == P::sge)
    --last;
  else if (predicate != P::sle && predicate != P::sgt)
    return std::nullopt;
  Value symbol = lhs->symbol, from = rhs->symbol;
  Value result = compare.getResult();
  Interval bound = state.boundOf(symbol, from);
  std::optional<BlockState> other;
  if (bound.low <= last && bound.high > last) {
    other = state;
    other->setBound(symbol, from, {last + 1, bound.high});
    set(*other, result, boolean(!isWithin));
    state.setBound(symbol, from, {bound.low, last});
    set(state, result, boolean(isWithin));
  } else {
    set(state, result, boolean((bound.high <= last) == isWithin));
  }
  return other;
}
