// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and its gradients by their formulas, in doubles, rounded once.
#include "Families.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Perturb.h"
#include "kiln/Eval/Products.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The sizes of attention, and its operands as doubles.
struct Operands {
  SmallVector<int64_t> batchShape;
  int64_t batches = 1, m = 0, n = 0, d = 0, e = 0;
  std::vector<double> q, k, v, mask;
  double scale = 1;
  DType dtype = DType::none;

  SmallVector<int64_t> shape(ArrayRef<int64_t> sizes) const {
    SmallVector<int64_t> result(batchShape);
    llvm::append_range(result, sizes);
    return result;
  }
  /// The part of a batch of matrices.
  static ArrayRef<double> part(const std::vector<double> &all, int64_t batch,
                               int64_t size) {
    return {all.data() + batch * size, static_cast<size_t>(size)};
  }
  /// query * key^T * scale + mask of a batch.
  std::vector<double> scores(int64_t batch) const;
};

std::vector<double> turned(const double *from, int64_t rows, int64_t columns) {
  std::vector<double> result(rows * columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      result[j * rows + i] = from[i * columns + j];
  return result;
}

std::vector<double> Operands::scores(int64_t batch) const {
  std::vector<double> result(m * n);
  multiply(m, n, d, q.data() + batch * m * d,
           turned(k.data() + batch * n * d, n, d).data(), result.data());
  for (int64_t i = 0; i < m * n; ++i)
    result[i] =
        result[i] * scale + (mask.empty() ? 0 : mask[batch * m * n + i]);
  return result;
}

template <typename OpTy> FailureOr<Operands> operandsOf(OpTy op, Frame &frame) {
  const Value &query = frame.get(op.getQuery());
  const Value &key = frame.get(op.getKey());
  const Value &value = frame.get(op.getValue());
  unsigned batch = query.rank() - 2;
  Operands result;
  result.batchShape.assign(query.shape().begin(), query.shape().end() - 2);
  result.m = query.dim(batch);
  result.d = query.dim(batch + 1);
  result.n = key.dim(batch);
  result.e = value.dim(batch + 1);
  result.dtype = query.dtype();
  ArrayRef<int64_t> batchShape = result.batchShape;
  if (key.shape().take_front(batch) != batchShape ||
      value.shape().take_front(batch) != batchShape ||
      key.dim(batch + 1) != result.d || value.dim(batch) != result.n)
    return op.emitOpError("expected key [B..., N, D] and value [B..., N, E]");
  if (op.getMask()) {
    const Value &given = frame.get(op.getMask());
    if (given.shape() != ArrayRef<int64_t>(result.shape({result.m, result.n})))
      return op.emitOpError("expected a mask of shape [B..., M, N]");
    result.mask = toDoubles(given);
  }
  result.batches = countElements(batchShape);
  result.q = toDoubles(query);
  result.k = toDoubles(key);
  result.v = toDoubles(value);
  result.scale = op.getScale().convertToDouble();
  return result;
}

/// How far the scores of a query may be off: `off` by the sums that they are,
/// `far` is the largest of them.
struct ScoreError {
  double off = 0, far = 0;
};
ScoreError scoreError(const Operands &all, int64_t batch, int64_t row,
                      ArrayRef<double> scores) {
  ScoreError result;
  const double *q = all.q.data() + (batch * all.m + row) * all.d;
  for (int64_t j = 0; j < all.n; ++j) {
    if (!std::isfinite(scores[j]))
      continue;
    const double *k = all.k.data() + (batch * all.n + j) * all.d;
    double size = 0;
    for (int64_t c = 0; c < all.d; ++c)
      size += std::fabs(q[c] * k[c]);
    result.off =
        std::max(result.off, size * std::fabs(all.scale) * double(all.d + 2));
    result.far = std::max(result.far, std::fabs(scores[j]));
  }
  return result;
}

/// Lets one batch of attention err: scores by the sums that they are, weights
/// by that and as softmax, results by sums of all terms.
void perturbAttention(const Operands &all, int64_t batch,
                      ArrayRef<double> weights, ArrayRef<double> scores,
                      double *out) {
  int64_t n = all.n, e = all.e;
  const double *v = all.v.data() + batch * n * e;
  double unit = unitOf(all.dtype);
  for (int64_t i = 0; n > 0 && i < all.m; ++i) {
    auto [off, far] = scoreError(all, batch, i, scores.slice(i * n, n));
    // Weights may be rounded to the type of the values.
    double relative =
        unit * (2 * off + 2 * double(n) + 16 + 4 * far) + roundingOf(all.dtype);
    // So rounded, weights below the least normal number err by as much as its
    // last place, and vanish below half of that, as they do where small numbers
    // are flushed.
    double largest = *std::max_element(weights.begin() + i * n,
                                       weights.begin() + (i + 1) * n);
    double normal =
        std::max(smallestNormal(DType::f32),
                 roundingOf(all.dtype) > 0 ? smallestNormal(all.dtype) : 0) *
        largest;
    double least = std::max(smallestNormal(DType::f32) * largest,
                            normal * roundingOf(all.dtype));
    for (int64_t c = 0; c < e; ++c) {
      double size = 0, lost = 0;
      bool vanishes = false;
      for (int64_t j = 0; j < n; ++j) {
        double weight = weights[i * n + j], factor = std::fabs(v[j * e + c]);
        vanishes |= weight > 0 && weight <= least * (1 + relative) &&
                    std::isinf(factor);
        size += weight * factor;
        if (weight > 0 && weight < normal)
          lost += std::min(weight, least) * factor;
      }
      double &value = out[i * e + c];
      if (vanishes) // zero times infinity, or an infinity
        value = std::numeric_limits<double>::quiet_NaN();
      else if (std::isfinite(value) && std::isfinite(size * relative + lost))
        value += errorDirection(i * e + c) * (size * relative + lost);
    }
  }
}

/// log(sum(exp(scores))) of each row; where errors are wanted off by those of
/// its scores and of the sum.
void sumRows(const Operands &all, int64_t batch, ArrayRef<double> scores,
             double *out) {
  for (int64_t i = 0; i < all.m; ++i) {
    ArrayRef<double> row = scores.slice(i * all.n, all.n);
    double most = -kInfinity, sum = 0;
    for (double x : row)
      most = x > most || std::isnan(x) ? x : most;
    double shift = most == -kInfinity ? 0 : most;
    for (double x : row)
      sum += std::exp(x - shift);
    double &result = out[i] = std::log(sum) + shift;
    if (!perturbation().isOn() || !std::isfinite(result))
      continue;
    auto [off, far] = scoreError(all, batch, i, row);
    result += errorDirection(i) * unitOf(all.dtype) *
              (2 * off + double(all.n) + 16 + 4 * far + std::fabs(result));
  }
}

LogicalResult attention(prim::AttentionOp op, Frame &frame) {
  FailureOr<Operands> given = operandsOf(op, frame);
  if (failed(given))
    return failure();
  const Operands &all = *given;
  int64_t m = all.m, n = all.n, e = all.e;
  FailureOr<Value> result = makeResult(op, all.shape({m, e}));
  if (failed(result))
    return failure();
  std::vector<double> out(result->size()), sums(all.batches * m);
  for (int64_t b = 0; b < all.batches; ++b) {
    std::vector<double> scores = all.scores(b);
    std::vector<double> weights = scores;
    softmaxRows(weights, n);
    multiply(m, e, n, weights.data(), all.v.data() + b * n * e,
             out.data() + b * m * e);
    if (perturbation().isOn())
      perturbAttention(all, b, weights, scores, out.data() + b * m * e);
    if (op.getLogsumexp())
      sumRows(all, b, scores, sums.data() + b * m);
  }
  fromDoubles(out, *result);
  if (op.getLogsumexp()) {
    Value sum =
        Value::tensor(dtypeOf(op.getLogsumexp().getType()), all.shape({m}));
    fromDoubles(sums, sum);
    if (failed(frame.set(op.getLogsumexp(), std::move(sum))))
      return failure();
  }
  return finish(op, frame, std::move(*result));
}

/// The gradients of one batch of attention.
class Backward {
public:
  Backward(const Operands &all, int64_t batch, const double *output,
           const double *gradient, const double *logsumexp)
      : all(all), batch(batch), m(all.m), n(all.n), d(all.d), e(all.e),
        q(all.q.data() + batch * m * d), k(all.k.data() + batch * n * d),
        v(all.v.data() + batch * n * e), output(output), gradient(gradient),
        logsumexp(logsumexp) {}

  void run(double *ofQuery, double *ofKey, double *ofValue) {
    given = all.scores(batch);
    weigh();
    multiply(m, d, n, scores.data(), k, ofQuery);
    multiply(n, d, m, turned(scores.data(), m, n).data(), q, ofKey);
    multiply(n, e, m, turned(weights.data(), m, n).data(), gradient, ofValue);
    if (!perturbation().isOn())
      return;
    perturbSums(ofQuery, m, n, d, k, scores, scoreOff, false);
    perturbSums(ofKey, n, m, d, q, scores, scoreOff, true);
    perturbSums(ofValue, n, m, e, gradient, weights, weightOff, true);
  }

private:
  /// Computes weights and the gradients of scores, and how far both may be off.
  void weigh();
  /// Lets the sums over `count` factors [count, columns] err, each by the
  /// errors of what multiplies it and by those of sums. `across`: that is
  /// transposed.
  void perturbSums(double *out, int64_t rows, int64_t count, int64_t columns,
                   const double *factors, ArrayRef<double> left,
                   ArrayRef<double> off, bool across);

  const Operands &all;
  int64_t batch, m, n, d, e;
  const double *q, *k, *v, *output, *gradient, *logsumexp;
  std::vector<double> given, weights, scores, weightOff, scoreOff;
};

void Backward::weigh() {
  weights.resize(m * n);
  scores.resize(m * n);
  weightOff.resize(m * n);
  scoreOff.resize(m * n);
  double unit = unitOf(all.dtype), rounding = roundingOf(all.dtype);
  // What is lost of numbers that narrow types hold with fewer bits, and the
  // largest ones that they hold.
  bool isNarrow = rounding > 0;
  double least = isNarrow ? smallestNormal(all.dtype) * rounding : 0;
  least = std::max(least, smallestNormal(DType::f32));
  double most = isNarrow ? largestFinite(all.dtype) : largestFinite(DType::f32);
  for (int64_t i = 0; i < m; ++i) {
    auto [off, far] =
        scoreError(all, batch, i, ArrayRef(given).slice(i * n, n));
    double shift = logsumexp[i] == -kInfinity ? 0 : logsumexp[i];
    double weighted = 0, weightedSize = 0;
    for (int64_t c = 0; c < e; ++c) {
      double term = gradient[i * e + c] * output[i * e + c];
      weighted += term;
      weightedSize += std::fabs(term);
    }
    double relative = unit * (2 * off + 16 + 4 * (far + std::fabs(shift)));
    for (int64_t j = 0; j < n; ++j) {
      int64_t at = i * n + j;
      double ofWeight = 0, size = 0;
      for (int64_t c = 0; c < e; ++c) {
        double term = gradient[i * e + c] * v[j * e + c];
        ofWeight += term;
        size += std::fabs(term);
      }
      double weight = std::exp(given[at] - shift);
      weights[at] = weight;
      weightOff[at] = weight * (relative + rounding) + least;
      // Targets multiply by the scale last.
      double score = weight * (ofWeight - weighted);
      double scoreError =
          std::fabs(score) * (relative + rounding + 4 * unit) +
          weight * unit * double(e + 2) * (size + weightedSize) +
          least * (1 + std::fabs(ofWeight - weighted));
      scores[at] = score * all.scale;
      scoreOff[at] = scoreError * std::fabs(all.scale);
      if (weight > most)
        weightOff[at] = kInfinity;
      if (std::fabs(score) + scoreError > most || weight > most)
        scoreOff[at] = kInfinity;
    }
  }
}

void Backward::perturbSums(double *out, int64_t rows, int64_t count,
                           int64_t columns, const double *factors,
                           ArrayRef<double> left, ArrayRef<double> off,
                           bool across) {
  double unit = unitOf(all.dtype);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t c = 0; c < columns; ++c) {
      double size = 0;
      for (int64_t j = 0; j < count; ++j) {
        int64_t at = across ? j * rows + i : i * count + j;
        double error = off[at] + std::fabs(left[at]) * unit * double(count + 4);
        size += error * std::fabs(factors[j * columns + c]);
      }
      double &value = out[i * columns + c];
      if (!std::isfinite(size)) // infinities, and what rounds to them
        value = std::numeric_limits<double>::quiet_NaN();
      else if (std::isfinite(value))
        value += errorDirection(i * columns + c) * size;
    }
}

LogicalResult attentionBackward(prim::AttentionBackwardOp op, Frame &frame) {
  FailureOr<Operands> given = operandsOf(op, frame);
  if (failed(given))
    return failure();
  const Operands &all = *given;
  int64_t m = all.m, n = all.n, d = all.d, e = all.e;
  const Value &output = frame.get(op.getOutput());
  const Value &gradient = frame.get(op.getGradient());
  const Value &logsumexp = frame.get(op.getLogsumexp());
  SmallVector<int64_t> shape = all.shape({m, e}), rows = all.shape({m});
  if (output.shape() != ArrayRef<int64_t>(shape) ||
      gradient.shape() != ArrayRef<int64_t>(shape) ||
      logsumexp.shape() != ArrayRef<int64_t>(rows))
    return op.emitOpError("expected output and gradient [B..., M, E], and a "
                          "logarithm [B..., M]");
  std::vector<double> made = toDoubles(output), by = toDoubles(gradient),
                      sums = toDoubles(logsumexp);
  std::vector<double> ofQuery(all.q.size()), ofKey(all.k.size()),
      ofValue(all.v.size());
  for (int64_t b = 0; b < all.batches; ++b)
    Backward(all, b, made.data() + b * m * e, by.data() + b * m * e,
             sums.data() + b * m)
        .run(ofQuery.data() + b * m * d, ofKey.data() + b * n * d,
             ofValue.data() + b * n * e);
  for (auto [result, numbers, sizes] :
       {std::tuple(op.getQueryGradient(), &ofQuery, all.shape({m, d})),
        std::tuple(op.getKeyGradient(), &ofKey, all.shape({n, d})),
        std::tuple(op.getValueGradient(), &ofValue, all.shape({n, e}))}) {
    Value out = Value::tensor(all.dtype, sizes);
    fromDoubles(*numbers, out);
    if (failed(frame.set(result, std::move(out))))
      return failure();
  }
  return success();
}

} // namespace

void addPrimAttention(PrimTable &table) {
  table.add<prim::AttentionOp>(attention);
  table.add<prim::AttentionBackwardOp>(attentionBackward);
}

} // namespace kiln::eval
