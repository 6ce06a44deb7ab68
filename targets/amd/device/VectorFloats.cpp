// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of floats in every lane: "VOP1", "VOP2" and "VOP3" instructions of
// the instruction set manuals (CDNA3, RDNA3, RDNA4).
#include "Approximate.h"
#include "FloatExtremes.h"
#include "NearestEven.h"
#include "Values.h"
#include <limits>

using namespace kiln::amd::sim;

namespace {
/// The type that a type's whole numbers are computed in.
template <typename T>
using Wide = std::conditional_t<sizeof(T) == 8, double, float>;

template <typename T> T median(T x, T y, T z) {
  if (x != x || y != y || z != z)
    return smaller(smaller(x, y), z);
  T most = larger(larger(x, y), z);
  if (most == x)
    return larger(y, z);
  if (most == y)
    return larger(x, z);
  return larger(x, y);
}

template <typename T> T fraction(T x) {
  T y = x - T(std::floor(Wide<T>(x)));
  T most = sizeof(T) == 8   ? T(0x1.fffffffffffffp-1)
           : sizeof(T) == 4 ? T(0x1.fffffep-1)
                            : T(0x1.ffcp-1);
  return y < most ? y : (y != y ? y : most);
}
template <typename T> int32_t exponentOf(T x) {
  if (!std::isfinite(x) || x == 0)
    return 0;
  int e = 0;
  std::frexp(x, &e);
  return e;
}
template <typename T> T mantissaOf(T x) {
  if (!std::isfinite(x))
    return x;
  int e = 0;
  return std::frexp(x, &e);
}

//===----------------------------------------------------------------------===//
// Division: v_div_scale, v_div_fmas, v_div_fixup
//===----------------------------------------------------------------------===//

/// (x * y + z) * 2^by, rounded once. `sum` is x * y + z, rounded.
static double scaledSum(double x, double y, double z, double sum, int by) {
  double result = std::ldexp(sum, by);
  if (by >= 0 || !std::isfinite(sum) ||
      std::abs(result) > std::numeric_limits<double>::min())
    return result;
  // A subnormal result was rounded twice. That is wrong where the first time
  // made it a tie: then what was lost there decides.
  double rest = sum - std::ldexp(result, -by);
  double least = std::numeric_limits<double>::denorm_min();
  if (std::abs(rest) != std::ldexp(least, -by - 1))
    return result;
  double product = x * y, low = std::fma(x, y, -product);
  double total = product + z, part = total - product;
  double lost = (product - (total - part)) + (z - part);
  lost = (total - sum) + (lost + low);
  if (lost == 0 || std::signbit(lost) != std::signbit(rest))
    return result;
  return result + std::copysign(least, rest);
}

/// x + y, whose last bit is one where bits were lost, so that rounding it to
/// fewer bits is the same as rounding the exact sum.
static double oddSum(double x, double y) {
  double sum = x + y, part = sum - x;
  double lost = (x - (sum - part)) + (y - part);
  auto bits = std::bit_cast<uint64_t>(sum);
  if (!std::isfinite(sum) || lost == 0 || bits & 1)
    return sum;
  bool isBeyond = std::signbit(lost) != std::signbit(sum);
  return std::bit_cast<double>(isBeyond ? bits - 1 : bits + 1);
}

/// Sizes of a type in the descriptions of these instructions.
template <typename T> struct Division {
  static constexpr bool isDouble = sizeof(T) == 8;
  static constexpr int kFar = isDouble ? 768 : 96;
  static constexpr int kScale = isDouble ? 128 : 64;
  static constexpr int kTiny = isDouble ? 53 : 23;
  static constexpr int kBias = isDouble ? 1023 : 127;
  static constexpr int kLeast = isDouble ? -1075 : -150;

  /// The exponent as it is stored.
  static int field(T x) {
    if constexpr (isDouble)
      return int(std::bit_cast<uint64_t>(x) >> 52) & 0x7ff;
    else
      return int(std::bit_cast<uint32_t>(x) >> 23) & 0xff;
  }
  static bool isSubnormal(T x) { return x != 0 && field(x) == 0; }
  /// Whether a quotient is too small to be normal.
  static bool isSmall(T x, T y) {
    T q = x / y;
    return isSubnormal(q) || (q == 0 && x != 0 && std::isfinite(y));
  }

  static T scale(T x, T denominator, T numerator, bool &flag) {
    flag = false;
    if (numerator == 0 || denominator == 0)
      return std::numeric_limits<T>::quiet_NaN();
    bool isDenominator = std::memcmp(&x, &denominator, sizeof x) == 0;
    bool isNumerator = std::memcmp(&x, &numerator, sizeof x) == 0;
    if (field(numerator) - field(denominator) >= kFar) {
      flag = true;
      return isDenominator ? std::ldexp(x, kScale) : x;
    }
    if (isSubnormal(denominator))
      return std::ldexp(x, kScale);
    bool isSmallInverse = isSmall(T(1), denominator);
    bool isSmallQuotient = isSmall(numerator, denominator);
    if (isSmallInverse && isSmallQuotient) {
      flag = true;
      return isDenominator ? std::ldexp(x, -kScale) : x;
    }
    if (isSmallInverse)
      return std::ldexp(x, -kScale);
    if (isSmallQuotient) {
      flag = true;
      return isNumerator ? std::ldexp(x, kScale) : x;
    }
    return field(numerator) <= kTiny ? std::ldexp(x, kScale) : x;
  }

  static T multiplyAdd(T x, T y, T z, bool flag) {
    if (!flag)
      return std::fma(x, y, z);
    int by = field(z) > kBias ? kScale : -kScale;
    if constexpr (isDouble)
      return scaledSum(x, y, z, std::fma(x, y, z), by);
    else
      return float(std::ldexp(oddSum(double(x) * double(y), z), by));
  }

  static T fixUp(T quotient, T denominator, T numerator) {
    bool isNegative = std::signbit(denominator) != std::signbit(numerator);
    T sign = isNegative ? T(-1) : T(1);
    if (numerator != numerator)
      return quiet(numerator);
    if (denominator != denominator)
      return quiet(denominator);
    if ((numerator == 0 && denominator == 0) ||
        (std::isinf(numerator) && std::isinf(denominator)))
      return std::numeric_limits<T>::quiet_NaN();
    if (denominator == 0 || std::isinf(numerator))
      return std::copysign(std::numeric_limits<T>::infinity(), sign);
    if (std::isinf(denominator) || numerator == 0)
      return std::copysign(T(0), sign);
    if (field(numerator) - field(denominator) < kLeast)
      return std::copysign(T(0), sign);
    // Of finite operands: the steps before left the range, and took the
    // difference of infinities. This instruction "handles all exceptional
    // cases of division", so the quotient is one that is too large.
    if (quotient != quotient)
      return std::copysign(std::numeric_limits<T>::infinity(), sign);
    return std::copysign(quotient, sign);
  }
};

/// v_div_scale dst, flags, x, denominator, numerator.
template <typename T> void runDivScale(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<T> x, y, z, result;
  load(wave, inst, 2, x.v, false);
  load(wave, inst, 3, y.v, false);
  load(wave, inst, 4, z.v, false);
  uint64_t flags = 0;
  for (unsigned l = 0; l < kMaxLanes; ++l) {
    bool flag = false;
    result.v[l] = Division<T>::scale(x.v[l], y.v[l], z.v[l], flag);
    flags |= uint64_t(flag) << l;
  }
  store(wave, inst, inst.ops[0], result.v);
  wave.writeMask(inst.ops[1].reg, flags & wave.exec());
}

template <typename T> void runDivFmas(Wave &wave, const Inst &inst) {
  wave.sourceMask = ~uint64_t(0);
  Lanes<T> x, y, z, result;
  load(wave, inst, 1, x.v, false);
  load(wave, inst, 2, y.v, false);
  load(wave, inst, 3, z.v, false);
  uint64_t flags = wave.lanes == 64 ? wave.scalar64(kVcc) : wave.s[kVcc];
  for (unsigned l = 0; l < kMaxLanes; ++l)
    result.v[l] =
        Division<T>::multiplyAdd(x.v[l], y.v[l], z.v[l], (flags >> l) & 1);
  store(wave, inst, inst.ops[0], result.v);
}

/// The exponent that ldexp takes, limited so that no host overflows.
int limited(int32_t n) { return n > 4000 ? 4000 : n < -4000 ? -4000 : n; }

template <typename T> void addArithmetic(Table &t, const std::string &suffix) {
  auto name = [&](const char *stem) { return stem + suffix; };
  t.add(name("v_add_"), vector<[](T x, T y) -> T { return x + y; }>());
  t.add(name("v_mul_"), vector<[](T x, T y) -> T { return x * y; }>());
  t.add({name("v_max_"), name("v_max_num_")},
        vector<[](T x, T y) -> T { return larger(x, y); }>());
  t.add({name("v_min_"), name("v_min_num_")},
        vector<[](T x, T y) -> T { return smaller(x, y); }>());
  t.add(name("v_maximum_"),
        vector<[](T x, T y) -> T { return maximum(x, y); }>());
  t.add(name("v_minimum_"),
        vector<[](T x, T y) -> T { return minimum(x, y); }>());
  t.add(name("v_fract_"), vector<[](T x) -> T { return fraction(x); }>());
  t.add(name("v_trunc_"),
        vector<[](T x) -> T { return T(std::trunc(Wide<T>(x))); }>());
  t.add(name("v_ceil_"),
        vector<[](T x) -> T { return T(std::ceil(Wide<T>(x))); }>());
  t.add(name("v_floor_"),
        vector<[](T x) -> T { return T(std::floor(Wide<T>(x))); }>());
  t.add(name("v_rndne_"),
        vector<[](T x) -> T { return T(nearestEven(Wide<T>(x))); }>());
}

template <typename T> void addNarrow(Table &t, const std::string &suffix) {
  auto name = [&](const char *stem) { return stem + suffix; };
  t.add(name("v_sub_"), vector<[](T x, T y) -> T { return x - y; }>());
  t.add(name("v_subrev_"), vector<[](T x, T y) -> T { return y - x; }>());
  t.add({name("v_max3_"), name("v_max3_num_")},
        vector<[](T x, T y, T z) -> T { return larger(larger(x, y), z); }>());
  t.add({name("v_min3_"), name("v_min3_num_")},
        vector<[](T x, T y, T z) -> T { return smaller(smaller(x, y), z); }>());
  t.add({name("v_med3_"), name("v_med3_num_")},
        vector<[](T x, T y, T z) -> T { return median(x, y, z); }>());
  t.add(name("v_maximum3_"),
        vector<[](T x, T y, T z) -> T { return maximum(maximum(x, y), z); }>());
  t.add(name("v_minimum3_"),
        vector<[](T x, T y, T z) -> T { return minimum(minimum(x, y), z); }>());
  t.add({name("v_maxmin_"), name("v_maxmin_num_")},
        vector<[](T x, T y, T z) -> T { return smaller(larger(x, y), z); }>());
  t.add({name("v_minmax_"), name("v_minmax_num_")},
        vector<[](T x, T y, T z) -> T { return larger(smaller(x, y), z); }>());
  t.add(name("v_maximumminimum_"),
        vector<[](T x, T y, T z) -> T { return minimum(maximum(x, y), z); }>());
  t.add(name("v_minimummaximum_"),
        vector<[](T x, T y, T z) -> T { return maximum(minimum(x, y), z); }>());
}

void addSingles(Table &t) {
  addArithmetic<float>(t, "f32");
  addNarrow<float>(t, "f32");
  t.add({"v_fma_f32", "v_fmamk_f32", "v_fmaak_f32"},
        vector<[](float x, float y, float z) -> float {
          return std::fma(x, y, z);
        }>());
  t.add("v_fmac_f32", accumulate<[](float x, float y, float z) -> float {
          return std::fma(x, y, z);
        }>());
  // Two roundings, subnormal numbers are zero.
  t.add({"v_mad_f32", "v_madmk_f32", "v_madak_f32"},
        vector<[](float x, float y, float z) -> float {
          return flush(flush(flush(x) * flush(y)) + flush(z));
        }>());
  t.add("v_mac_f32", accumulate<[](float x, float y, float z) -> float {
          return flush(flush(flush(x) * flush(y)) + flush(z));
        }>());
  // 0 times anything is 0.
  auto legacy = vector<[](float x, float y) -> float {
    return x == 0 || y == 0 ? 0.0f : x * y;
  }>();
  t.add({"v_mul_legacy_f32", "v_mul_dx9_zero_f32"}, legacy);
  t.add({"v_fma_legacy_f32", "v_fma_dx9_zero_f32"},
        vector<[](float x, float y, float z) -> float {
          return x == 0 || y == 0 ? z : std::fma(x, y, z);
        }>());
  t.add({"v_fmac_legacy_f32", "v_fmac_dx9_zero_f32"},
        accumulate<[](float x, float y, float z) -> float {
          return x == 0 || y == 0 ? z : std::fma(x, y, z);
        }>());
  t.add("v_mad_legacy_f32", vector<[](float x, float y, float z) -> float {
          return x == 0 || y == 0
                     ? flush(z)
                     : flush(flush(flush(x) * flush(y)) + flush(z));
        }>());
  t.add("v_mullit_f32", vector<[](float x, float y, float z) -> float {
          constexpr float most = std::numeric_limits<float>::max();
          bool isOut = !(y > -most) || !(z > 0);
          return isOut ? -most : x * y;
        }>());
  t.add({"v_exp_f32", "v_exp_legacy_f32"},
        vector<[](float x) -> float { return approximate<std::exp2>(x); }>());
  t.add({"v_log_f32", "v_log_legacy_f32"},
        vector<[](float x) -> float { return approximate<std::log2>(x); }>());
  t.add({"v_rcp_f32", "v_rcp_iflag_f32"},
        vector<[](float x) -> float { return approximate<reciprocal>(x); }>());
  t.add("v_rsq_f32", vector<[](float x) -> float {
          return approximate<reciprocalRoot>(x);
        }>());
  t.add("v_sqrt_f32",
        vector<[](float x) -> float { return approximate<std::sqrt>(x); }>());
  t.add("v_sin_f32",
        vector<[](float x) -> float { return approximate<sineOfTurns>(x); }>());
  t.add(
      "v_cos_f32",
      vector<[](float x) -> float { return approximate<cosineOfTurns>(x); }>());
  t.add("v_ldexp_f32", vector<[](float x, int32_t n) -> float {
          return std::ldexp(x, limited(n));
        }>());
  t.add("v_frexp_exp_i32_f32",
        vector<[](float x) -> int32_t { return exponentOf(x); }>());
  t.add("v_frexp_mant_f32",
        vector<[](float x) -> float { return mantissaOf(x); }>());
  t.add("v_div_fixup_f32", vector<[](float x, float y, float z) -> float {
          return Division<float>::fixUp(x, y, z);
        }>());
  Entry scale;
  scale.types.fill(Type::F32);
  scale.run = runDivScale<float>;
  t.add("v_div_scale_f32", scale);
  scale.run = runDivFmas<float>;
  t.add("v_div_fmas_f32", scale);
}

void addDoubles(Table &t) {
  addArithmetic<double>(t, "f64");
  t.add("v_fma_f64", vector<[](double x, double y, double z) -> double {
          return std::fma(x, y, z);
        }>());
  t.add("v_fmac_f64", accumulate<[](double x, double y, double z) -> double {
          return std::fma(x, y, z);
        }>());
  // Estimates of 2^-26 or so; what follows refines them.
  t.add("v_rcp_f64", vector<[](double x) -> double { return 1.0 / x; }>());
  t.add("v_rsq_f64",
        vector<[](double x) -> double { return 1.0 / std::sqrt(x); }>());
  t.add("v_sqrt_f64",
        vector<[](double x) -> double { return std::sqrt(x); }>());
  t.add("v_ldexp_f64", vector<[](double x, int32_t n) -> double {
          return std::ldexp(x, limited(n));
        }>());
  t.add("v_frexp_exp_i32_f64",
        vector<[](double x) -> int32_t { return exponentOf(x); }>());
  t.add("v_frexp_mant_f64",
        vector<[](double x) -> double { return mantissaOf(x); }>());
  t.add("v_div_fixup_f64", vector<[](double x, double y, double z) -> double {
          return Division<double>::fixUp(x, y, z);
        }>());
  Entry scale;
  scale.types.fill(Type::F64);
  scale.run = runDivScale<double>;
  t.add("v_div_scale_f64", scale);
  scale.run = runDivFmas<double>;
  t.add("v_div_fmas_f64", scale);
}

/// Within an expression the host may keep more than f16.
Half roundedProduct(Half x, Half y) {
  auto product = Half(float(x) * float(y));
  return product;
}

void addHalves(Table &t) {
  addArithmetic<Half>(t, "f16");
  addNarrow<Half>(t, "f16");
  // A product of halves is exact in f64, and the sum rounded once at last.
  t.add({"v_fma_f16", "v_fma_legacy_f16", "v_fmamk_f16", "v_fmaak_f16"},
        vector<[](Half x, Half y, Half z) -> Half {
          return Half(double(x) * double(y) + double(z));
        }>());
  t.add("v_fmac_f16", accumulate<[](Half x, Half y, Half z) -> Half {
          return Half(double(x) * double(y) + double(z));
        }>());
  // Two roundings.
  t.add({"v_mad_f16", "v_mad_legacy_f16", "v_madmk_f16", "v_madak_f16"},
        vector<[](Half x, Half y, Half z) -> Half {
          return roundedProduct(x, y) + z;
        }>());
  t.add("v_mac_f16", accumulate<[](Half x, Half y, Half z) -> Half {
          return roundedProduct(x, y) + z;
        }>());
  t.add("v_sin_f16",
        vector<[](Half x) -> Half { return Half(sineOfTurns(double(x))); }>());
  t.add(
      "v_cos_f16",
      vector<[](Half x) -> Half { return Half(cosineOfTurns(double(x))); }>());
  t.add("v_exp_f16",
        vector<[](Half x) -> Half { return Half(std::exp2(float(x))); }>());
  t.add("v_log_f16",
        vector<[](Half x) -> Half { return Half(std::log2(float(x))); }>());
  t.add("v_rcp_f16",
        vector<[](Half x) -> Half { return Half(1.0f / float(x)); }>());
  t.add("v_rsq_f16", vector<[](Half x) -> Half {
          return Half(1.0 / std::sqrt(double(x)));
        }>());
  t.add("v_sqrt_f16",
        vector<[](Half x) -> Half { return Half(std::sqrt(float(x))); }>());
  t.add("v_ldexp_f16", vector<[](Half x, int16_t n) -> Half {
          return Half(std::ldexp(float(x), n));
        }>());
  t.add("v_frexp_exp_i16_f16", vector<[](Half x) -> int16_t {
          return int16_t(exponentOf(float(x)));
        }>());
  t.add("v_frexp_mant_f16",
        vector<[](Half x) -> Half { return Half(mantissaOf(float(x))); }>());
  t.add({"v_div_fixup_f16", "v_div_fixup_legacy_f16"},
        vector<[](Half x, Half y, Half z) -> Half {
          return Half(Division<float>::fixUp(float(x), float(y), float(z)));
        }>());
}
} // namespace

void kiln::amd::sim::addVectorFloats(Table &table) {
  addSingles(table);
  addDoubles(table);
  addHalves(table);
}
