// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Combinations of everything up to each element.
#include "Families.h"
#include "Points.h"
#include "kiln/Eval/Perturb.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Calls `fn` with the number of the first element, the count and the stride of
/// each line along a dimension.
template <typename Fn> void forEachLine(const Value &a, unsigned dim, Fn fn) {
  int64_t stride = countElements(a.shape().drop_front(dim + 1));
  int64_t outer = countElements(a.shape().take_front(dim)), n = a.dim(dim);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < stride; ++i)
      fn(o * n * stride + i, n, stride);
}

long double logAddExp(long double x, long double y) {
  long double large = std::max(x, y), small = std::min(x, y);
  if (x != x || y != y)
    return x + y;
  if (std::isinf(large))
    return large;
  return large + std::log1p(std::exp(small - large));
}

/// One line of floats; `next` is the combination.
template <typename T, typename Next>
void scanLine(T start, bool exclusive, ArrayRef<T> in, MutableArrayRef<T> out,
              Next next) {
  T sum = start;
  for (auto [x, y] : llvm::zip(in, out)) {
    if (exclusive)
      y = sum;
    sum = next(sum, x);
    if (!exclusive)
      y = sum;
  }
}

long double combine(prim::ScanKind kind, long double x, long double y) {
  switch (kind) {
  case prim::ScanKind::sum:
    return x + y;
  case prim::ScanKind::prod:
    return x * y;
  case prim::ScanKind::max:
    return largerOf(x, y);
  case prim::ScanKind::min:
    return smallerOf(x, y);
  case prim::ScanKind::logsumexp:
    return logAddExp(x, y);
  }
  return y;
}

int64_t combine(prim::ScanKind kind, int64_t x, int64_t y) {
  switch (kind) {
  case prim::ScanKind::prod:
    return static_cast<int64_t>(uint64_t(x) * uint64_t(y));
  case prim::ScanKind::max:
    return std::max(x, y);
  case prim::ScanKind::min:
    return std::min(x, y);
  default:
    return static_cast<int64_t>(uint64_t(x) + uint64_t(y));
  }
}

/// What is neutral to a combination.
std::pair<double, int64_t> neutral(prim::ScanKind kind, DType dtype) {
  switch (kind) {
  case prim::ScanKind::sum:
    return {0, 0};
  case prim::ScanKind::prod:
    return {1, 1};
  case prim::ScanKind::min:
    return {kInfinity, largestInt(dtype)};
  default:
    return {-kInfinity, smallestInt(dtype)};
  }
}

/// How far one prefix may be off, and whether it has to be anything at all.
class PrefixError {
public:
  PrefixError(prim::ScanKind kind, DType dtype)
      : kind(kind), wide(dtype == DType::f64 ? DType::f64 : DType::f32),
        unit(wide == DType::f64 ? kHalfUlpF64 : kHalfUlp),
        large(kind == prim::ScanKind::sum ? 0 : 1) {}

  void add(double x) {
    ++count;
    if (!std::isfinite(x)) {
      isInfinite |= std::isinf(x);
      return;
    }
    x = std::fabs(x);
    if (kind == prim::ScanKind::sum) {
      large += x;
    } else if (kind == prim::ScanKind::prod) {
      large *= std::max(1.0, x);
      if (x != 0)
        small *= std::min(1.0, x);
    }
  }

  /// A part may overflow, or be no number, where the whole does not.
  bool isOpen() const {
    return large > largestFinite(wide) ||
           (isInfinite && small < smallestNormal(wide));
  }

  double of(double value) const {
    double n = count;
    switch (kind) {
    case prim::ScanKind::sum:
      return n * unit * large;
    case prim::ScanKind::prod:
      // Parts may be subnormal.
      return n * unit * (std::fabs(value) + 2 * smallestNormal(wide) * large);
    case prim::ScanKind::logsumexp:
      // An exponential and a logarithm of two units each for every element.
      return 8 * n * unit * (1 + std::fabs(value));
    default:
      return 0;
    }
  }

private:
  prim::ScanKind kind;
  DType wide;
  double unit;
  double large;     ///< as a part of all may be
  double small = 1; ///< product of what is below 1
  int64_t count = 0;
  bool isInfinite = false;
};

LogicalResult scan(prim::ScanOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  Value out = Value::tensor(a.dtype(), a.shape());
  prim::ScanKind kind = op.getKind();
  bool isFloat = runtime::isFloat(a.dtype());
  bool rounds = kind != prim::ScanKind::max && kind != prim::ScanKind::min;
  double first = neutral(kind, a.dtype()).first;
  int64_t firstInt = neutral(kind, a.dtype()).second;
  auto at = [&](int64_t begin, int64_t n, int64_t stride, int64_t i) {
    return begin + (op.getReverse() ? n - 1 - i : i) * stride;
  };
  forEachLine(a, op.getDim(), [&](int64_t begin, int64_t n, int64_t stride) {
    if (isFloat) {
      std::vector<long double> in(n), sums(n);
      for (int64_t i = 0; i < n; ++i) {
        double x;
        loadDoubles(a.dtype(), a.data(), at(begin, n, stride, i), 1, &x);
        in[i] = x;
      }
      scanLine<long double>(
          first, op.getExclusive(), in, sums,
          [&](long double x, long double y) { return combine(kind, x, y); });
      PrefixError error(kind, a.dtype());
      for (int64_t i = 0; i < n; ++i) {
        double x = a.dtype() == DType::f64 ? static_cast<double>(sums[i])
                                           : narrowToOdd(sums[i]);
        if (perturbation().isOn() && rounds) {
          if (!op.getExclusive())
            error.add(static_cast<double>(in[i]));
          if (error.isOpen())
            x = unboundedNear(x, a.dtype());
          else if (std::isfinite(x))
            x += errorDirection(at(begin, n, stride, i)) * error.of(x);
          if (op.getExclusive())
            error.add(static_cast<double>(in[i]));
        }
        storeDoubles(a.dtype(), out.mutableData(), at(begin, n, stride, i), 1,
                     &x);
      }
      return;
    }
    std::vector<int64_t> in(n), sums(n);
    for (int64_t i = 0; i < n; ++i)
      loadInts(a.dtype(), a.data(), at(begin, n, stride, i), 1, &in[i]);
    scanLine<int64_t>(
        firstInt, op.getExclusive(), in, sums,
        [&](int64_t x, int64_t y) { return combine(kind, x, y); });
    for (int64_t i = 0; i < n; ++i)
      storeInts(a.dtype(), out.mutableData(), at(begin, n, stride, i), 1,
                &sums[i]);
  });
  return finish(op, frame, std::move(out));
}

LogicalResult argScan(prim::ArgScanOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  Value out = Value::tensor(dtypeOf(op.getType()), a.shape());
  bool isFloat = runtime::isFloat(a.dtype());
  bool largest = op.getKind() == prim::ScanKind::max;
  auto scanAs = [&](auto read) {
    forEachLine(a, op.getDim(), [&](int64_t begin, int64_t n, int64_t stride) {
      int64_t best = -1;
      for (int64_t k = 0; k < n; ++k) {
        int64_t i = op.getReverse() ? n - 1 - k : k;
        auto x = read(begin + i * stride);
        if (best < 0) {
          best = i;
        } else {
          auto y = read(begin + best * stride);
          bool better = largest ? x >= y : x <= y;
          if (x != x || (y == y && better))
            best = i;
        }
        storeInts(out.dtype(), out.mutableData(), begin + i * stride, 1, &best);
      }
    });
  };
  if (isFloat)
    scanAs([&](int64_t i) {
      double x;
      loadDoubles(a.dtype(), a.data(), i, 1, &x);
      return x;
    });
  else
    scanAs([&](int64_t i) {
      int64_t x;
      loadInts(a.dtype(), a.data(), i, 1, &x);
      return x;
    });
  return finish(op, frame, std::move(out));
}

} // namespace

void addPrimScan(PrimTable &table) {
  table.add<prim::ScanOp>(scan);
  table.add<prim::ArgScanOp>(argScan);
}

} // namespace kiln::eval
