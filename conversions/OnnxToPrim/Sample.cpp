// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading pictures between their elements.
#include "Windows.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <functional>

using namespace mlir;

namespace kiln::onnx_to_prim {

Value beside(Node &n, OpFoldResult size, double by, Value x) {
  if (auto known = getConstantIntValue(size))
    return n.number(*known + by, x);
  return n.add(n.cast(n.e.sizeTensor(size), n.e.elementOf(x)), n.number(by, x));
}

namespace {

/// Elements that a sample reads along one dimension: places inside, and their
/// weights.
struct Taps {
  SmallVector<Value> places, weights;
};

/// Pictures [B, C, spatial...] read at points [B, P], for all combinations of
/// taps: [B, P, C], weighted.
Value readTaps(Node &n, Value x, ArrayRef<Taps> taps) {
  Sizes sizes = n.e.sizesOf(x), spatial(sizes.begin() + 2, sizes.end());
  OpFoldResult pixels = n.e.sizeMath().product(spatial);
  Value planes = n.e.reshape(channelsLast(n, x), {sizes[0], pixels, sizes[1]});
  Value sum;
  std::function<void(size_t, Value, Value)> go = [&](size_t d, Value place,
                                                     Value weight) {
    if (d == taps.size()) {
      Value part = n.take(planes, place, 1, 1);
      if (weight)
        part = n.mul(part, n.unsqueeze(n.cast(weight, n.e.elementOf(x)), {2}));
      sum = sum ? n.add(sum, part) : part;
      return;
    }
    for (size_t k = 0; k < taps[d].places.size(); ++k) {
      Value here = taps[d].places[k];
      Value next =
          place ? n.add(n.mul(place, n.e.sizeTensor(spatial[d])), here) : here;
      Value w = taps[d].weights.empty() ? Value() : taps[d].weights[k];
      go(d + 1, next, weight && w ? n.mul(weight, w) : w ? w : weight);
    }
  };
  go(0, {}, {});
  return sum;
}

/// A coordinate as it is reflected between `low` and `size + by`.
Value reflect(Node &n, Value x, double low, OpFoldResult size, double by) {
  auto known = getConstantIntValue(size);
  auto onlyLow = [&] { return n.where(n.eq(x, x), n.number(low, x), x); };
  if (known && *known + by - low <= 0)
    return onlyLow();
  Value range = beside(n, size, by - low, x);
  Value twice = known ? n.number(2 * (*known + by - low), x)
                      : n.mul(range, n.number(2, x));
  Value distance = n.unary<prim::AbsOp>(n.sub(x, n.number(low, x)));
  Value rest = n.binary<prim::FmodOp>(distance, twice);
  Value folded = n.where(n.gt(rest, range), n.sub(twice, rest), rest);
  Value result = n.add(n.number(low, x), folded);
  return known ? result
               : n.where(n.gt(range, n.number(0, x)), result, onlyLow());
}

/// What GridSample reads along a dimension of `size` at coordinates `x`.
Taps tapsOf(Node &n, Value x, OpFoldResult size, StringRef mode,
            StringRef padding, bool align) {
  double low = align ? 0 : -0.5, by = align ? -1 : -0.5;
  auto inRange = [&](Value v) {
    return n.min(n.max(v, n.number(0, x)), beside(n, size, -1, x));
  };
  if (mode == "nearest")
    x = n.unary<prim::RoundOp>(x);
  // Cubic weights are those of the coordinate as it is, of places in range.
  if (padding == "border" && mode != "cubic")
    x = inRange(x);
  else if (padding == "reflection")
    x = reflect(n, x, low, size, by);
  Value base = mode == "nearest" ? x : n.unary<prim::FloorOp>(x);
  Value t = n.sub(x, base), one = n.number(1, x);
  Taps taps;
  SmallVector<Value> weights;
  int64_t first = 0;
  if (mode == "linear") {
    weights = {n.sub(one, t), t};
  } else if (mode == "cubic") {
    first = -1;
    auto cubic = [&](Value v, bool far) {
      double a = -0.75;
      auto num = [&](double c) { return n.number(c, x); };
      if (far)
        return n.sub(n.mul(n.add(n.mul(n.sub(n.mul(num(a), v), num(5 * a)), v),
                                 num(8 * a)),
                           v),
                     num(4 * a));
      return n.add(n.mul(n.mul(n.sub(n.mul(num(a + 2), v), num(a + 3)), v), v),
                   one);
    };
    weights = {cubic(n.add(t, one), true), cubic(t, false),
               cubic(n.sub(one, t), false),
               cubic(n.sub(n.number(2, x), t), true)};
  } else {
    weights = {one};
  }
  for (auto [k, weight] : llvm::enumerate(weights)) {
    Value place = n.add(base, n.number(first + int64_t(k), x));
    Value w = n.expand(weight, n.e.sizesOf(x));
    if (padding == "zeros") {
      Value inside = n.both(n.ge(place, n.number(0, x)),
                            n.le(place, beside(n, size, -1, x)));
      w = n.where(inside, w, n.number(0, x));
    } else if (padding == "reflection") {
      place = n.unary<prim::TruncOp>(reflect(n, place, low, size, by));
    }
    taps.places.push_back(n.i64(inRange(place)));
    taps.weights.push_back(w);
  }
  return taps;
}

LogicalResult gridSample(Node &n) {
  Value x = n.in(0), grid = n.in(1);
  int64_t rank = n.rank(0), spatial = rank - 2;
  StringRef mode = n.getString("mode", "linear");
  mode = mode == "bilinear" ? "linear" : mode == "bicubic" ? "cubic" : mode;
  StringRef padding = n.getString("padding_mode", "zeros");
  bool align = n.getInt("align_corners", 0);
  if (spatial < 1 || n.rank(1) != rank ||
      (n.shape(grid).back() != spatial &&
       !ShapedType::isDynamic(n.shape(grid).back())))
    return n.fail("needs a picture and a grid that fits it");
  grid = n.requireSize(grid, rank - 1, spatial);
  if (mode != "linear" && mode != "cubic" && mode != "nearest")
    return n.fail("has mode '" + mode + "'");
  if (padding != "zeros" && padding != "border" && padding != "reflection")
    return n.fail("has padding_mode '" + padding + "'");
  Sizes sizes = n.e.sizesOf(x), places = n.e.sizesOf(grid);
  places.pop_back();
  OpFoldResult points = n.e.sizeMath().product(ArrayRef(places).drop_front());
  SmallVector<Taps> taps;
  for (int64_t d = 0; d < spatial; ++d) {
    OpFoldResult size = sizes[d + 2];
    // The last dimension comes first in the grid.
    Value at = n.e.reshape(n.slice(grid, rank - 1, spatial - 1 - d, 1),
                           {sizes[0], points});
    at = n.add(at, n.number(1, at));
    Value half = n.number(0.5, at);
    at = align
             ? n.mul(at, n.mul(beside(n, size, -1, at), half))
             : n.mul(n.sub(n.mul(at, beside(n, size, 0, at)), n.number(1, at)),
                     half);
    taps.push_back(tapsOf(n, at, size, mode, padding, align));
  }
  Value read = readTaps(n, x, taps); // [B, P, C]
  Sizes to{sizes[0], sizes[1]};
  to.append(places.begin() + 1, places.end());
  return n.set(n.e.reshape(n.e.transpose(read, {0, 2, 1}), to));
}

/// AffineGrid: positions of all pixels under an affine map.
LogicalResult affineGrid(Node &n) {
  Value theta = n.in(0);
  bool align = n.getInt("align_corners", 0);
  auto size = n.ints(1);
  auto declared = n.declared();
  if (!size && declared) { // [N, spatial..., count]
    size = Ints{declared->front(), 1};
    size->append(declared->begin() + 1, declared->end() - 1);
  }
  if (!size || n.rank(0) != 3 || size->size() < 4 ||
      n.shape(theta)[1] != int64_t(size->size()) - 2)
    return n.fail("has a size that is not known, or no matrix that fits it");
  int64_t count = size->size() - 2;
  Type element = n.e.elementOf(theta);
  Ints spatial(size->begin() + 2, size->end());
  SmallVector<Value> parts;
  for (int64_t d = count; d-- > 0;) {
    double each =
        2.0 / (align ? std::max<int64_t>(spatial[d] - 1, 1) : spatial[d]);
    double first = align ? -1 : -1 + each / 2;
    Value i = n.iota(spatial[d], element);
    Value at = n.add(n.mul(i, n.number(each, i)), n.number(first, i));
    if (align && spatial[d] == 1)
      at = n.mul(at, n.number(0, at));
    parts.push_back(
        n.unsqueeze(n.expand(n.along(at, d, count), spatial), {count}));
  }
  Ints ones = spatial;
  ones.push_back(1);
  parts.push_back(n.e.full(tensor_to_prim::numberAttr(element, 1),
                           getAsIndexOpFoldResult(n.e.b.getContext(), ones)));
  Value base = n.e.concat(parts, count);
  int64_t points = 1;
  for (int64_t each : spatial)
    points *= each;
  base = n.e.reshape(base, Ints{points, count + 1});
  Value grid = n.dot(theta, base, {}, {}, {2}, {1}); // [N, count, points]
  Sizes to{n.e.sizesOf(theta)[0]};
  for (int64_t each : spatial)
    to.push_back(n.e.size(each));
  to.push_back(n.e.size(count));
  return n.set(n.e.reshape(n.e.transpose(grid, {0, 2, 1}), to));
}

/// DeformConv: each element of the filter reads at a place of its own.
LogicalResult deformConv(Node &n) {
  Value x = n.in(0), filter = n.in(1), offset = n.in(2);
  for (unsigned i : {0u, 1u, 2u})
    if (n.rank(i) != 4 || !n.e.typeOf(n.in(i)).hasStaticShape())
      return n.fail("needs pictures, filters and offsets of rank 4 and known "
                    "sizes");
  int64_t groups = n.getInt("group", 1), parts = n.getInt("offset_group", 1);
  ArrayRef<int64_t> xs = n.shape(x), ws = n.shape(filter), os = n.shape(offset);
  auto window = windowOf(n, xs.drop_front(2), Ints(ws.drop_front(2)));
  if (failed(window))
    return failure();
  int64_t batch = xs[0], channels = xs[1], points = ws[2] * ws[3];
  int64_t height = os[2], width = os[3];
  if (groups < 1 || parts < 1 || channels % parts || channels % groups ||
      ws[0] % groups || ws[1] != channels / groups ||
      os[1] != parts * points * 2)
    return n.fail("has offsets or filters that do not fit");
  Type i64 = n.e.b.getI64Type(), element = n.e.elementOf(x);
  // [B * parts, points, height, width] for each of the two dimensions.
  Value shifts =
      n.e.reshape(offset, Ints{batch * parts, points, 2, height, width});
  SmallVector<Taps> taps;
  for (int64_t d = 0; d < 2; ++d) {
    Value shift = n.squeeze(n.slice(shifts, 2, d, 1), {2});
    Value out = n.along(n.iota(os[d + 2], i64), d + 1, 3);
    Value k = n.e.reshape(n.iota(points, i64), Ints{points, 1, 1});
    k = d == 0 ? n.div(k, n.integer(ws[3]))
               : n.binary<prim::RemainderOp>(k, n.integer(ws[3]));
    Value at = n.add(n.mul(out, n.integer(window->strides[d])),
                     n.mul(k, n.integer(window->dilations[d])));
    at = n.sub(at, n.integer(window->low[d]));
    Value place = n.add(n.cast(at, element), shift);
    place = n.e.reshape(place, Ints{batch * parts, points * height * width});
    taps.push_back(
        tapsOf(n, place, n.e.size(xs[d + 2]), "linear", "zeros", true));
  }
  Value planes =
      n.e.reshape(x, Ints{batch * parts, channels / parts, xs[2], xs[3]});
  Value read = readTaps(n, planes, taps); // [B * parts, K * H * W, C / parts]
  if (n.has(4))
    read = n.mul(read, n.e.reshape(n.in(4), Ints{batch * parts,
                                                 points * height * width, 1}));
  // [groups, C / groups * K, B * H * W]
  int64_t pixels = height * width;
  read =
      n.e.reshape(read, Ints{batch, parts, points, pixels, channels / parts});
  read = n.e.transpose(read, {1, 4, 2, 0, 3});
  read = n.e.reshape(read,
                     Ints{groups, channels / groups * points, batch * pixels});
  Value filters = n.e.reshape(
      filter, Ints{groups, ws[0] / groups, channels / groups * points});
  Value result = n.dot(filters, read, {0}, {0}, {2}, {1});
  result = n.e.reshape(result, Ints{ws[0], batch, height, width});
  result = n.e.transpose(result, {1, 0, 2, 3});
  if (n.has(3))
    result = n.add(result, n.along(n.in(3), 1, 4));
  return n.set(result);
}

} // namespace

void addSampleRules(NodeRules &rules) {
  rules.add("GridSample", gridSample, 2);
  rules.add("AffineGrid", affineGrid, 2);
  rules.add("DeformConv", deformConv, 3);
}

} // namespace kiln::onnx_to_prim
