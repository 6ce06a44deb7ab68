//===- Float64Functions.cpp - f64 beyond the C library --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of f64 for which libm comes near to the bound on their errors or is
// beyond it: glibc's erfc errs by more than 5 units in the last place near 1,
// its cbrt by 3.7.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "MathFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

namespace {
/// Arithmetic on f64 in registers.
struct F64 : Lanes {
  using Lanes::Lanes;

  Value number(double x) const { return constant(b.getF64FloatAttr(x)); }
  Value add(Value x, Value y) const {
    return arith::AddFOp::create(b, loc, x, y);
  }
  Value mul(Value x, Value y) const {
    return arith::MulFOp::create(b, loc, x, y);
  }
  Value fma(Value x, Value y, Value z) const {
    return math::FmaOp::create(b, loc, x, y, z);
  }
  Value negate(Value x) const { return arith::NegFOp::create(b, loc, x); }
  Value less(Value x, Value y) const {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
};

/// Where libm subtracts numbers of one size.
constexpr double kErfcLow = 0.84375, kErfcHigh = 1.25;
/// erfc(1) in two parts.
constexpr double kErfcOne = 0x1.4226162fbddd5p-3,
                 kErfcOneRest = -2.954563826510312e-18;
/// (erfc(1 + t) - erfc(1)) / t for t from -0.15625 to 0.25, lowest power first;
/// the largest error is 1.7e-19.
constexpr double kErfcSlope[] = {
    -0x1.a911f096fbc26p-2,  0x1.a911f096fbc26p-2,   -0x1.1b614b0f5280bp-3,
    -0x1.1b614b0f527e4p-4,  0x1.1b614b0f4f94ap-4,   -0x1.2e45a56594c33p-8,
    -0x1.f096fd623a8cap-7,  0x1.3911467f0d1fbp-8,   0x1.ee30bb7e16db7p-10,
    -0x1.417658ad25535p-10, -0x1.667d70f1f2b16p-14, 0x1.a2f8c02791831p-13,
    -0x1.414c0a8ef28b1p-16, -0x1.46ca1d6c4395fp-16};
} // namespace

Value cpu::refineErfc(OpBuilder &b, Location loc, Value x, Value rough) {
  F64 f(b, loc, x.getType());
  Value t = f.add(x, f.number(-1)), sum = f.number(std::end(kErfcSlope)[-1]);
  for (double c : llvm::reverse(llvm::ArrayRef(kErfcSlope).drop_back()))
    sum = f.fma(sum, t, f.number(c));
  Value near = f.add(f.number(kErfcOne), f.fma(sum, t, f.number(kErfcOneRest)));
  Value isNear = arith::AndIOp::create(b, loc, f.less(f.number(kErfcLow), x),
                                       f.less(x, f.number(kErfcHigh)));
  return f.select(isNear, near, rough);
}

Value cpu::refineCbrt(OpBuilder &b, Location loc, Value x, Value rough) {
  // A step of Newton's with the exact square of what is known.
  F64 f(b, loc, x.getType());
  Value square = f.fma(rough, rough, f.number(-0.0));
  Value rest = f.fma(rough, rough, f.negate(square));
  Value excess = f.fma(rest, rough, f.fma(square, rough, f.negate(x)));
  Value step =
      arith::DivFOp::create(b, loc, excess, f.mul(square, f.number(-3)));
  // Zeros, infinities and NaN have no step.
  Value isSmall = f.less(math::AbsFOp::create(b, loc, step),
                         math::AbsFOp::create(b, loc, rough));
  return f.select(isSmall, f.add(rough, step), rough);
}
