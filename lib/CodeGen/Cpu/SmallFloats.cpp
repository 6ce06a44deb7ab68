//===- SmallFloats.cpp - 16-bit floats on registers -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 goes through integers, unless the description says that the machine's
// own conversion rounds all numbers: those of some flush subnormals. f64 goes
// to f32 with rounding to odd first, so that the second rounding is the only
// one that counts.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"
#include "Lanes.h"
#include "Machine.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// Whether the machine that the current module is for converts `type`, f16 or
/// bf16.
static bool converts(OpBuilder &b, Type type) {
  return bool(extraOf(b.getInsertionBlock()->getParentOp(),
                      type.isF16() ? "converts_f16" : "converts_bf16"));
}

/// Whether the machine converts f16.
static bool hasHalf(OpBuilder &b) { return converts(b, b.getF16Type()); }

Value cpu::widenFloat(OpBuilder &b, Location loc, Value value, Type element) {
  Lanes l(b, loc, value.getType());
  Type f32 = l.type(b.getF32Type()), i32 = l.type(b.getI32Type());
  Value wide = arith::ExtUIOp::create(b, loc, i32, value);
  auto asFloat = [&](Value bits) -> Value {
    return arith::BitcastOp::create(b, loc, f32, bits);
  };
  if (isa<BFloat16Type>(element))
    return asFloat(arith::ShLIOp::create(b, loc, wide, l.i32(16)));
  if (hasHalf(b)) {
    Value half =
        arith::BitcastOp::create(b, loc, l.type(b.getF16Type()), value);
    return arith::ExtFOp::create(b, loc, f32, half);
  }
  // Exponent and mantissa move up together; a product with a power of two
  // corrects the bias and makes subnormals right.
  Value sign = arith::ShLIOp::create(
      b, loc, arith::AndIOp::create(b, loc, wide, l.i32(0x8000)), l.i32(16));
  Value rest = arith::AndIOp::create(b, loc, wide, l.i32(0x7fff));
  Value moved = arith::ShLIOp::create(b, loc, rest, l.i32(13));
  Value scaled = arith::MulFOp::create(b, loc, asFloat(moved),
                                       l.f32(5.192296858534828e33)); // 2^112
  Value special = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, rest,
                                        l.i32(0x7c00));
  Value infinite = arith::OrIOp::create(b, loc, moved, l.i32(0x7f800000));
  Value magnitude = arith::SelectOp::create(
      b, loc, special, infinite, arith::BitcastOp::create(b, loc, i32, scaled));
  return asFloat(arith::OrIOp::create(b, loc, sign, magnitude));
}

/// f64 to f32: towards zero, with the last bit set where that was inexact.
static Value roundToOdd(OpBuilder &b, Location loc, Value value) {
  Lanes l(b, loc, value.getType());
  Type i32 = l.type(b.getI32Type());
  Value nearest =
      arith::TruncFOp::create(b, loc, l.type(b.getF32Type()), value);
  Value back = arith::ExtFOp::create(b, loc, value.getType(), nearest);
  Value bits = arith::BitcastOp::create(b, loc, i32, nearest);
  // Magnitudes compare like integers, and so do the bits without the sign.
  auto magnitude = [&](Value v) -> Value {
    Value raw = arith::BitcastOp::create(b, loc, l.type(b.getI64Type()), v);
    return arith::AndIOp::create(b, loc, raw, l.i64(INT64_MAX));
  };
  Value mine = magnitude(value), theirs = magnitude(back);
  Value away =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, theirs, mine);
  Value inexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, back, value);
  Value down = arith::SubIOp::create(b, loc, bits,
                                     arith::ExtUIOp::create(b, loc, i32, away));
  Value odd = arith::OrIOp::create(b, loc, down, l.i32(1));
  Value chosen = arith::SelectOp::create(b, loc, inexact, odd, bits);
  return arith::BitcastOp::create(b, loc, l.type(b.getF32Type()), chosen);
}

/// The bits of f16 without an instruction for it.
static Value narrowToHalf(OpBuilder &b, Location loc, Value value) {
  Lanes l(b, loc, value.getType());
  Type i32 = l.type(b.getI32Type()), f32 = l.type(b.getF32Type());
  Value bits = arith::BitcastOp::create(b, loc, i32, value);
  Value sign = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, bits, l.i32(16)), l.i32(0x8000));
  Value rest = arith::AndIOp::create(b, loc, bits, l.i32(0x7fffffff));
  // Normal results: round the mantissa in place, correct the bias.
  Value even = arith::AndIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, rest, l.i32(13)), l.i32(1));
  Value rounded = arith::ShRUIOp::create(
      b, loc,
      arith::AddIOp::create(
          b, loc, rest,
          arith::AddIOp::create(b, loc, even, l.i32(0xfff - (112 << 23)))),
      l.i32(13));
  // Subnormal results: adding 0.5 puts the last bit where f16 has it.
  Value shifted = arith::AddFOp::create(
      b, loc, arith::BitcastOp::create(b, loc, f32, rest), l.f32(0.5));
  Value tiny = arith::SubIOp::create(
      b, loc, arith::BitcastOp::create(b, loc, i32, shifted),
      l.i32(0x3f000000));
  auto below = [&](int64_t limit) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, rest,
                                 l.i32(limit));
  };
  auto pick = [&](Value c, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, loc, c, x, y);
  };
  Value isNaN = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, rest,
                                      l.i32(0x7f800000));
  Value payload = arith::OrIOp::create(
      b, loc,
      arith::AndIOp::create(b, loc,
                            arith::ShRUIOp::create(b, loc, rest, l.i32(13)),
                            l.i32(0x3ff)),
      l.i32(0x7e00));
  Value magnitude = pick(below(0x477ff000), rounded, l.i32(0x7c00));
  magnitude = pick(below(0x38800000), tiny, magnitude);
  magnitude = pick(isNaN, payload, magnitude);
  return arith::TruncIOp::create(b, loc, l.type(b.getI16Type()),
                                 arith::OrIOp::create(b, loc, sign, magnitude));
}

Value cpu::narrowFloat(OpBuilder &b, Location loc, Value value, Type element) {
  Lanes l(b, loc, value.getType());
  Type i16 = l.type(b.getI16Type());
  if (getElementTypeOrSelf(value.getType()).isF64())
    value = roundToOdd(b, loc, value);
  if (isa<Float16Type>(element) && !hasHalf(b))
    return narrowToHalf(b, loc, value);
  if (isa<Float16Type>(element) || converts(b, b.getBF16Type())) {
    Value half = arith::TruncFOp::create(b, loc, l.type(element), value);
    return arith::BitcastOp::create(b, loc, i16, half);
  }
  Value bits = arith::BitcastOp::create(b, loc, l.type(b.getI32Type()), value);
  Value high = arith::ShRUIOp::create(b, loc, bits, l.i32(16));
  Value even = arith::AndIOp::create(b, loc, high, l.i32(1));
  Value bias = arith::AddIOp::create(b, loc, even, l.i32(0x7fff));
  Value rounded = arith::ShRUIOp::create(
      b, loc, arith::AddIOp::create(b, loc, bits, bias), l.i32(16));
  Value quiet = arith::OrIOp::create(b, loc, high, l.i32(0x40));
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, value, value);
  Value chosen = arith::SelectOp::create(b, loc, isNaN, quiet, rounded);
  return arith::TruncIOp::create(b, loc, i16, chosen);
}
