// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the scalar and the vector unit compute, one element at a time. Elements
// are their bits, so that moving one keeps it.
#include "Machine.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace systolic;

template <typename To, typename From> static To bitsAs(From from) {
  To to;
  static_assert(sizeof(To) == sizeof(From));
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

double systolic::decode(int64_t type, uint64_t bits) {
  if (type == f16)
    return static_cast<float>(bitsAs<_Float16>(static_cast<uint16_t>(bits)));
  return bitsAs<float>(static_cast<uint32_t>(type == bf16 ? bits << 16 : bits));
}

/// Rounds once, from double, to so many bits of fraction.
static uint64_t encodeBf16(double value) {
  if (std::isnan(value))
    return 0x7fc0 | (std::signbit(value) ? 0x8000 : 0);
  // To odd first, so that the second rounding sees what the first cut off.
  float narrow = static_cast<float>(value);
  uint32_t bits = bitsAs<uint32_t>(narrow);
  if (std::isfinite(value) && static_cast<double>(narrow) != value) {
    if (std::fabs(static_cast<double>(narrow)) > std::fabs(value))
      bits -= 1;
    bits |= 1;
  }
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

uint64_t systolic::encode(int64_t type, double value) {
  if (type == bf16)
    return encodeBf16(value);
  if (type == f16)
    return bitsAs<uint16_t>(static_cast<_Float16>(value));
  return bitsAs<uint32_t>(static_cast<float>(value));
}

static bool isFloat(int64_t type) { return type >= bf16; }
static int widthOf(int64_t type) {
  return type == i1 ? 1 : static_cast<int>(kTypeBytes[type] * 8);
}
static int64_t asSigned(int64_t type, uint64_t bits) {
  int unused = 64 - widthOf(type);
  return static_cast<int64_t>(bits << unused) >> unused;
}
static uint64_t cut(int64_t type, uint64_t bits) {
  int unused = 64 - widthOf(type);
  return bits << unused >> unused;
}

/// Saturates, as what does not fit has no result that anyone relies on.
static uint64_t toInteger(int64_t type, double value, bool isSigned) {
  if (std::isnan(value))
    return 0;
  int width = widthOf(type);
  double low = isSigned ? -std::ldexp(1.0, width - 1) : 0;
  double high = std::ldexp(1.0, isSigned ? width - 1 : width);
  value = std::trunc(value);
  if (value < low)
    value = low;
  if (value >= high)
    return isSigned ? cut(type, (1ull << (width - 1)) - 1) : cut(type, ~0ull);
  return cut(type, isSigned ? static_cast<uint64_t>(static_cast<int64_t>(value))
                            : static_cast<uint64_t>(value));
}

static bool compareIntegers(int64_t predicate, int64_t type, uint64_t a,
                            uint64_t b) {
  int64_t x = asSigned(type, a), y = asSigned(type, b);
  uint64_t u = cut(type, a), v = cut(type, b);
  // The order of arith.cmpi.
  const bool results[] = {
      u == v, u != v, x<y, x <= y, x> y, x >= y, u<v, u <= v, u> v, u >= v};
  return predicate >= 0 && predicate < 10 && results[predicate];
}

static bool compareFloats(int64_t predicate, double x, double y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  const bool ordered[] = {x == y, x > y, x >= y, x < y, x <= y, x != y};
  // The order of arith.cmpf: false, six ordered ones, ord, the same six where
  // unordered counts, uno, true.
  if (predicate == 0 || predicate == 15)
    return predicate != 0;
  if (predicate == 7 || predicate == 14)
    return unordered == (predicate == 14);
  if (predicate < 7)
    return !unordered && ordered[predicate - 1];
  return unordered || ordered[predicate - 8];
}

/// maximumf, or with `isNumber` maxnumf, of which one NaN is left out.
static double larger(double a, double b, bool isNumber) {
  if (std::isnan(a) || std::isnan(b)) {
    if (isNumber && !(std::isnan(a) && std::isnan(b)))
      return std::isnan(a) ? b : a;
    return std::numeric_limits<double>::quiet_NaN();
  }
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}

static uint64_t integer(int64_t function, int64_t type, uint64_t a,
                        uint64_t b) {
  int64_t x = asSigned(type, a), y = asSigned(type, b);
  uint64_t u = cut(type, a), v = cut(type, b);
  uint64_t width = static_cast<uint64_t>(widthOf(type));
  bool isShift = v < width;
  // The one quotient that does not fit.
  bool wraps = y == -1;
  int64_t quotient = wraps ? static_cast<int64_t>(0 - static_cast<uint64_t>(x))
                     : y   ? x / y
                           : 0;
  int64_t rest = wraps || !y ? 0 : x % y;
  switch (function) {
  case Fn_addi:
    return u + v;
  case Fn_subi:
    return u - v;
  case Fn_muli:
    return u * v;
  case Fn_divsi:
    return static_cast<uint64_t>(quotient);
  case Fn_remsi:
    return static_cast<uint64_t>(rest);
  case Fn_ceildivsi:
    return static_cast<uint64_t>(quotient + (rest && (rest < 0) == (y < 0)));
  case Fn_floordivsi:
    return static_cast<uint64_t>(quotient - (rest && (rest < 0) != (y < 0)));
  case Fn_divui:
    return v ? u / v : 0;
  case Fn_remui:
    return v ? u % v : 0;
  case Fn_andi:
    return u & v;
  case Fn_ori:
    return u | v;
  case Fn_xori:
    return u ^ v;
  case Fn_shli:
    return isShift ? u << v : 0;
  case Fn_shrsi:
    return isShift ? static_cast<uint64_t>(x >> v) : 0;
  case Fn_shrui:
    return isShift ? u >> v : 0;
  case Fn_maxsi:
    return static_cast<uint64_t>(std::max(x, y));
  case Fn_minsi:
    return static_cast<uint64_t>(std::min(x, y));
  case Fn_maxui:
    return std::max(u, v);
  case Fn_minui:
    return std::min(u, v);
  default: // absi
    return x < 0 ? 0 - u : u;
  }
}

static double floating(int64_t function, double a, double b, double c) {
  switch (function) {
  case Fn_addf:
    return a + b;
  case Fn_subf:
    return a - b;
  case Fn_mulf:
    return a * b;
  case Fn_divf:
    return a / b;
  case Fn_remf:
    return std::fmod(a, b);
  case Fn_maximumf:
  case Fn_maxnumf:
    return larger(a, b, function == Fn_maxnumf);
  case Fn_minimumf:
  case Fn_minnumf:
    return -larger(-a, -b, function == Fn_minnumf);
  case Fn_fma:
    return std::fma(a, b, c);
  case Fn_exp:
    return std::exp(a);
  case Fn_exp2:
    return std::exp2(a);
  case Fn_expm1:
    return std::expm1(a);
  case Fn_log:
    return std::log(a);
  case Fn_log2:
    return std::log2(a);
  case Fn_log10:
    return std::log10(a);
  case Fn_log1p:
    return std::log1p(a);
  case Fn_sqrt:
    return std::sqrt(a);
  case Fn_rsqrt:
    return 1 / std::sqrt(a);
  case Fn_sin:
    return std::sin(a);
  case Fn_cos:
    return std::cos(a);
  case Fn_tan:
    return std::tan(a);
  case Fn_tanh:
    return std::tanh(a);
  case Fn_erf:
    return std::erf(a);
  case Fn_powf:
    return std::pow(a, b);
  case Fn_atan2:
    return std::atan2(a, b);
  case Fn_floor:
    return std::floor(a);
  case Fn_ceil:
    return std::ceil(a);
  case Fn_round:
    return std::round(a);
  case Fn_roundeven:
    return std::nearbyint(a);
  case Fn_trunc:
    return std::trunc(a);
  default: // extf, truncf
    return a;
  }
}

uint64_t systolic::evaluate(int64_t function, int64_t variant, int64_t type,
                            int64_t from, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t sign = type == f32 ? 0x80000000u : 0x8000u;
  switch (function) {
  case Fn_cmpi:
    return compareIntegers(variant, from, a, b);
  case Fn_cmpf:
    return compareFloats(variant, decode(from, a), decode(from, b));
  case Fn_select:
    return (a & 1) ? b : c;
  case Fn_negf:
    return a ^ sign;
  case Fn_absf:
    return a & ~sign;
  case Fn_copysign:
    return (a & ~sign) | (b & sign);
  case Fn_sitofp:
    // One rounding: double holds 53 bits, and f32 is rounded straight.
    return type == f32 ? bitsAs<uint32_t>(static_cast<float>(asSigned(from, a)))
                       : encode(type, static_cast<double>(asSigned(from, a)));
  case Fn_uitofp:
    return type == f32 ? bitsAs<uint32_t>(static_cast<float>(cut(from, a)))
                       : encode(type, static_cast<double>(cut(from, a)));
  case Fn_fptosi:
  case Fn_fptoui:
    return toInteger(type, decode(from, a), function == Fn_fptosi);
  case Fn_extsi:
  case Fn_index_cast:
    return cut(type, static_cast<uint64_t>(asSigned(from, a)));
  case Fn_extui:
  case Fn_index_castui:
    return cut(type, cut(from, a));
  case Fn_trunci:
  case Fn_bitcast:
    return cut(type, a);
  default:
    break;
  }
  if (!isFloat(type))
    return cut(type, integer(function, type, a, b));
  // Rounded once; all others are exact in double, or have no exact result.
  if (function == Fn_fma && type == f32)
    return bitsAs<uint32_t>(std::fma(static_cast<float>(decode(f32, a)),
                                     static_cast<float>(decode(f32, b)),
                                     static_cast<float>(decode(f32, c))));
  return encode(type, floating(function, decode(from, a), decode(from, b),
                               decode(from, c)));
}
