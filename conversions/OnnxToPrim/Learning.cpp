// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of ai.onnx.ml that encode features, and linear models.
#include "Learning.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// Softmax among the elements that are not 0, which stay as they are.
Value softmaxZero(Node &n, Value x, int64_t dim) {
  Value most = n.reduce<prim::AmaxOp>(x, {dim}, true);
  Value isThere = n.gt(n.unary<prim::AbsOp>(x), n.number(1e-7, x));
  Value zero = n.number(0, x);
  Value e = n.where(isThere, n.unary<prim::ExpOp>(n.sub(x, most)), zero);
  Value rest = n.mul(x, n.unary<prim::ExpOp>(n.sub(zero, most)));
  return n.div(n.where(isThere, e, rest), n.sum(e, {dim}, true));
}

} // namespace

Value transformed(Node &n, Value scores, StringRef name) {
  int64_t last = n.e.typeOf(scores).getRank() - 1;
  if (name == "NONE")
    return scores;
  if (name == "LOGISTIC")
    return n.unary<prim::SigmoidOp>(scores);
  if (name == "SOFTMAX")
    return n.softmax(scores, last);
  if (name == "SOFTMAX_ZERO")
    return softmaxZero(n, scores, last);
  return n.refuse("has post_transform '" + name + "'");
}

LogicalResult setLabels(Node &n, Value place, ArrayRef<int64_t> labels) {
  if (!n.wants(0) && n.numResults() > 1)
    return success();
  return n.set(0, n.take(n.list(labels), place, 0));
}

LogicalResult classify(Node &n, Value scores, ArrayRef<int64_t> labels) {
  if (n.shape(scores)[1] != int64_t(labels.size()))
    return n.fail("has " + Twine(n.shape(scores)[1]) + " scores for " +
                  Twine(labels.size()) + " labels");
  Value place = prim::ArgmaxOp::create(
      n.e.b,
      RankedTensorType::get(n.shape(scores).take_front(), n.e.b.getI64Type()),
      scores, 1, false);
  if (failed(setLabels(n, place, labels)))
    return failure();
  Value made = transformed(n, scores, n.getString("post_transform", "NONE"));
  return made ? n.set(1, n.f32(made)) : failure();
}

LogicalResult classifyTwo(Node &n, Value score, ArrayRef<int64_t> labels,
                          double threshold, bool isShare) {
  Value isSecond = n.gt(score, n.number(threshold, score));
  Value place = n.i64(n.squeeze(isSecond, {1}));
  if (failed(setLabels(n, place, labels)))
    return failure();
  Value first = n.sub(n.number(isShare ? 1 : 0, score), score);
  StringRef name = n.getString("post_transform", "NONE");
  if (name == "LOGISTIC" && !isShare) {
    first = n.unary<prim::SigmoidOp>(first);
    score = n.unary<prim::SigmoidOp>(score);
  } else if (name == "PROBIT")
    return n.fail("has post_transform 'PROBIT'");
  return n.set(1, n.f32(n.e.concat({first, score}, 1)));
}

FailureOr<Ints> labelsOf(Node &n, StringRef numbers) {
  if (auto labels = n.getInts(numbers))
    return *labels;
  auto texts = dyn_cast_or_null<ArrayAttr>(n.attr("classlabels_strings"));
  if (!texts)
    return n.fail("has no labels");
  if (n.wants(0))
    return n.fail("gives labels that are texts");
  Ints places(texts.size());
  for (auto [i, place] : llvm::enumerate(places))
    place = i;
  return places;
}

Value rowsIn(Node &n) {
  if (n.rank(0) < 1 || n.rank(0) > 2)
    return n.refuse("of a tensor of rank " + Twine(n.rank(0)));
  Value x = n.rank(0) == 1 ? n.unsqueeze(n.in(0), {0}) : n.in(0);
  if (ShapedType::isDynamic(n.shape(x)[1]))
    return n.refuse("of a number of features that is not known");
  return n.e.elementOf(x).isF64()
             ? x
             : n.cast(x, n.e.b.getF32Type(), n.isUnsigned(0));
}

Value weighed(Node &n, Value x, ArrayRef<double> coefficients, int64_t count) {
  int64_t features = n.shape(x)[1];
  if (count < 1 || int64_t(coefficients.size()) != count * features)
    return n.refuse("has " + Twine(coefficients.size()) + " coefficients for " +
                    Twine(count) + " times " + Twine(features) + " features");
  Value table = n.floats(coefficients, {count, features}, n.e.elementOf(x));
  return n.dot(x, table, {}, {}, {1}, {1});
}

namespace {

/// LinearClassifier: a list of coefficients for each class, or one for two.
LogicalResult linearClassifier(Node &n) {
  auto labels = labelsOf(n, "classlabels_ints");
  auto coefficients = n.getFloats("coefficients");
  Value x = failed(labels) ? Value() : rowsIn(n);
  if (!x)
    return failure();
  if (!coefficients)
    return n.fail("has no coefficients");
  x = n.f32(x);
  int64_t features = std::max<int64_t>(n.shape(x)[1], 1);
  int64_t count = coefficients->size() / features;
  Value scores = weighed(n, x, *coefficients, count);
  if (!scores)
    return failure();
  if (auto given = n.getFloats("intercepts")) {
    if (int64_t(given->size()) != count)
      return n.fail("has " + Twine(given->size()) + " intercepts for " +
                    Twine(count) + " classes");
    scores = n.add(scores, n.floats(*given, count, n.e.elementOf(scores)));
  }
  if (count == 1 && labels->size() == 2)
    return classifyTwo(n, scores, *labels, 0, true);
  return classify(n, scores, *labels);
}

/// Normalizer: rows by their largest magnitude, or by a norm, unless it is 0.
LogicalResult normalizer(Node &n) {
  if (n.rank(0) < 1 || n.rank(0) > 2)
    return n.fail("of a tensor of rank " + Twine(n.rank(0)));
  Value x = n.cast(n.in(0), n.e.b.getF32Type(), n.isUnsigned(0));
  int64_t last = n.rank(0) - 1;
  StringRef norm = n.getString("norm", "MAX");
  Value size = n.unary<prim::AbsOp>(x), by;
  if (norm == "MAX")
    by = n.reduce<prim::AmaxOp>(size, {last}, true);
  else if (norm == "L1")
    by = n.sum(size, {last}, true);
  else if (norm == "L2")
    by = n.unary<prim::SqrtOp>(n.sum(n.mul(x, x), {last}, true));
  else
    return n.fail("has norm '" + norm + "'");
  Value zero = n.number(0, by);
  return n.set(n.div(x, n.where(n.eq(by, zero), n.number(1, by), by)));
}

/// FeatureVectorizer: the columns of all inputs as f32.
LogicalResult featureVectorizer(Node &n) {
  SmallVector<Value> parts;
  for (unsigned i = 0; i < n.numInputs(); ++i) {
    if (!n.has(i) || n.rank(i) < 1 || n.rank(i) > 2)
      return n.fail("takes lists and rows of features");
    Value x = n.cast(n.in(i), n.e.b.getF32Type(), n.isUnsigned(i));
    parts.push_back(n.rank(i) == 1 ? n.unsqueeze(x, {1}) : x);
  }
  return n.set(n.e.concat(parts, 1));
}

/// The numbers of an attribute that is a list or a tensor, as a tensor of rank
/// 1; null if it is not there.
Value listAttr(Node &n, StringRef stem) {
  if (auto ints = n.getInts((stem + "_int64s").str()))
    return n.list(*ints);
  if (auto all = n.getFloats((stem + "_floats").str()))
    return n.floats(*all, {int64_t(all->size())}, n.e.b.getF32Type());
  auto tensor =
      dyn_cast_or_null<ElementsAttr>(n.attr((stem + "_tensor").str()));
  if (!tensor)
    return {};
  auto made = tensor_to_prim::constantValue(n.op, tensor, n.e);
  if (failed(made))
    return {};
  return n.e.reshape(*made, Ints{tensor.getNumElements()});
}

/// Which of a list of numbers each element is: [..., numbers]. NaN is NaN.
Value matches(Node &n, Value x, Value list) {
  Value each = n.unsqueeze(x, {n.e.typeOf(x).getRank()});
  Value same = n.eq(each, list);
  if (!isa<FloatType>(n.e.elementOf(x)))
    return same;
  return n.either(same, n.no(n.either(n.eq(each, each), n.eq(list, list))));
}

/// LabelEncoder: the value of the key that an element is, or the default.
LogicalResult labelEncoder(Node &n) {
  Value keys = listAttr(n, "keys"), values = listAttr(n, "values");
  if (!keys || !values)
    return n.fail("of texts, or without keys and values");
  int64_t count = n.shape(keys)[0], rank = n.rank(0);
  if (count < 1 || count != n.shape(values)[0])
    return n.fail("has " + Twine(count) + " keys and " +
                  Twine(n.shape(values)[0]) + " values");
  bool isFloat = isa<FloatType>(n.e.elementOf(values));
  Value otherwise = listAttr(n, "default");
  if (otherwise)
    otherwise = n.e.reshape(otherwise, ArrayRef<int64_t>());
  else if (isFloat)
    otherwise = n.number(n.getFloat("default_float", -0.0), values);
  else
    otherwise =
        n.cast(n.integer(n.getInt("default_int64", -1)), n.e.elementOf(values));
  Value same = matches(n, n.in(0), n.cast(keys, n.e.elementOf(n.in(0))));
  Value found = n.reduce<prim::AmaxOp>(n.i64(same), {rank}, false);
  Value place = prim::ArgmaxOp::create(
      n.e.b, n.e.typeOf(n.in(0)).clone(n.e.b.getI64Type()), n.i64(same), rank,
      false);
  return n.set(
      n.where(n.gt(found, n.integer(0)), n.take(values, place, 0), otherwise));
}

/// OneHotEncoder: 1 at the category that an element is. A node that refuses
/// other categories (zeros = 0) makes the program fail where it finds one.
LogicalResult oneHotEncoder(Node &n) {
  auto categories = n.getInts("cats_int64s");
  if (!categories || categories->empty())
    return n.fail("of texts, or without categories");
  // Floats are rounded towards zero, as ONNX says.
  Value x = n.i64(n.in(0), n.isUnsigned(0));
  Value same = matches(n, x, n.list(*categories));
  Value made = n.f32(same);
  if (n.getInt("zeros", 1) == 0) {
    Ints all;
    for (int64_t d = 0; d < n.rank(0); ++d)
      all.push_back(d);
    Value least = n.sum(made, {n.rank(0)});
    if (!all.empty())
      least = n.reduce<prim::AminOp>(least, all, false);
    Value isKnown = n.gt(least, n.number(0, least));
    Value number = n.e.sizeValue(n.sizeFrom(n.i64(isKnown)));
    Value holds = arith::CmpIOp::create(n.e.b, arith::CmpIPredicate::ne, number,
                                        n.e.sizeValue(n.e.size(0)));
    cf::AssertOp::create(
        n.e.b, holds, "OneHotEncoder finds a category that it does not know");
  }
  return n.set(made);
}

/// ZipMap names the columns of a tensor. Packages have no maps, so that it
/// hands the tensor on.
LogicalResult zipMap(Node &n) {
  n.op->emitRemark("ZipMap gives the tensor whose columns it names");
  return n.set(n.in(0));
}

} // namespace

void addLearningRules(NodeRules &rules) {
  addSupportVectorRules(rules);
  rules.add("ai.onnx.ml.LinearClassifier", linearClassifier);
  rules.add("ai.onnx.ml.Normalizer", normalizer);
  rules.add("ai.onnx.ml.FeatureVectorizer", featureVectorizer);
  rules.add("ai.onnx.ml.LabelEncoder", labelEncoder);
  rules.add("ai.onnx.ml.OneHotEncoder", oneHotEncoder);
  rules.add("ai.onnx.ml.ZipMap", zipMap);
}

} // namespace kiln::onnx_to_prim
