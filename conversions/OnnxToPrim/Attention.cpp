// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and what goes with it.
#include "Node.h"

#include <cmath>

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// RotaryEmbedding: pairs of elements are turned by angles of their positions.
LogicalResult rotaryEmbedding(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0), heads = n.getInt("num_heads", 0);
  if ((rank != 3 && rank != 4) || !n.e.typeOf(x).hasStaticShape() ||
      (rank == 3 && (heads < 1 || n.shape(x)[2] % heads)))
    return n.fail("needs an input of rank 3 with num_heads, or of rank 4, of a "
                  "known size");
  Ints whole(n.shape(x));
  // [batch, sequence, heads, size]
  Value parts =
      rank == 4
          ? n.e.transpose(x, {0, 2, 1, 3})
          : n.e.reshape(x, Ints{whole[0], whole[1], heads, whole[2] / heads});
  int64_t size = n.shape(parts)[3];
  int64_t rotary = n.getInt("rotary_embedding_dim", 0);
  if (rotary == 0)
    rotary = size;
  if (rotary > size || rotary % 2)
    return n.fail("turns " + Twine(rotary) + " of " + Twine(size) +
                  " elements");
  int64_t half = rotary / 2;
  auto table = [&](unsigned i) {
    Value t = n.has(3) ? n.take(n.in(i), n.i64(n.in(3)), 0) : n.in(i);
    return n.unsqueeze(n.slice(t, n.e.typeOf(t).getRank() - 1, 0, half), {2});
  };
  Value cosine = table(1), sine = table(2);
  if (n.e.typeOf(cosine).getRank() != 4)
    return n.fail("has tables of another rank");
  Value turned = n.slice(parts, 3, 0, rotary);
  bool isInterleaved = n.getInt("interleaved", 0);
  Value a = isInterleaved ? n.slice(turned, 3, 0, half, 2)
                          : n.slice(turned, 3, 0, half);
  Value b = isInterleaved ? n.slice(turned, 3, 1, half, 2)
                          : n.slice(turned, 3, half, half);
  Value re = n.sub(n.mul(cosine, a), n.mul(sine, b));
  Value im = n.add(n.mul(sine, a), n.mul(cosine, b));
  Ints to(n.shape(turned));
  Value both =
      isInterleaved
          ? n.e.reshape(
                n.e.concat({n.unsqueeze(re, {4}), n.unsqueeze(im, {4})}, 4), to)
          : n.e.concat({re, im}, 3);
  Value result =
      rotary == size
          ? both
          : n.e.concat({both, n.slice(parts, 3, rotary, size - rotary)}, 3);
  return n.set(rank == 4 ? n.e.transpose(result, {0, 2, 1, 3})
                         : n.e.reshape(result, whole));
}

/// Query, key and value as [batch, heads, sequence, size].
struct Heads {
  Value q, k, v;
  bool isFlat; // given as [batch, sequence, heads * size]
};

FailureOr<Heads> headsOf(Node &n) {
  Heads h{n.in(0), n.in(1), n.in(2), n.rank(0) == 3};
  int64_t qHeads = n.getInt("q_num_heads", 0),
          kvHeads = n.getInt("kv_num_heads", 0);
  for (unsigned i : {0u, 1u, 2u})
    if (n.rank(i) != n.rank(0) || !n.e.typeOf(n.in(i)).hasStaticShape())
      return n.fail("needs query, key and value of one rank and known sizes");
  if (n.rank(0) != 3 && n.rank(0) != 4)
    return n.fail("of a query of rank " + Twine(n.rank(0)));
  if (!h.isFlat)
    return h;
  auto split = [&](Value x, int64_t heads) -> Value {
    if (heads < 1 || n.shape(x)[2] % heads)
      return n.refuse("has a number of heads that does not fit");
    Value apart = n.e.reshape(
        x, Ints{n.shape(x)[0], n.shape(x)[1], heads, n.shape(x)[2] / heads});
    return n.e.transpose(apart, {0, 2, 1, 3});
  };
  h.q = split(h.q, qHeads);
  h.k = split(h.k, kvHeads);
  h.v = split(h.v, kvHeads);
  if (!h.q || !h.k || !h.v)
    return failure();
  return h;
}

/// Attention: softmax(scale * Q K^T + mask) V, with a cache of keys and values
/// before the new ones.
LogicalResult attention(Node &n) {
  auto given = headsOf(n);
  if (failed(given))
    return failure();
  Heads h = *given;
  if (n.has(4) && n.has(5)) {
    h.k = n.e.concat({n.in(4), h.k}, 2);
    h.v = n.e.concat({n.in(5), h.v}, 2);
  }
  if (failed(n.set(1, h.k)) || failed(n.set(2, h.v)))
    return failure();
  int64_t batch = n.shape(h.q)[0], heads = n.shape(h.q)[1],
          rows = n.shape(h.q)[2], size = n.shape(h.q)[3],
          kvHeads = n.shape(h.k)[1], columns = n.shape(h.k)[2],
          outSize = n.shape(h.v)[3];
  if (kvHeads < 1 || heads % kvHeads || n.shape(h.v)[1] != kvHeads)
    return n.fail("has heads of queries that are no multiple of those of keys");
  auto repeat = [&](Value x) {
    int64_t times = heads / kvHeads, last = n.shape(x)[3];
    if (times == 1)
      return x;
    Value wide =
        n.expand(n.unsqueeze(x, {2}), {batch, kvHeads, times, columns, last});
    return n.e.reshape(wide, Ints{batch, heads, columns, last});
  };
  Value k = repeat(h.k), v = repeat(h.v);
  double scale = n.getFloat("scale", 1 / std::sqrt(double(size)));
  double cap = n.getFloat("softcap", 0);
  int64_t mode = n.getInt("qk_matmul_output_mode", 0);
  Type element = n.e.elementOf(h.q);
  // What is added to the scores, in f32 or wider.
  Value wide = n.wide(h.q);
  Type type = n.e.elementOf(wide);
  Value low = n.e.full(FloatAttr::get(type, -INFINITY), {});
  Value mask;
  if (n.has(3)) {
    mask = n.in(3);
    mask = n.e.elementOf(mask).isInteger(1)
               ? n.where(mask, n.number(0, type), low)
               : n.cast(mask, type);
    // A shorter mask leaves out what comes behind it.
    int64_t rank = n.e.typeOf(mask).getRank();
    int64_t missing = rank ? columns - n.shape(mask)[rank - 1] : 0;
    if (missing > 0 && n.shape(mask)[rank - 1] != 1) {
      Ints before(rank, 0), behind(rank, 0);
      behind[rank - 1] = missing;
      mask = n.pad(mask, before, behind, low);
    }
  }
  Type i64 = n.e.b.getI64Type();
  Value row = n.along(n.iota(rows, i64), 0, 2);
  Value column = n.along(n.iota(columns, i64), 1, 2);
  auto forbid = [&](Value allowed) {
    Value more = n.where(allowed, n.number(0, type), low);
    mask = mask ? n.add(mask, more) : more;
  };
  int64_t past = columns - n.shape(n.in(1))[n.rank(1) == 3 ? 1 : 2];
  Value lengths =
      n.has(6) ? n.e.reshape(n.i64(n.in(6)), Ints{batch, 1, 1, 1}) : Value();
  Value offset =
      lengths && past == 0 ? n.sub(lengths, n.integer(rows)) : n.integer(past);
  if (n.getInt("is_causal", 0))
    forbid(n.le(column, n.add(row, offset)));
  if (lengths)
    forbid(n.lt(column, lengths));
  int64_t left = n.getInt("left_window_size", -1),
          right = n.getInt("right_window_size", -1);
  Value here = n.add(row, offset);
  if (left >= 0)
    forbid(n.ge(column, n.sub(here, n.integer(left))));
  if (right >= 0)
    forbid(n.le(column, n.add(here, n.integer(right))));
  bool mayBeEmpty = n.has(3) || lengths || left >= 0 || right >= 0;
  Value scores = n.matmul(n.mul(wide, n.number(scale, wide)),
                          n.e.transpose(n.cast(k, type), {0, 1, 3, 2}));
  Value shown = scores;
  if (cap > 0) {
    Value c = n.number(cap, scores);
    scores = n.mul(c, n.unary<prim::TanhOp>(n.div(scores, c)));
  }
  if (mode == 1)
    shown = scores;
  if (mask)
    scores = n.add(scores, mask);
  if (mode == 2)
    shown = scores;
  Value weights = n.softmax(scores, 3);
  if (mayBeEmpty) { // a row without a key is 0
    Value most = n.reduce<prim::AmaxOp>(scores, {3}, true);
    weights = n.where(n.eq(most, low), n.number(0, weights), weights);
  }
  if (mode == 3)
    shown = weights;
  if (n.wants(3) && failed(n.set(3, n.cast(shown, element))))
    return failure();
  Value result;
  if (cap > 0 || mayBeEmpty) {
    result = n.cast(n.matmul(weights, n.cast(v, type)), element);
  } else { // as one operation, which targets know
    Value full =
        mask ? n.cast(n.expand(mask, {batch, heads, rows, columns}), element)
             : Value();
    result = prim::AttentionOp::create(
        n.e.b, RankedTensorType::get({batch, heads, rows, outSize}, element),
        h.q, k, v, full, n.e.b.getF64FloatAttr(scale));
  }
  if (h.isFlat)
    result = n.e.reshape(n.e.transpose(result, {0, 2, 1, 3}),
                         Ints{batch, rows, heads * outSize});
  return n.set(result);
}

} // namespace

void addAttentionRules(NodeRules &rules) {
  rules.add("Attention", attention, 3);
  rules.add("RotaryEmbedding", rotaryEmbedding, 3);
}

} // namespace kiln::onnx_to_prim
