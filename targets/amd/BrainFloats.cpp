// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BrainFloats.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace kiln;

/// Whether a number is the result of arithmetic, which gives quiet NaNs.
static bool isQuiet(Value number) {
  Operation *op = number.getDefiningOp();
  if (!op)
    return false;
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return call.getIntrin().starts_with("llvm.amdgcn.exp2");
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             math::FmaOp, LLVM::Exp2Op>(op);
}

/// Whether a number is a power of two: positive, zero or a quiet NaN.
static bool isPower(Value number) {
  Operation *op = number.getDefiningOp();
  auto call = dyn_cast_or_null<LLVM::CallIntrinsicOp>(op);
  return isa_and_nonnull<LLVM::Exp2Op>(op) ||
         (call && call.getIntrin().starts_with("llvm.amdgcn.exp2"));
}

void amd::narrowToBrainFloat(arith::TruncFOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value x = op.getIn();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  };
  constexpr int64_t kNaN = 0x7fc00000;
  bool mayBeNaN = !arith::bitEnumContainsAny(
      op.getFastmath().value_or(arith::FastMathFlags::none),
      arith::FastMathFlags::nnan);
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), x);
  // Without sign all that is larger than a quiet NaN is one.
  if (mayBeNaN && isPower(x)) {
    bits = arith::MinUIOp::create(b, loc, bits, number(kNaN));
    mayBeNaN = false;
  }
  Value sixteen = number(16);
  // Half of the last place that stays, less one where that place is even.
  Value high = arith::ShRUIOp::create(b, loc, bits, sixteen);
  Value odd = arith::AndIOp::create(b, loc, high, number(1));
  Value rounded = arith::AddIOp::create(
      b, loc, arith::AddIOp::create(b, loc, bits, odd), number(0x7fff));
  if (mayBeNaN) {
    Value isNaN =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    // A quiet NaN is one by its first half.
    Value nan =
        isQuiet(x)
            ? bits
            : arith::OrIOp::create(b, loc, bits, number(1 << 22)).getResult();
    rounded = arith::SelectOp::create(b, loc, isNaN, nan, rounded);
  }
  Value half = arith::TruncIOp::create(
      b, loc, b.getI16Type(), arith::ShRUIOp::create(b, loc, rounded, sixteen));
  op.replaceAllUsesWith(
      arith::BitcastOp::create(b, loc, op.getType(), half).getResult());
  op.erase();
}

/// Of an integer that the wider float does not hold, bits far below the last
/// place of bf16 become one that says whether there are any: then the wider
/// float holds it, and the nearest bf16 is the same.
void amd::roundOnce(Operation *op, OpBuilder &b) {
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  auto type = dyn_cast<IntegerType>(x.getType());
  if (!type || type.getWidth() < 32 || type.getWidth() > 64)
    return;
  bool isNarrow = type.getWidth() == 32, isSigned = isa<arith::SIToFPOp>(op);
  // The bits of the wider float, and those that become one.
  const unsigned held = isNarrow ? 24 : 53, low = isNarrow ? 9 : 12;
  Type wide = isNarrow ? b.getF32Type() : b.getF64Type();
  auto number = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc,
        b.getIntegerAttr(type, APInt(type.getWidth(), value, false,
                                     /*implicitTrunc=*/true)));
  };
  Value zero = number(0);
  Value rest = arith::AndIOp::create(b, loc, x, number((1u << low) - 1));
  Value isAny =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, rest, zero);
  Value sticky =
      arith::SelectOp::create(b, loc, isAny, number(1u << (low - 1)), zero);
  Value cut = arith::OrIOp::create(
      b, loc, arith::SubIOp::create(b, loc, x, rest), sticky);
  // Whether the wider float holds it as it is.
  Value from = x;
  if (isSigned)
    from = arith::AddIOp::create(b, loc, x, number(uint64_t(1) << held));
  Value isHeld = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::ule, from,
      number(uint64_t(1) << (isSigned ? held + 1 : held)));
  Value exact = arith::SelectOp::create(b, loc, isHeld, x, cut);
  exact = isSigned ? arith::SIToFPOp::create(b, loc, wide, exact).getResult()
                   : arith::UIToFPOp::create(b, loc, wide, exact).getResult();
  Value result =
      arith::TruncFOp::create(b, loc, op->getResult(0).getType(), exact);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}
