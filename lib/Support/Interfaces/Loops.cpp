//===- Loops.cpp - How often loops run ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace kiln;

Value kiln::countTrips(OpBuilder &builder, Location loc, Value from, Value to,
                       Value step, bool isUnsigned) {
  // The distance is right as an unsigned number, whatever the bounds are.
  Value distance = arith::SubIOp::create(builder, loc, to, from);
  auto constant = [&](int64_t value) -> Value {
    TypedAttr number =
        builder.getIntegerAttr(getElementTypeOrSelf(from), value);
    if (auto shaped = dyn_cast<ShapedType>(from.getType()))
      number = DenseElementsAttr::get(shaped, number);
    return arith::ConstantOp::create(builder, loc, number);
  };
  Value none = constant(0), one = constant(1);
  Value rest = arith::SubIOp::create(builder, loc, distance, one);
  Value more = arith::DivUIOp::create(builder, loc, rest, step);
  Value trips = arith::AddIOp::create(builder, loc, more, one);
  Value runs = arith::CmpIOp::create(builder, loc,
                                     isUnsigned ? arith::CmpIPredicate::ult
                                                : arith::CmpIPredicate::slt,
                                     from, to);
  return arith::SelectOp::create(builder, loc, runs, trips, none);
}

Value kiln::numberOfTrip(OpBuilder &builder, Location loc, Value from,
                         Value trip, Value step) {
  Value passed = arith::MulIOp::create(builder, loc, trip, step);
  return arith::AddIOp::create(builder, loc, from, passed);
}

/// The largest number that a value of a signed type may be.
static APInt largestOf(Value value, unsigned width) {
  APInt constant, largest = APInt::getSignedMaxValue(width);
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.sextOrTrunc(width);
  auto from = [&](Value source, bool isSigned) {
    auto type = dyn_cast<IntegerType>(source.getType());
    if (!type || type.getWidth() >= width)
      return largest;
    return isSigned ? APInt::getSignedMaxValue(type.getWidth()).sext(width)
                    : APInt::getMaxValue(type.getWidth()).zext(width);
  };
  if (auto extended = value.getDefiningOp<arith::ExtSIOp>())
    return from(extended.getIn(), true);
  if (auto extended = value.getDefiningOp<arith::ExtUIOp>())
    return from(extended.getIn(), false);
  if (auto least = value.getDefiningOp<arith::MinSIOp>())
    return llvm::APIntOps::smin(largestOf(least.getLhs(), width),
                                largestOf(least.getRhs(), width));
  return largest;
}

/// Whether the number behind the last one of a loop may be beyond its type, as
/// far as its bounds tell.
static bool mayPassType(scf::ForOp loop) {
  Type type = loop.getInductionVar().getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
  // An unknown end of 64 bits is the size of something in memory, far from the
  // largest number: to count the trips costs registers, of inner loops, too.
  if (step == 1 || (width == 64 && !loop.getUnsignedCmp() && !end))
    return false;
  if (!step || *step <= 0 || loop.getUnsignedCmp())
    return true;
  APInt limit = APInt::getSignedMaxValue(width) - (*step - 1);
  return largestOf(loop.getUpperBound(), width).sgt(limit);
}

/// Replaces a loop by one over its trips.
static void boundLoop(scf::ForOp loop) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value from = loop.getLowerBound(), step = loop.getStep();
  Type type = from.getType();
  Value trips = countTrips(b, loc, from, loop.getUpperBound(), step,
                           loop.getUnsignedCmp());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value zero = constant(0), one = constant(1);
  loop.setLowerBound(zero);
  loop.setUpperBound(trips);
  loop.setStep(one);
  loop.setUnsignedCmp(true);
  b.setInsertionPointToStart(loop.getBody());
  Value trip = loop.getInductionVar();
  Value number = numberOfTrip(b, loc, from, trip, step);
  Operation *sum = number.getDefiningOp();
  Operation *product = sum->getOperand(1).getDefiningOp();
  trip.replaceAllUsesExcept(number, product);
}

/// Whether the distance of constant bounds is no number of their signed type,
/// in which MLIR's folds compute it.
static bool isTooFar(scf::ForOp loop) {
  APInt from, to;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&from)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&to)))
    return false;
  bool overflows = false;
  (void)to.ssub_ov(from, overflows);
  return overflows;
}

/// Replaces a loop by one over its trips, of 64 bits.
static void signLoop(scf::ForOp loop, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Value from = loop.getLowerBound(), step = loop.getStep();
  Value trips = countTrips(rewriter, loc, from, loop.getUpperBound(), step,
                           loop.getUnsignedCmp());
  auto type = dyn_cast<IntegerType>(trips.getType());
  bool isNarrow = type && type.getWidth() < 64;
  if (isNarrow)
    trips = arith::ExtUIOp::create(rewriter, loc, rewriter.getI64Type(), trips);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        rewriter, loc, rewriter.getIntegerAttr(trips.getType(), value));
  };
  Value zero = constant(0), one = constant(1);
  auto made =
      scf::ForOp::create(rewriter, loc, zero, trips, one, loop.getInitArgs());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  Block *body = made.getBody();
  if (!body->empty())
    rewriter.eraseOp(body->getTerminator());
  rewriter.setInsertionPointToStart(body);
  Value trip = made.getInductionVar();
  if (isNarrow)
    trip = arith::TruncIOp::create(rewriter, loc, type, trip);
  SmallVector<Value> arguments = {
      numberOfTrip(rewriter, loc, from, trip, step)};
  llvm::append_range(arguments, made.getRegionIterArgs());
  rewriter.mergeBlocks(loop.getBody(), body, arguments);
  rewriter.replaceOp(loop, made.getResults());
}

void kiln::signLoops(Operation *root) {
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) {
    if (loop.getUnsignedCmp() || isTooFar(loop))
      loops.push_back(loop);
  });
  IRRewriter rewriter(root->getContext());
  for (scf::ForOp loop : loops)
    signLoop(loop, rewriter);
}

void kiln::boundLoops(Operation *root) {
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) {
    if (mayPassType(loop))
      loops.push_back(loop);
  });
  llvm::for_each(loops, boundLoop);
}
