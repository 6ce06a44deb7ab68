//===- Conversions.cpp - Conversions between types of floats --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

/// The nearest operation before or behind a conversion that is the same one,
/// with nothing but readings of bits between.
template <typename OpT, typename Step> static OpT findSame(OpT op, Step step) {
  Operation *other = step(op.getOperation());
  while (isa_and_nonnull<arith::BitcastOp>(other))
    other = step(other);
  auto found = dyn_cast_or_null<OpT>(other);
  return found && found.getType() == op.getType() &&
                 found.getIn().getType() == op.getIn().getType() &&
                 found->getAttrDictionary() == op->getAttrDictionary()
             ? found
             : OpT();
}

/// Instructions to and from narrow floats take two numbers: a conversion with
/// the one before it, if that is the same one and waits for it. Nothing where
/// the conversion waits for the next one.
template <typename OpT> static SmallVector<OpT, 2> conversionsAt(OpT op) {
  if (OpT before =
          findSame(op, [](Operation *at) { return at->getPrevNode(); })) {
    // What reads the first one's bits comes behind both.
    for (Operation *reader : llvm::make_early_inc_range(before->getUsers()))
      if (reader->getBlock() == op->getBlock() && reader->isBeforeInBlock(op))
        reader->moveAfter(op);
    return {before, op};
  }
  if (findSame(op, [](Operation *at) { return at->getNextNode(); }))
    return {};
  return {op};
}

/// Conversions of floats of 8 bits; `convert` makes values of f32 of operands,
/// or the other way around.
template <typename OpT, typename Convert>
static LogicalResult lowerFloat8(OpT op, unsigned compute, Convert convert) {
  constexpr unsigned kLeastOfPairs = 89;
  SmallVector<OpT, 2> ops = {op};
  if (compute >= kLeastOfPairs)
    ops = conversionsAt(op);
  SmallVector<Value> values;
  for (OpT one : ops)
    values.push_back(one.getIn());
  if (ops.empty())
    return success();
  for (auto [one, value] : llvm::zip_equal(ops, convert(values))) {
    one.getResult().replaceAllUsesWith(value);
    one.erase();
  }
  return success();
}

/// Rounds two numbers of f32 to f16 or bf16 by one instruction. The assembler
/// reads sums of asynchronous products before their wait where it has to find
/// the pairs by itself, and then runs the products one after the other.
static LogicalResult roundPair(arith::TruncFOp op, OpBuilder &b) {
  SmallVector<arith::TruncFOp, 2> ops = conversionsAt(op);
  if (ops.size() != 2)
    return success();
  Location loc = op.getLoc();
  Type to = op.getType();
  // The instruction's first operand is the upper half.
  Value pair = callIntrinsic(b, loc, VectorType::get({2}, to),
                             to.isF16() ? "llvm.nvvm.ff2f16x2.rn"
                                        : "llvm.nvvm.ff2bf16x2.rn",
                             {ops[1].getIn(), ops[0].getIn()});
  for (auto [i, one] : llvm::enumerate(ops)) {
    Value place = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(i));
    one.getResult().replaceAllUsesWith(
        LLVM::ExtractElementOp::create(b, loc, pair, place));
    one.erase();
  }
  return success();
}

static LogicalResult lowerTruncation(arith::TruncFOp op, OpBuilder &b,
                                     unsigned compute) {
  Location loc = op.getLoc();
  Value x = op.getIn();
  Type from = x.getType(), to = op.getType();
  auto give = [&](Value value) {
    op.replaceAllUsesWith(value);
    op.erase();
    return success();
  };
  arith::RoundingMode mode =
      op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
  if (mode == arith::RoundingMode::to_nearest_even) {
    if (isFloat8(to))
      return lowerFloat8(op, compute, [&](SmallVector<Value> values) {
        for (Value &value : values)
          value = from.isF64() ? roundToOdd(b, loc, value)
                               : castFloat(b, loc, value, b.getF32Type());
        return narrowFloat8(b, loc, values, to, compute);
      });
    if (!to.isF32() && !isHalf(to))
      return op.emitError("unsupported: a conversion to ") << to;
    // Two roundings give another result than one.
    if (from.isF64() && to.isBF16())
      op.getInMutable().assign(roundToOdd(b, loc, x));
    constexpr unsigned kLeastOfPairs = 80;
    return from.isF32() && isHalf(to) && compute >= kLeastOfPairs
               ? roundPair(op, b)
               : success();
  }
  if (mode != arith::RoundingMode::toward_zero ||
      !(from.isF32() || (from.isF64() && !isFloat8(to))))
    return op.emitError("unsupported: the rounding mode of a conversion from ")
           << from << " to " << to;
  if (from.isF64())
    x = callIntrinsic(b, loc, b.getF32Type(), "llvm.nvvm.d2f.rz", x);
  if (to.isF32())
    return give(x);
  if (to.isF16()) {
    // The instruction has operands for two numbers.
    Value pair =
        callIntrinsic(b, loc, VectorType::get({2}, to), "llvm.nvvm.ff2f16x2.rz",
                      {GpuFloat32(b, loc).f32(0.0), x});
    if (compute < 80)
      return op.emitError("unsupported: a conversion to f16 towards zero "
                          "before sm_80");
    return give(LLVM::ExtractElementOp::create(
        b, loc, pair,
        LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(0))));
  }
  if (!to.isBF16())
    return op.emitError("unsupported: the rounding mode of a conversion to ")
           << to;
  GpuFloat32 f(b, loc);
  // A NaN whose upper bits are zero would become infinity.
  Value isNaN = f.compare(GpuFloat32::CmpF::UNO, x, x);
  Value raw = f.select(isNaN, f.i32(0x7fffffff), f.bits(x));
  Value high = arith::TruncIOp::create(
      b, loc, b.getI16Type(), arith::ShRUIOp::create(b, loc, raw, f.i32(16)));
  return give(arith::BitcastOp::create(b, loc, to, high));
}

/// How many bits of an integer, that of the sign included, tell it from all
/// others, as far as few operations before it say.
static unsigned bitsOf(Value x, unsigned depth = 0) {
  constexpr unsigned kDeepest = 6;
  unsigned width = x.getType().getIntOrFloatBitWidth();
  Operation *op = x.getDefiningOp();
  APInt number;
  if (matchPattern(x, m_ConstantInt(&number)))
    return number.getSignificantBits();
  if (!op || depth > kDeepest)
    return width;
  auto of = [&](unsigned i) { return bitsOf(op->getOperand(i), depth + 1); };
  unsigned bits = width;
  if (isa<arith::ExtSIOp>(op)) {
    bits = of(0);
  } else if (isa<arith::ExtUIOp>(op)) {
    bits = op->getOperand(0).getType().getIntOrFloatBitWidth() + 1;
  } else if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    bits = std::max(of(0), of(1)) + 1;
  } else if (isa<arith::AndIOp>(op)) {
    for (Value mask : op->getOperands())
      if (matchPattern(mask, m_ConstantInt(&number)) && number.isNonNegative())
        bits = number.getActiveBits() + 1;
  } else if (isa<arith::ShRUIOp, arith::ShRSIOp>(op)) {
    if (matchPattern(op->getOperand(1), m_ConstantInt(&number)))
      bits = width - number.getLimitedValue(width) + 1;
  }
  return std::min(bits, width);
}

/// Whether f32 has an integer of at most 32 bits exactly.
static bool isExactInF32(Value x, bool isSigned) {
  constexpr unsigned kBits = 24;
  if (x.getType().getIntOrFloatBitWidth() <= kBits)
    return true;
  // Read without a sign, a small number below zero is a large one.
  bool fits = isSigned ||
              isa_and_nonnull<arith::AndIOp, arith::ShRUIOp, arith::ExtUIOp>(
                  x.getDefiningOp());
  return fits && bitsOf(x) <= kBits;
}

LogicalResult nvidia::lowerConversion(Operation *op, OpBuilder &b,
                                      unsigned compute) {
  if (!isa<arith::TruncFOp, arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp>(
          op))
    return success();
  Location loc = op->getLoc();
  if (auto trunc = dyn_cast<arith::TruncFOp>(op))
    return lowerTruncation(trunc, b, compute);
  Value x = op->getOperand(0);
  Type from = x.getType(), to = op->getResult(0).getType();
  auto give = [&](Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  };
  if (auto wider = dyn_cast<arith::ExtFOp>(op)) {
    if (!isFloat8(from))
      return from.getIntOrFloatBitWidth() > 8
                 ? success()
                 : LogicalResult(
                       op->emitError("unsupported: a conversion from ")
                       << from);
    return lowerFloat8(wider, compute, [&](SmallVector<Value> values) {
      SmallVector<Value> wide = widenFloat8(b, loc, values, compute);
      for (Value &value : wide)
        value = castFloat(b, loc, value, to); // which is exact
      return wide;
    });
  }
  // The back end takes a signed bit to bf16 as if it had no sign.
  if (isa<arith::SIToFPOp>(op) && from.isInteger(1)) {
    auto number = [&](double value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getFloatAttr(to, value));
    };
    return give(arith::SelectOp::create(b, loc, x, number(-1.0), number(0.0)));
  }
  if (!isHalf(to) || !isa<IntegerType>(from))
    return success();
  bool isSigned = isa<arith::SIToFPOp>(op);
  unsigned bits = from.getIntOrFloatBitWidth();
  // Through f32, several times as fast as at once and rounded once as well:
  // what f32 has not exactly is beyond the range of f16.
  if (bits > 1 && bits <= 32 &&
      (to.isF16() || (compute >= 80 && isExactInF32(x, isSigned)))) {
    Type word = b.getI32Type(), f32 = b.getF32Type();
    if (bits < 32)
      x = isSigned ? arith::ExtSIOp::create(b, loc, word, x).getResult()
                   : arith::ExtUIOp::create(b, loc, word, x).getResult();
    x = isSigned ? arith::SIToFPOp::create(b, loc, f32, x).getResult()
                 : arith::UIToFPOp::create(b, loc, f32, x).getResult();
    // LLVM would make one slow conversion of two that it knows.
    if (to.isBF16())
      return give(callIntrinsic(b, loc, to, "llvm.nvvm.f2bf16.rn", x));
    Value raw = callIntrinsic(b, loc, b.getI16Type(), "llvm.nvvm.f2h.rn", x);
    return give(arith::BitcastOp::create(b, loc, to, raw));
  }
  // Integers to bf16, without an instruction for it and rounded once.
  if (!to.isBF16() || compute >= 90)
    return success();
  if (bits != 32 && bits != 64) {
    Type wide = b.getIntegerType(bits < 32 ? 32 : 64);
    x = isSigned ? arith::ExtSIOp::create(b, loc, wide, x).getResult()
                 : arith::ExtUIOp::create(b, loc, wide, x).getResult();
  }
  return give(
      arith::TruncFOp::create(b, loc, to, integerToOdd(b, loc, x, isSigned)));
}
