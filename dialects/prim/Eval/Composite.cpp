// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composites by their formulas, in doubles, rounded once.
#include "Families.h"
#include "kiln/Eval/Products.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double silu(double x) { return x * sigmoid(x); }
double relu(double x) { return std::isnan(x) ? x : x > 0 ? x : 0.0; }
double geluExact(double x) {
  return x / 2 * (1 + std::erf(x * 0.70710678118654752440));
}
double geluTanh(double x) {
  constexpr double scale = 0.79788456080286535588; // sqrt(2 / pi)
  return x / 2 * (1 + std::tanh(scale * (x + 0.044715 * x * x * x)));
}

template <typename OpTy>
void addUnary(EvaluationInterface &table, double (*fn)(double)) {
  table.add<OpTy>([fn](OpTy op, Frame &frame) {
    const Value &a = frame.get(op->getOperand(0));
    Value out = Value::tensor(a.dtype(), a.shape());
    mapFloats(a, out, fn);
    return finish(op, frame, std::move(out));
  });
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
  softmaxRows(data, moved.shape().back());
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
      for (int64_t i = 0; i < n; ++i)
        r[i] = (r[i] - mean) * scale * (w.empty() ? 1 : w[i]) +
               (b.empty() ? 0 : b[i]);
    }
  });
  Value out = Value::tensor(a.dtype(), a.shape());
  fromDoubles(x, out);
  return finish(op, frame, std::move(out));
}

LogicalResult attention(prim::AttentionOp op, Frame &frame) {
  const Value &query = frame.get(op.getQuery());
  const Value &key = frame.get(op.getKey());
  const Value &value = frame.get(op.getValue());
  unsigned batch = query.rank() - 2;
  int64_t m = query.dim(batch), d = query.dim(batch + 1);
  int64_t n = key.dim(batch), e = value.dim(batch + 1);
  ArrayRef<int64_t> batchShape = query.shape().take_front(batch);
  if (key.shape().take_front(batch) != batchShape ||
      value.shape().take_front(batch) != batchShape ||
      key.dim(batch + 1) != d || value.dim(batch) != n)
    return op.emitOpError("expected key [B..., N, D] and value [B..., N, E]");
  SmallVector<int64_t> scoreShape(batchShape), shape(batchShape);
  scoreShape.append({m, n});
  shape.append({m, e});
  std::vector<double> mask;
  if (op.getMask()) {
    const Value &given = frame.get(op.getMask());
    if (given.shape() != ArrayRef<int64_t>(scoreShape))
      return op.emitOpError("expected a mask of shape [B..., M, N]");
    mask = toDoubles(given);
  }
  FailureOr<Value> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  SmallVector<int64_t> order;
  for (unsigned i = 0; i < batch; ++i)
    order.push_back(i);
  order.append({batch + 1, batch});
  std::vector<double> q = toDoubles(query),
                      k = toDoubles(transposed(key, order));
  std::vector<double> v = toDoubles(value), out(result->size());
  double scale = op.getScale().convertToDouble();
  int64_t batches = countElements(batchShape);
  for (int64_t b = 0; b < batches; ++b) {
    std::vector<double> scores(m * n);
    multiply(m, n, d, q.data() + b * m * d, k.data() + b * d * n,
             scores.data());
    for (int64_t i = 0; i < m * n; ++i)
      scores[i] = scores[i] * scale + (mask.empty() ? 0 : mask[b * m * n + i]);
    softmaxRows(scores, n);
    multiply(m, e, n, scores.data(), v.data() + b * n * e,
             out.data() + b * m * e);
  }
  fromDoubles(out, *result);
  return finish(op, frame, std::move(*result));
}

} // namespace

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

void addPrimComposite(EvaluationInterface &table) {
  addUnary<prim::SigmoidOp>(table, sigmoid);
  addUnary<prim::SiluOp>(table, silu);
  addUnary<prim::ReluOp>(table, relu);
  table.add<prim::GeluOp>([](prim::GeluOp op, Frame &frame) {
    const Value &a = frame.get(op.getOperand());
    Value out = Value::tensor(a.dtype(), a.shape());
    mapFloats(a, out,
              op.getKind() == prim::GeluKind::exact ? geluExact : geluTanh);
    return finish(op, frame, std::move(out));
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
  table.add<prim::AttentionOp>(attention);
}

} // namespace kiln::eval
