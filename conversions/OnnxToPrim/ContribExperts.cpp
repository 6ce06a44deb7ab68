// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixtures of experts of ONNX Runtime's domain com.microsoft: each row goes
// through the layers of the experts that score highest for it.
#include "Quant.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// How much each expert counts for each row, [rows, experts]: 0 for all but
/// the `k` that score highest.
Value weightsOf(Node &n, Value scores) {
  int64_t k = n.getInt("k", 1), experts = n.shape(scores)[1];
  if (ShapedType::isDynamic(experts) || k < 1 || k > experts)
    return n.refuse("chooses " + Twine(k) + " of its experts");
  bool isNormalized = n.getInt("normalize_routing_weights", 0);
  Value all = n.f32(scores);
  Value by = isNormalized ? all : n.softmax(all, 1);
  Ints shape{n.shape(scores)[0], k};
  auto best = prim::TopKOp::create(
      n.e.b, n.e.typeOf(all).clone(shape),
      RankedTensorType::get(shape, n.e.b.getI64Type()), all, k, 1,
      /*smallest=*/false, /*isUnsigned=*/false);
  Value place = n.along(n.iota(experts, n.e.b.getI64Type()), 2, 3);
  Value isBest = n.eq(n.unsqueeze(best.getIndices(), {2}), place);
  Value zero = n.number(0, all);
  Value parts = isNormalized ? n.softmax(best.getValues(), 1) : Value();
  Value spread = isNormalized ? n.where(isBest, n.unsqueeze(parts, {2}), zero)
                              : n.where(isBest, n.unsqueeze(by, {1}), zero);
  return n.broken ? Value() : n.sum(spread, {1});
}

/// The two halves of what a layer gives, a gate and what it lets through: one
/// behind the other, or the first half before the second.
Value swiGlu(Node &n, Value x) {
  int64_t last = n.e.typeOf(x).getRank() - 1, half = n.shape(x)[last] / 2;
  int64_t fusion = n.getInt("swiglu_fusion", 0);
  if (fusion != 1 && fusion != 2)
    return n.refuse("has swiglu_fusion " + Twine(fusion));
  bool isInterleaved = fusion == 1;
  Value gate = n.slice(x, last, 0, half, isInterleaved ? 2 : 1);
  Value linear =
      n.slice(x, last, isInterleaved ? 1 : half, half, isInterleaved ? 2 : 1);
  if (n.hasAttr("swiglu_limit")) {
    double limit = n.getFloat("swiglu_limit", 0);
    gate = n.min(gate, n.number(limit, gate));
    linear = n.clamp(linear, -limit, limit);
  }
  Value scaled = n.mul(gate, n.number(n.getFloat("activation_alpha", 1), gate));
  Value open = n.mul(gate, n.unary<prim::SigmoidOp>(scaled));
  double beta = n.getFloat("activation_beta", 0);
  return n.mul(open, n.add(linear, n.number(beta, linear)));
}

/// The activation between the two layers of an expert.
Value activated(Node &n, Value x) {
  StringRef how = n.getString("activation_type", "relu");
  if (how == "swiglu")
    return swiGlu(n, x);
  if (how == "relu")
    return n.unary<prim::ReluOp>(x);
  if (how == "silu")
    return n.mul(x, n.unary<prim::SigmoidOp>(x));
  if (how == "gelu")
    return prim::GeluOp::create(n.e.b, x.getType(), x, prim::GeluKind::tanh);
  return how == "identity" ? x : n.refuse("has activation '" + how + "'");
}

/// Weights of few bits as floats, [experts, rows, columns]. Scales and zero
/// points are of a row, or of a block of it.
Value unpacked(Node &n, unsigned i, unsigned point) {
  int64_t bits = n.getInt("expert_weight_bits", 4);
  if (n.rank(i) != 3 || !n.e.typeOf(n.in(i)).hasStaticShape() ||
      (bits != 2 && bits != 4 && bits != 8) || !n.has(i + 1))
    return n.refuse("has weights that do not fit");
  int64_t count = n.shape(n.in(i))[2] * (8 / bits);
  Value q = n.f32(unpackBits(n, n.in(i), bits, count));
  Value scale = n.f32(n.in(i + 1));
  int64_t block = n.getInt("block_size", 0);
  Value of = block > 0
                 ? n.div(n.iota(count, n.e.b.getI64Type()), n.integer(block))
                 : Value();
  auto spread = [&](Value x) {
    if (n.e.typeOf(x).getRank() == 2)
      return n.unsqueeze(x, {2});
    return of ? n.take(x, of, 2) : x;
  };
  if (!n.has(point))
    return n.mul(n.sub(q, n.number(1 << (bits - 1), q)), spread(scale));
  Value points = n.in(point);
  int64_t blocks = n.e.typeOf(scale).getRank() == 3 ? n.shape(scale)[2] : 1;
  if (n.e.typeOf(points).getRank() != 3 || !n.e.typeOf(points).hasStaticShape())
    return n.refuse("has zero points for rows");
  points = n.f32(unpackBits(n, points, bits, blocks));
  return n.mul(n.sub(q, spread(points)), spread(scale));
}

/// MoE and QMoE. All experts work on all rows, and each row takes what its own
/// ones gave.
template <bool isQuantized> LogicalResult experts(Node &n) {
  constexpr unsigned stride = isQuantized ? 3 : 2;
  constexpr unsigned first = 2, second = first + stride,
                     third = second + stride;
  int64_t rank = n.rank(0);
  if ((rank != 2 && rank != 3) || n.rank(1) != 2)
    return n.fail("of rows of rank " + Twine(rank));
  if (!n.has(second))
    return n.fail("has no second layer");
  if (n.has(third) || n.getInt("use_sparse_mixer", 0))
    return n.fail("with a third layer, or a sparse mixer");
  Sizes sizes = n.e.sizesOf(n.in(0));
  Value rows = n.wide(n.in(0));
  if (rank == 3)
    rows = n.e.reshape(rows,
                       Sizes{n.e.sizeMath().mul(sizes[0], sizes[1]), sizes[2]});
  auto layer = [&](unsigned i, unsigned point) {
    Value w = isQuantized ? unpacked(n, i, point) : n.in(i);
    return w ? n.cast(w, n.e.elementOf(rows)) : w;
  };
  auto biased = [&](Value x, unsigned i, ArrayRef<int64_t> dims) {
    return n.has(i) ? n.add(x, n.unsqueeze(n.wide(n.in(i)), dims)) : x;
  };
  Value weights = weightsOf(n, n.in(1));
  Value in = layer(first, 11), out = layer(second, 12);
  if (n.broken || n.e.typeOf(in).getRank() != 3 ||
      !n.e.typeOf(in).hasStaticShape() || n.e.typeOf(out).getRank() != 3)
    return n.broken ? failure() : n.fail("has layers that do not fit");
  // [rows, experts, inner], then [experts, rows, outer].
  Value inner = n.dot(rows, in, {}, {}, {1}, {2});
  inner = biased(inner, second - 1, {0});
  inner = n.broken ? Value() : activated(n, inner);
  if (!inner)
    return failure();
  Value outer = n.dot(inner, out, {1}, {0}, {2}, {2});
  outer = biased(outer, third - 1, {1});
  if (n.broken)
    return failure();
  Value share = n.unsqueeze(n.e.transpose(weights, {1, 0}), {2});
  share = n.cast(share, n.e.elementOf(outer));
  Value zero = n.number(0, outer);
  Value kept = n.where(n.gt(share, zero), n.mul(outer, share), zero);
  if (n.broken)
    return failure();
  Value sum = n.cast(n.sum(kept, {0}), n.elementIn(0));
  return n.set(rank == 3 ? n.e.reshape(sum, sizes) : sum);
}

} // namespace

void addExpertRules(NodeRules &rules) {
  rules.add("com.microsoft.MoE", experts<false>, 3);
  rules.add("com.microsoft.QMoE", experts<true>, 4);
}

} // namespace kiln::onnx_to_prim
