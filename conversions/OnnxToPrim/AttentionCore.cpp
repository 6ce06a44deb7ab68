// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operators of attention share.
#include "AttentionCore.h"

#include <cmath>

using namespace mlir;

namespace kiln::onnx_to_prim {

Value splitHeads(Node &n, Value x, int64_t heads) {
  int64_t size = n.e.typeOf(x).getRank() == 3 ? n.shape(x)[2] : 0;
  bool isOpen = ShapedType::isDynamic(size);
  if (heads < 1 || (!isOpen && (size == 0 || size % heads)))
    return n.refuse("has a number of heads that does not fit");
  Sizes sizes = n.e.sizesOf(x);
  // The reshape fails at run time where an open size is no multiple.
  Value apart = n.e.reshape(
      x, Sizes{sizes[0], sizes[1], n.e.size(heads),
               n.e.sizeMath().divPositive(sizes[2], n.e.size(heads))});
  return n.e.transpose(apart, {0, 2, 1, 3});
}

Value joinHeads(Node &n, Value x) {
  Value rows = n.e.transpose(x, {0, 2, 1, 3});
  Sizes sizes = n.e.sizesOf(rows);
  auto &math = n.e.sizeMath();
  return n.e.reshape(rows,
                     Sizes{sizes[0], sizes[1], math.mul(sizes[2], sizes[3])});
}

Value repeatHeads(Node &n, Value x, Value queries) {
  int64_t heads = n.shape(queries)[1], own = n.shape(x)[1];
  Sizes sizes = n.e.sizesOf(x), wider = sizes, whole = sizes;
  whole[1] = n.e.sizesOf(queries)[1];
  bool isOpen = ShapedType::isDynamic(heads) || ShapedType::isDynamic(own);
  if (isOpen ? n.graph.sizes.areEqual(whole[1], sizes[1]) : heads == own)
    return x;
  if (!isOpen && (own < 1 || heads % own))
    return n.refuse("has heads of queries that are no multiple of those of "
                    "keys");
  // The reshape fails at run time where open numbers are no multiples.
  auto &math = n.e.sizeMath();
  wider.insert(
      wider.begin() + 2,
      math.divPositive(whole[1], math.max(sizes[1], math.constant(1))));
  return n.e.reshape(n.expand(n.unsqueeze(x, {2}), wider), whole);
}

Value rotate(Node &n, Value x, Value cosine, Value sine, bool isInterleaved) {
  int64_t size = n.shape(x)[3], half = n.shape(cosine)[3], rotary = 2 * half;
  if (ShapedType::isDynamic(size) || ShapedType::isDynamic(half) ||
      rotary > size)
    return n.refuse("turns " + Twine(rotary) + " of " + Twine(size) +
                    " elements");
  Value turned = n.slice(x, 3, 0, rotary);
  Value a = isInterleaved ? n.slice(turned, 3, 0, half, 2)
                          : n.slice(turned, 3, 0, half);
  Value b = isInterleaved ? n.slice(turned, 3, 1, half, 2)
                          : n.slice(turned, 3, half, half);
  Value re = n.sub(n.mul(cosine, a), n.mul(sine, b));
  Value im = n.add(n.mul(sine, a), n.mul(cosine, b));
  if (n.broken)
    return {};
  Value both =
      isInterleaved
          ? n.e.reshape(
                n.e.concat({n.unsqueeze(re, {4}), n.unsqueeze(im, {4})}, 4),
                n.e.sizesOf(turned))
          : n.e.concat({re, im}, 3);
  if (rotary == size)
    return both;
  return n.e.concat({both, n.slice(x, 3, rotary, size - rotary)}, 3);
}

AttentionCore::AttentionCore(Node &n, Value q, Value k, Value v)
    : n(n), q(q), k(k), v(v) {
  int64_t size = n.shape(q)[3];
  if (!ShapedType::isDynamic(size))
    scale = 1 / std::sqrt(double(size));
  Type element = n.e.elementOf(q);
  wide = element.isF64() ? element : Type(n.e.b.getF32Type());
}

Value scaleOfHeads(Node &n, Value queries, Type type) {
  OpFoldResult size = n.e.sizesOf(queries)[3];
  Value number = n.cast(n.e.sizeTensor(size), n.e.b.getF64Type());
  return n.cast(n.unary<prim::RsqrtOp>(n.max(number, n.number(1, number))),
                type);
}

Value AttentionCore::rows() {
  return n.along(n.iota(n.e.sizesOf(q)[2], n.e.b.getI64Type()), 0, 2);
}

Value AttentionCore::columns() {
  return n.along(n.iota(n.e.sizesOf(k)[2], n.e.b.getI64Type()), 1, 2);
}

void AttentionCore::addBias(Value more) {
  if (!more)
    return;
  more = n.cast(more, wide);
  bias = bias ? n.add(bias, more) : more;
}

void AttentionCore::allow(Value allowed) {
  Value low = n.e.full(FloatAttr::get(wide, -INFINITY), {});
  addBias(n.where(allowed, n.number(0, wide), low));
}

/// 0 in rows without a key, in place of what a softmax of nothing is.
Value AttentionCore::zeroEmpty(Value x) {
  if (!isMaybeEmpty || !bias || n.e.typeOf(bias).getRank() == 0)
    return x;
  int64_t last = n.e.typeOf(bias).getRank() - 1;
  Value low = n.e.full(FloatAttr::get(wide, -INFINITY), {});
  Value most = n.reduce<prim::AmaxOp>(bias, {last}, true);
  return n.where(n.eq(most, low), n.number(0, x), x);
}

Value AttentionCore::run() {
  k = repeatHeads(n, k, q);
  v = repeatHeads(n, v, q);
  if (n.broken)
    return {};
  Type element = n.e.elementOf(q);
  double factor = scale.value_or(1);
  if (!scale) { // queries are scaled before, in the type of the scores
    q = n.mul(n.cast(q, wide), scaleOfHeads(n, q, wide));
    k = n.cast(k, wide);
    v = n.cast(v, wide);
  }
  Sizes sizes = n.e.sizesOf(q);
  Sizes whole{sizes[0], sizes[1], sizes[2], n.e.sizesOf(k)[2]};
  if (cap <= 0 && !sink && !n.wants(3)) { // as one operation of prim
    Type inner = n.e.elementOf(q);
    Value mask = bias ? n.cast(n.expandOpen(bias, whole), inner) : Value();
    if (n.broken)
      return {};
    sizes[3] = n.e.sizesOf(v)[3];
    auto op = prim::AttentionOp::create(n.e.b, n.e.typeFor(sizes, inner), q, k,
                                        v, mask, n.e.b.getF64FloatAttr(factor));
    return zeroEmpty(n.cast(op.getResult(), element));
  }
  Value left = n.cast(q, wide);
  Value all = n.matmul(n.mul(left, n.number(factor, left)),
                       n.e.transpose(n.cast(k, wide), {0, 1, 3, 2}));
  scores = all;
  if (cap > 0) {
    Value c = n.number(cap, all);
    all = n.mul(c, n.unary<prim::TanhOp>(n.div(all, c)));
  }
  if (shownScores == 1)
    scores = all;
  if (bias)
    all = n.add(all, bias);
  if (shownScores == 2)
    scores = all;
  Value weights;
  if (sink) {
    Sizes one = whole;
    one[3] = n.e.size(1);
    Value extra = n.expand(n.along(n.cast(sink, wide), 1, 4), one);
    if (n.broken)
      return {};
    Value wider = n.softmax(n.e.concat({extra, all}, 3), 3);
    weights = n.e.sliceDim(wider, 3, 1, -1);
  } else {
    weights = n.softmax(all, 3);
  }
  weights = zeroEmpty(weights);
  if (shownScores == 3)
    scores = weights;
  return n.broken ? Value()
                  : n.cast(n.matmul(weights, n.cast(v, wide)), element);
}

} // namespace kiln::onnx_to_prim
