// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over dimensions.
#include "Families.h"
#include "kiln/Eval/Perturb.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

/// The operand with the reduced dimensions last, as rows of `length` elements.
struct Rows {
  Value data;
  int64_t count, length;
  SmallVector<int64_t> shape; ///< of the result

  Rows(const Value &a, ArrayRef<int64_t> dims) {
    SmallVector<int64_t> order;
    length = 1;
    for (int64_t d = 0; d < static_cast<int64_t>(a.rank()); ++d)
      if (!llvm::is_contained(dims, d)) {
        order.push_back(d);
        shape.push_back(a.dim(d));
      }
    for (int64_t d = 0; d < static_cast<int64_t>(a.rank()); ++d)
      if (llvm::is_contained(dims, d)) {
        order.push_back(d);
        length *= a.dim(d);
      }
    data = llvm::is_sorted(order) ? a : transposed(a, order);
    count = countElements(shape);
  }

  /// What is wrong with an element of a row is wrong with its result.
  void handOnMarks(Value &out) const {
    const uint8_t *from = data.poison();
    if (!from)
      return;
    uint8_t *marks = out.makePoison();
    for (int64_t i = 0; i < count * length; ++i)
      marks[i / length] = joinMarks(marks[i / length], from[i]);
  }
};

/// Folds each row of doubles (long doubles for f64) from `start`.
template <typename Sum, typename Fn>
void foldFloats(const Rows &rows, Value &out, Sum start, Fn fn) {
  int64_t grain = std::max<int64_t>(1, (1 << 15) / (rows.length + 1));
  parallelFor(rows.count, grain, [&](int64_t begin, int64_t end) {
    double x[kChunk];
    for (int64_t row = begin; row < end; ++row) {
      Sum sum = start;
      for (int64_t i = 0; i < rows.length; i += kChunk) {
        int64_t n = std::min(kChunk, rows.length - i);
        loadDoubles(rows.data.dtype(), rows.data.data(), row * rows.length + i,
                    n, x);
        for (int64_t k = 0; k < n; ++k)
          sum = fn(sum, Sum(x[k]));
      }
      double result = out.dtype() == DType::f64
                          ? static_cast<double>(sum)
                          : narrowToOdd(static_cast<long double>(sum));
      storeDoubles(out.dtype(), out.mutableData(), row, 1, &result);
    }
  });
}

template <typename Fn>
void foldInts(const Rows &rows, Value &out, int64_t start, Fn fn) {
  int64_t x[kChunk];
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t sum = start;
    for (int64_t i = 0; i < rows.length; i += kChunk) {
      int64_t n = std::min(kChunk, rows.length - i);
      loadInts(rows.data.dtype(), rows.data.data(), row * rows.length + i, n,
               x);
      for (int64_t k = 0; k < n; ++k)
        sum = fn(sum, x[k]);
    }
    storeInts(out.dtype(), out.mutableData(), row, 1, &sum);
  }
}

/// Sums and products that err as far as their lengths let them.
template <typename OpTy, typename Floats>
void foldWithin(const Rows &rows, Value &out, double start, Floats fn) {
  Value sums = Value::tensor(DType::f64, out.shape());
  Value sizes = Value::tensor(DType::f64, out.shape());
  foldFloats<long double>(rows, sums, static_cast<long double>(start), fn);
  if constexpr (std::is_same_v<OpTy, prim::SumOp>) {
    foldFloats<long double>(rows, sizes, 0.0L,
                            [](long double x, long double y) {
                              return std::isinf(y) ? x : x + std::fabs(y);
                            });
  } else {
    // As large as a part of the product may be, which may be subnormal before
    // the large elements come.
    foldFloats<long double>(rows, sizes, 1.0L,
                            [](long double x, long double y) {
                              return x * std::max(1.0L, std::fabs(y));
                            });
    DType wide = out.dtype() == DType::f64 ? DType::f64 : DType::f32;
    for (int64_t i = 0; i < out.size(); ++i)
      if (double &size = sizes.as<double>()[i]; size <= largestFinite(wide))
        size = std::fabs(sums.as<double>()[i]) + size * smallestNormal(wide);
  }
  storeSumsWithin(sums, sizes, double(rows.length), out);
}

template <typename OpTy, typename Floats, typename Ints, typename Start>
void addReduction(PrimTable &table, Start start, Floats onFloats, Ints onInts) {
  constexpr bool rounds =
      std::is_same_v<OpTy, prim::SumOp> || std::is_same_v<OpTy, prim::ProdOp>;
  table.add<OpTy>([=](OpTy op, Frame &frame) -> LogicalResult {
    const Value &a = frame.get(op.getOperand());
    Rows rows(a, op.getDims());
    Value out = Value::tensor(a.dtype(), rows.shape);
    if (rounds && perturbation().isOn() && runtime::isFloat(a.dtype()))
      foldWithin<OpTy>(rows, out, start(a.dtype()).first, onFloats);
    else if (a.dtype() == DType::f64)
      foldFloats<long double>(rows, out, start(a.dtype()).first, onFloats);
    else if (runtime::isFloat(a.dtype()))
      foldFloats<double>(rows, out, start(a.dtype()).first, onFloats);
    else
      foldInts(rows, out, start(a.dtype()).second, onInts);
    rows.handOnMarks(out);
    return finish(op, frame, std::move(out));
  });
}

/// The first of the largest elements, or of the smallest.
template <typename Op> LogicalResult argmax(Op op, Frame &frame) {
  constexpr bool isMax = std::is_same_v<Op, prim::ArgmaxOp>;
  const Value &a = frame.get(op.getOperand());
  Rows rows(a, {static_cast<int64_t>(op.getDim())});
  Value out = Value::tensor(dtypeOf(op.getResult().getType()), rows.shape);
  bool isFloat = runtime::isFloat(a.dtype()), ignoreNan = op.getIgnoreNan();
  std::vector<double> x(isFloat ? rows.length : 0);
  std::vector<int64_t> y(isFloat ? 0 : rows.length);
  for (int64_t row = 0; row < rows.count; ++row) {
    int64_t best = 0;
    if (isFloat) {
      loadDoubles(a.dtype(), rows.data.data(), row * rows.length, rows.length,
                  x.data());
      if (!isMax)
        for (double &value : x)
          value = -value;
      for (int64_t i = 1; i < rows.length; ++i) {
        if (std::isnan(x[best]) && !ignoreNan)
          break;
        if (x[i] > x[best] || (std::isnan(x[i]) && !ignoreNan) ||
            (std::isnan(x[best]) && !std::isnan(x[i])))
          best = i;
      }
    } else {
      loadInts(a.dtype(), rows.data.data(), row * rows.length, rows.length,
               y.data());
      best = (isMax ? std::max_element(y.begin(), y.end())
                    : std::min_element(y.begin(), y.end())) -
             y.begin();
    }
    storeInts(out.dtype(), out.mutableData(), row, 1, &best);
  }
  rows.handOnMarks(out);
  return finish(op, frame, std::move(out));
}

} // namespace

void addPrimReduction(PrimTable &table) {
  using Start = std::pair<double, int64_t>;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  addReduction<prim::SumOp>(
      table, [](DType) { return Start(0.0, 0); },
      [](auto x, auto y) { return x + y; },
      [](uint64_t x, uint64_t y) { return static_cast<int64_t>(x + y); });
  addReduction<prim::ProdOp>(
      table, [](DType) { return Start(1.0, 1); },
      [](auto x, auto y) { return x * y; },
      [](uint64_t x, uint64_t y) { return static_cast<int64_t>(x * y); });
  // Of +0 and -0 the larger is +0; NaN wins.
  addReduction<prim::AmaxOp>(
      table, [](DType t) { return Start(-infinity, smallestInt(t)); },
      [](auto x, auto y) {
        if (x == y)
          return std::signbit(x) ? y : x;
        return x > y || x != x ? x : y;
      },
      [](int64_t x, int64_t y) { return std::max(x, y); });
  addReduction<prim::AminOp>(
      table, [](DType t) { return Start(infinity, largestInt(t)); },
      [](auto x, auto y) {
        if (x == y)
          return std::signbit(x) ? x : y;
        return x < y || x != x ? x : y;
      },
      [](int64_t x, int64_t y) { return std::min(x, y); });
  table.add<prim::ArgmaxOp>(argmax<prim::ArgmaxOp>);
  table.add<prim::ArgminOp>(argmax<prim::ArgminOp>);
}

} // namespace kiln::eval
