//===- Conversions.cpp - Conversions between types of floats --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

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
    if (isFloat8(to)) {
      if (from.isF64())
        x = roundToOdd(b, loc, x);
      else if (isHalf(from))
        x = arith::ExtFOp::create(b, loc, b.getF32Type(), x);
      return give(narrowFloat8(b, loc, x, to, compute));
    }
    if (!to.isF32() && !isHalf(to))
      return op.emitError("unsupported: a conversion to ") << to;
    // Two roundings give another result than one.
    if (from.isF64() && to.isBF16())
      op.getInMutable().assign(roundToOdd(b, loc, x));
    return success();
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
  if (isa<arith::ExtFOp>(op)) {
    if (!isFloat8(from))
      return from.getIntOrFloatBitWidth() > 8
                 ? success()
                 : LogicalResult(
                       op->emitError("unsupported: a conversion from ")
                       << from);
    Value wide = widenFloat8(b, loc, x, compute);
    if (to.isF64())
      wide = arith::ExtFOp::create(b, loc, to, wide);
    else if (isHalf(to)) // which is exact
      wide = arith::TruncFOp::create(b, loc, to, wide);
    return give(wide);
  }
  // The back end takes a signed bit to bf16 as if it had no sign.
  if (isa<arith::SIToFPOp>(op) && from.isInteger(1)) {
    auto number = [&](double value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getFloatAttr(to, value));
    };
    return give(arith::SelectOp::create(b, loc, x, number(-1.0), number(0.0)));
  }
  // Integers to bf16, without an instruction for it and rounded once.
  if (!to.isBF16() || compute >= 90 || !isa<IntegerType>(from))
    return success();
  bool isSigned = isa<arith::SIToFPOp>(op);
  unsigned bits = from.getIntOrFloatBitWidth();
  if (bits != 32 && bits != 64) {
    Type wide = b.getIntegerType(bits < 32 ? 32 : 64);
    x = isSigned ? arith::ExtSIOp::create(b, loc, wide, x).getResult()
                 : arith::ExtUIOp::create(b, loc, wide, x).getResult();
  }
  return give(
      arith::TruncFOp::create(b, loc, to, integerToOdd(b, loc, x, isSigned)));
}
