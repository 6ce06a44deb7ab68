// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Combine.h"
#include <cmath>
#include <cstring>
#include <type_traits>

namespace kiln::communication {

namespace {

#if defined(__clang__) || defined(__x86_64__) || __GNUC__ >= 13
using Half = _Float16;
#else
/// IEEE binary16, where the compiler has no name for it.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  /// To nearest, ties to even.
  explicit Half(float value) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    auto sign = uint16_t(word >> 16 & 0x8000);
    float magnitude = std::fabs(value);
    if (value != value) {
      bits = sign | 0x7e00;
    } else if (magnitude >= 65520) { // halfway to what has no exponent
      bits = sign | 0x7c00;
    } else if (magnitude < 0x1p-14f) {
      bits = sign | uint16_t(std::nearbyint(magnitude * 0x1p24f));
    } else {
      uint32_t rest = word & 0x7fffffff;
      rest += 0xfff + (rest >> 13 & 1);
      bits = sign | uint16_t((rest >> 13) - (112 << 10));
    }
  }
  operator float() const {
    int exponent = bits >> 10 & 31;
    int mantissa = bits & 0x3ff;
    float magnitude = exponent == 31 ? (mantissa ? NAN : INFINITY)
                      : exponent
                          ? std::ldexp(float(mantissa + 1024), exponent - 25)
                          : std::ldexp(float(mantissa), -24);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
};
#endif
/// The upper half of a float.
struct Brain {
  uint16_t bits = 0;
  Brain() = default;
  /// To nearest, ties to even.
  explicit Brain(float value) {
    uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    bits = value != value
               ? 0x7fc0
               : uint16_t((word + 0x7fff + ((word >> 16) & 1)) >> 16);
  }
  operator float() const {
    uint32_t word = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }
};

template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T> ||
                          std::is_same_v<T, Half> || std::is_same_v<T, Brain>;

/// What a type is computed in.
template <typename T>
using Compute = std::conditional_t<kIsFloat<T> && sizeof(T) == 2, float, T>;

template <bool Less, typename T> T extremum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a)
      return a;
    if (b != b)
      return b;
    if (a == b)
      return std::signbit(a) == Less ? a : b;
  }
  return (a < b) == Less ? a : b;
}

template <typename T, typename Fn>
void each(void *to, const void *from, uint64_t count, Fn fn) {
  auto *out = static_cast<T *>(to);
  auto *in = static_cast<const T *>(from);
  for (uint64_t i = 0; i < count; ++i)
    out[i] = static_cast<T>(
        fn(static_cast<Compute<T>>(out[i]), static_cast<Compute<T>>(in[i])));
}

/// Of numbers; integers wrap.
template <typename T>
void combineNumbers(uint32_t combiner, void *to, const void *from,
                    uint64_t count) {
  using C = Compute<T>;
  switch (combiner) {
  case KILN_COMBINER_ADD:
    if constexpr (kIsFloat<T>)
      return each<T>(to, from, count, [](C a, C b) { return a + b; });
    else
      return each<std::make_unsigned_t<T>>(
          to, from, count, [](auto a, auto b) { return a + b; });
  case KILN_COMBINER_MUL:
    if constexpr (kIsFloat<T>)
      return each<T>(to, from, count, [](C a, C b) { return a * b; });
    else
      return each<std::make_unsigned_t<T>>(to, from, count, [](auto a, auto b) {
        return uint64_t(a) * uint64_t(b);
      });
  case KILN_COMBINER_MIN:
    return each<T>(to, from, count,
                   [](C a, C b) { return extremum<true>(a, b); });
  case KILN_COMBINER_MAX:
    return each<T>(to, from, count,
                   [](C a, C b) { return extremum<false>(a, b); });
  default:
    return;
  }
}

/// Of bits, and of numbers without sign.
template <typename T>
void combineBits(uint32_t combiner, void *to, const void *from,
                 uint64_t count) {
  switch (combiner) {
  case KILN_COMBINER_UMIN:
    return each<T>(to, from, count, [](T a, T b) { return a < b ? a : b; });
  case KILN_COMBINER_UMAX:
    return each<T>(to, from, count, [](T a, T b) { return a > b ? a : b; });
  case KILN_COMBINER_AND:
    return each<T>(to, from, count, [](T a, T b) { return a & b; });
  case KILN_COMBINER_OR:
    return each<T>(to, from, count, [](T a, T b) { return a | b; });
  case KILN_COMBINER_XOR:
    return each<T>(to, from, count, [](T a, T b) { return a ^ b; });
  default:
    return;
  }
}

template <typename T>
void combineInts(uint32_t combiner, void *to, const void *from,
                 uint64_t count) {
  if (combiner <= KILN_COMBINER_MAX)
    combineNumbers<T>(combiner, to, from, count);
  else
    combineBits<std::make_unsigned_t<T>>(combiner, to, from, count);
}

} // namespace

uint64_t elementBytes(uint32_t dtype) {
  switch (dtype) {
  case KILN_DTYPE_I16:
  case KILN_DTYPE_U16:
  case KILN_DTYPE_F16:
  case KILN_DTYPE_BF16:
    return 2;
  case KILN_DTYPE_I32:
  case KILN_DTYPE_U32:
  case KILN_DTYPE_F32:
    return 4;
  case KILN_DTYPE_I48:
  case KILN_DTYPE_I64:
  case KILN_DTYPE_U64:
  case KILN_DTYPE_F64:
  case KILN_DTYPE_INDEX:
    return 8;
  default:
    return dtype > KILN_DTYPE_NONE && dtype < KILN_DTYPE_COUNT ? 1 : 0;
  }
}

bool canCombine(uint32_t combiner, uint32_t dtype) {
  bool isBitwise =
      combiner >= KILN_COMBINER_AND && combiner <= KILN_COMBINER_XOR;
  switch (dtype) {
  case KILN_DTYPE_F16:
  case KILN_DTYPE_BF16:
  case KILN_DTYPE_F32:
  case KILN_DTYPE_F64:
    return combiner <= KILN_COMBINER_MAX;
  case KILN_DTYPE_I1:
    return isBitwise;
  case KILN_DTYPE_I8:
  case KILN_DTYPE_I16:
  case KILN_DTYPE_I32:
  case KILN_DTYPE_I64:
    return combiner <= KILN_COMBINER_XOR;
  default:
    return false;
  }
}

void combine(uint32_t combiner, uint32_t dtype, void *to, const void *from,
             uint64_t count) {
  switch (dtype) {
  case KILN_DTYPE_I1:
    return combineBits<uint8_t>(combiner, to, from, count);
  case KILN_DTYPE_I8:
    return combineInts<int8_t>(combiner, to, from, count);
  case KILN_DTYPE_I16:
    return combineInts<int16_t>(combiner, to, from, count);
  case KILN_DTYPE_I32:
    return combineInts<int32_t>(combiner, to, from, count);
  case KILN_DTYPE_I64:
    return combineInts<int64_t>(combiner, to, from, count);
  case KILN_DTYPE_F16:
    return combineNumbers<Half>(combiner, to, from, count);
  case KILN_DTYPE_BF16:
    return combineNumbers<Brain>(combiner, to, from, count);
  case KILN_DTYPE_F32:
    return combineNumbers<float>(combiner, to, from, count);
  case KILN_DTYPE_F64:
    return combineNumbers<double>(combiner, to, from, count);
  default:
    return;
  }
}

} // namespace kiln::communication
