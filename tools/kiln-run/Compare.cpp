// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparing results with what they should be.
#include "Compare.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace kiln::run;
using namespace kiln::runtime;

namespace {

/// What the comparison of two tensors found.
struct Worst {
  double error = 0;  ///< largest difference
  double excess = 0; ///< largest ratio of difference to bound
  double bound = 0;  ///< of the element with that ratio
  int64_t index = -1;
  int64_t misfits = 0;
  int64_t nans = 0;
};

Worst findWorst(const Tensor &found, const Tensor &expected, Bound bound) {
  Worst worst;
  const double infinity = HUGE_VAL;
  for (int64_t i = 0, n = expected.numElements(); i < n; ++i) {
    double a = loadAsDouble(found.dtype, found.data(), i);
    double b = loadAsDouble(expected.dtype, expected.data(), i);
    bool isExact = isInteger(found.dtype)
                       ? loadAsInt(found.dtype, found.data(), i) ==
                             loadAsInt(expected.dtype, expected.data(), i)
                       : a == b;
    if (std::isnan(a) && std::isnan(b)) {
      ++worst.nans;
      continue;
    }
    double limit = bound.atol + bound.rtol * std::fabs(b);
    // Integers beyond 2^53 may look alike as doubles.
    double error = isExact ? 0 : std::max(std::fabs(a - b), 0x1p-1074);
    if (std::isnan(error) || (!isExact && std::isinf(b))) {
      error = infinity;
      limit = bound.atol;
    }
    double excess = error == 0 ? 0 : limit > 0 ? error / limit : infinity;
    worst.misfits += excess > 1;
    worst.error = std::max(worst.error, error);
    if (worst.index < 0 || excess > worst.excess) {
      worst.excess = excess;
      worst.bound = limit;
      worst.index = i;
    }
  }
  return worst;
}

} // namespace

std::string kiln::run::percentText(int64_t part, int64_t whole) {
  if (part == whole)
    return "100%";
  double share = 100 * double(part) / double(whole);
  char text[16];
  std::snprintf(text, sizeof(text),
                share < 1 || share > 99 ? "%.2g%%" : "%.0f%%",
                std::min(share, 99.9));
  return text;
}

double kiln::run::baseTolerance(DType dtype) {
  switch (dtype) {
  case DType::f64:
    return 1e-12;
  case DType::f32:
    return 1e-5;
  case DType::f16:
    return 2e-3;
  case DType::bf16:
    return 1.6e-2;
  default:
    return isFloat(dtype) ? 2 * dtypeEpsilon(dtype) : 0;
  }
}

double kiln::run::largestFinite(const Tensor &tensor) {
  double largest = 0;
  for (int64_t i = 0, n = tensor.numElements(); i < n; ++i) {
    double value = std::fabs(loadAsDouble(tensor.dtype, tensor.data(), i));
    if (std::isfinite(value))
      largest = std::max(largest, value);
  }
  return largest;
}

std::string kiln::run::positionText(const Tensor &tensor, int64_t index) {
  std::string text;
  for (size_t d = tensor.shape.size(); d-- > 0;) {
    std::string at = std::to_string(index % tensor.shape[d]);
    text = text.empty() ? at : at + "," + text;
    index /= tensor.shape[d];
  }
  return "[" + text + "]";
}

std::string kiln::run::valueText(const Tensor &tensor, int64_t index) {
  if (isInteger(tensor.dtype))
    return tensor.dtype == DType::u64
               ? std::to_string(
                     uint64_t(loadAsInt(tensor.dtype, tensor.data(), index)))
               : std::to_string(loadAsInt(tensor.dtype, tensor.data(), index));
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g",
                loadAsDouble(tensor.dtype, tensor.data(), index));
  return text;
}

Bound kiln::run::chooseBound(DType dtype, const Tolerance &tolerance,
                             int64_t accumulation, double largest,
                             const Options &options) {
  Bound bound;
  bool wasRounded = isFloat(tolerance.dtype);
  if (isFloat(dtype) && !tolerance.exact) {
    bound.rtol = baseTolerance(dtype);
    if (wasRounded)
      bound.rtol = std::max(bound.rtol, baseTolerance(tolerance.dtype));
    // n * eps * sum|terms|, the sum estimated by the largest element. Sums are
    // kept in f32 at least.
    double eps = dtypeEpsilon(wasRounded ? tolerance.dtype : dtype);
    eps = std::min(eps, dtypeEpsilon(DType::f32));
    double terms = double(std::max<int64_t>(accumulation, 1));
    bound.atol = largest * (bound.rtol + terms * eps);
  } else if (isInteger(dtype) && dtype != DType::i1 && wasRounded &&
             !tolerance.exact) {
    // A float that is rounded to an integer may fall to either side.
    bound.atol = 1;
  }
  if (options.rtol)
    bound.rtol = *options.rtol;
  if (options.atol)
    bound.atol = *options.atol;
  return bound;
}

bool kiln::run::fits(const Tensor &found, const Tensor &expected,
                     const Tolerance &tolerance, const Options &options) {
  if (found.shape != expected.shape || found.dtype != expected.dtype)
    return false;
  Bound bound = chooseBound(found.dtype, tolerance, tolerance.accumulation,
                            largestFinite(expected), options);
  return !findWorst(found, expected, bound).misfits;
}

bool kiln::run::compare(const std::string &name, const Tensor &found,
                        const Tensor &expected, const Tolerance &tolerance,
                        int64_t accumulation, const Options &options) {
  if (found.shape != expected.shape || found.dtype != expected.dtype) {
    std::printf("%s: FAILED: expected %s, found %s\n", name.c_str(),
                typeString(expected.dtype, expected.shape).c_str(),
                typeString(found.dtype, found.shape).c_str());
    return false;
  }
  Bound bound = chooseBound(found.dtype, tolerance, accumulation,
                            largestFinite(expected), options);
  Worst worst = findWorst(found, expected, bound);
  // A comparison of floats may fall to either side, but seldom does.
  bool mayFlip = found.dtype == DType::i1 && isFloat(tolerance.dtype) &&
                 !tolerance.exact && !options.atol;
  if (mayFlip && worst.misfits &&
      worst.misfits <= 1 + found.numElements() / 100) {
    std::printf("%s: ok: %s, %lld of %lld elements differ\n", name.c_str(),
                typeString(found.dtype, found.shape).c_str(),
                static_cast<long long>(worst.misfits),
                static_cast<long long>(found.numElements()));
    return true;
  }
  int64_t count = found.numElements();
  std::string nans =
      worst.nans ? ", " + percentText(worst.nans, count) + " NaN, both sides"
                 : "";
  // They agree, and tell nothing about what computed them.
  if (10 * worst.nans >= count && worst.nans)
    std::fprintf(stderr,
                 "kiln-run: warning: %s: %s of the elements are NaN on both "
                 "sides, so they compare nothing; other arguments may tell "
                 "more\n",
                 name.c_str(), percentText(worst.nans, count).c_str());
  if (!worst.misfits) {
    std::printf("%s: ok: %s, largest error %.3g, bound %.3g (%.2g of it)%s\n",
                name.c_str(), typeString(found.dtype, found.shape).c_str(),
                worst.error, worst.bound, worst.excess, nans.c_str());
    return true;
  }
  std::printf("%s: FAILED: %s, largest error %.3g; %lld of %lld elements "
              "exceed their bound, worst at %s: expected %s, found %s, bound "
              "%.3g%s\n",
              name.c_str(), typeString(found.dtype, found.shape).c_str(),
              worst.error, static_cast<long long>(worst.misfits),
              static_cast<long long>(found.numElements()),
              positionText(expected, worst.index).c_str(),
              valueText(expected, worst.index).c_str(),
              valueText(found, worst.index).c_str(), worst.bound, nans.c_str());
  return false;
}

void kiln::run::summarize(const std::string &name, const Tensor &tensor) {
  constexpr int64_t kFew = 16;
  int64_t count = tensor.numElements();
  std::printf("%s: %s", name.c_str(),
              typeString(tensor.dtype, tensor.shape).c_str());
  double low = HUGE_VAL, high = -HUGE_VAL, sum = 0;
  int64_t nans = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = loadAsDouble(tensor.dtype, tensor.data(), i);
    if (std::isnan(value)) {
      ++nans;
      continue;
    }
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
  }
  if (count <= kFew) {
    for (int64_t i = 0; i < count; ++i)
      std::printf("%s%s", i ? ", " : ": ", valueText(tensor, i).c_str());
  } else if (nans < count) {
    std::printf(": minimum %.6g, maximum %.6g, mean %.6g", low, high,
                sum / double(count - nans));
  }
  if (nans)
    std::printf(", %lld NaN (%s)", static_cast<long long>(nans),
                percentText(nans, count).c_str());
  std::printf("\n");
}
