// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Correctly rounded functions, and loops over threads.
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Perturb.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kiln::eval {

void parallelFor(int64_t n, int64_t grain,
                 llvm::function_ref<void(int64_t, int64_t)> body) {
  // Most calls are small: asking for the number of processors takes longer.
  if (n < 2 * grain) {
    if (n > 0)
      body(0, n);
    return;
  }
  int64_t parts = std::min<int64_t>(
      {n / std::max<int64_t>(grain, 1),
       static_cast<int64_t>(std::thread::hardware_concurrency()), 16});
  if (parts <= 1) {
    if (n > 0)
      body(0, n);
    return;
  }
  int64_t share = (n + parts - 1) / parts;
  // Parts start at chunk boundaries, so that neighbours share few lines.
  if (share > kChunk)
    share = (share + kChunk - 1) / kChunk * kChunk;
  std::vector<std::thread> threads;
  std::exception_ptr thrown;
  std::mutex mutex;
  // What is thrown, for want of memory, is thrown again by the caller's thread.
  auto guarded = [&](int64_t begin) {
    try {
      body(begin, std::min(n, begin + share));
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      thrown = std::current_exception();
    }
  };
  int64_t begin = share;
  try {
    threads.reserve(static_cast<size_t>(parts));
    for (; begin < n; begin += share)
      threads.emplace_back(guarded, begin);
  } catch (const std::exception &) {
    // There is no further thread to be had.
    for (; begin < n; begin += share)
      guarded(begin);
  }
  guarded(0);
  for (std::thread &thread : threads)
    thread.join();
  if (thrown)
    std::rethrow_exception(thrown);
}

namespace {

/// Says when a double that may be off by some ulp does not determine its
/// rounding to a type: always for f64, where the C library's functions err by
/// several units.
struct Doubt {
  explicit Doubt(DType dtype) {
    int cut = 52 - fractionBits(dtype);
    isWide = cut == 0;
    mask = (uint64_t(1) << cut) - 1;
    middle = cut > 0 ? uint64_t(1) << (cut - 1) : 0;
    normal = smallestNormal(dtype);
    largest = largestFinite(dtype);
  }

  bool operator()(double value) const {
    if (isWide)
      return true;
    if (!std::isfinite(value) || value == 0)
      return false;
    if (std::fabs(value) < normal)
      return true;
    uint64_t distance = (llvm::bit_cast<uint64_t>(value) & mask) - middle;
    return distance + 8 <= 16;
  }

  /// What rounds to the result: of f64 the result itself.
  double narrowed(long double value) const {
    return isWide ? static_cast<double>(value) : narrowToOdd(value);
  }

  bool isWide;
  uint64_t mask;
  uint64_t middle;
  double normal;
  double largest;
};

} // namespace

/// a * b + c for operands up to f32, such that rounding the double gives the
/// correctly rounded result: the product is exact, the sum is rounded to odd.
static double fmaToOdd(double a, double b, double c) {
  double product = a * b, sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  if (error != 0 && !(llvm::bit_cast<uint64_t>(sum) & 1))
    sum = std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);
  return sum;
}

void mapFused(const Value &a, const Value &b, const Value &c, Value &out) {
  bool isF64 = a.dtype() == DType::f64;
  auto map = [&](Value &to) {
    double x[kChunk], y[kChunk], z[kChunk];
    for (int64_t i = 0; i < to.size(); i += kChunk) {
      int64_t n = std::min(kChunk, to.size() - i);
      loadDoubles(a.dtype(), a.data(), i, n, x);
      loadDoubles(b.dtype(), b.data(), i, n, y);
      loadDoubles(c.dtype(), c.data(), i, n, z);
      for (int64_t k = 0; k < n; ++k)
        x[k] = isF64 ? std::fma(x[k], y[k], z[k]) : fmaToOdd(x[k], y[k], z[k]);
      storeDoubles(to.dtype(), to.mutableData(), i, n, x);
    }
  };
  // Narrow types may round the result of f32 once more.
  if (isF64 || a.dtype() == DType::f32)
    map(out);
  else
    evaluateWithin(0.5, out, map);
}

void mapFunction(const Value &a, Value &out, WideFunction fn) {
  Doubt doubt(out.dtype());
  parallelFor(out.size(), 1 << 12, [&](int64_t begin, int64_t end) {
    double x[kChunk];
    for (int64_t i = begin; i < end; i += kChunk) {
      int64_t n = std::min(kChunk, end - i);
      loadDoubles(a.dtype(), a.data(), i, n, x);
      for (int64_t k = 0; k < n; ++k) {
        double result = doubt.isWide ? 0 : fn.narrow(x[k]);
        x[k] = doubt(result) ? doubt.narrowed(fn.wide(x[k])) : result;
      }
      storeDoubles(out.dtype(), out.mutableData(), i, n, x);
    }
  });
}

void mapFunction(const Value &a, const Value &b, Value &out,
                 double (*narrow)(double, double),
                 long double (*wide)(long double, long double)) {
  Doubt doubt(out.dtype());
  parallelFor(out.size(), 1 << 12, [&](int64_t begin, int64_t end) {
    double x[kChunk], y[kChunk];
    for (int64_t i = begin; i < end; i += kChunk) {
      int64_t n = std::min(kChunk, end - i);
      loadDoubles(a.dtype(), a.data(), i, n, x);
      loadDoubles(b.dtype(), b.data(), i, n, y);
      for (int64_t k = 0; k < n; ++k) {
        double result = doubt.isWide ? 0 : narrow(x[k], y[k]);
        x[k] = doubt(result) ? doubt.narrowed(wide(x[k], y[k])) : result;
      }
      storeDoubles(out.dtype(), out.mutableData(), i, n, x);
    }
  });
}

} // namespace kiln::eval
