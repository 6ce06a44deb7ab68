// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and what goes with it.
#include "AttentionCore.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// RotaryEmbedding: pairs of elements are turned by angles of their positions.
LogicalResult rotaryEmbedding(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0), heads = n.getInt("num_heads", 0);
  if (rank != 3 && rank != 4)
    return n.fail("of an input of rank " + Twine(rank));
  Value parts = rank == 4 ? x : splitHeads(n, x, heads);
  if (!parts)
    return failure();
  parts = n.e.transpose(parts, {0, 2, 1, 3}); // heads behind the sequence
  int64_t size = n.shape(parts)[3];
  int64_t rotary = n.getInt("rotary_embedding_dim", 0);
  if (rotary == 0)
    rotary = size;
  if (ShapedType::isDynamic(rotary) || rotary < 0 || rotary > size ||
      rotary % 2)
    return n.fail("turns " + Twine(rotary) + " of " + Twine(size) +
                  " elements");
  auto table = [&](unsigned i) {
    Value t = n.has(3) ? n.take(n.in(i), n.i64(n.in(3)), 0) : n.in(i);
    return n.unsqueeze(n.slice(t, n.e.typeOf(t).getRank() - 1, 0, rotary / 2),
                       {2});
  };
  Value cosine = table(1), sine = table(2);
  if (n.e.typeOf(cosine).getRank() != 4 || n.e.typeOf(sine).getRank() != 4)
    return n.fail("has tables of another rank");
  Value result =
      rotate(n, parts, cosine, sine, n.getInt("interleaved", 0) != 0);
  if (!result)
    return failure();
  result = n.e.transpose(result, {0, 2, 1, 3});
  return n.set(rank == 4 ? result : joinHeads(n, result));
}

/// The same where only the program knows sizes. A column that is the only one
/// holds for all keys.
Value lengthenOpen(Node &n, Value mask, OpFoldResult columns, Value filler) {
  int64_t last = n.e.typeOf(mask).getRank() - 1;
  Sizes one = n.e.sizesOf(mask);
  if (n.graph.sizes.areEqual(one[last], columns))
    return mask;
  Value own = n.e.sizeTensor(one[last]);
  Value place = n.iota(columns, n.e.b.getI64Type());
  Value isThere = n.lt(place, own), isOnly = n.eq(own, n.integer(1));
  Value at = n.where(isOnly, n.integer(0), n.where(isThere, place, own));
  one[last] = n.e.size(1);
  return n.take(n.e.concat({mask, n.expand(filler, one)}, last), at, last);
}

/// A mask that is shorter than the keys leaves out those behind it.
Value lengthen(Node &n, Value mask, Value keys, Value filler) {
  int64_t rank = n.e.typeOf(mask).getRank();
  int64_t columns = n.shape(keys)[2], own = rank ? n.shape(mask)[rank - 1] : 1;
  if (own == 1)
    return mask;
  if (ShapedType::isDynamic(own) || ShapedType::isDynamic(columns))
    return lengthenOpen(n, mask, n.e.sizesOf(keys)[2], filler);
  if (own >= columns)
    return mask;
  Ints before(rank, 0), behind(rank, 0);
  behind[rank - 1] = columns - own;
  return n.pad(mask, before, behind, filler);
}

/// Attention: softmax(scale * Q K^T + mask) V, with a cache of keys and values
/// before the new ones.
LogicalResult attention(Node &n) {
  bool isFlat = n.rank(0) == 3;
  Value h[3];
  for (unsigned i : {0u, 1u, 2u}) {
    if (n.rank(i) != n.rank(0) || (!isFlat && n.rank(i) != 4))
      return n.fail("needs query, key and value of rank 3 or 4");
    int64_t heads = n.getInt(i ? "kv_num_heads" : "q_num_heads", 0);
    h[i] = isFlat ? splitHeads(n, n.in(i), heads) : n.in(i);
    if (!h[i])
      return failure();
  }
  bool hasPast = n.has(4) && n.has(5);
  if (hasPast) {
    h[1] = n.e.concat({n.in(4), h[1]}, 2);
    h[2] = n.e.concat({n.in(5), h[2]}, 2);
  }
  if (failed(n.set(1, h[1])) || failed(n.set(2, h[2])))
    return failure();
  AttentionCore core(n, h[0], h[1], h[2]);
  if (n.hasAttr("scale"))
    core.scale = n.getFloat("scale", 0);
  core.cap = n.getFloat("softcap", 0);
  core.shownScores = n.getInt("qk_matmul_output_mode", 0);
  if (n.has(3)) {
    Value mask = n.in(3);
    Value low = n.e.full(FloatAttr::get(core.type(), -INFINITY), {});
    mask = n.e.elementOf(mask).isInteger(1)
               ? n.where(mask, n.number(0, core.type()), low)
               : n.cast(mask, core.type());
    core.addBias(lengthen(n, mask, h[1], low));
  }
  Sizes rows = n.e.sizesOf(h[0]);
  Value lengths =
      n.has(6) ? n.e.reshape(n.i64(n.in(6)), Sizes{rows[0], n.e.size(1),
                                                   n.e.size(1), n.e.size(1)})
               : Value();
  Value offset = hasPast   ? n.e.sizeTensor(n.e.sizesOf(n.in(4))[2])
                 : lengths ? n.sub(lengths, n.e.sizeTensor(rows[2]))
                           : n.integer(0);
  Value here = n.add(core.rows(), offset);
  if (n.getInt("is_causal", 0))
    core.allow(n.le(core.columns(), here));
  if (lengths)
    core.allow(n.lt(core.columns(), lengths));
  int64_t left = n.getInt("left_window_size", -1),
          right = n.getInt("right_window_size", -1);
  if (left >= 0)
    core.allow(n.ge(core.columns(), n.sub(here, n.integer(left))));
  if (right >= 0)
    core.allow(n.le(core.columns(), n.add(here, n.integer(right))));
  if (n.has(3) || lengths || left >= 0 || right >= 0)
    core.mayBeEmpty();
  Value result = core.run();
  if (!result)
    return failure();
  if (n.wants(3) && failed(n.set(3, n.cast(core.scores, n.elementIn(0)))))
    return failure();
  return n.set(isFlat ? joinHeads(n, result) : result);
}

/// FlexAttention: graphs of the node change scores before a softmax and weights
/// behind it.
LogicalResult flexAttention(Node &n) {
  for (unsigned i : {0u, 1u, 2u})
    if (n.rank(i) != 4)
      return n.fail("needs query, key and value of rank 4");
  Value q = n.in(0), k = repeatHeads(n, n.in(1), q),
        v = repeatHeads(n, n.in(2), q);
  int64_t precision = n.getInt("softmax_precision", 0);
  Type type = precision                  ? n.dataType(precision)
              : n.e.elementOf(q).isF64() ? Type(n.e.b.getF64Type())
                                         : Type(n.e.b.getF32Type());
  if (!k || !v || !isa_and_nonnull<FloatType>(type))
    return n.fail("needs scores that are floats");
  auto change = [&](Value x, StringRef name) -> Value {
    Region *graph = n.graphAttr(name);
    if (!graph || !x)
      return x;
    auto results = n.run(*graph, x);
    if (failed(results) || results->size() != 1)
      return n.refuse("has a graph with another number of results");
    return results->front();
  };
  Value left = n.wide(q);
  Value scale = n.hasAttr("scale") ? n.number(n.getFloat("scale", 0), left)
                                   : scaleOfHeads(n, q, n.e.elementOf(left));
  Value scores =
      n.matmul(n.mul(left, scale), n.e.transpose(n.wide(k), {0, 1, 3, 2}));
  scores = change(n.cast(scores, type), "score_mod");
  Value weights = scores ? change(n.softmax(scores, 3), "prob_mod") : scores;
  if (!weights)
    return failure();
  Value values = n.cast(v, n.e.elementOf(left));
  Value made = n.matmul(n.cast(weights, n.e.elementOf(left)), values);
  return n.set(n.cast(made, n.elementIn(0)));
}

} // namespace

void addAttentionRules(NodeRules &rules) {
  rules.add("Attention", attention, 3);
  rules.add("RotaryEmbedding", rotaryEmbedding, 3);
  rules.add("FlexAttention", flexAttention, 3);
}

} // namespace kiln::onnx_to_prim
