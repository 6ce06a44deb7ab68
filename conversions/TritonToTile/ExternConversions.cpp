// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// External functions that convert between types or look at bits.
#include "ExternFunctions.h"

using namespace mlir;

namespace kiln::triton_to_tile {
namespace {

constexpr Precision same = Precision::same;

Term roundToIntegral(Term x, Mode mode) {
  switch (mode) {
  case Mode::rn:
    return apply<math::RoundEvenOp>(x);
  case Mode::rz:
    return apply<math::TruncOp>(x);
  case Mode::ru:
    return apply<math::CeilOp>(x);
  case Mode::rd:
    return apply<math::FloorOp>(x);
  }
  llvm_unreachable("all modes are handled");
}

/// An integral number as an integer. What lies outside of the type becomes its
/// nearest number; NaN becomes 0 from f32 to 32 bits, else only the highest
/// bit.
Term toInteger(Term x, Type type, bool isSigned) {
  unsigned width = type.getIntOrFloatBitWidth();
  double limit = std::ldexp(1.0, isSigned ? width - 1 : width);
  Term over = x >= limit, under = x < (isSigned ? -limit : 0.0);
  Term fits = select(over | under | isNaN(x), 0.0, x);
  Term y = isSigned ? fits.make<arith::FPToSIOp>(type, fits)
                    : fits.make<arith::FPToUIOp>(type, fits);
  uint64_t highest = uint64_t(1) << (width - 1);
  y = select(over, y.bits(isSigned ? highest - 1 : ~uint64_t(0)), y);
  y = select(under, y.bits(isSigned ? highest : 0), y);
  bool isNarrow = x.getWidth() <= 32 && width <= 32;
  return isNarrow ? y : select(isNaN(x), y.bits(highest), y);
}

/// float2int, double2ull ... and the like without a mode in their name.
Term floatToInteger(const ExternCall &call) {
  return toInteger(roundToIntegral(call[0], call.mode), call.result,
                   !call.name.contains("2u"));
}
Term roundToInteger(const ExternCall &call) {
  return toInteger(roundToIntegral(call[0], Mode::rn), call.result, true);
}
Term roundAwayToInteger(const ExternCall &call) {
  return toInteger(apply<math::RoundOp>(call[0]), call.result, true);
}

/// int2float, ull2double ...: two halves are exact in f64, and their sum says
/// how it was rounded.
Term integerToFloat(const ExternCall &call) {
  bool isSigned = !call.name.starts_with("u");
  Term x = call[0];
  if (call.mode == Mode::rn)
    return isSigned ? x.signedTo(call.result) : x.unsignedTo(call.result);
  x = x.extendTo(x.integer(64), isSigned);
  Term high = isSigned ? x >> 32 : shiftRight(x, 32);
  Term low = x & x.bits(0xffffffff);
  return roundTo(
      exactSum(high.signedTo(x.f64()) * 4294967296.0, low.signedTo(x.f64())),
      call.result, call.mode);
}

Term narrowFloat(const ExternCall &call) {
  Term x = call[0];
  if (call.mode == Mode::rn)
    return x.extendTo(call.result);
  return roundTo({x, x.number(0)}, call.result, call.mode);
}

Term bitcast(const ExternCall &call) { return call[0].bitcastTo(call.result); }

Term floatToHalf(const ExternCall &call) {
  Type half = Float16Type::get(call.result.getContext());
  return call[0].extendTo(half).bitcastTo(call.result);
}
Term halfToFloat(const ExternCall &call) {
  Type half = Float16Type::get(call.result.getContext());
  return call[0].bitcastTo(half).extendTo(call.result);
}

Term joinHalves(const ExternCall &call) {
  Type i64 = call[0].integer(64);
  Term bits = (call[0].extendTo(i64) << 32) | call[1].extendTo(i64, false);
  return bits.bitcastTo(call.result);
}
Term highHalf(const ExternCall &call) {
  Term bits = call[0].bitcastTo(call[0].integer(64));
  return shiftRight(bits, 32).extendTo(call.result);
}
Term lowHalf(const ExternCall &call) {
  return call[0].bitcastTo(call[0].integer(64)).extendTo(call.result);
}

/// 1 / x on the upper halves of its operand and of its result.
Term reciprocalOfHigh(const ExternCall &call) {
  Term x = call[0];
  auto upper = [](Term y) {
    Term bits = y.bitcastTo(y.integer(64));
    return (bits & bits.bits(~uint64_t(0xffffffff))).bitcastTo(y.f64());
  };
  return upper(1.0 / upper(x));
}

// clang-format off
constexpr ExternFunction functions[] = {
    {"float2int",   "f>i", same, floatToInteger, true},
    {"float2uint",  "f>i", same, floatToInteger, true},
    {"float2ll",    "f>l", same, floatToInteger, true},
    {"float2ull",   "f>l", same, floatToInteger, true},
    {"double2int",  "d>i", same, floatToInteger, true},
    {"double2uint", "d>i", same, floatToInteger, true},
    {"double2ll",   "d>l", same, floatToInteger, true},
    {"double2ull",  "d>l", same, floatToInteger, true},
    {"llrint",      "r>l", same, roundToInteger},
    {"lrint",       "r>l", same, roundToInteger},
    {"llround",     "r>l", same, roundAwayToInteger},
    {"lround",      "r>l", same, roundAwayToInteger},
    {"int2float",   "i>f", same, integerToFloat, true},
    {"uint2float",  "i>f", same, integerToFloat, true},
    {"ll2float",    "l>f", same, integerToFloat, true},
    {"ull2float",   "l>f", same, integerToFloat, true},
    {"int2double",  "i>d", same, integerToFloat, true},
    {"uint2double", "i>d", same, integerToFloat, true},
    {"ll2double",   "l>d", same, integerToFloat, true},
    {"ull2double",  "l>d", same, integerToFloat, true},
    {"double2float", "d>f", same, narrowFloat,   true},
    {"float2half",  "f>s", same, floatToHalf,    true},
    {"half2float",  "s>f", same, halfToFloat},
    {"int_as_float",  "i>f", same, bitcast},
    {"uint_as_float", "i>f", same, bitcast},
    {"float_as_int",  "f>i", same, bitcast},
    {"float_as_uint", "f>i", same, bitcast},
    {"longlong_as_double", "l>d", same, bitcast},
    {"double_as_longlong", "d>l", same, bitcast},
    {"hiloint2double", "ii>d", same, joinHalves},
    {"double2hiint",   "d>i",  same, highHalf},
    {"double2loint",   "d>i",  same, lowHalf},
    {"rcp64h",         "d>d",  same, reciprocalOfHigh},
};
// clang-format on

} // namespace

ArrayRef<ExternFunction> getConversionFunctions() { return functions; }

} // namespace kiln::triton_to_tile
