// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of ONNX Runtime's domain com.microsoft that join several of ONNX's:
// normalisations, activations, embeddings and products. Their meaning is that
// of ContribOperators.md in ONNX Runtime's documentation.
#include "Node.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// Of skip connections, and of embeddings: ONNX Runtime's default.
constexpr double skipEpsilon = 1e-12f;

struct Normalized {
  Value result, mean, inverse; ///< the last two in f32, null if not wanted
};

/// Normalises the last dimension with or without its mean.
Normalized normalize(Node &n, Value x, Value scale, Value bias, double epsilon,
                     bool hasMean, bool wantsMoments) {
  int64_t last = n.e.typeOf(x).getRank() - 1;
  if (last < 0)
    return {n.refuse("of a scalar"), {}, {}};
  if (hasMean && !wantsMoments && n.e.typeOf(scale).getRank() == 1 &&
      !ShapedType::isDynamic(n.shape(x)[last]) &&
      n.shape(scale)[0] == n.shape(x)[last])
    return {prim::LayerNormOp::create(n.e.b, x.getType(), x, scale, bias,
                                      n.e.b.getI64IntegerAttr(1),
                                      n.e.b.getF64FloatAttr(epsilon)),
            {},
            {}};
  Value wide = n.wide(x), mean = n.mean(wide, {last}, true);
  Value centred = hasMean ? n.sub(wide, mean) : wide;
  Value squares = n.mean(n.mul(centred, centred), {last}, true);
  Value inverse =
      n.unary<prim::RsqrtOp>(n.add(squares, n.number(epsilon, squares)));
  Type type = n.e.elementOf(wide);
  Value result = n.mul(n.mul(centred, inverse), n.cast(scale, type));
  if (bias)
    result = n.add(result, n.cast(bias, type));
  if (n.broken)
    return {};
  return {n.cast(result, n.e.elementOf(x)), hasMean ? n.f32(mean) : Value(),
          n.f32(inverse)};
}

/// Sets a result if there is something for it.
LogicalResult setIf(Node &n, unsigned i, Value value) {
  return value ? n.set(i, value) : success(!n.broken);
}

/// SkipLayerNormalization and its form without a mean: input + skip + bias,
/// normalised. The sum is a result, too.
template <bool hasMean> LogicalResult skipNorm(Node &n) {
  unsigned bias = hasMean ? 4 : 3;
  Value sum = n.add(n.in(0), n.in(1));
  if (n.has(bias))
    sum = n.add(sum, n.in(bias));
  if (n.broken || failed(n.set(3, sum)))
    return failure();
  Value beta = hasMean && n.has(3) ? n.in(3) : Value();
  Normalized all =
      normalize(n, sum, n.in(2), beta, n.getFloat("epsilon", skipEpsilon),
                hasMean, n.wants(1) || n.wants(2));
  if (failed(n.set(all.result)) || failed(setIf(n, 1, all.mean)))
    return failure();
  return setIf(n, 2, all.inverse);
}

/// SimplifiedLayerNormalization: RMSNormalization before ONNX had it. The
/// result has the type of the scale, or that of the input if the model says so.
LogicalResult simplifiedNorm(Node &n) {
  int64_t axis = n.axisAttr("axis", -1, n.rank(0));
  if (n.broken)
    return failure();
  if (axis != n.rank(0) - 1)
    return n.fail("along more than the last dimension");
  Normalized all = normalize(n, n.wide(n.in(0)), n.in(1), Value(),
                             n.getFloat("epsilon", 1e-5f), false, true);
  Type type = n.elementIn(n.elementOut() == n.elementIn(0) ? 0 : 1);
  if (n.broken || failed(n.set(n.cast(all.result, type))))
    return failure();
  return setIf(n, 1, all.inverse);
}

/// EmbedLayerNormalization: the sum of embeddings of words, of positions and of
/// segments, normalised. QEmbedLayerNormalization has scales and zero points of
/// these and of the normalisation behind its other inputs.
template <bool isQuantized> LogicalResult embedNorm(Node &n) {
  for (unsigned i = 2; i < (isQuantized ? 18 : 7); ++i)
    if (!n.has(i) && i != 4 && i != 7 && (n.has(4) || (i != 10 && i != 15)))
      return n.fail("has no input " + Twine(i));
  if (n.rank(0) != 2)
    return n.fail("of tokens of rank " + Twine(n.rank(0)));
  Value ids = n.i64(n.in(0));
  auto meant = [&](unsigned i, Value x) {
    if (!isQuantized)
      return x;
    auto one = [&](unsigned input) {
      return n.e.reshape(
          n.cast(n.in(input), n.e.b.getF32Type(), n.isUnsigned(input)),
          ArrayRef<int64_t>());
    };
    Value whole = n.cast(x, n.e.b.getF32Type(), n.isUnsigned(i));
    return n.mul(n.sub(whole, one(i + 11)), one(i + 6));
  };
  auto rows = [&](unsigned i, Value at) {
    return meant(i, n.take(n.in(i), at, 0));
  };
  Value positions =
      !isQuantized && n.has(8)
          ? n.i64(n.in(8))
          : n.along(n.iota(n.e.sizesOf(ids)[1], n.e.b.getI64Type()), 1, 2);
  Value sum = n.add(rows(2, ids), rows(3, positions));
  if (n.has(1) && n.has(4))
    sum = n.add(sum, rows(4, n.i64(n.in(1))));
  if (n.broken || failed(n.set(2, sum)))
    return failure();
  // How many tokens the mask keeps.
  Type i32 = n.e.b.getI32Type();
  Value count = n.has(7)
                    ? n.sum(n.cast(n.in(7), i32), {1})
                    : n.e.full(n.e.b.getI32IntegerAttr(0), n.e.sizesOf(ids)[0]);
  if (failed(n.set(1, count)))
    return failure();
  return n.set(normalize(n, sum, meant(5, n.in(5)), meant(6, n.in(6)),
                         n.getFloat("epsilon", skipEpsilon), true, false)
                   .result);
}

/// Gelu, FastGelu and BiasGelu: of the sum of the inputs.
template <prim::GeluKind kind> LogicalResult gelu(Node &n) {
  Value x = n.has(1) ? n.add(n.in(0), n.in(1)) : n.in(0);
  return n.broken ? failure()
                  : n.set(prim::GeluOp::create(n.e.b, x.getType(), x, kind));
}

LogicalResult quickGelu(Node &n) {
  Value x = n.in(0);
  Value scaled = n.mul(x, n.number(n.getFloat("alpha", 1.702f), x));
  return n.set(n.mul(x, n.unary<prim::SigmoidOp>(scaled)));
}

/// BiasSplitGelu: half of the elements times the Gelu of the other half.
LogicalResult biasSplitGelu(Node &n) {
  Value x = n.add(n.in(0), n.in(1));
  int64_t last = n.rank(0) - 1, size = n.broken ? 0 : n.shape(x)[last];
  if (n.broken || ShapedType::isDynamic(size) || size % 2)
    return n.broken ? failure() : n.fail("of an odd or unknown size");
  Value gate = n.slice(x, last, size / 2, size / 2);
  return n.set(n.mul(n.slice(x, last, 0, size / 2),
                     prim::GeluOp::create(n.e.b, gate.getType(), gate,
                                          prim::GeluKind::exact)));
}

/// BiasAdd: input + bias + skip.
LogicalResult biasAdd(Node &n) {
  return n.set(n.add(n.add(n.in(0), n.in(1)), n.in(2)));
}

/// The last two dimensions exchanged, or with `batch` the one before the last
/// with those in front of it.
Value transposed(Node &n, Value x, bool matrix, bool batch) {
  int64_t rank = n.e.typeOf(x).getRank();
  Ints order;
  for (int64_t d = 0; d < rank; ++d)
    order.push_back(d);
  if (batch && rank > 2) // [M, batch..., K] as [batch..., M, K]
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (matrix && rank > 1)
    std::swap(order[rank - 2], order[rank - 1]);
  return n.e.transpose(x, order);
}

/// FusedMatMul and TransposeMatMul: alpha * A * B of transposed operands.
LogicalResult fusedMatMul(Node &n) {
  Value a =
      transposed(n, n.in(0), n.getInt("transA", 0), n.getInt("transBatchA", 0));
  Value c =
      transposed(n, n.in(1), n.getInt("transB", 0), n.getInt("transBatchB", 0));
  Value result = n.matmul(a, c);
  double alpha = n.getFloat("alpha", 1);
  if (!result)
    return failure();
  return n.set(alpha == 1 ? result : n.mul(result, n.number(alpha, result)));
}

/// ExpandDims: a dimension of size 1 where the second input says.
LogicalResult expandDims(Node &n) {
  auto axis = n.ints(1);
  if (!axis || axis->size() != 1)
    return n.fail("has an axis that is not known");
  int64_t dim = n.axis(axis->front(), n.rank(0) + 1);
  return n.broken ? failure() : n.set(n.unsqueeze(n.in(0), {dim}));
}

/// CDist: the distance of each row of one matrix from each of another.
LogicalResult distances(Node &n) {
  StringRef metric = n.getString("metric", "sqeuclidean");
  if (metric != "euclidean" && metric != "sqeuclidean")
    return n.fail("has the metric '" + metric + "'");
  if (n.rank(0) != 2 || n.rank(1) != 2)
    return n.fail("of operands that are not matrices");
  if (failed(verifyCompatibleShape(n.shape(n.in(0)).take_back(),
                                   n.shape(n.in(1)).take_back())))
    return n.fail("of rows of different lengths");
  Value away = n.sub(n.unsqueeze(n.in(0), {1}), n.unsqueeze(n.in(1), {0}));
  Value squares = n.sum(n.mul(away, away), {2});
  return n.set(metric == "euclidean" ? n.unary<prim::SqrtOp>(squares)
                                     : squares);
}

} // namespace

void addContribRules(NodeRules &rules) {
  // ONNX has taken these over. Its rules are there before those of this file.
  for (StringRef name : {"GatherND", "Pad", "Range", "Trilu"})
    if (const NodeRules::Entry *entry = rules.find(name))
      rules.add(("com.microsoft." + name).str(), entry->rule,
                name == "Range" ? 2 : entry->inputs);
  rules.add("com.microsoft.CDist", distances, 2);
  rules.add("SimplifiedLayerNormalization", simplifiedNorm, 2);
  rules.add("com.microsoft.SimplifiedLayerNormalization", simplifiedNorm, 2);
  rules.add("com.microsoft.SkipLayerNormalization", skipNorm<true>, 3);
  rules.add("com.microsoft.SkipSimplifiedLayerNormalization", skipNorm<false>,
            3);
  rules.add("com.microsoft.EmbedLayerNormalization", embedNorm<false>, 1);
  rules.add("com.microsoft.QEmbedLayerNormalization", embedNorm<true>, 1);
  rules.add("com.microsoft.Gelu", gelu<prim::GeluKind::exact>);
  rules.add("com.microsoft.BiasGelu", gelu<prim::GeluKind::exact>, 2);
  rules.add("com.microsoft.FastGelu", gelu<prim::GeluKind::tanh>);
  rules.add("com.microsoft.QuickGelu", quickGelu);
  rules.add("com.microsoft.BiasSplitGelu", biasSplitGelu, 2);
  rules.add("com.microsoft.BiasAdd", biasAdd, 3);
  rules.add("com.microsoft.FusedMatMul", fusedMatMul, 2);
  rules.add("com.microsoft.TransposeMatMul", fusedMatMul, 2);
  rules.add("com.microsoft.ExpandDims", expandDims, 2);
}

} // namespace kiln::onnx_to_prim
