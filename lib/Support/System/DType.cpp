// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names, sizes and conversion of element types.
#include "kiln/System/DType.h"
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

using namespace kiln::runtime;

namespace {

/// How a floating type of at most 16 bits ends its range.
enum class Specials : uint8_t {
  none,    ///< every code is a finite number
  ieee,    ///< infinities and NaNs in the top exponent
  onlyNan, ///< all ones is NaN
  nuz,     ///< the code of -0 is NaN
  scale,   ///< no sign, no zero, all ones is NaN
};

struct Traits {
  const char *name;
  uint8_t bytes;
  uint8_t bits;
  char kind; ///< 's' signed, 'u' unsigned, 'f' float
  uint8_t exponentBits;
  uint8_t mantissaBits;
  int16_t bias;
  Specials specials;
};

constexpr std::array<Traits, KILN_DTYPE_COUNT> table = {{
    {"none", 0, 0, 'n', 0, 0, 0, Specials::none},
    {"i1", 1, 1, 'u', 0, 0, 0, Specials::none},
    {"i4", 1, 4, 's', 0, 0, 0, Specials::none},
    {"i8", 1, 8, 's', 0, 0, 0, Specials::none},
    {"i16", 2, 16, 's', 0, 0, 0, Specials::none},
    {"i32", 4, 32, 's', 0, 0, 0, Specials::none},
    {"i48", 8, 48, 's', 0, 0, 0, Specials::none},
    {"i64", 8, 64, 's', 0, 0, 0, Specials::none},
    {"u8", 1, 8, 'u', 0, 0, 0, Specials::none},
    {"u16", 2, 16, 'u', 0, 0, 0, Specials::none},
    {"u32", 4, 32, 'u', 0, 0, 0, Specials::none},
    {"u64", 8, 64, 'u', 0, 0, 0, Specials::none},
    {"f16", 2, 16, 'f', 5, 10, 15, Specials::ieee},
    {"bf16", 2, 16, 'f', 8, 7, 127, Specials::ieee},
    {"f32", 4, 32, 'f', 8, 23, 127, Specials::ieee},
    {"f64", 8, 64, 'f', 11, 52, 1023, Specials::ieee},
    {"f8E4M3FN", 1, 8, 'f', 4, 3, 7, Specials::onlyNan},
    {"f8E5M2", 1, 8, 'f', 5, 2, 15, Specials::ieee},
    {"f8E4M3FNUZ", 1, 8, 'f', 4, 3, 8, Specials::nuz},
    {"f8E5M2FNUZ", 1, 8, 'f', 5, 2, 16, Specials::nuz},
    {"f8E8M0FNU", 1, 8, 'f', 8, 0, 127, Specials::scale},
    {"f6E2M3FN", 1, 6, 'f', 2, 3, 1, Specials::none},
    {"f6E3M2FN", 1, 6, 'f', 3, 2, 3, Specials::none},
    {"f4E2M1FN", 1, 4, 'f', 2, 1, 1, Specials::none},
    {"index", 8, 64, 's', 0, 0, 0, Specials::none},
    {"f8E4M3", 1, 8, 'f', 4, 3, 7, Specials::ieee},
    {"f8E3M4", 1, 8, 'f', 3, 4, 3, Specials::ieee},
    {"f8E4M3B11FNUZ", 1, 8, 'f', 4, 3, 11, Specials::nuz},
}};

const Traits &traits(DType dtype) {
  auto index = static_cast<uint32_t>(dtype);
  return table[index < table.size() ? index : 0];
}

/// 2^exponent, for exponents of normal numbers.
double powerOfTwo(int exponent) {
  uint64_t bits = uint64_t(exponent + 1023) << 52;
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// The exponent of a positive number, -1023 of a subnormal one.
int exponentOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return int(bits >> 52) - 1023;
}

/// The value of a code of at most 16 bits.
double decode(const Traits &t, uint32_t code) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (t.specials == Specials::scale)
    return code == 0xff ? nan : powerOfTwo(int(code) - t.bias);
  uint32_t mantissa = code & ((1u << t.mantissaBits) - 1);
  uint32_t top = (1u << t.exponentBits) - 1;
  uint32_t exponent = (code >> t.mantissaBits) & top;
  bool negative = (code >> (t.mantissaBits + t.exponentBits)) & 1;
  double sign = negative ? -1.0 : 1.0;
  if (t.specials == Specials::ieee && exponent == top)
    return mantissa ? nan : sign * std::numeric_limits<double>::infinity();
  if (t.specials == Specials::onlyNan && exponent == top &&
      mantissa == (1u << t.mantissaBits) - 1)
    return nan;
  if (t.specials == Specials::nuz && negative && !exponent && !mantissa)
    return nan;
  if (!exponent)
    return sign * double(mantissa) * powerOfTwo(1 - t.bias - t.mantissaBits);
  return sign * double(mantissa | (1u << t.mantissaBits)) *
         powerOfTwo(int(exponent) - t.bias - t.mantissaBits);
}

/// The largest code without sign that is a finite number.
uint32_t largestFinite(const Traits &t) {
  uint32_t all = (1u << (t.exponentBits + t.mantissaBits)) - 1;
  if (t.specials == Specials::ieee)
    return all - (1u << t.mantissaBits);
  return t.specials == Specials::onlyNan ? all - 1 : all;
}

/// Rounds to nearest even; beyond the range gives infinity, else NaN, else the
/// largest number, whichever the type has first.
uint32_t encode(const Traits &t, double value) {
  uint32_t signBit = 1u << (t.mantissaBits + t.exponentBits);
  uint32_t all = signBit - 1;
  uint32_t nanCode = t.specials == Specials::nuz ? signBit
                     : t.specials == Specials::ieee
                         ? all & ~((1u << (t.mantissaBits - 1)) - 1)
                         : all;
  if (t.specials == Specials::scale) {
    if (!std::isfinite(value))
      return 0xff;
    if (value == 0)
      return 0;
    int exponent = 0;
    double fraction = std::frexp(std::fabs(value), &exponent); // in [0.5, 1)
    int code = exponent - 1 + t.bias + (fraction >= 0.75 ? 1 : 0);
    return code < 0 ? 0 : code > 0xfe ? 0xff : code;
  }
  if (std::isnan(value))
    return t.specials == Specials::none ? 0 : nanCode;
  uint32_t sign = std::signbit(value) ? signBit : 0;
  double magnitude = std::fabs(value);
  uint32_t code;
  if (magnitude == 0) {
    code = 0;
  } else if (std::isinf(magnitude)) {
    code = all + 1;
  } else {
    int unbiased = std::max(exponentOf(magnitude), 1 - t.bias);
    // The scale stays a normal number: what is larger is beyond the range
    // anyway.
    if (unbiased + t.bias > (1 << t.exponentBits))
      unbiased = (1 << t.exponentBits) - t.bias;
    // Less than 2^12 while the exponent fits: adding and subtracting 2^52
    // rounds to even in the default mode.
    double scaled = magnitude * powerOfTwo(t.mantissaBits - unbiased);
    scaled = scaled < 0x1p52 ? (scaled + 0x1p52) - 0x1p52 : scaled;
    double place = double(unbiased + t.bias - 1) * double(1u << t.mantissaBits);
    double sum = place + scaled; // carries move into the exponent
    code = sum > all ? all + 1 : uint32_t(sum);
  }
  if (code > largestFinite(t)) {
    if (t.specials == Specials::ieee)
      code = largestFinite(t) + 1;
    else if (t.specials == Specials::none)
      code = largestFinite(t);
    else
      return nanCode | (t.specials == Specials::onlyNan ? sign : 0);
  }
  if (t.specials == Specials::nuz && code == 0)
    sign = 0;
  return sign | code;
}

template <typename T> T get(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T),
              sizeof(T));
  return value;
}

template <typename T> void put(void *data, int64_t index, T value) {
  std::memcpy(static_cast<char *>(data) + index * sizeof(T), &value, sizeof(T));
}

/// The value of the low bits of a signed type.
int64_t signExtend(uint64_t value, int bits) {
  return int64_t(value << (64 - bits)) >> (64 - bits);
}

} // namespace

std::string_view kiln::runtime::dtypeName(DType dtype) {
  return traits(dtype).name;
}

DType kiln::runtime::parseDType(std::string_view name) {
  std::string_view plain = name;
  if (plain.size() > 2 && plain.substr(0, 2) == "ui")
    return parseDType(std::string("u") + std::string(plain.substr(2)));
  if (plain.size() > 2 && plain.substr(0, 2) == "si")
    plain.remove_prefix(1);
  for (uint32_t i = 1; i < table.size(); ++i)
    if (plain == table[i].name)
      return static_cast<DType>(i);
  return DType::none;
}

int64_t kiln::runtime::dtypeBytes(DType dtype) { return traits(dtype).bytes; }
int kiln::runtime::dtypeBits(DType dtype) { return traits(dtype).bits; }
bool kiln::runtime::isFloat(DType dtype) { return traits(dtype).kind == 'f'; }
bool kiln::runtime::isUnsigned(DType dtype) {
  return traits(dtype).kind == 'u';
}

DType kiln::runtime::signlessType(DType dtype) {
  switch (dtype) {
  case DType::u8:
    return DType::i8;
  case DType::u16:
    return DType::i16;
  case DType::u32:
    return DType::i32;
  case DType::u64:
    return DType::i64;
  default:
    return dtype;
  }
}

double kiln::runtime::dtypeEpsilon(DType dtype) {
  const Traits &t = traits(dtype);
  return t.kind == 'f' ? std::ldexp(1.0, -int(t.mantissaBits)) : 0.0;
}

int64_t kiln::runtime::loadAsInt(DType dtype, const void *data, int64_t index) {
  const Traits &t = traits(dtype);
  uint64_t bits = 0;
  switch (t.bytes) {
  case 1:
    bits = get<uint8_t>(data, index);
    break;
  case 2:
    bits = get<uint16_t>(data, index);
    break;
  case 4:
    bits = get<uint32_t>(data, index);
    break;
  case 8:
    bits = get<uint64_t>(data, index);
    break;
  default:
    return 0;
  }
  if (dtype == DType::i1)
    return bits != 0;
  return t.kind == 's' ? signExtend(bits, t.bits) : int64_t(bits);
}

double kiln::runtime::loadAsDouble(DType dtype, const void *data,
                                   int64_t index) {
  switch (dtype) {
  case DType::f64:
    return get<double>(data, index);
  case DType::f32:
    return get<float>(data, index);
  case DType::bf16: {
    uint32_t wide = uint32_t(get<uint16_t>(data, index)) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
  case DType::u64:
    return double(get<uint64_t>(data, index));
  default:
    break;
  }
  if (!isFloat(dtype))
    return double(loadAsInt(dtype, data, index));
  const Traits &t = traits(dtype);
  return decode(t, t.bytes == 2 ? get<uint16_t>(data, index)
                                : get<uint8_t>(data, index));
}

void kiln::runtime::storeInt(DType dtype, void *data, int64_t index,
                             int64_t value) {
  if (dtype == DType::i1)
    value = value != 0;
  else if (dtype == DType::i4)
    value = value & 0xf;
  else if (dtype == DType::i48)
    value = signExtend(uint64_t(value), 48);
  switch (dtypeBytes(dtype)) {
  case 1:
    return put<uint8_t>(data, index, uint8_t(value));
  case 2:
    return put<uint16_t>(data, index, uint16_t(value));
  case 4:
    return put<uint32_t>(data, index, uint32_t(value));
  case 8:
    return put<uint64_t>(data, index, uint64_t(value));
  default:
    return;
  }
}

void kiln::runtime::storeDouble(DType dtype, void *data, int64_t index,
                                double value) {
  if (dtype == DType::f64)
    return put<double>(data, index, value);
  if (dtype == DType::f32)
    return put<float>(data, index, float(value));
  if (isFloat(dtype)) {
    const Traits &t = traits(dtype);
    uint32_t code = encode(t, value);
    return t.bytes == 2 ? put<uint16_t>(data, index, uint16_t(code))
                        : put<uint8_t>(data, index, uint8_t(code));
  }
  // Out of range is undefined in C++: clamp to what int64 can hold first.
  int64_t whole = 0;
  if (value >= 9223372036854775807.0)
    whole = dtype == DType::u64 && value < 18446744073709551615.0
                ? int64_t(uint64_t(value))
                : std::numeric_limits<int64_t>::max();
  else if (value <= -9223372036854775808.0)
    whole = std::numeric_limits<int64_t>::min();
  else if (!std::isnan(value))
    whole = int64_t(value);
  storeInt(dtype, data, index, whole);
}
