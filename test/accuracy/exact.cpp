// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exact FUNCTION TYPE COUNT RESULTS OPERAND [OPERAND]: how far results are from
// what MPFR says, in units of the last place of TYPE. Files hold COUNT numbers
// of TYPE (f32, f16, bf16). Prints one line:
//
//   ULPS SINGLE ONE A B GOT WANT WRONG
//
// ULPS is the worst error. SINGLE and ONE are what is left of an error beyond
// the half unit that the rounding to TYPE may cost, in units of f32: of the
// exact result, and, for functions with zeros, of 1 where that is less. A and
// B are the operands of the worst, WRONG counts results that are NaN and must
// not be, or the other way round, or infinite.
#include "mpfr-calls.h"
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace {

/// The bits of a mantissa, and the exponents of 1 * 2^e.
struct Format {
  int precision, least, most;
};
constexpr Format kSingle = {24, -126, 127};

Format formatOf(const std::string &type) {
  return type == "f16"    ? Format{11, -14, 15}
         : type == "bf16" ? Format{8, -126, 127}
                          : kSingle;
}

double fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return mantissa ? NAN : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + mantissa, exponent - 25)
                          : std::ldexp(mantissa, -24));
}

double fromSingle(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::vector<double> read(const char *path, const std::string &type,
                         size_t count) {
  std::vector<double> numbers(count);
  std::ifstream file(path, std::ios::binary);
  size_t width = type == "f32" ? 4 : 2;
  std::vector<char> bytes(count * width);
  file.read(bytes.data(), std::streamsize(bytes.size()));
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * width, width);
    numbers[i] = type == "f16"    ? fromHalf(uint16_t(bits))
                 : type == "bf16" ? fromSingle(bits << 16)
                                  : fromSingle(bits);
  }
  if (!file)
    std::exit(2);
  return numbers;
}

/// The unit in the last place of what `value` lies beside.
Number unitOf(const Number &value, const Format &format) {
  long exponent = value.isZero() ? format.least : value.exponent() - 1;
  exponent = std::max<long>(exponent, format.least);
  return Number::power(exponent - format.precision + 1);
}

/// What a number beyond the largest one rounds to.
bool rounds(const Number &value, const Format &format) {
  Number limit = Number::power(format.most + 1) -
                 Number::power(format.most - format.precision);
  return !(abs(value) < limit);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 6)
    return 2;
  std::string name = argv[1], type = argv[2];
  size_t count = std::strtoull(argv[3], nullptr, 10);
  Format format = formatOf(type);
  std::vector<double> results = read(argv[4], type, count);
  std::vector<double> first = read(argv[5], type, count);
  std::vector<double> second =
      argc > 6 ? read(argv[6], type, count) : std::vector<double>(count);
  double worst = -1, single = 0, one = 0, a = 0, b = 0, got = 0, want = 0;
  size_t wrong = 0;
  Number unitOfOne = Number::power(1 - kSingle.precision);
  for (size_t i = 0; i < count; ++i) {
    Exact exact = evaluate(name, first[i], second[i]);
    if (!exact.isKnown)
      continue;
    auto note = [&](double error) {
      worst = error;
      a = first[i], b = second[i], got = results[i],
      want = exact.value.rounded();
    };
    bool isRight = std::isnan(results[i]) == exact.value.isNaN();
    if (exact.value.isNaN() && isRight)
      continue;
    bool overflows =
        isRight && (exact.value.isInfinite() || rounds(exact.value, format));
    if (overflows && std::isinf(results[i])) {
      isRight = std::signbit(results[i]) == exact.value.isNegative();
      if (isRight)
        continue;
    }
    if (exact.value.isInfinite() && !std::isinf(results[i]))
      isRight = false;
    if (!isRight) {
      if (!wrong++)
        note(INFINITY);
      continue;
    }
    // An infinity stands for the number behind the largest one.
    Number value = std::isinf(results[i])
                       ? Number::power(format.most + 1, results[i] < 0)
                       : Number(results[i]);
    Number error = abs(value - exact.value);
    Number scale = exact.scale.isZero() ? exact.value : exact.scale;
    double ulps = (error / unitOf(exact.value, format)).rounded();
    Number beyond = error - unitOf(exact.value, format) / Number(2);
    double here = type == "f32" ? (error / unitOf(scale, kSingle)).rounded()
                                : (beyond / unitOf(scale, kSingle)).rounded();
    double absolute = ((type == "f32" ? error : beyond) / unitOfOne).rounded();
    single = std::max(single, here);
    one = std::max(one, std::min(here, absolute));
    if (ulps > worst && !wrong)
      note(ulps);
  }
  std::printf("%.4f %.4f %.4f %.9g %.9g %.9g %.9g %zu\n", worst, single, one, a,
              b, got, want, wrong);
  return 0;
}
