//===- Assumptions.cpp - What conditions that hold say of numbers ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Index/Analysis.h"
#include "kiln/Index/IndexInterfaces.h"
#include "kiln/Index/ScalarBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::index;

/// Whether a condition is assumed in a block, by itself or as a part of a
/// conjunction.
static bool isAssumed(Value condition, Block *block) {
  for (Operation *user : condition.getUsers()) {
    if (auto both = dyn_cast<arith::AndIOp>(user)) {
      if (isAssumed(both.getResult(), block))
        return true;
      continue;
    }
    // Who runs the block runs the assumption, and it holds or nothing counts.
    auto assumes = dyn_cast<IndexFactsOpInterface>(user);
    if (!assumes || user->getBlock() != block)
      continue;
    SmallVector<Value> conditions;
    assumes.getAssumedConditions(conditions);
    if (llvm::is_contained(conditions, condition))
      return true;
  }
  return false;
}

/// Numbers x with x `predicate` y, for y as in `other`.
static Interval rangeWhere(arith::CmpIPredicate predicate,
                           const Interval &other) {
  auto below = [&](int64_t distance) {
    return Interval{std::nullopt,
                    other.high ? sub(*other.high, distance) : Integer()};
  };
  auto above = [&](int64_t distance) {
    return Interval{other.low ? add(*other.low, distance) : Integer(),
                    std::nullopt};
  };
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return other;
  case arith::CmpIPredicate::slt:
    return below(1);
  case arith::CmpIPredicate::sle:
    return below(0);
  case arith::CmpIPredicate::sgt:
    return above(1);
  case arith::CmpIPredicate::sge:
    return above(0);
  // Unsigned, below what is not negative: not negative either.
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::ule: {
    if (!other.isNonNegative())
      return Interval::all();
    Interval range = below(predicate == arith::CmpIPredicate::ult);
    range.low = 0;
    return range;
  }
  default:
    return Interval::all();
  }
}

/// The comparison of the right side with the left one.
static arith::CmpIPredicate turnedAround(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::slt:
    return P::sgt;
  case P::sle:
    return P::sge;
  case P::sgt:
    return P::slt;
  case P::sge:
    return P::sle;
  case P::ult:
    return P::ugt;
  case P::ule:
    return P::uge;
  case P::ugt:
    return P::ult;
  case P::uge:
    return P::ule;
  default:
    return predicate;
  }
}

/// The number that divides `value` where `user` gives 0; 1 for other users.
static int64_t divisorOfZero(Operation *user, Value value) {
  Integer number;
  if (isa<arith::RemSIOp, arith::RemUIOp>(user) &&
      user->getOperand(0) == value) {
    number = getNumber(user->getOperand(1));
  } else if (auto bits = dyn_cast<arith::AndIOp>(user)) {
    number = getNumber(bits.getLhs() == value ? bits.getRhs() : bits.getLhs());
    // The low bits are 0.
    if (number && *number >= 0 && llvm::isMask_64(*number))
      number = add(*number, 1);
    else
      number = std::nullopt;
  }
  return number && *number > 0 ? *number : 1;
}

Facts Analysis::ofAssumptions(Value value) {
  Facts facts;
  Block *block = value.getParentBlock();
  for (Operation *user : value.getUsers()) {
    if (auto compare = dyn_cast<arith::CmpIOp>(user)) {
      if (compare.getLhs() == compare.getRhs() ||
          !isAssumed(compare.getResult(), block))
        continue;
      bool isLeft = compare.getLhs() == value;
      arith::CmpIPredicate predicate =
          isLeft ? compare.getPredicate()
                 : turnedAround(compare.getPredicate());
      // What is asked for on the way is known less well: only if it helps.
      using P = arith::CmpIPredicate;
      if (predicate == P::ne || predicate == P::ugt || predicate == P::uge)
        continue;
      Facts other = of(isLeft ? compare.getRhs() : compare.getLhs());
      Facts told{rangeWhere(predicate, other.range), 1};
      if (predicate == arith::CmpIPredicate::eq)
        told.divisor = other.divisor;
      facts = meet(facts, told);
      continue;
    }
    int64_t divisor = divisorOfZero(user, value);
    if (divisor <= 1)
      continue;
    for (Operation *second : user->getResult(0).getUsers()) {
      auto compare = dyn_cast<arith::CmpIOp>(second);
      if (compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
          (getNumber(compare.getLhs()) == Integer(0) ||
           getNumber(compare.getRhs()) == Integer(0)) &&
          isAssumed(compare.getResult(), block))
        facts = meet(facts, {Interval::all(), divisor});
    }
  }
  return facts;
}
