// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 8 bits: those of OCP ("OCP 8-bit Floating Point
// Specification", 1.0) and those without negative zero and infinities (FNUZ),
// which CDNA3 has.
#ifndef KILN_TARGETS_AMD_DEVICE_FLOAT8_H
#define KILN_TARGETS_AMD_DEVICE_FLOAT8_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kiln::amd::sim {

struct Float8Format {
  int exponentBits, mantissaBits, bias;
  bool isFnuz, hasInfinity;
};
constexpr Float8Format kE4M3 = {4, 3, 7, false, false};
constexpr Float8Format kE5M2 = {5, 2, 15, false, true};
constexpr Float8Format kE4M3Fnuz = {4, 3, 8, true, false};
constexpr Float8Format kE5M2Fnuz = {5, 2, 16, true, false};

/// Those of 6 and 4 bits (OCP "Microscaling Formats", 1.0), all of whose codes
/// are numbers.
constexpr Float8Format kE2M3 = {2, 3, 1, false, false};
constexpr Float8Format kE3M2 = {3, 2, 3, false, false};
constexpr Float8Format kE2M1 = {2, 1, 1, false, false};

/// The value of a code of 4 or 6 bits.
inline float widenSmall(uint32_t code, const Float8Format &f) {
  int mantissa = int(code) & ((1 << f.mantissaBits) - 1);
  int field = int(code >> f.mantissaBits) & ((1 << f.exponentBits) - 1);
  bool isNegative = (code >> (f.mantissaBits + f.exponentBits)) & 1;
  float size = field ? std::ldexp(float(mantissa + (1 << f.mantissaBits)),
                                  field - f.bias - f.mantissaBits)
                     : std::ldexp(float(mantissa), 1 - f.bias - f.mantissaBits);
  return isNegative ? -size : size;
}
/// The nearest code, ties to even; the largest number for what is too large.
inline uint32_t narrowSmall(float x, const Float8Format &f) {
  int bits = f.mantissaBits + f.exponentBits;
  uint32_t sign = std::signbit(x) ? 1u << bits : 0, top = (1u << bits) - 1;
  float size = std::fabs(x);
  if (!(size < 1e6f))
    return sign | top;
  int least = 1 - f.bias;
  int exponent = size == 0 ? least : std::max(std::ilogb(size), least);
  auto units =
      uint32_t(std::nearbyint(std::ldexp(size, f.mantissaBits - exponent)));
  uint32_t code = units + (uint32_t(exponent - least) << f.mantissaBits);
  return sign | std::min(code, top);
}

/// The code of what random bits round (AMD's "hip_ext_ocp"): those below the
/// kept ones of a mantissa of `mantissaBits` bits are added to, and cut off.
/// Too large numbers become the largest one if `saturates`, else infinity or
/// NaN.
inline uint32_t narrowByBits(float x, const Float8Format &f,
                             unsigned mantissaBits, uint32_t random,
                             bool saturates) {
  unsigned bits = unsigned(f.mantissaBits + f.exponentBits);
  uint32_t sign = std::signbit(x) ? 1u << bits : 0, ones = (1u << bits) - 1;
  bool isByte = bits == 7;
  uint32_t top = !isByte         ? ones
                 : f.hasInfinity ? (ones & ~((1u << f.mantissaBits) - 1)) - 1
                                 : ones - 1;
  uint32_t beyond = saturates || !isByte ? top : f.hasInfinity ? top + 1 : ones;
  if (x != x)
    return isByte ? sign | ones : top;
  float size = std::fabs(x);
  if (size > 1e30f)
    return sign | (std::isinf(x) && f.hasInfinity ? top + 1 : beyond);
  int least = 1 - f.bias;
  int exponent = size == 0 ? least : std::max(std::ilogb(size), least);
  unsigned cut = mantissaBits - unsigned(f.mantissaBits);
  auto units =
      uint64_t(std::ldexp(double(size), f.mantissaBits - exponent + int(cut)));
  uint64_t code = ((units + (random >> (32 - cut))) >> cut) +
                  (uint64_t(exponent - least) << f.mantissaBits);
  return sign | (code > top ? beyond : uint32_t(code));
}

/// The next number of random bits (V_PRNG_B32).
inline uint32_t nextRandom(uint32_t x) { return x << 1 ^ (x >> 31 ? 197u : 0); }

/// The value of a byte.
inline float widen(uint8_t byte, const Float8Format &f) {
  int mantissa = byte & ((1 << f.mantissaBits) - 1);
  int field = (byte >> f.mantissaBits) & ((1 << f.exponentBits) - 1);
  int last = (1 << f.exponentBits) - 1;
  float sign = byte & 0x80 ? -1.0f : 1.0f;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  if (f.isFnuz && byte == 0x80)
    return nan;
  if (!f.isFnuz && field == last) {
    if (f.hasInfinity)
      return mantissa ? nan : sign * std::numeric_limits<float>::infinity();
    if (mantissa == (1 << f.mantissaBits) - 1)
      return nan;
  }
  float size = field ? std::ldexp(float(mantissa + (1 << f.mantissaBits)),
                                  field - f.bias - f.mantissaBits)
                     : std::ldexp(float(mantissa), 1 - f.bias - f.mantissaBits);
  return sign * size;
}

/// The nearest byte, ties to even. What is too large becomes the largest number
/// if `saturates`, else infinity or NaN.
inline uint8_t narrow(float x, const Float8Format &f, bool saturates) {
  uint8_t sign = std::signbit(x) ? 0x80 : 0;
  int last = (1 << f.exponentBits) - 1;
  auto top = uint8_t(f.isFnuz        ? 0x7f
                     : f.hasInfinity ? (last << f.mantissaBits) - 1
                                     : 0x7e);
  if (x != x)
    return f.isFnuz ? 0x80 : uint8_t(sign | 0x7f);
  float size = std::fabs(x);
  int exponent = size == 0 ? -100 : std::ilogb(size);
  int least = 1 - f.bias;
  if (exponent < least)
    exponent = least;
  // In units of the last place; a carry moves on into the exponent.
  float units =
      size > 1e30f
          ? 1e9f
          : std::nearbyint(std::ldexp(size, f.mantissaBits - exponent));
  int code = size > 1e30f ? 1 << 20
                          : int(units) + ((exponent - least) << f.mantissaBits);
  if (code > top) {
    bool isFinite = std::isfinite(x);
    if (saturates && (isFinite || !f.hasInfinity))
      return sign | top;
    if (f.isFnuz)
      return 0x80;
    return uint8_t(sign | (f.hasInfinity ? last << f.mantissaBits : 0x7f));
  }
  if (f.isFnuz && code == 0)
    return 0;
  return uint8_t(sign | code);
}

} // namespace kiln::amd::sim

#endif
