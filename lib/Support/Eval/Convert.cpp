// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of every type as doubles and 64-bit integers, and back.
#include "kiln/Eval/Elements.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <array>
#include <cmath>
#include <limits>

using namespace llvm;

namespace kiln::eval {

/// The format of a float type without a machine type; null for the others.
static const fltSemantics *smallSemantics(DType dtype) {
  switch (dtype) {
  case DType::f8E4M3FN:
    return &APFloat::Float8E4M3FN();
  case DType::f8E5M2:
    return &APFloat::Float8E5M2();
  case DType::f8E4M3FNUZ:
    return &APFloat::Float8E4M3FNUZ();
  case DType::f8E5M2FNUZ:
    return &APFloat::Float8E5M2FNUZ();
  case DType::f8E4M3B11FNUZ:
    return &APFloat::Float8E4M3B11FNUZ();
  case DType::f8E4M3:
    return &APFloat::Float8E4M3();
  case DType::f8E3M4:
    return &APFloat::Float8E3M4();
  case DType::f8E8M0FNU:
    return &APFloat::Float8E8M0FNU();
  case DType::f6E2M3FN:
    return &APFloat::Float6E2M3FN();
  case DType::f6E3M2FN:
    return &APFloat::Float6E3M2FN();
  case DType::f4E2M1FN:
    return &APFloat::Float4E2M1FN();
  default:
    return nullptr;
  }
}

static double decodeSmall(const fltSemantics &semantics, unsigned bits) {
  unsigned width = APFloat::semanticsSizeInBits(semantics);
  APFloat value(semantics, APInt(width, bits & ((1u << width) - 1)));
  // A NaN without a fraction would become an infinity.
  if (value.isNaN())
    return std::copysign(std::numeric_limits<double>::quiet_NaN(),
                         APFloat::semanticsHasSignedRepr(semantics) &&
                                 (bits >> (width - 1) & 1)
                             ? -1.0
                             : 1.0);
  bool lost;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

static uint8_t encodeSmall(const fltSemantics &semantics, double number) {
  APFloat value(number);
  bool lost;
  // APFloat rounds negative numbers to nonsense where there is no sign.
  if (!APFloat::semanticsHasSignedRepr(semantics) && value.isNegative())
    value.changeSign();
  // Formats without infinity or NaN saturate instead.
  if (!value.isFinite() && !APFloat::semanticsHasNaN(semantics))
    value = value.isNaN() ? APFloat::getZero(APFloat::IEEEdouble())
                          : APFloat::getLargest(APFloat::IEEEdouble(),
                                                value.isNegative());
  value.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  return value.bitcastToAPInt().getZExtValue();
}

/// Rounds to a 16-bit format with E exponent and M fraction bits.
template <int E, int M> static uint16_t encodeHalf(double number) {
  uint64_t bits = llvm::bit_cast<uint64_t>(number);
  uint16_t sign = (bits >> 63) << 15;
  int exponent = (bits >> 52) & 0x7ff;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  constexpr uint16_t infinity = ((1 << E) - 1) << M;
  if (exponent == 0x7ff) {
    if (!fraction)
      return sign | infinity;
    return sign | infinity | (1 << (M - 1)) | (fraction >> (52 - M));
  }
  int e = exponent - 1023 + ((1 << (E - 1)) - 1);
  if (e >= (1 << E) - 1)
    return sign | infinity;
  int shift = 52 - M;
  uint64_t full;
  if (e <= 0) {
    if (e < -M)
      return sign;
    full = fraction | (uint64_t(1) << 52);
    shift += 1 - e;
  } else {
    full = (uint64_t(e) << 52) | fraction;
  }
  // A carry out of the fraction moves on to the next exponent, up to infinity.
  uint64_t half = uint64_t(1) << (shift - 1);
  return sign | ((full + (half - 1) + ((full >> shift) & 1)) >> shift);
}

static double decodeF16(uint16_t bits) {
  int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double magnitude;
  if (exponent == 31)
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(fraction, -24);
  else
    magnitude = std::ldexp(fraction + 1024, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

static const float *f16Table() {
  static const std::array<float, 65536> *table = [] {
    auto *entries = new std::array<float, 65536>;
    for (unsigned bits = 0; bits < 65536; ++bits)
      (*entries)[bits] = static_cast<float>(decodeF16(bits));
    return entries;
  }();
  return table->data();
}

template <typename T>
static void widen(const void *data, int64_t begin, int64_t n, double *out) {
  const T *in = static_cast<const T *>(data) + begin;
  for (int64_t i = 0; i < n; ++i)
    out[i] = static_cast<double>(in[i]);
}

void loadDoubles(DType dtype, const void *data, int64_t begin, int64_t n,
                 double *out) {
  switch (dtype) {
  case DType::f64:
    return widen<double>(data, begin, n, out);
  case DType::f32:
    return widen<float>(data, begin, n, out);
  case DType::f16: {
    const float *table = f16Table();
    const uint16_t *in = static_cast<const uint16_t *>(data) + begin;
    for (int64_t i = 0; i < n; ++i)
      out[i] = table[in[i]];
    return;
  }
  case DType::bf16: {
    const uint16_t *in = static_cast<const uint16_t *>(data) + begin;
    for (int64_t i = 0; i < n; ++i)
      out[i] = llvm::bit_cast<float>(uint32_t(in[i]) << 16);
    return;
  }
  case DType::u64:
    return widen<uint64_t>(data, begin, n, out);
  default:
    break;
  }
  if (const fltSemantics *semantics = smallSemantics(dtype)) {
    const uint8_t *in = static_cast<const uint8_t *>(data) + begin;
    for (int64_t i = 0; i < n; ++i)
      out[i] = decodeSmall(*semantics, in[i]);
    return;
  }
  int64_t ints[kChunk];
  for (int64_t i = 0; i < n; i += kChunk) {
    int64_t part = std::min(kChunk, n - i);
    loadInts(dtype, data, begin + i, part, ints);
    for (int64_t k = 0; k < part; ++k)
      out[i + k] = static_cast<double>(ints[k]);
  }
}

template <typename T>
static void narrow(void *data, int64_t begin, int64_t n, const double *in) {
  T *out = static_cast<T *>(data) + begin;
  for (int64_t i = 0; i < n; ++i)
    out[i] = static_cast<T>(in[i]);
}

void storeDoubles(DType dtype, void *data, int64_t begin, int64_t n,
                  const double *in) {
  switch (dtype) {
  case DType::f64:
    return narrow<double>(data, begin, n, in);
  case DType::f32:
    return narrow<float>(data, begin, n, in);
  case DType::f16: {
    uint16_t *out = static_cast<uint16_t *>(data) + begin;
    for (int64_t i = 0; i < n; ++i)
      out[i] = encodeHalf<5, 10>(in[i]);
    return;
  }
  case DType::bf16: {
    uint16_t *out = static_cast<uint16_t *>(data) + begin;
    for (int64_t i = 0; i < n; ++i)
      out[i] = encodeHalf<8, 7>(in[i]);
    return;
  }
  default:
    break;
  }
  if (const fltSemantics *semantics = smallSemantics(dtype)) {
    uint8_t *out = static_cast<uint8_t *>(data) + begin;
    for (int64_t i = 0; i < n; ++i)
      out[i] = encodeSmall(*semantics, in[i]);
  }
}

template <typename T>
static void extendInts(const void *data, int64_t begin, int64_t n,
                       int64_t *out) {
  const T *in = static_cast<const T *>(data) + begin;
  for (int64_t i = 0; i < n; ++i)
    out[i] = static_cast<int64_t>(in[i]);
}

void loadInts(DType dtype, const void *data, int64_t begin, int64_t n,
              int64_t *out, Extend extend) {
  bool zero = extend == Extend::zero;
  switch (dtype) {
  case DType::i1:
    extendInts<uint8_t>(data, begin, n, out);
    for (int64_t i = 0; i < n; ++i)
      out[i] = extend == Extend::sign ? -(out[i] & 1) : out[i] & 1;
    return;
  case DType::i4:
    extendInts<uint8_t>(data, begin, n, out);
    for (int64_t i = 0; i < n; ++i)
      out[i] = zero ? out[i] & 15 : ((out[i] & 15) ^ 8) - 8;
    return;
  case DType::i8:
    return zero ? extendInts<uint8_t>(data, begin, n, out)
                : extendInts<int8_t>(data, begin, n, out);
  case DType::i16:
    return zero ? extendInts<uint16_t>(data, begin, n, out)
                : extendInts<int16_t>(data, begin, n, out);
  case DType::i32:
    return zero ? extendInts<uint32_t>(data, begin, n, out)
                : extendInts<int32_t>(data, begin, n, out);
  case DType::i48:
    extendInts<int64_t>(data, begin, n, out);
    for (int64_t i = 0; i < n; ++i)
      out[i] =
          zero
              ? out[i] & 0xffffffffffff
              : static_cast<int64_t>(static_cast<uint64_t>(out[i]) << 16) >> 16;
    return;
  case DType::u8:
    return extendInts<uint8_t>(data, begin, n, out);
  case DType::u16:
    return extendInts<uint16_t>(data, begin, n, out);
  case DType::u32:
    return extendInts<uint32_t>(data, begin, n, out);
  case DType::i64:
  case DType::u64:
  case DType::index:
    return extendInts<int64_t>(data, begin, n, out);
  default:
    std::fill(out, out + n, 0);
  }
}

template <typename T>
static void truncateInts(void *data, int64_t begin, int64_t n,
                         const int64_t *in) {
  T *out = static_cast<T *>(data) + begin;
  for (int64_t i = 0; i < n; ++i)
    out[i] = static_cast<T>(in[i]);
}

void storeInts(DType dtype, void *data, int64_t begin, int64_t n,
               const int64_t *in) {
  switch (dtype) {
  case DType::i1: {
    uint8_t *out = static_cast<uint8_t *>(data) + begin;
    for (int64_t i = 0; i < n; ++i)
      out[i] = in[i] & 1;
    return;
  }
  case DType::i4: {
    uint8_t *out = static_cast<uint8_t *>(data) + begin;
    for (int64_t i = 0; i < n; ++i)
      out[i] = in[i] & 15;
    return;
  }
  case DType::i8:
  case DType::u8:
    return truncateInts<uint8_t>(data, begin, n, in);
  case DType::i16:
  case DType::u16:
    return truncateInts<uint16_t>(data, begin, n, in);
  case DType::i32:
  case DType::u32:
    return truncateInts<uint32_t>(data, begin, n, in);
  case DType::i48: {
    int64_t *out = static_cast<int64_t *>(data) + begin;
    for (int64_t i = 0; i < n; ++i)
      out[i] = static_cast<int64_t>(static_cast<uint64_t>(in[i]) << 16) >> 16;
    return;
  }
  case DType::i64:
  case DType::u64:
  case DType::index:
    return truncateInts<uint64_t>(data, begin, n, in);
  default:
    return;
  }
}

static double oddBit(double value) {
  return llvm::bit_cast<double>(llvm::bit_cast<uint64_t>(value) | 1);
}

double narrowToOdd(long double value) {
  double nearest = static_cast<double>(value);
  if (!std::isfinite(nearest) || static_cast<long double>(nearest) == value)
    return nearest;
  // Truncate towards zero, then set the last bit.
  long double magnitude = std::fabs(value);
  double below = std::fabs(nearest);
  if (static_cast<long double>(below) > magnitude)
    below = std::nextafter(below, 0.0);
  return std::copysign(oddBit(below), nearest);
}

double narrowToOdd(int64_t value) {
  return narrowToOdd(static_cast<long double>(value));
}

double narrowToOdd(uint64_t value) {
  return narrowToOdd(static_cast<long double>(value));
}

static const fltSemantics &semanticsOf(DType dtype) {
  switch (dtype) {
  case DType::f16:
    return APFloat::IEEEhalf();
  case DType::bf16:
    return APFloat::BFloat();
  case DType::f32:
    return APFloat::IEEEsingle();
  default:
    if (const fltSemantics *small = smallSemantics(dtype))
      return *small;
    return APFloat::IEEEdouble();
  }
}

int fractionBits(DType dtype) {
  return static_cast<int>(APFloat::semanticsPrecision(semanticsOf(dtype))) - 1;
}

double smallestNormal(DType dtype) {
  return std::ldexp(1.0, APFloat::semanticsMinExponent(semanticsOf(dtype)));
}

double largestFinite(DType dtype) {
  // The common types are asked for each element of a sum.
  switch (dtype) {
  case DType::f16:
    return 65504;
  case DType::bf16:
    return 0x1.fep127;
  case DType::f32:
    return std::numeric_limits<float>::max();
  case DType::f64:
    return std::numeric_limits<double>::max();
  default:
    break;
  }
  APFloat value = APFloat::getLargest(semanticsOf(dtype));
  bool lost;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

int64_t smallestInt(DType dtype) {
  if (dtype == DType::i1 || runtime::isUnsigned(dtype))
    return 0;
  int bits = runtime::dtypeBits(dtype);
  return bits >= 64 ? INT64_MIN : -(int64_t(1) << (bits - 1));
}

int64_t largestInt(DType dtype) {
  if (dtype == DType::i1)
    return 1;
  int bits = runtime::dtypeBits(dtype);
  if (runtime::isUnsigned(dtype))
    return bits >= 64 ? -1 : (int64_t(1) << bits) - 1;
  return bits >= 64 ? INT64_MAX : (int64_t(1) << (bits - 1)) - 1;
}

} // namespace kiln::eval
