// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composites by their formulas, in doubles, rounded once.
#include "Families.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Perturb.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

// In the wider type, and then to the nearest double where the result is one.
// Rounded to odd for narrower results, which are rounded once more.
long double sigmoid(double x) { return 1 / (1 + expl(-x)); }
long double silu(double x) { return x / (1 + expl(-x)); }
template <long double (*Fn)(double)> double nearest(double x) {
  return static_cast<double>(Fn(x));
}
template <long double (*Fn)(double)> double odd(double x) {
  return narrowToOdd(Fn(x));
}
double relu(double x) { return std::isnan(x) ? x : x > 0 ? x : 0.0; }
double geluExact(double x) {
  return x / 2 * (1 + std::erf(x * 0.70710678118654752440));
}
double geluTanh(double x) {
  constexpr double scale = 0.79788456080286535588; // sqrt(2 / pi)
  return x / 2 * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
}

/// What may vanish where an exponential is too small to be a normal number.
double tinyOf(DType dtype) {
  return smallestNormal(dtype == DType::f64 ? DType::f64 : DType::f32);
}

/// A function of each element; where errors are wanted each is off by `ulps`
/// units of the result and by as many of `size(x)`.
template <typename Size>
Value mapWithin(const Value &a, double (*fn)(double), double ulps, Size size) {
  Value out = Value::tensor(a.dtype(), a.shape());
  if (!perturbation().isOn()) {
    mapFloats(a, out, fn);
    return out;
  }
  Value wide = Value::tensor(DType::f64, a.shape());
  mapFloats(a, wide, fn);
  std::vector<double> x = toDoubles(a), sizes(x.size());
  double unit = 2 * ulps * unitOf(a.dtype());
  for (size_t i = 0; i < x.size(); ++i)
    sizes[i] = unit * (std::fabs(wide.as<double>()[i]) + size(x[i])) +
               tinyOf(a.dtype()) * std::max(1.0, std::fabs(x[i]));
  storeWithin(wide, sizes, out);
  return out;
}

double nothing(double) { return 0; }

/// Functions of a few roundings: exp within 2 units, a sum, a quotient.
template <typename OpTy, long double (*Fn)(double)>
void addUnary(PrimTable &table) {
  table.add<OpTy>([](OpTy op, Frame &frame) {
    const Value &a = frame.get(op->getOperand(0));
    auto *fn = a.dtype() == DType::f64 ? nearest<Fn> : odd<Fn>;
    return finish(op, frame, mapWithin(a, fn, 8, nothing));
  });
}

/// Lets the results of softmax err: the sum by its length, exponentials by
/// their functions and by the rounding of x - max.
void perturbSoftmax(std::vector<double> &results, ArrayRef<double> x, int64_t n,
                    DType dtype) {
  double unit = unitOf(dtype);
  for (size_t i = 0; i < results.size(); ++i) {
    double far = 0;
    for (size_t j = i / n * n; j < i / n * n + n; ++j)
      if (std::isfinite(x[j]))
        far = std::max(far, std::fabs(x[j]));
    if (std::isfinite(results[i]))
      results[i] +=
          errorDirection(int64_t(i)) *
          (results[i] * unit * (double(n) + 12 + 2 * far) + tinyOf(dtype));
  }
}

LogicalResult softmax(prim::SoftmaxOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  int64_t dim = op.getDim(), last = static_cast<int64_t>(a.rank()) - 1;
  // The dimension goes last, and back afterwards.
  SmallVector<int64_t> order;
  for (int64_t d = 0; d <= last; ++d)
    order.push_back(d);
  std::swap(order[dim], order[last]);
  Value moved = dim == last ? a : transposed(a, order);
  std::vector<double> data = toDoubles(moved);
  std::vector<double> given = data;
  int64_t length = moved.shape().back();
  softmaxRows(data, length);
  if (perturbation().isOn())
    perturbSoftmax(data, given, length, a.dtype());
  Value out = Value::tensor(a.dtype(), moved.shape());
  fromDoubles(data, out);
  return finish(op, frame, dim == last ? out : transposed(out, order));
}

/// Checks that a weight or bias has the shape of the trailing dimensions.
LogicalResult checkTrailing(Operation *op, const Value &a, const Value &weight,
                            int64_t axes) {
  if (weight.shape() != a.shape().take_back(axes))
    return op->emitOpError("expected the shape of the last ")
           << axes << " dimensions for weight and bias";
  return success();
}

/// x * scale + shift over rows, with optional weight and bias.
LogicalResult normalise(Operation *op, Frame &frame, const Value &a,
                        mlir::Value weight, mlir::Value bias, int64_t axes,
                        double eps, bool center) {
  int64_t n = countElements(a.shape().take_back(axes));
  std::vector<double> x = toDoubles(a), w, b;
  if (weight) {
    if (failed(checkTrailing(op, a, frame.get(weight), axes)))
      return failure();
    w = toDoubles(frame.get(weight));
  }
  if (bias) {
    if (failed(checkTrailing(op, a, frame.get(bias), axes)))
      return failure();
    b = toDoubles(frame.get(bias));
  }
  int64_t rows = n ? a.size() / n : 0;
  bool errs = perturbation().isOn();
  double unit = unitOf(a.dtype());
  double largest =
      largestFinite(a.dtype() == DType::f64 ? DType::f64 : DType::f32);
  parallelFor(rows, 16, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      double *r = x.data() + row * n;
      double mean = 0, square = 0;
      if (center) {
        for (int64_t i = 0; i < n; ++i)
          mean += r[i];
        mean /= static_cast<double>(n);
      }
      for (int64_t i = 0; i < n; ++i)
        square += (r[i] - mean) * (r[i] - mean);
      double scale = 1 / std::sqrt(square / static_cast<double>(n) + eps);
      // What the mean, the variance and the last steps may be off by.
      double size = 0;
      if (errs)
        for (int64_t i = 0; i < n; ++i)
          size += std::fabs(r[i]);
      for (int64_t i = 0; i < n; ++i) {
        double weight = w.empty() ? 1 : w[i], shift = b.empty() ? 0 : b[i];
        double product = (r[i] - mean) * scale * weight;
        double off = 0;
        if (errs)
          off = unit * ((center ? scale * std::fabs(weight) * size : 0) +
                        std::fabs(product) * double(n + 16) +
                        2 * std::fabs(shift)) +
                tinyOf(a.dtype()) * std::max(1.0, std::fabs(weight));
        r[i] = product + shift;
        // Squares may overflow in what they are computed in.
        if (errs && square > largest)
          r[i] = unboundedNear(r[i], a.dtype());
        else if (errs && std::isfinite(r[i]) && std::isfinite(off))
          r[i] += errorDirection(row * n + i) * off;
      }
    }
  });
  Value out = Value::tensor(a.dtype(), a.shape());
  fromDoubles(x, out);
  return finish(op, frame, std::move(out));
}

} // namespace

double unitOf(DType dtype) {
  return dtype == DType::f64 ? kHalfUlpF64 : kHalfUlp;
}

double roundingOf(DType dtype) {
  return dtype == DType::f16 ? 0x1p-11 : dtype == DType::bf16 ? 0x1p-8 : 0;
}

void softmaxRows(std::vector<double> &data, int64_t n) {
  int64_t rows = n ? static_cast<int64_t>(data.size()) / n : 0;
  parallelFor(rows, 16, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      double *r = data.data() + row * n;
      double most = -std::numeric_limits<double>::infinity(), sum = 0;
      for (int64_t i = 0; i < n; ++i)
        most = r[i] > most || std::isnan(r[i]) ? r[i] : most;
      for (int64_t i = 0; i < n; ++i)
        sum += r[i] = std::exp(r[i] - most);
      for (int64_t i = 0; i < n; ++i)
        r[i] /= sum;
    }
  });
}

void addPrimComposite(PrimTable &table) {
  addUnary<prim::SigmoidOp, sigmoid>(table);
  addUnary<prim::SiluOp, silu>(table);
  table.add<prim::ReluOp>([](prim::ReluOp op, Frame &frame) {
    const Value &a = frame.get(op->getOperand(0));
    Value out = Value::tensor(a.dtype(), a.shape());
    mapFloats(a, out, relu);
    return finish(op, frame, std::move(out));
  });
  table.add<prim::GeluOp>([](prim::GeluOp op, Frame &frame) {
    const Value &a = frame.get(op.getOperand());
    // What is near to -1 is added to 1: the error is one of x.
    bool isExact = op.getKind() == prim::GeluKind::exact;
    return finish(op, frame,
                  mapWithin(a, isExact ? geluExact : geluTanh, 8,
                            [](double x) { return std::fabs(x); }));
  });
  table.add<prim::SoftmaxOp>(softmax);
  table.add<prim::RmsNormOp>([](prim::RmsNormOp op, Frame &frame) {
    return normalise(op, frame, frame.get(op.getOperand()), op.getWeight(),
                     mlir::Value(), op.getAxes(), op.getEps().convertToDouble(),
                     /*center=*/false);
  });
  table.add<prim::LayerNormOp>([](prim::LayerNormOp op, Frame &frame) {
    return normalise(op, frame, frame.get(op.getOperand()), op.getWeight(),
                     op.getBias(), op.getAxes(), op.getEps().convertToDouble(),
                     /*center=*/true);
  });
}

} // namespace kiln::eval
