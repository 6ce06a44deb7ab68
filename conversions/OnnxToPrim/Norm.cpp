// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations.
#include "Node.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// The dimensions from `first` to the last.
Ints dimsFrom(int64_t first, int64_t rank) {
  Ints dims;
  for (int64_t d = first; d < rank; ++d)
    dims.push_back(d);
  return dims;
}

/// x - mean(x), and 1 / sqrt(var(x) + epsilon), over dimensions that stay.
struct Moments {
  Value mean, centred, inverse;
};

Moments momentsOf(Node &n, Value x, ArrayRef<int64_t> dims, double epsilon) {
  Moments m;
  m.mean = n.mean(x, dims, true);
  m.centred = n.sub(x, m.mean);
  Value variance = n.mean(n.mul(m.centred, m.centred), dims, true);
  m.inverse =
      n.unary<prim::RsqrtOp>(n.add(variance, n.number(epsilon, variance)));
  return m;
}

/// A number for each channel (dimension 1) of a tensor of `rank`.
Value channel(Node &n, unsigned i, int64_t rank) {
  return n.along(n.in(i), 1, rank);
}

LogicalResult batchNorm(Node &n) {
  Value x = n.in(0);
  Type element = n.e.elementOf(x);
  int64_t rank = n.rank(0);
  if (rank < 2)
    return n.fail("of a tensor of rank " + Twine(rank));
  double epsilon = n.getFloat("epsilon", 1e-5f);
  Type type = element.isF64() ? element : Type(n.e.b.getF32Type());
  auto get = [&](unsigned i) { return n.cast(channel(n, i, rank), type); };
  Value wide = n.cast(x, type), mean = get(3), variance = get(4);
  if (n.getInt("training_mode", 0)) {
    double momentum = n.getFloat("momentum", 0.9f);
    Ints dims{0};
    llvm::append_range(dims, dimsFrom(2, rank));
    Value now = n.mean(wide, dims, true), centred = n.sub(wide, now);
    Value spread = n.mean(n.mul(centred, centred), dims, true);
    auto running = [&](Value before, Value value, unsigned i) {
      Value next = n.add(n.mul(before, n.number(momentum, before)),
                         n.mul(value, n.number(1 - momentum, value)));
      Value flat = n.e.reshape(next, n.e.sizesOf(n.in(3)));
      return n.set(i, n.cast(flat, n.elementIn(3)));
    };
    if (failed(running(mean, now, 1)) || failed(running(variance, spread, 2)))
      return failure();
    mean = now;
    variance = spread;
  }
  Value scaled = n.mul(
      get(1), n.unary<prim::RsqrtOp>(n.add(variance, n.number(epsilon, type))));
  Value result = n.add(n.mul(n.sub(wide, mean), scaled), get(2));
  return n.set(n.cast(result, element));
}

LogicalResult instanceNorm(Node &n) {
  Value x = n.wide(n.in(0));
  int64_t rank = n.rank(0);
  if (rank < 2)
    return n.fail("of a tensor of rank " + Twine(rank));
  Moments m = momentsOf(n, x, dimsFrom(2, rank), n.getFloat("epsilon", 1e-5f));
  Value scale = n.wide(channel(n, 1, rank)), bias = n.wide(channel(n, 2, rank));
  Value result = n.add(n.mul(n.mul(m.centred, m.inverse), scale), bias);
  return n.set(n.cast(result, n.elementIn(0)));
}

/// LayerNormalization: over the axis and all behind it.
LogicalResult layerNorm(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0), axis = n.axisAttr("axis", -1, rank);
  if (n.broken)
    return failure();
  double epsilon = n.getFloat("epsilon", 1e-5f);
  ArrayRef<int64_t> inner = n.shape(x).drop_front(axis);
  bool fits = n.shape(n.in(1)) == inner && !ShapedType::isDynamicShape(inner) &&
              (!n.has(2) || n.shape(n.in(2)) == inner);
  if (fits && !n.wants(1) && !n.wants(2))
    return n.set(prim::LayerNormOp::create(
        n.e.b, x.getType(), x, n.in(1), n.has(2) ? n.in(2) : Value(),
        n.e.b.getI64IntegerAttr(rank - axis), n.e.b.getF64FloatAttr(epsilon)));
  Value wide = n.wide(x);
  Moments m = momentsOf(n, wide, dimsFrom(axis, rank), epsilon);
  Value result =
      n.mul(n.mul(m.centred, m.inverse), n.cast(n.in(1), n.e.elementOf(wide)));
  if (n.has(2))
    result = n.add(result, n.cast(n.in(2), n.e.elementOf(wide)));
  Type stash = n.dataType(n.getInt("stash_type", 1));
  if (failed(n.set(n.cast(result, n.elementIn(0)))) ||
      failed(n.set(1, n.cast(m.mean, stash))))
    return failure();
  return n.set(2, n.cast(m.inverse, stash));
}

/// RMSNormalization: without the mean. The result has the type of the scale;
/// models that onnx infers the types of state that of the input.
LogicalResult rmsNorm(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0), axis = n.axisAttr("axis", -1, rank);
  if (n.broken)
    return failure();
  Value wide = n.wide(x);
  Value squares = n.mean(n.mul(wide, wide), dimsFrom(axis, rank), true);
  Value inverse = n.unary<prim::RsqrtOp>(
      n.add(squares, n.number(n.getFloat("epsilon", 1e-5f), squares)));
  Value result =
      n.mul(n.mul(wide, inverse), n.cast(n.in(1), n.e.elementOf(wide)));
  Type type = n.elementIn(n.elementOut() == n.elementIn(0) ? 0 : 1);
  return n.set(n.cast(result, type));
}

/// GroupNormalization: before version 21 scale and bias are one number for
/// each group, from then on for each channel.
LogicalResult groupNorm(Node &n) {
  Value x = n.wide(n.in(0));
  int64_t rank = n.rank(0), groups = n.getInt("num_groups", 0);
  if (rank < 2 || groups < 1 || ShapedType::isDynamic(n.shape(x)[1]) ||
      n.shape(x)[1] % groups)
    return n.fail("of channels that do not make up its groups");
  Sizes sizes = n.e.sizesOf(x);
  int64_t channels = n.shape(x)[1];
  Sizes apart{sizes[0], n.e.size(groups), n.e.size(channels / groups)};
  apart.append(sizes.begin() + 2, sizes.end());
  Value parts = n.e.reshape(x, apart);
  Moments m =
      momentsOf(n, parts, dimsFrom(2, rank + 1), n.getFloat("epsilon", 1e-5f));
  Value result = n.mul(m.centred, m.inverse);
  auto spread = [&](unsigned i) {
    Value v = n.cast(n.in(i), n.e.elementOf(x));
    bool perGroup = n.shape(v)[0] == groups && groups != channels;
    Ints to(rank + 1, 1);
    to[1] = groups;
    to[2] = perGroup ? 1 : channels / groups;
    return n.e.reshape(v, to);
  };
  for (unsigned i : {1u, 2u})
    if (n.rank(i) != 1 ||
        (n.shape(n.in(i))[0] != groups && n.shape(n.in(i))[0] != channels))
      return n.fail("has a scale or a bias that is neither of groups nor of "
                    "channels");
  result = n.add(n.mul(result, spread(1)), spread(2));
  return n.set(n.cast(n.e.reshape(result, sizes), n.elementIn(0)));
}

LogicalResult lpNorm(Node &n) {
  Value x = n.in(0);
  int64_t dim = n.axisAttr("axis", -1, n.rank(0)), p = n.getInt("p", 2);
  if (n.broken)
    return failure();
  if (p != 1 && p != 2)
    return n.fail("has p = " + Twine(p));
  Value length = p == 1
                     ? n.sum(n.unary<prim::AbsOp>(x), {dim}, true)
                     : n.unary<prim::SqrtOp>(n.sum(n.mul(x, x), {dim}, true));
  // Nothing is divided by a length of 0.
  Value zero = n.number(0, x);
  return n.set(n.where(n.eq(length, zero), zero, n.div(x, length)));
}

LogicalResult meanVariance(Node &n) {
  Value x = n.in(0);
  Ints dims = n.axes(n.getInts("axes").value_or(Ints{0, 2, 3}), n.rank(0));
  if (n.broken)
    return failure();
  Value centred = n.sub(x, n.mean(x, dims, true));
  Value deviation =
      n.unary<prim::SqrtOp>(n.mean(n.mul(centred, centred), dims, true));
  return n.set(n.div(centred, n.add(deviation, n.number(1e-9, x))));
}

/// LRN: divided by a power of the sum of squares of near channels.
LogicalResult lrn(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0), size = n.getInt("size", 1);
  if (rank < 2 || size < 1 || ShapedType::isDynamic(n.shape(x)[1]))
    return n.fail("needs channels of a known number and a size of at least 1");
  int64_t channels = n.shape(x)[1], before = (size - 1) / 2;
  Ints low(rank, 0), high(rank, 0);
  low[1] = before;
  high[1] = size - 1 - before;
  Value squares = n.pad(n.mul(x, x), low, high, n.number(0, x)), sum;
  for (int64_t k = 0; k < size; ++k) {
    Value part = n.slice(squares, 1, k, channels);
    sum = sum ? n.add(sum, part) : part;
  }
  double alpha = n.getFloat("alpha", 1e-4f) / size;
  Value base =
      n.add(n.number(n.getFloat("bias", 1), x), n.mul(sum, n.number(alpha, x)));
  return n.set(n.div(
      x, n.binary<prim::PowOp>(base, n.number(n.getFloat("beta", 0.75), x))));
}

} // namespace

void addNormRules(NodeRules &rules) {
  rules.add("BatchNormalization", batchNorm, 5);
  rules.add("InstanceNormalization", instanceNorm, 3);
  rules.add("LayerNormalization", layerNorm, 2);
  rules.add("RMSNormalization", rmsNorm, 2);
  rules.add("GroupNormalization", groupNorm, 3);
  rules.add("LpNormalization", lpNorm);
  rules.add("MeanVarianceNormalization", meanVariance);
  rules.add("LRN", lrn);
}

} // namespace kiln::onnx_to_prim
