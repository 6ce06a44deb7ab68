// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds that follow from what each operation may err by.
#include "Spread.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

double at(const Tensor &tensor, int64_t i) {
  return loadAsDouble(tensor.dtype, tensor.data(), i);
}

bool isSameAt(const Tensor &a, const Tensor &b, int64_t i) {
  if (isInteger(a.dtype))
    return loadAsInt(a.dtype, a.data(), i) == loadAsInt(b.dtype, b.data(), i);
  double x = at(a, i), y = at(b, i);
  return x == y || (std::isnan(x) && std::isnan(y));
}

/// Whether an integer that moves so far may be any: it depends on bits of a NaN
/// that are unspecified, of which `reference` changes the highest ones.
bool isOpen(DType dtype, double distance) {
  int bits = dtypeBits(dtype);
  return isInteger(dtype) && bits > 1 && distance >= std::ldexp(1.0, bits - 2);
}

/// Distance from |value| to the next one of the type.
double ulpOf(DType dtype, double value) {
  if (!isFloat(dtype))
    return 1;
  return std::max(std::fabs(value), 0x1p-126) * dtypeEpsilon(dtype);
}

} // namespace

bool kiln::run::isSame(const Tensor &found, const Tensor &expected) {
  if (found.shape != expected.shape || found.dtype != expected.dtype)
    return false;
  for (int64_t i = 0, n = expected.numElements(); i < n; ++i)
    if (!isSameAt(found, expected, i))
      return false;
  return true;
}

std::vector<double> kiln::run::spreadOf(const Tensor &exact,
                                        const std::vector<Tensor> &others) {
  // Errors of several operations may cancel where they do not for a
  // neighbour, which has about the same size.
  constexpr int64_t kNear = 32;
  int64_t count = exact.numElements();
  std::vector<double> moved(size_t(count), 0), spread(size_t(count), 0);
  for (int64_t i = 0; i < count; ++i) {
    double e = at(exact, i);
    for (const Tensor &other : others)
      if (!isSameAt(exact, other, i)) {
        double distance = std::fabs(at(other, i) - e);
        if (std::isnan(distance) || isOpen(exact.dtype, distance))
          distance = HUGE_VAL;
        moved[size_t(i)] = std::max(moved[size_t(i)], distance);
      }
  }
  for (int64_t begin = 0; begin < count; begin += kNear) {
    int64_t end = std::min(count, begin + kNear);
    double most = 0;
    for (int64_t i = begin; i < end; ++i)
      if (std::isfinite(moved[size_t(i)]))
        most = std::max(most, moved[size_t(i)]);
    for (int64_t i = begin; i < end; ++i)
      spread[size_t(i)] = 2 * moved[size_t(i)] + most;
  }
  return spread;
}

namespace {
/// How elements compare with their bounds.
struct Misfits {
  int64_t count = 0, nans = 0, worst = -1;
  double largest = 0, worstExcess = 0, worstBound = 0;
};

Misfits misfitsOf(const Tensor &found, const Tensor &expected,
                  const std::vector<double> &spread, double least,
                  DType coarsest, const Options &options) {
  Misfits result;
  int64_t count = expected.numElements(), flips = 0;
  bool mayErr = least > 0 || std::any_of(spread.begin(), spread.end(),
                                         [](double s) { return s > 0; });
  for (int64_t i = 0; i < count; ++i) {
    double a = at(found, i), b = at(expected, i);
    result.nans += std::isnan(a) && std::isnan(b);
    if (isSameAt(found, expected, i))
      continue;
    double bound = spread[size_t(i)] + (std::isfinite(b) ? least : 0);
    if (options.rtol || options.atol)
      bound =
          options.atol.value_or(0) + options.rtol.value_or(0) * std::fabs(b);
    double error = std::fabs(a - b);
    if (std::isnan(error))
      error = HUGE_VAL;
    result.largest = std::max(result.largest, error);
    double excess = bound > 0 ? error / bound : HUGE_VAL;
    if (std::isinf(error) && std::isinf(bound))
      excess = 1;
    if (excess > 1) {
      // One place further in the narrowest type on the way.
      DType narrow = isFloat(coarsest) ? coarsest : found.dtype;
      bool isFlip = mayErr && dtypeBits(narrow) < 32 &&
                    error <= bound + 1.01 * ulpOf(narrow, b);
      flips += isFlip;
      result.count += !isFlip;
    }
    if (result.worst < 0 || excess > result.worstExcess) {
      result.worst = i;
      result.worstExcess = excess;
      result.worstBound = bound;
    }
  }
  constexpr int64_t kSeldom = 128;
  if (flips > 1 + count / kSeldom)
    result.count += flips;
  return result;
}

bool areAlike(const Tensor &found, const Tensor &expected,
              const std::vector<double> &spread) {
  return found.shape == expected.shape && found.dtype == expected.dtype &&
         int64_t(spread.size()) == expected.numElements();
}
} // namespace

bool kiln::run::fitsWithin(const Tensor &found, const Tensor &expected,
                           const std::vector<double> &spread, double least,
                           DType coarsest, const Options &options) {
  return areAlike(found, expected, spread) &&
         !misfitsOf(found, expected, spread, least, coarsest, options).count;
}

bool kiln::run::compareWithin(const std::string &name, const Tensor &found,
                              const Tensor &expected,
                              const std::vector<double> &spread, double least,
                              DType coarsest, const Options &options,
                              bool quiet, double *share) {
  if (!areAlike(found, expected, spread))
    return compare(name, found, expected, Tolerance(), 1, options);
  auto [misfits, nans, worst, largest, worstExcess, worstBound] =
      misfitsOf(found, expected, spread, least, coarsest, options);
  int64_t count = expected.numElements();
  if (share)
    *share = std::max(*share, misfits ? HUGE_VAL : std::min(worstExcess, 1.0));
  std::string type = typeString(found.dtype, found.shape);
  if (10 * nans >= count && nans && !quiet)
    std::fprintf(stderr,
                 "kiln-run: warning: %s: %s of the elements are NaN on both "
                 "sides, so they compare nothing; other arguments may tell "
                 "more\n",
                 name.c_str(), percentText(nans, count).c_str());
  std::string both =
      nans ? ", " + percentText(nans, count) + " NaN, both sides" : "";
  if (!misfits) {
    if (!quiet)
      std::printf("%s: ok: %s, largest error %.3g, bound %.3g (%.2g of it)%s\n",
                  name.c_str(), type.c_str(), largest, worstBound,
                  std::min(worstExcess, 1.0), both.c_str());
    return true;
  }
  std::printf("%s: FAILED: %s, largest error %.3g; %lld of %lld elements "
              "exceed their bound, worst at %s: expected %s, found %s, bound "
              "%.3g%s\n",
              name.c_str(), type.c_str(), largest,
              static_cast<long long>(misfits), static_cast<long long>(count),
              positionText(expected, worst).c_str(),
              valueText(expected, worst).c_str(),
              valueText(found, worst).c_str(), worstBound, both.c_str());
  return false;
}
