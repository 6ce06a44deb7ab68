// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms in extended precision.
#include "kiln/Eval/Fourier.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Perturb.h"
#include <cmath>
#include <complex>

namespace kiln::eval {

namespace {

using Number = std::complex<long double>;
using Numbers = std::vector<Number>;

/// Lengths without a factor that are summed one frequency after the other.
constexpr int64_t kShort = 64;

/// exp(+-2 pi i number / period), of an angle within an eighth of a turn, so
/// that what is 0, 1 or equal is so.
Number root(int64_t number, int64_t period, bool isInverse) {
  constexpr long double kQuarter = 1.57079632679489661923132169163975144L;
  number %= period;
  int64_t quarter = (8 * number + period) / (2 * period);
  long double angle = kQuarter *
                      static_cast<long double>(4 * number - quarter * period) /
                      static_cast<long double>(period);
  Number z(std::cos(angle), std::sin(angle));
  for (int64_t i = 0; i < quarter; ++i)
    z = {-z.imag(), z.real()};
  return isInverse ? z : std::conj(z);
}

Numbers transform(const Numbers &x, bool isInverse);

/// The definition.
Numbers summed(const Numbers &x, bool isInverse) {
  int64_t n = x.size();
  Numbers roots(n), result(n);
  for (int64_t i = 0; i < n; ++i)
    roots[i] = root(i, n, isInverse);
  for (int64_t k = 0; k < n; ++k)
    for (int64_t j = 0; j < n; ++j)
      result[k] += x[j] * roots[j * k % n];
  return result;
}

/// Of a long prime length: 2 j k = j^2 + k^2 - (k - j)^2.
Numbers convolved(const Numbers &x, bool isInverse) {
  int64_t n = x.size(), longer = 1;
  while (longer < 2 * n - 1)
    longer *= 2;
  Numbers chirp(n), first(longer), second(longer);
  for (int64_t i = 0; i < n; ++i) {
    chirp[i] = root(i * i % (2 * n), 2 * n, isInverse);
    first[i] = x[i] * chirp[i];
    second[i] = second[(longer - i) % longer] = std::conj(chirp[i]);
  }
  first = transform(first, false);
  second = transform(second, false);
  for (int64_t i = 0; i < longer; ++i)
    first[i] *= second[i];
  first = transform(first, true);
  first.resize(n);
  for (int64_t i = 0; i < n; ++i)
    first[i] *= chirp[i] / static_cast<long double>(longer);
  return first;
}

Numbers transform(const Numbers &x, bool isInverse) {
  int64_t n = x.size(), factor = 2;
  while (factor * factor <= n && n % factor)
    ++factor;
  if (factor * factor > n)
    return n <= kShort ? summed(x, isInverse) : convolved(x, isInverse);
  int64_t length = n / factor;
  std::vector<Numbers> parts;
  for (int64_t part = 0; part < factor; ++part) {
    Numbers own(length);
    for (int64_t i = 0; i < length; ++i)
      own[i] = x[part + factor * i];
    parts.push_back(transform(own, isInverse));
  }
  Numbers result(n), column(factor);
  for (int64_t k = 0; k < length; ++k) {
    for (int64_t part = 0; part < factor; ++part)
      column[part] = parts[part][k] * root(part * k, n, isInverse);
    Numbers sums = summed(column, isInverse);
    for (int64_t part = 0; part < factor; ++part)
      result[k + length * part] = sums[part];
  }
  return result;
}

/// The numbers of a line, all of them: `length` by the real side, or by both.
Numbers lineOf(const std::vector<double> &re, const std::vector<double> &im,
               int64_t length) {
  Numbers x(length);
  int64_t given = re.size();
  for (int64_t i = 0; i < length; ++i) {
    int64_t at = i < given ? i : length - i;
    bool isOwn = given < length && 2 * i % length == 0;
    double part = im.empty() || isOwn ? 0 : i < given ? im[at] : -im[at];
    x[i] = {re[at], part};
  }
  return x;
}

/// How far the results of a line may be from the exact ones.
struct Freedom {
  double error = 0; ///< of each part; infinite: no bound
  bool hasNan = false, hasInfinity = false; ///< elements of the line
};

/// What a part of a result may be where the line has elements that are not
/// finite: a number, as long as the other part is NaN or, without NaN in the
/// line, infinite. Errors of the two directions stand for the two parts.
double hurtPart(const Freedom &freedom, DType dtype, bool hasOther,
                bool isImaginary) {
  bool isUp = perturbation().sign > 0;
  if (hasOther && isUp == isImaginary)
    return largestFinite(dtype);
  return freedom.hasNan || isUp ? std::numeric_limits<double>::quiet_NaN()
                                : std::numeric_limits<double>::infinity();
}

/// Stores a part of a result within its freedom.
void put(Value &out, int64_t at, double number, const Freedom &freedom,
         bool hasOther, bool isImaginary) {
  if (perturbation().isOn()) {
    if (freedom.hasNan || freedom.hasInfinity)
      number = hurtPart(freedom, out.dtype(), hasOther, isImaginary);
    else if (!std::isfinite(freedom.error))
      number = unboundedNear(number, out.dtype());
    else
      number += errorDirection(at) * freedom.error;
  }
  storeDoubles(out.dtype(), out.mutableData(), at, 1, &number);
}

/// The freedom of a transform of these numbers.
Freedom freedomOf(const Numbers &x, DType dtype) {
  Freedom freedom;
  long double squares = 0, sum = 0;
  for (const Number &number : x) {
    squares += std::norm(number);
    sum += std::abs(number.real()) + std::abs(number.imag());
    for (long double part : {number.real(), number.imag()}) {
      freedom.hasNan |= std::isnan(part);
      freedom.hasInfinity |= std::isinf(part);
    }
  }
  bool isF64 = dtype == DType::f64;
  // Of a convolution are products of such sums.
  constexpr long double kMargin = 8;
  if (!(sum * kMargin < largestFinite(dtype))) {
    freedom.error = std::numeric_limits<double>::infinity();
    return freedom;
  }
  double unit = 2 * (isF64 ? kHalfUlpF64 : kHalfUlp);
  double size = static_cast<double>(x.size());
  freedom.error = 2 * (std::log2(size) + 4) * unit *
                      std::sqrt(size * static_cast<double>(squares)) +
                  smallestNormal(dtype) * size;
  return freedom;
}

} // namespace

llvm::SmallVector<Value, 2> transformLines(llvm::ArrayRef<Value> sources,
                                           llvm::ArrayRef<int64_t> shape,
                                           size_t count, int64_t axis,
                                           bool isInverse) {
  llvm::SmallVector<Value, 2> results;
  DType dtype = sources.front().dtype();
  for (size_t i = 0; i < count; ++i)
    results.push_back(Value::tensor(dtype, shape));
  int64_t given = sources.front().dim(axis), wanted = shape[axis], inner = 1,
          outer = 1;
  for (auto [d, size] : llvm::enumerate(shape))
    if (int64_t(d) != axis)
      (int64_t(d) < axis ? outer : inner) *= size;
  int64_t length = sources.size() == 1 ? given : wanted;
  for (int64_t line = 0; line < outer * inner; ++line) {
    auto at = [&](int64_t size, int64_t i) {
      return (line / inner * size + i) * inner + line % inner;
    };
    std::vector<double> parts[2];
    bool isPoison = false;
    for (auto [source, part] : llvm::zip(sources, parts)) {
      part.resize(given);
      for (int64_t i = 0; i < given; ++i) {
        loadDoubles(dtype, source.data(), at(given, i), 1, &part[i]);
        isPoison |= source.poison() && source.poison()[at(given, i)];
      }
    }
    Numbers x = lineOf(parts[0], parts[1], length);
    Freedom freedom = freedomOf(x, dtype);
    x = transform(x, isInverse);
    for (auto [number, result] : llvm::enumerate(results))
      for (int64_t i = 0; i < wanted; ++i) {
        put(result, at(wanted, i),
            static_cast<double>(number ? x[i].imag() : x[i].real()), freedom,
            count > 1, number > 0);
        if (isPoison)
          result.makePoison()[at(wanted, i)] = 1;
      }
  }
  return results;
}

} // namespace kiln::eval
