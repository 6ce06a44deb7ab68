//===- SmallFloatCodes.cpp - Floats of at most 8 bits as bytes ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Transforms/Tile/SmallFloatCodes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace kiln::tile;
using CmpI = arith::CmpIPredicate;

SmallFloatFormat SmallFloatFormat::of(Type element) {
  const llvm::fltSemantics &own = cast<FloatType>(element).getFloatSemantics();
  auto code = [](const APFloat &number) {
    return int64_t(number.bitcastToAPInt().getZExtValue());
  };
  SmallFloatFormat f;
  f.width = APFloat::semanticsSizeInBits(own);
  f.mantissaBits = APFloat::semanticsPrecision(own) - 1;
  f.isScale = !APFloat::semanticsHasSignedRepr(own);
  f.bias = (f.isScale ? 0 : 1) - APFloat::semanticsMinExponent(own);
  f.hasInfinity = APFloat::semanticsHasInf(own);
  f.hasNan = APFloat::semanticsHasNaN(own);
  f.largest = code(APFloat::getLargest(own));
  f.nan = f.hasNan ? code(APFloat::getNaN(own)) : 0;
  f.overflow = f.hasInfinity ? code(APFloat::getInf(own))
               : f.hasNan    ? f.nan
                             : f.largest;
  f.unsignedZero = f.hasNan && !f.isScale && f.nan == f.sign();
  return f;
}

Type SmallFloatCodes::like(Type shape, Type element) {
  if (auto tile = dyn_cast<RankedTensorType>(shape))
    return tile.clone(element);
  return element;
}

Value SmallFloatCodes::constant(Type type, Attribute value) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    value = DenseElementsAttr::get(tile, value);
  return make<arith::ConstantOp>(cast<TypedAttr>(value));
}

Value SmallFloatCodes::i32(Value shape, int64_t value) {
  return constant(like(shape.getType(), b.getI32Type()),
                  b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value SmallFloatCodes::f32(Value shape, float value) {
  return constant(like(shape.getType(), b.getF32Type()),
                  b.getF32FloatAttr(value));
}

Value SmallFloatCodes::decodeScale(Value code) {
  // The exponent's place is that of f32, where the lowest is subnormal.
  Value bits = make<arith::ShLIOp>(code, i32(code, 23));
  Value lowest = make<arith::CmpIOp>(CmpI::eq, code, i32(code, 0));
  bits = make<arith::SelectOp>(lowest, i32(code, 0x00400000), bits);
  Value nan = make<arith::CmpIOp>(CmpI::eq, code, i32(code, 0xff));
  bits = make<arith::SelectOp>(nan, i32(code, 0x7fc00000), bits);
  return make<arith::BitcastOp>(like(code.getType(), b.getF32Type()), bits);
}

Value SmallFloatCodes::decode(Value bytes, Type element) {
  SmallFloatFormat format = SmallFloatFormat::of(element);
  Type type = bytes.getType();
  Type floats = like(type, b.getF32Type());
  Value code = make<arith::ExtUIOp>(like(type, b.getI32Type()), bytes);
  if (format.isScale)
    return decodeScale(code);
  int64_t sign = format.sign();
  if (format.width < 8)
    code = make<arith::AndIOp>(code, i32(code, 2 * sign - 1));
  Value magnitude = make<arith::AndIOp>(code, i32(code, sign - 1));
  // Exponent and mantissa in the places of f32; the product corrects the
  // bias, also of subnormal numbers.
  Value moved = make<arith::BitcastOp>(
      floats,
      make<arith::ShLIOp>(magnitude, i32(code, 23 - format.mantissaBits)));
  Value value = make<arith::MulFOp>(
      moved, f32(code, std::ldexp(1.0f, 127 - format.bias)));
  auto replace = [&](CmpI predicate, Value which, int64_t by, float number) {
    Value here = make<arith::CmpIOp>(predicate, which, i32(code, by));
    value = make<arith::SelectOp>(here, f32(code, number), value);
  };
  if (format.hasInfinity) {
    replace(CmpI::eq, magnitude, format.overflow,
            std::numeric_limits<float>::infinity());
    replace(CmpI::ugt, magnitude, format.overflow,
            std::numeric_limits<float>::quiet_NaN());
  } else if (format.hasNan) {
    replace(CmpI::eq, format.unsignedZero ? code : magnitude, format.nan,
            std::numeric_limits<float>::quiet_NaN());
  }
  Value bits = make<arith::OrIOp>(
      make<arith::BitcastOp>(code.getType(), value),
      make<arith::ShLIOp>(make<arith::AndIOp>(code, i32(code, sign)),
                          i32(code, 32 - format.width)));
  return make<arith::BitcastOp>(floats, bits);
}

Value SmallFloatCodes::encodeScale(Value magnitude, bool saturate,
                                   bool towardZero) {
  auto code = [&](int64_t value) { return i32(magnitude, value); };
  auto isBelow = [&](int64_t bits) {
    return make<arith::CmpIOp>(CmpI::ult, magnitude, code(bits));
  };
  // The exponent; the upper half of the mantissa belongs to the next one.
  Value rounded = magnitude;
  if (!towardZero)
    rounded = make<arith::AddIOp>(magnitude, code(0x00400000));
  Value result = make<arith::ShRUIOp>(rounded, code(23));
  // Below 2^-126, where f32 is subnormal, lies 2^-127.
  int64_t half = towardZero ? 0x00800000 : 0x00600000;
  Value low = make<arith::SelectOp>(isBelow(half), code(0), code(1));
  result = make<arith::SelectOp>(isBelow(0x00800000), low, result);
  if (saturate)
    result = make<arith::MinUIOp>(result, code(0xfe));
  Value nan = make<arith::CmpIOp>(saturate ? CmpI::ugt : CmpI::uge, magnitude,
                                  code(0x7f800000));
  return make<arith::SelectOp>(nan, code(0xff), result);
}

Value SmallFloatCodes::encode(Value value, Type element, bool saturate,
                              bool towardZero) {
  SmallFloatFormat format = SmallFloatFormat::of(element);
  Type type = value.getType();
  Type ints = like(type, b.getI32Type()), bytes = like(type, b.getI8Type());
  Value bits = make<arith::BitcastOp>(ints, value);
  Value magnitude = make<arith::AndIOp>(bits, i32(bits, 0x7fffffff));
  if (format.isScale)
    return make<arith::TruncIOp>(bytes,
                                 encodeScale(magnitude, saturate, towardZero));
  int shift = 23 - format.mantissaBits;
  // Normal results: round the bits that go, then move and rebias.
  Value rounded = magnitude;
  if (!towardZero) {
    Value odd = make<arith::AndIOp>(
        make<arith::ShRUIOp>(magnitude, i32(bits, shift)), i32(bits, 1));
    rounded = make<arith::AddIOp>(make<arith::AddIOp>(magnitude, odd),
                                  i32(bits, (int64_t(1) << (shift - 1)) - 1));
  }
  Value normal = make<arith::SubIOp>(
      make<arith::ShRUIOp>(rounded, i32(bits, shift)),
      i32(bits, int64_t(127 - format.bias) << format.mantissaBits));
  // Subnormal results: a whole number of the smallest steps.
  Value absolute =
      make<arith::BitcastOp>(like(type, b.getF32Type()), magnitude);
  Value steps = make<arith::MulFOp>(
      absolute,
      f32(bits, std::ldexp(1.0f, format.bias - 1 + format.mantissaBits)));
  steps =
      towardZero ? make<math::FloorOp>(steps) : make<math::RoundEvenOp>(steps);
  float most = std::ldexp(1.0f, format.mantissaBits + 1);
  Value small = make<arith::FPToSIOp>(
      ints, make<arith::MinNumFOp>(steps, f32(bits, most)));
  Value isSmall = make<arith::CmpIOp>(
      CmpI::ult, magnitude, i32(bits, int64_t(128 - format.bias) << 23));
  Value code = make<arith::SelectOp>(isSmall, small, normal);
  Value tooLarge =
      make<arith::CmpIOp>(CmpI::sgt, code, i32(bits, format.largest));
  Value limit = i32(bits, saturate ? format.largest : format.overflow);
  if (towardZero && !saturate) // numbers stay numbers
    limit = make<arith::SelectOp>(
        make<arith::CmpIOp>(CmpI::eq, magnitude, i32(bits, 0x7f800000)), limit,
        i32(bits, format.largest));
  code = make<arith::SelectOp>(tooLarge, limit, code);
  Value nan = make<arith::CmpIOp>(CmpI::ugt, magnitude, i32(bits, 0x7f800000));
  code = make<arith::SelectOp>(nan, i32(bits, format.nan), code);
  Value sign = make<arith::AndIOp>(
      make<arith::ShRUIOp>(bits, i32(bits, 32 - format.width)),
      i32(bits, format.sign()));
  if (format.unsignedZero) {
    Value zero = make<arith::CmpIOp>(CmpI::eq, code, i32(bits, 0));
    sign = make<arith::SelectOp>(zero, i32(bits, 0), sign);
  } else if (!format.hasNan) {
    sign = make<arith::SelectOp>(nan, i32(bits, 0), sign);
  }
  return make<arith::TruncIOp>(bytes, make<arith::OrIOp>(code, sign));
}
