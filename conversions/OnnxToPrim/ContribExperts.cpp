// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixtures of experts of ONNX Runtime's domain com.microsoft: each row goes
// through the layers of the experts that score highest for it.
#include "Quant.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// The softmax of all scores, or of the chosen ones where these weights are
/// normalised. QMoE always takes that of the chosen ones, unless an input says
/// how much each expert counts: of that, only the chosen ones are divided by
/// their sum.
Value weightsOf(Node &n, Value scores, Value given, bool isQuantized) {
  int64_t k = n.getInt("k", 1), experts = n.shape(scores)[1];
  if (ShapedType::isDynamic(experts) || k < 1 || k > experts)
    return n.refuse("chooses " + Twine(k) + " of its experts");
  if (given &&
      (n.e.typeOf(given).getRank() != 2 || n.shape(given)[1] != experts))
    return n.refuse("has router_weights that do not fit");
  bool isNormalized = n.getInt("normalize_routing_weights", 0);
  Value all = n.f32(scores);
  Ints shape{n.shape(scores)[0], k};
  auto best = prim::TopKOp::create(
      n.e.b, n.e.typeOf(all).clone(shape),
      RankedTensorType::get(shape, n.e.b.getI64Type()), all, k, 1,
      /*smallest=*/false, /*isUnsigned=*/false);
  Value place = n.along(n.iota(experts, n.e.b.getI64Type()), 2, 3);
  Value isBest = n.eq(n.unsqueeze(best.getIndices(), {2}), place);
  Value zero = n.number(0, all);
  Value parts;
  if (given)
    parts = n.unsqueeze(n.f32(given), {1});
  else if (isQuantized || isNormalized)
    parts = n.unsqueeze(n.softmax(best.getValues(), 1), {2});
  else
    parts = n.unsqueeze(n.softmax(all, 1), {1});
  Value spread = n.where(isBest, parts, zero);
  if (n.broken)
    return {};
  Value weights = n.sum(spread, {1});
  if (given && isNormalized)
    weights = n.div(weights, n.sum(weights, {1}, /*keep=*/true));
  return weights;
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

/// Reports what is not translated of a node's attributes and inputs.
LogicalResult checkExperts(Node &n, bool isQuantized) {
  if (n.getInt("use_sparse_mixer", 0))
    return n.fail("with a sparse mixer");
  if (n.getInt("swiglu_limit_after_activation", 0))
    return n.fail("has swiglu_limit_after_activation");
  if (!isQuantized)
    return success();
  StringRef type = n.getString("quant_type", "int");
  if (type != "int")
    return n.fail("has quant_type '" + type + "'");
  // -1 leaves the layout to the device: one that packs weights says 1.
  if (n.getInt("weights_prepacked", -1) > 0)
    return n.fail("has weights_prepacked");
  int64_t bits = n.getInt("expert_weight_bits", 4);
  for (StringRef name : {"fc1_expert_weight_bits", "fc2_expert_weight_bits"})
    if (int64_t own = n.getInt(name, 0); own > 0 && own != bits)
      return n.fail("has " + name + " " + Twine(own) +
                    ", which is not expert_weight_bits");
  for (unsigned i = 15; i < n.numInputs(); ++i)
    if (n.has(i))
      return n.fail("has an input " + Twine(i));
  return success();
}

/// Weights of few bits as floats, [experts, rows, columns]. Scales and zero
/// points are of a row, or of a block of it.
Value unpacked(Node &n, unsigned i, unsigned point) {
  int64_t bits = n.getInt("expert_weight_bits", 4);
  if (n.rank(i) != 3 || !n.e.typeOf(n.in(i)).hasStaticShape() ||
      (bits != 2 && bits != 4 && bits != 8) || !n.has(i + 1))
    return n.refuse("has weights that do not fit");
  int64_t layers = n.shape(n.in(i))[0], rows = n.shape(n.in(i))[1];
  int64_t count = n.shape(n.in(i))[2] * (8 / bits);
  int64_t block = n.getInt("block_size", 0);
  int64_t blocks = block > 0 ? llvm::divideCeil(count, block) : 1;
  Value q = n.f32(unpackBits(n, n.in(i), bits, count));
  Value scale = n.f32(n.in(i + 1));
  if (n.shape(scale) != ArrayRef<int64_t>({layers, rows, blocks}) &&
      (blocks != 1 || n.shape(scale) != ArrayRef<int64_t>({layers, rows})))
    return n.refuse("has scales that do not fit");
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
  int64_t width = llvm::divideCeil(blocks * bits, 8);
  if (n.shape(points) != ArrayRef<int64_t>({layers, rows, width}))
    return n.refuse("has zero points that do not fit");
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
  if (n.has(third))
    return n.fail("with a third layer");
  if (failed(checkExperts(n, isQuantized)))
    return failure();
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
  Value given = isQuantized && n.has(14) ? n.in(14) : Value();
  Value weights = weightsOf(n, n.in(1), given, isQuantized);
  Value in = weights ? layer(first, 11) : Value();
  Value out = in ? layer(second, 12) : Value();
  if (!out || n.broken)
    return failure();
  if (n.e.typeOf(in).getRank() != 3 || !n.e.typeOf(in).hasStaticShape() ||
      n.e.typeOf(out).getRank() != 3)
    return n.fail("has layers that do not fit");
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
