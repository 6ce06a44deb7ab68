//===- Functions.cpp - Functions of f32 on GPUs ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of ex2.approx, rcp.approx and rsqrt.approx are those that the PTX ISA
// states: 2 units, 1 unit, and 2^-22.9 of the result.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::nvidia;

Value nvidia::callIntrinsic(OpBuilder &b, Location loc, Type type,
                            StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

Value GpuFloat32::exp(Value x) const {
  Type f = b.getF32Type();
  // x in powers of two, and 126 of them at most: [-126, 126] becomes [0, 1].
  Value part = callIntrinsic(b, loc, f, "llvm.nvvm.fma.rn.sat.f",
                             {x, f32(1.44269504088896341 / 252), f32(0.5)});
  // The lower bits are those of the exponent 2^n, from 1 to 253.
  Value shifted = fma(part, f32(252.0), f32(12582913.0));
  Value n = sub(shifted, f32(12583039.0));
  // Beyond, the remainder is large and takes the result to 0 or infinity.
  Value r = fma(x, f32(1.44269502162933349609375), sub(f32(-0.0), n));
  r = fma(x, f32(1.92596299112661e-8), r);
  Value y = callIntrinsic(b, loc, f, "llvm.nvvm.ex2.approx.ftz.f32", r);
  return mul(y, float_(shl(bits(shifted), 23)));
}

Value GpuFloat32::exp2(Value x, bool flush) const {
  return callIntrinsic(
      b, loc, b.getF32Type(),
      flush ? "llvm.nvvm.ex2.approx.ftz.f32" : "llvm.nvvm.ex2.approx.f32", x);
}

Value GpuFloat32::log2Fast(Value x) const {
  return callIntrinsic(b, loc, b.getF32Type(), "llvm.nvvm.lg2.approx.ftz.f", x);
}

Value GpuFloat32::powerFast(Value x, Value y) const {
  auto whole = [&](Value value) -> Value {
    return LLVM::FTruncOp::create(b, loc, value);
  };
  auto equal = [&](Value a, Value c) { return compare(CmpF::OEQ, a, c); };
  Value magnitude = LLVM::FAbsOp::create(b, loc, x);
  Value power = exp2(mul(y, log2Fast(magnitude)), /*flush=*/true);
  // Of a number below 0, powers by integers are defined.
  Value half = mul(y, f32(0.5));
  Value odd = sub(f32(-0.0), power);
  Value negative = select(equal(half, whole(half)), power, odd);
  negative = select(equal(y, whole(y)), negative,
                    f32(std::numeric_limits<double>::quiet_NaN()));
  power = select(less(x, f32(0.0)), negative, power);
  return select(equal(y, f32(0.0)), f32(1.0), power);
}

Value GpuFloat32::sineFast(Value x, bool cosine) const {
  return callIntrinsic(
      b, loc, b.getF32Type(),
      cosine ? "llvm.nvvm.cos.approx.ftz.f" : "llvm.nvvm.sin.approx.ftz.f", x);
}

Value GpuFloat32::rsqrt(Value x, bool flush) const {
  return callIntrinsic(
      b, loc, b.getF32Type(),
      flush ? "llvm.nvvm.rsqrt.approx.ftz.f" : "llvm.nvvm.rsqrt.approx.f", x);
}

Value GpuFloat32::reciprocal(Value x) const {
  return callIntrinsic(b, loc, b.getF32Type(), "llvm.nvvm.rcp.approx.ftz.f", x);
}
