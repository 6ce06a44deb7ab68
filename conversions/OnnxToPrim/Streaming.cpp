// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layers that go through a sequence with a state of a fixed size: linear
// attention, and the convolution before it.
#include "AttentionCore.h"
#include "Windows.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// The last `count` slices along dimension 2, of any known or open size.
Value lastOf(Node &n, Value x, int64_t count) {
  int64_t all = n.shape(x)[2];
  if (!ShapedType::isDynamic(all))
    return n.slice(x, 2, all - count, count);
  Value first = n.sub(n.e.sizeTensor(n.e.sizesOf(x)[2]), n.integer(count));
  return n.take(x, n.add(n.iota(count, n.e.b.getI64Type()), first), 2);
}

/// Adds the bias, applies the activation, and sets the results.
LogicalResult finishCausal(Node &n, Value made,
                           llvm::function_ref<Value()> state) {
  if (n.has(2))
    made = n.add(made, n.along(n.wide(n.in(2)), 1, 3));
  StringRef activation = n.getString("activation", "none");
  if (activation == "silu" || activation == "swish")
    made = n.mul(made, n.unary<prim::SigmoidOp>(made));
  else if (activation != "none")
    return n.fail("has activation '" + activation + "'");
  if (failed(n.set(0, n.cast(made, n.elementIn(0)))))
    return failure();
  return n.wants(1) ? n.set(1, state()) : success();
}

/// The same with kernels of open sizes.
LogicalResult openCausalConv(Node &n) {
  auto &math = n.e.sizeMath();
  Value x = n.in(0), weight = n.requireSize(n.in(1), 1, 1);
  Sizes sizes = n.e.sizesOf(x), kernel = n.e.sizesOf(weight);
  OpFoldResult length = sizes[2], before = math.sub(kernel[2], n.e.size(1));
  sizes[2] = before;
  auto none = tensor_to_prim::numberAttr(n.e.elementOf(x), 0);
  Value past = n.has(3) ? n.in(3) : n.e.full(none, sizes);
  Value all = n.e.concat({past, x}, 2);
  Value filter = n.e.reshape(
      n.wide(weight), Sizes{kernel[0], n.e.size(1), n.e.size(1), kernel[2]});
  OpenSide side{length, n.integer(0), 1, 1, 1};
  Value made = convolveOpen(n, n.wide(all), filter, side);
  return finishCausal(n, made, [&] {
    Value at = n.iota(before, n.e.b.getI64Type());
    return n.take(all, n.add(at, n.e.sizeTensor(length)), 2);
  });
}

/// CausalConvWithState: each channel is convolved with its own kernel, over
/// what came before and the new positions.
LogicalResult causalConv(Node &n) {
  Value x = n.in(0), weight = n.in(1);
  Type element = n.e.elementOf(x);
  if (n.rank(0) != 3 || n.rank(1) != 3)
    return n.fail("needs an input and kernels of rank 3");
  if (!n.e.typeOf(weight).hasStaticShape())
    return openCausalConv(n);
  int64_t channels = n.shape(weight)[0], before = n.shape(weight)[2] - 1;
  if (before < 0 || n.shape(weight)[1] != 1)
    return n.fail("has kernels that do not fit");
  Value all = x;
  if (before > 0) {
    Sizes sizes = n.e.sizesOf(x);
    sizes[2] = n.e.size(before);
    Value past = n.has(3)
                     ? n.in(3)
                     : n.e.full(tensor_to_prim::numberAttr(element, 0), sizes);
    all = n.e.concat({past, x}, 2);
  }
  Window window{{before + 1}, {1}, {1}, {0}, {0}};
  Value made = convolve(n, n.wide(all), n.wide(weight), window, {1}, channels);
  return finishCausal(n, made, [&] { return lastOf(n, all, before); });
}

/// A node of LinearAttention. Heads of queries come in groups that share a
/// state: [batch, heads, size of a key, size of a value].
struct LinearAttention {
  Node &n;
  bool isGated, isDelta;
  Value q;     // [batch, heads, group, sequence, size of a key]
  Value k, v;  // [batch, heads, sequence, size]
  Value decay; // [batch, heads, sequence, size of a key or 1]
  Value beta;  // [batch, heads or 1, sequence, 1]

  /// The state after step `t`, and what is read of it: [batch, heads, group,
  /// size of a value].
  std::pair<Value, Value> step(Value state, Value t) {
    Value key = n.take(k, t, 2), value = n.take(v, t, 2);
    if (isGated)
      state = n.mul(state, n.unsqueeze(n.take(decay, t, 2), {3}));
    if (isDelta) {
      Value held = n.dot(key, state, {0, 1}, {0, 1}, {2}, {2});
      value = n.mul(n.sub(value, held), n.take(beta, t, 2));
    }
    state = n.add(state, n.mul(n.unsqueeze(key, {3}), n.unsqueeze(value, {2})));
    return {state, n.dot(n.take(q, t, 3), state, {0, 1}, {0, 1}, {3}, {2})};
  }
};

/// Goes through all steps. Gives the outputs, the sequence first, and the last
/// state.
std::pair<Value, Value> runSteps(LinearAttention &a, Value state) {
  Node &n = a.n;
  Sizes sizes = n.e.sizesOf(a.q);
  Sizes whole{sizes[3], sizes[0], sizes[1], sizes[2], n.e.sizesOf(a.v)[3]};
  if (n.shape(a.q)[3] == 1) {
    auto [last, out] = a.step(state, n.integer(0));
    return {n.unsqueeze(out, {0}), last};
  }
  Value steps = n.e.sizeTensor(whole[0]);
  Value none =
      n.e.full(tensor_to_prim::numberAttr(n.e.elementOf(state), 0), whole);
  Value inits[] = {n.integer(0), state, none};
  auto loop = prim::WhileOp::create(n.e.b, ValueRange(inits).getTypes(), inits);
  OpBuilder::InsertionGuard guard(n.e.b);
  auto enter = [&](Region &region) {
    Block *block = n.e.b.createBlock(&region);
    for (Value init : inits)
      block->addArgument(init.getType(), n.e.b.getLoc());
    return block->getArguments();
  };
  auto test = enter(loop.getCondition());
  prim::YieldOp::create(n.e.b, ValueRange{n.lt(test[0], steps)});
  auto now = enter(loop.getBody());
  auto [next, out] = a.step(now[1], now[0]);
  // A step may know a size that the state leaves open.
  next = n.e.reshape(next, n.e.sizesOf(state));
  out = n.e.reshape(out, Sizes(ArrayRef<OpFoldResult>(whole).drop_front()));
  Value written = prim::ScatterOp::create(
      n.e.b, none.getType(), prim::ScatterKind::set, now[2],
      n.e.reshape(now[0], Ints{1, 1}), n.unsqueeze(out, {0, 1}), Ints{0}, 0,
      /*unique=*/true);
  prim::YieldOp::create(n.e.b,
                        ValueRange{n.add(now[0], n.integer(1)), next, written});
  n.e.b.setInsertionPointAfter(loop);
  return {loop.getResult(2), loop.getResult(1)};
}

/// [batch, sequence, heads * size] as [batch, heads, sequence, size], f32 or
/// wider.
Value headsOf(Node &n, unsigned i, int64_t heads) {
  Value x = splitHeads(n, n.in(i), heads);
  return x ? n.wide(x) : Value();
}

/// LinearAttention: each step adds the product of its key and its value to a
/// state, which decays before (gated), and of which what it holds for the key
/// may be taken off (delta).
LogicalResult linearAttention(Node &n) {
  StringRef rule = n.getString("update_rule", "gated_delta");
  int64_t queries = n.getInt("q_num_heads", 0);
  int64_t heads = n.getInt("kv_num_heads", 0);
  LinearAttention a{
      n, rule.starts_with("gated"), rule.ends_with("delta"), {}, {}, {}, {},
      {}};
  if (!a.isGated && !a.isDelta && rule != "linear")
    return n.fail("has update rule '" + rule + "'");
  if (heads < 1 || queries < 1 || queries % heads)
    return n.fail("has heads of queries that are no multiple of those of keys");
  if ((a.isGated && !n.has(4)) || (a.isDelta && !n.has(5)))
    return n.fail("needs a decay where it is gated, and rates for delta");
  Value q = headsOf(n, 0, queries);
  a.k = headsOf(n, 1, heads);
  a.v = headsOf(n, 2, heads);
  if (!q || !a.k || !a.v)
    return failure();
  if (a.isGated) {
    a.decay = headsOf(n, 4, heads);
    if (!a.decay)
      return failure();
    a.decay = n.unary<prim::ExpOp>(a.decay);
  }
  if (a.isDelta && n.rank(5) == 3 && ShapedType::isDynamic(n.shape(n.in(5))[2]))
    n.replace(5, n.repeatOpen(n.in(5), 2, n.e.size(heads)));
  if (a.isDelta)
    a.beta =
        headsOf(n, 5, n.rank(5) == 3 && n.shape(n.in(5))[2] == 1 ? 1 : heads);
  if (a.isDelta && !a.beta)
    return failure();
  double given = n.getFloat("scale", 0);
  Value scale =
      given != 0 ? n.number(given, q) : scaleOfHeads(n, q, n.e.elementOf(q));
  Sizes sizes = n.e.sizesOf(q), keys = n.e.sizesOf(a.k);
  a.q = n.e.reshape(n.mul(q, scale),
                    Sizes{sizes[0], n.e.size(heads), n.e.size(queries / heads),
                          sizes[2], sizes[3]});
  Sizes held{keys[0], keys[1], keys[3], n.e.sizesOf(a.v)[3]};
  Value state =
      n.has(3)
          ? n.e.reshape(n.wide(n.in(3)), held)
          : n.e.full(tensor_to_prim::numberAttr(n.e.elementOf(q), 0), held);
  auto [all, last] = runSteps(a, state);
  if (n.broken)
    return failure();
  Value rows = n.e.transpose(all, {1, 0, 2, 3, 4});
  OpFoldResult width =
      n.e.sizeMath().mul(n.e.size(queries), n.e.sizesOf(a.v)[3]);
  rows = n.e.reshape(rows, Sizes{sizes[0], sizes[2], width});
  if (failed(n.set(0, n.cast(rows, n.elementIn(0)))))
    return failure();
  return n.wants(1) ? n.set(1, n.cast(last, n.elementIn(n.has(3) ? 3 : 0)))
                    : success();
}

} // namespace

void addStreamingRules(NodeRules &rules) {
  rules.add("CausalConvWithState", causalConv, 2);
  rules.add("LinearAttention", linearAttention, 3);
}

} // namespace kiln::onnx_to_prim
