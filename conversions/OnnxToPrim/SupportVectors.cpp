// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of ai.onnx.ml that compare rows with support vectors.
#include "Control.h"
#include "Learning.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// A kernel of support vectors: [rows, supports].
Value kernelOf(Node &n, Value x, ArrayRef<double> supports, int64_t count,
               StringRef type, ArrayRef<double> parameters) {
  Value product = weighed(n, x, supports, count);
  if (!product || type == "LINEAR")
    return product;
  auto number = [&](size_t i) {
    return n.number(i < parameters.size() ? parameters[i] : 0, product);
  };
  Value gamma = number(0);
  if (type == "RBF") { // exp(-gamma * |x - support|^2)
    Value table = n.floats(supports, {count, n.shape(x)[1]}, n.e.elementOf(x));
    Value apart = n.sub(n.unsqueeze(x, {1}), n.unsqueeze(table, {0}));
    Value square = n.sum(n.mul(apart, apart), {2});
    return n.unary<prim::ExpOp>(n.mul(n.unary<prim::NegOp>(gamma), square));
  }
  Value inner = n.add(n.mul(gamma, product), number(1));
  if (type == "POLY")
    return n.binary<prim::PowOp>(inner, number(2));
  if (type == "SIGMOID")
    return n.unary<prim::TanhOp>(inner);
  return n.refuse("has kernel_type '" + type + "'");
}

/// SVMRegressor: a weighed sum of kernels, plus rho.
LogicalResult svmRegressor(Node &n) {
  Value x = rowsIn(n);
  auto coefficients = n.getFloats("coefficients"), rho = n.getFloats("rho");
  if (!x)
    return failure();
  if (!coefficients || !rho || rho->empty())
    return n.fail("has no coefficients or no rho");
  x = n.f32(x);
  int64_t count = n.getInt("n_supports", 0);
  StringRef type = n.getString("kernel_type", "LINEAR");
  auto supports =
      n.getFloats("support_vectors").value_or(SmallVector<double>());
  auto parameters =
      n.getFloats("kernel_params").value_or(SmallVector<double>());
  Value kernels = count ? kernelOf(n, x, supports, count, type, parameters) : x;
  Value sum = kernels ? weighed(n, kernels, *coefficients, 1) : Value();
  if (!sum)
    return failure();
  sum = n.add(sum, n.number(rho->front(), sum));
  if (n.getInt("one_class", 0))
    return n.set(n.where(n.gt(sum, n.number(0, sum)), n.number(1, sum),
                         n.number(-1, sum)));
  return n.set(transformed(n, sum, n.getString("post_transform", "NONE")));
}

/// A machine for each pair of classes (i, j), i < j, in the order (0, 1),
/// (0, 2), ... (1, 2), ...
struct Pairs {
  int64_t classes;
  SmallVector<std::pair<int64_t, int64_t>> pairs;

  explicit Pairs(int64_t classes) : classes(classes) {
    for (int64_t i = 0; i < classes; ++i)
      for (int64_t j = i + 1; j < classes; ++j)
        pairs.push_back({i, j});
  }
  int64_t size() const { return pairs.size(); }
  /// A table [pairs, columns] of the numbers that `of` gives for a pair.
  Value table(Node &n, int64_t columns, Value like,
              llvm::function_ref<void(int64_t i, int64_t j,
                                      MutableArrayRef<double> row)>
                  of) const {
    SmallVector<double> all(size() * columns, 0);
    for (auto [at, pair] : llvm::enumerate(pairs))
      of(pair.first, pair.second,
         MutableArrayRef(all).slice(at * columns, columns));
    return n.floats(all, {size(), columns}, n.e.elementOf(like));
  }
};

/// Rows times a table: [rows, columns of the table].
Value times(Node &n, Value rows, Value table) {
  return n.dot(rows, table, {}, {}, {1}, {0});
}

/// What the machine of each pair says: positive for the first class.
Value pairScores(Node &n, Value kernels, const Pairs &pairs,
                 ArrayRef<double> coefficients, ArrayRef<int64_t> supports,
                 ArrayRef<double> rho) {
  int64_t count = n.shape(kernels)[1];
  SmallVector<int64_t> begin(1, 0);
  for (int64_t own : supports)
    begin.push_back(begin.back() + own);
  SmallVector<double> weights(pairs.size() * count, 0);
  for (auto [at, pair] : llvm::enumerate(pairs.pairs)) {
    auto [i, j] = pair;
    for (int64_t v = begin[i]; v < begin[i + 1]; ++v)
      weights[at * count + v] = coefficients[(j - 1) * count + v];
    for (int64_t v = begin[j]; v < begin[j + 1]; ++v)
      weights[at * count + v] = coefficients[i * count + v];
  }
  Value scores = weighed(n, kernels, weights, pairs.size());
  if (!scores)
    return {};
  return n.add(scores, n.floats(rho.take_front(pairs.size()), {pairs.size()},
                                n.e.elementOf(scores)));
}

/// The class that most pairs are for, the first of them.
Value mostVotes(Node &n, Value scores, const Pairs &pairs) {
  Value wins = n.cast(n.gt(scores, n.number(0, scores)), n.e.elementOf(scores));
  Value change =
      pairs.table(n, pairs.classes, scores, [](int64_t i, int64_t j, auto row) {
        row[i] = 1;
        row[j] = -1;
      });
  SmallVector<double> lost(pairs.classes);
  for (auto [i, j] : pairs.pairs)
    ++lost[j];
  Value votes = n.add(times(n, wins, change),
                      n.floats(lost, {pairs.classes}, n.e.elementOf(wins)));
  return prim::ArgmaxOp::create(
      n.e.b,
      RankedTensorType::get(n.shape(votes).take_front(), n.e.b.getI64Type()),
      votes, 1, false);
}

/// Probabilities of classes from those of pairs, as libsvm iterates for them
/// (Wu, Lin and Weng 2004, Probability Estimates for Multi-class
/// Classification by Pairwise Coupling): `first` has P(i | i or j) of each
/// pair.
Value coupled(Node &n, Value first, const Pairs &pairs) {
  int64_t k = pairs.classes;
  Value one = n.number(1, first);
  auto spread = [&](Value x, bool isSwapped) {
    return times(n, x,
                 pairs.table(n, k * k, x, [&](int64_t i, int64_t j, auto row) {
                   row[isSwapped ? j * k + i : i * k + j] = 1;
                 }));
  };
  Sizes square{n.e.sizesOf(first)[0], n.e.size(k), n.e.size(k)};
  Value r = n.e.reshape(
      n.add(spread(first, false), spread(n.sub(one, first), true)), square);
  Value diagonal = n.sum(n.mul(r, r), {1});
  SmallVector<double> eye(k * k);
  for (int64_t t = 0; t < k; ++t)
    eye[t * k + t] = 1;
  Value unit = n.floats(eye, {k, k}, n.e.elementOf(r));
  Value q = n.sub(n.mul(unit, n.unsqueeze(diagonal, {1})),
                  n.mul(r, n.e.transpose(r, {0, 2, 1})));
  auto step = [&](Value, ArrayRef<Value> now) -> FailureOr<SmallVector<Value>> {
    Value p = now[0], whole = n.number(1, p);
    Value qp = n.sum(n.mul(q, n.unsqueeze(p, {1})), {2});
    Value pqp = n.sum(n.mul(p, qp), {1}, true);
    Value error =
        n.reduce<prim::AmaxOp>(n.unary<prim::AbsOp>(n.sub(qp, pqp)), {1}, true);
    Value goesOn = n.ge(error, n.number(0.005 / double(k), error));
    for (int64_t t = 0; t < k; ++t) {
      Value own = n.slice(qp, 1, t, 1), by = n.slice(diagonal, 1, t, 1);
      Value diff = n.div(n.sub(pqp, own), by), scale = n.add(whole, diff);
      Value twice = n.mul(n.number(2, own), own);
      Value grown = n.add(pqp, n.mul(diff, n.add(n.mul(diff, by), twice)));
      pqp = n.div(n.div(grown, scale), scale);
      Value row = n.squeeze(n.slice(q, 1, t, 1), {1});
      qp = n.div(n.add(qp, n.mul(diff, row)), scale);
      p = n.div(n.add(p, n.mul(diff, n.slice(unit, 0, t, 1))), scale);
    }
    return SmallVector<Value>{n.where(goesOn, p, now[0])};
  };
  Value start =
      n.expand(n.number(1 / double(k), r), Sizes{square[0], n.e.size(k)});
  auto made = countedLoop(n, n.e.size(std::max<int64_t>(100, k)), start, step);
  return failed(made) ? Value() : made->front();
}

/// P(i | i or j) of each pair, by the logistic function that was fitted to its
/// scores.
Value pairShares(Node &n, Value scores, ArrayRef<double> a,
                 ArrayRef<double> b) {
  int64_t count = n.shape(scores)[1];
  Type element = n.e.elementOf(scores);
  Value fitted =
      n.add(n.mul(scores, n.floats(a.take_front(count), {count}, element)),
            n.floats(b.take_front(count), {count}, element));
  Value share = n.sub(n.number(1, scores), n.unary<prim::SigmoidOp>(fitted));
  return n.clamp(share, 1e-7, 1 - 1e-7);
}

/// What SVMClassifier says of its machines.
struct Classifier {
  Ints labels, supports;
  SmallVector<double> vectors, coefficients, rho, a, b, parameters;
  int64_t count = 0; ///< of support vectors
};

FailureOr<Classifier> readClassifier(Node &n) {
  Classifier c;
  auto labels = labelsOf(n, "classlabels_ints");
  if (failed(labels))
    return failure();
  c.labels = *labels;
  c.supports = n.getInts("vectors_per_class").value_or(Ints());
  auto floats = [&](StringRef name) {
    return n.getFloats(name).value_or(SmallVector<double>());
  };
  c.vectors = floats("support_vectors");
  c.coefficients = floats("coefficients");
  c.rho = floats("rho");
  c.a = floats("prob_a");
  c.b = floats("prob_b");
  c.parameters = floats("kernel_params");
  for (int64_t own : c.supports) {
    if (own < 0)
      return n.fail("has a class of " + Twine(own) + " support vectors");
    c.count += own;
  }
  int64_t classes = c.labels.size(), pairs = classes * (classes - 1) / 2;
  if (!c.count)
    return n.fail("has no support vectors");
  if (classes < 2 || int64_t(c.supports.size()) != classes)
    return n.fail("has " + Twine(classes) + " labels and support vectors of " +
                  Twine(c.supports.size()) + " classes");
  if (int64_t(c.rho.size()) < pairs ||
      int64_t(c.coefficients.size()) != (classes - 1) * c.count)
    return n.fail("has " + Twine(c.rho.size()) + " numbers rho and " +
                  Twine(c.coefficients.size()) + " coefficients for " +
                  Twine(pairs) + " pairs of classes");
  if (c.a.size() != c.b.size() || (!c.a.empty() && int64_t(c.a.size()) < pairs))
    return n.fail("has " + Twine(c.a.size()) + " numbers prob_a and " +
                  Twine(c.b.size()) + " numbers prob_b for " + Twine(pairs) +
                  " pairs of classes");
  if (!c.a.empty() && classes > 64)
    return n.fail("gives probabilities of more than 64 classes");
  return c;
}

/// SVMClassifier: each pair of classes votes for one of them. The second result
/// are probabilities of the classes, or the scores of the pairs; of one pair,
/// those of both its classes.
LogicalResult svmClassifier(Node &n) {
  FailureOr<Classifier> c = readClassifier(n);
  Value x = failed(c) ? Value() : rowsIn(n);
  if (!x)
    return failure();
  x = n.f32(x);
  Pairs pairs(c->labels.size());
  Value kernels = kernelOf(n, x, c->vectors, c->count,
                           n.getString("kernel_type", "LINEAR"), c->parameters);
  Value scores = kernels ? pairScores(n, kernels, pairs, c->coefficients,
                                      c->supports, c->rho)
                         : Value();
  if (!scores)
    return failure();
  if (failed(setLabels(n, mostVotes(n, scores, pairs), c->labels)))
    return failure();
  if (!c->a.empty())
    scores = coupled(n, pairShares(n, scores, c->a, c->b), pairs);
  else if (pairs.size() == 1)
    scores = n.e.concat({n.unary<prim::NegOp>(scores), scores}, 1);
  Value made =
      scores ? transformed(n, scores, n.getString("post_transform", "NONE"))
             : Value();
  return made ? n.set(1, made) : failure();
}

} // namespace

void addSupportVectorRules(NodeRules &rules) {
  rules.add("ai.onnx.ml.SVMClassifier", svmClassifier);
  rules.add("ai.onnx.ml.SVMRegressor", svmRegressor);
}

} // namespace kiln::onnx_to_prim
