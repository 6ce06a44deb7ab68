// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of ONNX Runtime's domain com.microsoft. The meaning is that of
// ContribOperators.md in ONNX Runtime's documentation.
#include "AttentionCore.h"
#include "Quant.h"

#include <cmath>

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// [batch, heads, sequence, size] as [batch, sequence, heads, size], and back.
Value swapHeads(Node &n, Value x) { return n.e.transpose(x, {0, 2, 1, 3}); }

/// Adds a mask of keys: how many there are of each batch, or whether each is
/// kept, for all rows or for each.
LogicalResult addMask(Node &n, AttentionCore &core, unsigned i) {
  Value mask = n.in(i);
  Sizes sizes = n.e.sizesOf(mask);
  OpFoldResult one = n.e.size(1);
  Value kept;
  switch (sizes.size()) {
  case 1:
    kept = n.lt(core.columns(),
                n.e.reshape(n.i64(mask), Sizes{sizes[0], one, one, one}));
    break;
  case 2:
  case 3: {
    Value truth = n.cast(mask, n.e.b.getI1Type());
    kept = sizes.size() == 2
               ? n.e.reshape(truth, Sizes{sizes[0], one, one, sizes[1]})
               : n.e.reshape(truth, Sizes{sizes[0], one, sizes[1], sizes[2]});
    break;
  }
  default:
    return n.fail("has a mask of rank " + Twine(sizes.size()));
  }
  double filter = n.getFloat("mask_filter_value", -10000);
  core.addBias(
      n.where(kept, n.number(0, core.type()), n.number(filter, core.type())));
  return success(!n.broken);
}

/// What the operators have in common behind their heads.
LogicalResult finish(Node &n, AttentionCore &core, unsigned scores) {
  if (double scale = n.getFloat("scale", 0))
    core.scale = scale;
  Value result = core.run();
  if (!result)
    return failure();
  if (n.wants(scores) && core.scores &&
      failed(n.set(scores, n.cast(core.scores, n.e.elementOf(result)))))
    return failure();
  return n.set(joinHeads(n, result));
}

/// Each query sees the keys up to its own place, behind `past` of them.
void allowUpToHere(Node &n, AttentionCore &core, Value past) {
  core.allow(n.le(core.columns(), n.add(core.rows(), past)));
}

/// Part `part` of `parts` of dimension 3 of [batch, sequence, heads, parts,
/// size], as [batch, heads, sequence, size].
Value unpackHeads(Node &n, Value x, int64_t part) {
  return swapHeads(n, n.squeeze(n.slice(x, 3, part, 1), {3}));
}

/// MultiHeadAttention: of query, key and value, packed or not, with a cache.
LogicalResult multiHead(Node &n) {
  int64_t heads = n.getInt("num_heads", 0);
  if (n.has(8) || n.has(9))
    return n.fail("with a cache of a buffer or of beams");
  Value h[3];
  int64_t offset = 0;
  for (unsigned i = 0; i < 3; ++i) {
    bool isPackedAll = n.rank(0) == 5;
    bool isPackedKeys = i > 0 && n.has(1) && n.rank(1) == 5;
    if (isPackedAll || isPackedKeys) {
      h[i] = unpackHeads(n, n.in(isPackedAll ? 0 : 1), isPackedAll ? i : i - 1);
      continue;
    }
    if (!n.has(i))
      return n.fail("has no input " + Twine(i));
    Value x = n.in(i);
    if (n.rank(i) == 4) { // keys and values that have their heads apart
      h[i] = x;
      continue;
    }
    if (n.rank(i) != 3 || ShapedType::isDynamic(n.shape(x)[2]))
      return n.fail("of an input of rank " + Twine(n.rank(i)) +
                    ", expected 3 to 5 and a known size of heads");
    int64_t size = n.shape(x)[2];
    if (n.has(3)) {
      x = n.add(x, n.slice(n.in(3), 0, offset, size));
      offset += size;
    }
    h[i] = n.broken ? Value() : splitHeads(n, x, heads);
    if (!h[i])
      return failure();
  }
  if (n.broken)
    return failure();
  Value past = n.integer(0);
  if (n.has(6) && n.has(7)) {
    h[1] = n.e.concat({n.in(6), h[1]}, 2);
    h[2] = n.e.concat({n.in(7), h[2]}, 2);
    past = n.e.sizeTensor(n.e.sizesOf(n.in(6))[2]);
  }
  if (failed(n.set(1, h[1])) || failed(n.set(2, h[2])))
    return failure();
  AttentionCore core(n, h[0], h[1], h[2]);
  if (n.has(4) && failed(addMask(n, core, 4)))
    return failure();
  if (n.has(5))
    core.addBias(n.in(5));
  if (n.getInt("unidirectional", 0))
    allowUpToHere(n, core, past);
  return finish(n, core, 3);
}

/// Attention over the heads of `all`, [batch, sequence, queries, keys and
/// values], with a mask, a cache and a bias of scores where these inputs are
/// there; 0 is no bias.
LogicalResult attendPacked(Node &n, Value all, unsigned mask, unsigned cache,
                           unsigned bias) {
  int64_t heads = n.getInt("num_heads", 0);
  if (n.getInt("do_rotary", 0) || n.getInt("past_present_share_buffer", 0))
    return n.fail("with rotary embeddings, or a cache in one buffer");
  int64_t total = n.broken ? -1 : n.shape(all)[2];
  auto sizes = n.getInts("qkv_hidden_sizes");
  Ints widths = sizes ? *sizes : Ints(3, total / 3);
  if (n.broken || ShapedType::isDynamic(total) || widths.size() != 3)
    return n.broken ? failure() : n.fail("has weights of an unknown size");
  Value h[3];
  int64_t at = 0;
  for (unsigned i = 0; i < 3; at += widths[i++]) {
    Value part = n.slice(all, 2, at, widths[i]);
    h[i] = n.broken ? Value() : splitHeads(n, part, heads);
    if (!h[i])
      return failure();
  }
  Value past = n.integer(0);
  if (n.has(cache)) {
    auto cached = [&](int64_t k) {
      return n.squeeze(n.slice(n.in(cache), 0, k, 1), {0});
    };
    past = n.e.sizeTensor(n.e.sizesOf(n.in(cache))[3]);
    h[1] = n.e.concat({cached(0), h[1]}, 2);
    h[2] = n.e.concat({cached(1), h[2]}, 2);
  }
  if (n.wants(1) &&
      failed(n.set(
          1, n.e.concat({n.unsqueeze(h[1], {0}), n.unsqueeze(h[2], {0})}, 0))))
    return failure();
  AttentionCore core(n, h[0], h[1], h[2]);
  if (n.has(mask) && failed(addMask(n, core, mask)))
    return failure();
  if (bias && n.has(bias))
    core.addBias(n.in(bias));
  if (n.getInt("unidirectional", 0))
    allowUpToHere(n, core, past);
  return finish(n, core, n.numResults());
}

/// Attention: of one input, whose product with the weights is query, key and
/// value.
LogicalResult selfAttention(Node &n) {
  Value all = n.matmul(n.in(0), n.in(1));
  if (all && n.has(2))
    all = n.add(all, n.in(2));
  return all ? attendPacked(n, all, 3, 4, 5) : failure();
}

/// QAttention: Attention of integers with scales and zero points.
LogicalResult quantizedAttention(Node &n) {
  Value all =
      n.matmul(centred(n, 0, 6, 2), centred(n, 1, 7, 1), n.e.b.getI32Type());
  if (!all)
    return failure();
  int64_t rank = n.e.typeOf(all).getRank();
  Value scale = n.mul(scaleOf(n, 3, rank), scaleOf(n, 4, rank));
  all = n.add(n.mul(n.f32(all), scale), n.in(2));
  return n.broken ? failure() : attendPacked(n, all, 5, 8, 0);
}

/// The cosines or sines of positions, as `rotate` takes them.
Value angles(Node &n, unsigned i, Value positions) {
  return n.unsqueeze(n.take(n.in(i), positions, 0), {2});
}

/// Keys or values with a cache: of each batch `past` that are in the cache,
/// then the new ones. [batch, heads, sequence, size].
Value append(Node &n, Value cache, Value fresh, Value past,
             OpFoldResult total) {
  Type i64 = n.e.b.getI64Type();
  Sizes cached = n.e.sizesOf(cache), added = n.e.sizesOf(fresh);
  Value room = n.e.sizeTensor(cached[2]), more = n.e.sizeTensor(added[2]);
  Value both = swapHeads(n, n.e.concat({cache, fresh}, 2));
  Value t = n.along(n.iota(total, i64), 1, 2);
  Value last = n.sub(n.add(room, more), n.integer(1));
  Value from = n.where(n.lt(t, n.add(past, more)), n.add(room, n.sub(t, past)),
                       n.min(t, last));
  from = n.where(n.lt(t, past), t, from);
  return n.broken ? Value() : swapHeads(n, n.take(both, from, 1, /*batch=*/1));
}

/// GroupQueryAttention: causal, with fewer heads of keys than of queries, and a
/// cache of which each batch fills a part.
LogicalResult groupQuery(Node &n) {
  int64_t heads = n.getInt("num_heads", 0),
          kvHeads = n.getInt("kv_num_heads", 0);
  if (n.rank(0) != 3 || ShapedType::isDynamic(n.shape(n.in(0))[2]) ||
      heads < 1 || kvHeads < 1 || !n.has(5) || !n.has(6))
    return n.fail("needs a query of rank 3, numbers of heads and lengths");
  Value x[3] = {n.in(0), n.has(1) ? n.in(1) : Value(),
                n.has(2) ? n.in(2) : Value()};
  if (!x[1] || !x[2]) { // all in the query
    int64_t size = n.shape(x[0])[2] / (heads + 2 * kvHeads);
    Value all = x[0];
    x[0] = n.slice(all, 2, 0, heads * size);
    x[1] = n.slice(all, 2, heads * size, kvHeads * size);
    x[2] = n.slice(all, 2, (heads + kvHeads) * size, kvHeads * size);
  }
  Value h[3];
  for (unsigned i = 0; i < 3; ++i)
    if (n.broken || !(h[i] = splitHeads(n, x[i], i ? kvHeads : heads)))
      return failure();
  Sizes sizes = n.e.sizesOf(h[0]);
  Value count = n.e.sizeTensor(sizes[2]);
  Value lengths = n.e.reshape(n.i64(n.in(5)), Sizes{sizes[0], n.e.size(1)});
  // Of each batch, what is in the cache before the new keys.
  Value past = n.max(n.sub(n.add(lengths, n.integer(1)), count), n.integer(0));
  Value positions =
      n.has(9)
          ? n.i64(n.in(9))
          : n.add(past, n.along(n.iota(sizes[2], n.e.b.getI64Type()), 1, 2));
  if (n.broken)
    return failure();
  if (n.getInt("do_rotary", 0)) {
    if (!n.has(7) || !n.has(8))
      return n.fail("has no tables of cosines and sines");
    for (unsigned i : {0u, 1u}) {
      Value turned = rotate(n, swapHeads(n, h[i]), angles(n, 7, positions),
                            angles(n, 8, positions),
                            n.getInt("rotary_interleaved", 0) != 0);
      if (!turned)
        return failure();
      h[i] = swapHeads(n, turned);
    }
  }
  if (n.has(3) && n.has(4)) {
    auto declared = n.declared(1);
    OpFoldResult room = n.e.sizesOf(n.in(3))[2];
    OpFoldResult total =
        declared && declared->size() == 4
            ? n.e.size((*declared)[2])
            : n.sizeFrom(n.max(n.e.reshape(n.i64(n.in(6)), ArrayRef<int64_t>()),
                               n.e.sizeTensor(room)));
    h[1] = append(n, n.in(3), h[1], past, total);
    h[2] = append(n, n.in(4), h[2], past, total);
    if (n.broken)
      return failure();
  }
  if (failed(n.set(1, h[1])) || failed(n.set(2, h[2])))
    return failure();
  AttentionCore core(n, h[0], h[1], h[2]);
  core.cap = n.getFloat("softcap", 0);
  OpFoldResult one = n.e.size(1);
  Value here =
      n.add(core.rows(), n.e.reshape(past, Sizes{sizes[0], one, one, one}));
  core.allow(n.le(core.columns(), here));
  if (int64_t window = n.getInt("local_window_size", -1); window > 0)
    core.allow(n.gt(core.columns(), n.sub(here, n.integer(window))));
  if (n.has(10))
    core.addBias(n.in(10));
  if (n.has(11))
    core.setSink(n.in(11));
  else if (n.getInt("smooth_softmax", 0))
    core.setSink(
        n.e.full(tensor_to_prim::numberAttr(core.type(), 0), n.e.size(heads)));
  return finish(n, core, 3);
}

/// RotaryEmbedding: positions come before the tables; one position is that of
/// the first token.
LogicalResult rotaryEmbedding(Node &n) {
  Value x = n.in(0), at = n.i64(n.in(1));
  int64_t half = n.rank(2) == 2 ? n.shape(n.in(2))[1] : -1;
  if (n.getInt("is_packed_batching", 0) || n.getFloat("scale", 1) != 1)
    return n.fail("of packed batches, or with a scale");
  int64_t heads = n.getInt("num_heads", 0);
  if (n.rank(0) == 3 && heads == 0 && half > 0)
    heads = n.shape(x)[2] / (2 * half);
  if (n.rank(0) != 3 && n.rank(0) != 4)
    return n.fail("of an input of rank " + Twine(n.rank(0)));
  Value parts = n.rank(0) == 4 ? x : splitHeads(n, x, heads);
  if (!parts)
    return failure();
  Sizes sizes = n.e.sizesOf(parts);
  if (n.rank(1) == 1)
    at = n.add(n.e.reshape(at, Ints{1, 1}),
               n.along(n.iota(sizes[2], n.e.b.getI64Type()), 1, 2));
  if (n.broken)
    return failure();
  Value turned = rotate(n, swapHeads(n, parts), angles(n, 2, at),
                        angles(n, 3, at), n.getInt("interleaved", 0) != 0);
  if (!turned)
    return failure();
  turned = swapHeads(n, turned);
  return n.set(n.rank(0) == 4 ? turned : joinHeads(n, turned));
}

} // namespace

void addContribAttentionRules(NodeRules &rules) {
  rules.add("com.microsoft.MultiHeadAttention", multiHead, 1);
  rules.add("com.microsoft.Attention", selfAttention, 2);
  rules.add("com.microsoft.QAttention", quantizedAttention, 5);
  rules.add("com.microsoft.GroupQueryAttention", groupQuery, 1);
  rules.add("com.microsoft.RotaryEmbedding", rotaryEmbedding, 4);
}

} // namespace kiln::onnx_to_prim
