// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether results are what they should be.
#include "Judge.h"
#include "Values.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

using namespace kiln::conform;
using namespace kiln::runtime;

namespace {

std::vector<char> bytesOf(const Tensor &tensor) {
  const char *data = static_cast<const char *>(tensor.data());
  return std::vector<char>(data, data + tensor.numElements() *
                                            dtypeBytes(tensor.dtype));
}

std::string valueText(DType dtype, const void *data, int64_t index) {
  char text[64];
  if (isInteger(dtype))
    return std::to_string(loadAsInt(dtype, data, index));
  double value = loadAsDouble(dtype, data, index);
  if (std::isnan(value))
    return "nan"; // the bits say more where they count
  std::snprintf(text, sizeof text, dtype == DType::f64 ? "%.17g" : "%.9g",
                value);
  return text;
}

/// What an element should have been and what it is. Values that read the same,
/// such as two NaN, have their bits as well.
std::string differenceText(DType dtype, const void *exact, const void *found,
                           int64_t index) {
  std::string wanted = valueText(dtype, exact, index);
  std::string given = valueText(dtype, found, index);
  if (wanted == given) {
    char text[32];
    auto addBits = [&](std::string &value, const void *data) {
      std::snprintf(
          text, sizeof text, " (0x%llx)",
          static_cast<unsigned long long>(loadBits(dtype, data, index)));
      value += text;
    };
    addBits(wanted, exact);
    addBits(given, found);
  }
  return "expected " + wanted + ", found " + given;
}

std::string placeText(const std::vector<int64_t> &shape, int64_t index) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0;) {
    text = std::to_string(index % shape[d]) + (text.empty() ? "" : ",") + text;
    index /= shape[d];
  }
  return "[" + text + "]";
}

/// One element against what it must be.
class Element {
public:
  Element(DType dtype, bool isBitwise, bool hasFreeZeros)
      : dtype(dtype), isBitwise(isBitwise), hasFreeZeros(hasFreeZeros) {}

  double error = 0, bound = 0;

  bool fits(const void *found, const Wanted &wanted, int64_t i) {
    error = bound = 0;
    uint64_t f = loadBits(dtype, found, i);
    uint64_t e = loadBits(dtype, wanted.exact.data(), i);
    if (!wanted.low.empty()) {
      low = loadAsDouble(dtype, wanted.low.data(), i);
      high = loadAsDouble(dtype, wanted.high.data(), i);
    }
    if (!isFloat(dtype))
      return fitsInteger(found, wanted, i, f == e);
    double a = loadAsDouble(dtype, found, i);
    double b = loadAsDouble(dtype, wanted.exact.data(), i);
    if (wanted.low.empty())
      low = high = b;
    bound = std::max(distance(low, b), distance(b, high));
    if (f == e)
      return true;
    error = std::fabs(a - b);
    if (std::isnan(error))
      error = HUGE_VAL;
    // Partial sums may overflow: anything goes. Some types have no infinity.
    bool isOpen = std::isnan(b)
                      ? !std::isnan(low)
                      : (std::isinf(low) && std::isinf(high) && low < high) ||
                            std::isnan(low) || std::isnan(high);
    if (!wanted.low.empty() && isOpen)
      return true;
    if (std::isnan(b) && std::isnan(a)) {
      error = 0;
      return !isBitwise;
    }
    if (a == b) { // zeros of different signs
      error = 0;
      return hasFreeZeros || low < 0 || high > 0;
    }
    return low <= a && a <= high;
  }

private:
  bool fitsInteger(const void *found, const Wanted &wanted, int64_t i,
                   bool isEqual) {
    if (isEqual)
      return true;
    // i1 and narrow integers: every bit counts.
    int64_t a = loadAsInt(dtype, found, i);
    int64_t b = loadAsInt(dtype, wanted.exact.data(), i);
    error = std::max(1.0, std::fabs(double(a) - double(b)));
    if (wanted.low.empty())
      return false;
    bound = std::max(double(b) - low, high - double(b));
    return low <= double(a) && double(a) <= high;
  }

  /// How far apart two values are; infinities of one sign, and two NaN, are
  /// not.
  static double distance(double less, double more) {
    return less == more || (std::isnan(less) && std::isnan(more)) ? 0
                                                                  : more - less;
  }

  DType dtype;
  bool isBitwise, hasFreeZeros;
  double low = 0, high = 0;
};

/// Lets `low` and `high` of an element include `value`; what is no number says
/// nothing about how far it may be off. Both are 0 where errors make a number
/// of what is none without them, so that the element may be anything.
void include(double value, double exact, double &low, double &high) {
  if (std::isnan(exact)) {
    if (!std::isnan(value))
      low = high = 0;
    return;
  }
  if (std::isnan(value)) {
    // A number whose errors are without bound.
    low = -HUGE_VAL;
    high = HUGE_VAL;
    return;
  }
  low = std::min(low, value);
  high = std::max(high, value);
}

} // namespace

int64_t Wanted::count() const {
  return int64_t(exact.size()) / std::max<int64_t>(1, dtypeBytes(dtype));
}

Wanted kiln::conform::wantedFrom(const Tensor &exact, const Tensor *plus,
                                 const Tensor *minus, bool isChained) {
  Wanted wanted;
  wanted.dtype = exact.dtype;
  wanted.shape = exact.shape;
  wanted.exact = bytesOf(exact);
  int64_t count = exact.numElements();
  std::vector<double> low(static_cast<size_t>(count)), high = low;
  bool isOpen = false;
  for (int64_t i = 0; i < count; ++i) {
    double e = loadAsDouble(exact.dtype, exact.data(), i);
    double &from = low[size_t(i)], &to = high[size_t(i)];
    from = to = e;
    for (const Tensor *other : {plus, minus})
      if (other)
        include(loadAsDouble(other->dtype, other->data(), i), e, from, to);
    isOpen |= std::isnan(e) ? !std::isnan(from) : from != e || to != e;
  }
  if (!isOpen)
    return wanted;
  if (isChained) {
    // Errors of several operations may cancel where they do not for a
    // neighbour, which has about the same size.
    constexpr int64_t kNear = 32;
    for (int64_t begin = 0; begin < count; begin += kNear) {
      int64_t end = std::min(count, begin + kNear);
      double most = 0;
      for (int64_t i = begin; i < end; ++i)
        if (double width = high[size_t(i)] - low[size_t(i)];
            std::isfinite(width))
          most = std::max(most, width);
      for (int64_t i = begin; i < end; ++i) {
        double e = loadAsDouble(exact.dtype, exact.data(), i);
        if (!std::isfinite(e))
          continue;
        double width = 2 * (high[size_t(i)] - low[size_t(i)]) + most;
        low[size_t(i)] = e - width;
        high[size_t(i)] = e + width;
      }
    }
  }
  wanted.low.resize(wanted.exact.size());
  wanted.high.resize(wanted.exact.size());
  for (int64_t i = 0; i < count; ++i) {
    if (isFloat(wanted.dtype)) {
      storeDouble(wanted.dtype, wanted.low.data(), i, low[size_t(i)]);
      storeDouble(wanted.dtype, wanted.high.data(), i, high[size_t(i)]);
    } else {
      storeInt(wanted.dtype, wanted.low.data(), i,
               int64_t(std::floor(low[size_t(i)])));
      storeInt(wanted.dtype, wanted.high.data(), i,
               int64_t(std::ceil(high[size_t(i)])));
    }
  }
  return wanted;
}

Fit kiln::conform::compare(const Tensor &found, const Wanted &wanted,
                           bool isBitwise, bool hasFreeZeros) {
  Fit fit;
  if (found.dtype != wanted.dtype || found.shape != wanted.shape) {
    fit.misfits = 1;
    fit.worst = "expected " + typeString(wanted.dtype, wanted.shape) +
                ", found " + typeString(found.dtype, found.shape);
    return fit;
  }
  Element element(wanted.dtype, isBitwise, hasFreeZeros);
  double worst = -1;
  for (int64_t i = 0, n = found.numElements(); i < n; ++i) {
    bool isGood = element.fits(found.data(), wanted, i);
    fit.misfits += !isGood;
    double share = element.bound > 0 ? element.error / element.bound
                   : isGood          ? 0
                                     : HUGE_VAL;
    if (std::isnan(share))
      share = isGood ? 0 : HUGE_VAL;
    if (!isGood)
      share = std::max(share, 1.0 + 1e-9);
    if (isGood && std::isfinite(element.error))
      fit.error = std::max(fit.error, element.error);
    if (share <= worst)
      continue;
    worst = share;
    fit.share = share;
    fit.bound = element.bound;
    if (isGood)
      continue;
    fit.error = element.error;
    fit.worst =
        placeText(wanted.shape, i) + ": " +
        differenceText(wanted.dtype, wanted.exact.data(), found.data(), i);
  }
  return fit;
}
