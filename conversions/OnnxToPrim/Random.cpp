// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers: Philox with the seed as its key, and dropout.
#include "Node.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// Numbers in [0, 1) of a shape; each `draw` of a node is another.
Value uniform(Node &n, ArrayRef<OpFoldResult> sizes, int32_t draw = 0) {
  Builder &b = n.e.b;
  auto words = [&](ArrayRef<int32_t> list) {
    return n.e.constant(DenseElementsAttr::get(
        RankedTensorType::get({int64_t(list.size())}, b.getI32Type()), list));
  };
  // Without a seed nodes differ by where they stand.
  int32_t number = 0;
  for (Operation *op = n.op->getPrevNode(); op; op = op->getPrevNode())
    ++number;
  float seed = n.getFloat("seed", 0);
  if (!n.hasAttr("seed"))
    seed = number;
  if (auto given = dyn_cast_or_null<IntegerAttr>(n.attr("seed")))
    seed = given.getValue().getSExtValue();
  int32_t bits = APFloat(seed).bitcastToAPInt().getZExtValue();
  Value raw = prim::RandomBitsOp::create(
      n.e.b, n.e.typeFor(sizes, b.getI32Type()), prim::RandomAlgorithm::philox,
      words({bits, draw}), words({0, 0, 0, 0}), n.e.dynamicSizes(sizes));
  // 24 bits fill the fraction of an f32.
  Value top = n.binary<prim::ShiftRightLogicalOp>(raw, n.number(8, raw));
  Value real = n.f32(top);
  return n.mul(real, n.number(std::ldexp(1.0, -24), real));
}

/// Box and Muller's way from two uniform numbers to one that is normal.
Value normal(Node &n, ArrayRef<OpFoldResult> sizes) {
  Value u = uniform(n, sizes, 1), v = uniform(n, sizes, 2);
  Value away = n.sub(n.number(1, u), u); // (0, 1]
  Value length =
      n.unary<prim::SqrtOp>(n.mul(n.unary<prim::LogOp>(away), n.number(-2, u)));
  return n.mul(length, n.unary<prim::CosOp>(n.mul(v, n.number(2 * M_PI, v))));
}

Value between(Node &n, Value x, bool isNormal) {
  double a = isNormal ? n.getFloat("mean", 0) : n.getFloat("low", 0);
  double s = isNormal ? n.getFloat("scale", 1) : n.getFloat("high", 1) - a;
  return n.add(n.mul(x, n.number(s, x)), n.number(a, x));
}

template <bool isNormal, bool isLike> LogicalResult random(Node &n) {
  Sizes sizes;
  if (isLike) {
    if (!n.has(0))
      return n.fail("has no input 0");
    sizes = n.e.sizesOf(n.in(0));
  } else {
    auto shape = n.getInts("shape");
    if (!shape)
      return n.fail("has no shape");
    sizes = getAsIndexOpFoldResult(n.e.b.getContext(), *shape);
  }
  Type element = n.hasAttr("dtype") ? n.dataType(n.getInt("dtype", 1))
                 : isLike           ? n.elementIn(0)
                                    : Type(n.e.b.getF32Type());
  if (n.broken)
    return failure();
  Value x = isNormal ? normal(n, sizes) : uniform(n, sizes);
  return n.set(n.cast(between(n, x, isNormal), element));
}

/// Bernoulli: 1 with the probability that an element says.
LogicalResult bernoulli(Node &n) {
  Value p = n.in(0);
  Type element =
      n.hasAttr("dtype") ? n.dataType(n.getInt("dtype", 1)) : n.elementIn(0);
  if (n.broken)
    return failure();
  Value u = n.cast(uniform(n, n.e.sizesOf(p)), n.e.elementOf(p));
  return n.set(n.cast(n.lt(u, p), element));
}

/// Multinomial: classes by their logarithms of probabilities.
LogicalResult multinomial(Node &n) {
  Value logs = n.wide(n.in(0));
  if (n.rank(0) != 2)
    return n.fail("of a tensor of rank " + Twine(n.rank(0)));
  Type element = n.dataType(n.getInt("dtype", 6));
  if (n.broken)
    return failure();
  Value p = n.softmax(logs, 1);
  Value sums = prim::ScanOp::create(n.e.b, p.getType(), prim::ScanKind::sum, p,
                                    1, false, false);
  Sizes sizes{n.e.sizesOf(p)[0], n.e.size(n.getInt("sample_size", 1))};
  Value u = n.cast(uniform(n, sizes), n.e.elementOf(p));
  // The number of classes whose sums lie below.
  Value below = n.i64(n.ge(n.unsqueeze(u, {2}), n.unsqueeze(sums, {1})));
  Value last = n.sub(n.e.sizeTensor(n.e.sizesOf(p)[1]), n.integer(1));
  return n.set(n.cast(n.min(n.sum(below, {2}), last), element));
}

/// Dropout: drops elements in training mode only.
LogicalResult dropout(Node &n) {
  Value x = n.in(0);
  Sizes sizes = n.e.sizesOf(x);
  Type truth = n.e.b.getI1Type();
  auto all = [&](int64_t v) {
    return n.e.full(n.e.b.getIntegerAttr(truth, v), sizes);
  };
  auto training = n.has(2) ? n.numbers(2) : SmallVector<double>{0};
  auto ratio = n.has(1) ? n.numbers(1) : SmallVector<double>{0.5};
  if (n.opset() < 12)
    training = SmallVector<double>{0};
  if ((training && training->front() == 0) || (ratio && ratio->front() == 0)) {
    // Before version 10 the mask has the type of the elements.
    Value mask = all(1);
    if (n.opset() < 10)
      mask = n.cast(mask, n.e.elementOf(x));
    return failed(n.set(0, x)) ? failure() : n.set(1, mask);
  }
  Type wide = n.e.b.getF32Type();
  Value r = n.has(1) ? n.e.reshape(n.cast(n.in(1), wide), ArrayRef<int64_t>())
                     : n.number(0.5, wide);
  Value kept = n.ge(uniform(n, sizes), r);
  if (!training)
    kept = n.either(kept, n.no(n.e.reshape(n.in(2), ArrayRef<int64_t>())));
  Value scale = n.sub(n.number(1, wide), r);
  if (!training)
    scale = n.where(n.e.reshape(n.in(2), ArrayRef<int64_t>()), scale,
                    n.number(1, wide));
  Value result =
      n.where(kept, n.div(x, n.cast(scale, n.e.elementOf(x))), n.number(0, x));
  return failed(n.set(0, result)) ? failure() : n.set(1, kept);
}

} // namespace

void addRandomRules(NodeRules &rules) {
  rules.add("RandomNormal", random<true, false>, 0);
  rules.add("RandomUniform", random<false, false>, 0);
  rules.add("RandomNormalLike", random<true, true>, 0);
  rules.add("RandomUniformLike", random<false, true>, 0);
  rules.add("Bernoulli", bernoulli);
  rules.add("Multinomial", multinomial);
  rules.add("Dropout", dropout);
}

} // namespace kiln::onnx_to_prim
