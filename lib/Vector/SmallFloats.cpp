//===- SmallFloats.cpp - 16-bit floats on registers -----------------------===//
//
// bf16 goes through integers: the machines' own conversions flush subnormals.
// f64 goes to f32 with rounding to odd first, so that the second rounding is
// the only one that counts.
//
//===----------------------------------------------------------------------===//

#include "SmallFloats.h"
#include "Lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::vec;

Value vec::widenFloat(OpBuilder &b, Location loc, Value value) {
  Lanes l(b, loc, value.getType());
  Type f32 = l.type(b.getF32Type());
  if (isa<Float16Type>(getElementTypeOrSelf(value.getType())))
    return arith::ExtFOp::create(b, loc, f32, value);
  Value bits = arith::BitcastOp::create(b, loc, l.type(b.getI16Type()), value);
  Value wide = arith::ExtUIOp::create(b, loc, l.type(b.getI32Type()), bits);
  Value shifted = arith::ShLIOp::create(b, loc, wide, l.i32(16));
  return arith::BitcastOp::create(b, loc, f32, shifted);
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

Value vec::narrowFloat(OpBuilder &b, Location loc, Value value, Type element) {
  Lanes l(b, loc, value.getType());
  if (getElementTypeOrSelf(value.getType()).isF64())
    value = roundToOdd(b, loc, value);
  if (isa<Float16Type>(element))
    return arith::TruncFOp::create(b, loc, l.type(element), value);
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
  Value narrow =
      arith::TruncIOp::create(b, loc, l.type(b.getI16Type()), chosen);
  return arith::BitcastOp::create(b, loc, l.type(element), narrow);
}
