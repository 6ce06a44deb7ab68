//===- Analysis.cpp - What is known of indices ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Index/Analysis.h"
#include "kiln/Index/IndexInterfaces.h"
#include "kiln/Index/ScalarBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"
#include <numeric>

using namespace mlir;
using namespace kiln::index;

#include "kiln/Index/IndexInterfaces.cpp.inc"

/// What a type holds; `index` stands for a whole number.
static Interval rangeOfType(Type type) {
  if (type.isIndex() || type.getIntOrFloatBitWidth() > 64)
    return Interval::all();
  unsigned width = type.getIntOrFloatBitWidth();
  return Interval::between(llvm::minIntN(width), llvm::maxIntN(width));
}

/// What is known of a result that wraps around in its type unless the exact one
/// fits: powers of two still divide it.
static Facts inType(Operation *op, Facts facts, Type type) {
  Interval all = rangeOfType(type);
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  bool wraps = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
                   arith::TruncIOp, arith::IndexCastOp>(op) &&
               !(flags && flags.hasNoSignedWrap()) && all.low &&
               type.getIntOrFloatBitWidth() < 64;
  const Interval &range = facts.range;
  if (wraps && !(range.low && range.high && *range.low >= *all.low &&
                 *range.high <= *all.high)) {
    facts.range = all;
    if (facts.divisor)
      facts.divisor &= -facts.divisor;
    return facts;
  }
  facts.range = meet(facts.range, all);
  return facts;
}

Facts Analysis::of(Value value) {
  if (!value.getType().isIntOrIndex())
    return Facts();
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  constexpr unsigned most = 256;
  if (depth >= most)
    return Facts();
  // What is asked for on the way to itself is not known there.
  known[value] = Facts();
  llvm::SaveAndRestore deeper(depth, depth + 1);
  Facts facts;
  if (Integer number = getNumber(value))
    facts = Facts::exactly(*number);
  else if (auto argument = dyn_cast<BlockArgument>(value))
    facts = ofArgument(argument);
  else
    facts = compute(value);
  known[value] = facts;
  if (!getNumber(value))
    facts = meet(facts, ofAssumptions(value));
  return known[value] = facts;
}

Facts Analysis::ofArgument(BlockArgument argument) {
  auto ask = [&](Value v) { return of(v); };
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto knows = dyn_cast_or_null<IndexFactsOpInterface>(parent))
    return knows.getArgumentFacts(argument, ask);
  auto loop = dyn_cast_or_null<LoopLikeOpInterface>(parent);
  if (!loop)
    return Facts();
  auto indices = loop.getLoopInductionVars();
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       steps = loop.getLoopSteps();
  if (!indices || !lower || !upper || !steps)
    return Facts();
  auto scalar = [&](OpFoldResult bound) {
    if (auto value = dyn_cast<Value>(bound))
      return of(value);
    return Facts::exactly(*getNumber(bound));
  };
  for (auto [index, low, high, step] :
       llvm::zip(*indices, *lower, *upper, *steps)) {
    if (index != argument)
      continue;
    Facts start = scalar(low), end = scalar(high), by = scalar(step);
    Facts result;
    result.divisor = std::gcd(start.divisor, by.divisor);
    if (by.range.isPositive()) {
      result.range.low = start.range.low;
      if (end.range.high)
        result.range.high = sub(*end.range.high, 1);
      // A loop that does not run has no index: any range will do.
      if (result.range.low && result.range.high &&
          *result.range.low > *result.range.high)
        result.range.high = result.range.low;
    }
    if (result.divisor == 0)
      result.divisor = 1;
    return result;
  }
  return Facts();
}

Facts Analysis::compute(Value value) {
  Operation *op = value.getDefiningOp();
  auto ask = [&](Value v) { return of(v); };
  Facts facts;
  if (auto knows = dyn_cast<IndexFactsOpInterface>(op))
    facts = knows.getResultFacts(cast<OpResult>(value).getResultNumber(), ask);
  else if (isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
    facts = ofArith(op, value);
  else
    facts = ofUpstream(op, value);
  return inType(op, facts, value.getType());
}

Facts Analysis::ofArith(Operation *op, Value value) {
  auto operand = [&](unsigned i) { return of(op->getOperand(i)); };
  // Unsigned operations mean the same where nothing is negative.
  bool unsignedAsSigned = llvm::all_of(op->getOperands(), [&](Value v) {
    return v.getType().isIntOrIndex() && of(v).range.isNonNegative();
  });
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::MinUIOp,
          arith::MaxUIOp, arith::ExtUIOp, arith::IndexCastUIOp>(op) &&
      !unsignedAsSigned)
    return ofUpstream(op, value);
  return TypeSwitch<Operation *, Facts>(op)
      .Case([&](arith::AddIOp) { return add(operand(0), operand(1)); })
      .Case([&](arith::SubIOp) { return sub(operand(0), operand(1)); })
      .Case([&](arith::MulIOp) { return mul(operand(0), operand(1)); })
      .Case([&](arith::ShLIOp) {
        Integer bits = getNumber(op->getOperand(1));
        if (!bits || *bits < 0 || *bits > 62)
          return Facts();
        return mul(operand(0), Facts::exactly(int64_t(1) << *bits));
      })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return truncDiv(operand(0), operand(1)); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return truncRem(operand(0), operand(1)); })
      .Case(
          [&](arith::FloorDivSIOp) { return floorDiv(operand(0), operand(1)); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return ceilDiv(operand(0), operand(1)); })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return min(operand(0), operand(1)); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return max(operand(0), operand(1)); })
      .Case([&](arith::SelectOp) { return join(operand(1), operand(2)); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
            arith::ExtUIOp, arith::TruncIOp>([&](auto) { return operand(0); })
      .Default([&](Operation *) { return ofUpstream(op, value); });
}

Facts Analysis::ofUpstream(Operation *op, Value value) {
  auto infers = dyn_cast<InferIntRangeInterface>(op);
  if (!infers)
    return Facts();
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIntOrIndex())
      return Facts();
    unsigned width = ConstantIntRanges::getStorageBitwidth(operand.getType());
    Interval range = of(operand).range;
    APInt low = APInt::getSignedMinValue(width),
          high = APInt::getSignedMaxValue(width);
    if (range.low && llvm::isIntN(width, *range.low))
      low = APInt(width, *range.low, /*isSigned=*/true);
    if (range.high && llvm::isIntN(width, *range.high))
      high = APInt(width, *range.high, /*isSigned=*/true);
    operands.push_back(ConstantIntRanges::fromSigned(low, high));
  }
  Facts facts;
  infers.inferResultRanges(
      operands, [&](Value result, const ConstantIntRanges &range) {
        if (result == value && range.smin().getBitWidth() <= 64)
          facts.range = Interval::between(range.smin().getSExtValue(),
                                          range.smax().getSExtValue());
      });
  return facts;
}

Facts Analysis::ofSymbol(unsigned symbol, const Symbols &symbols) {
  const Symbols::Entry &entry = symbols[symbol];
  if (entry.value)
    return of(entry.value);
  if (!entry.isDerived)
    return Facts();
  Facts a = of(entry.a, symbols), b = of(entry.b, symbols);
  switch (entry.kind) {
  case Derived::FloorDiv:
    return floorDiv(a, b);
  case Derived::CeilDiv:
    return ceilDiv(a, b);
  case Derived::Min:
    return min(a, b);
  case Derived::Max:
    return max(a, b);
  }
  llvm_unreachable("all kinds were seen");
}

Facts Analysis::of(const Expr &expr, const Symbols &symbols,
                   llvm::function_ref<Facts(int)> ofDim) {
  if (!expr.isKnown())
    return Facts();
  Facts sum = Facts::exactly(expr.getNumber());
  for (const Expr::Term &term : expr.getTerms()) {
    Facts product = Facts::exactly(term.coefficient);
    if (term.dim >= 0)
      product = mul(product, ofDim ? ofDim(term.dim) : Facts());
    for (unsigned factor : term.factors)
      product = mul(product, ofSymbol(factor, symbols));
    sum = add(sum, product);
  }
  return sum;
}
