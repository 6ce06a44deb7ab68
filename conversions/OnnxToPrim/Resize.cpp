// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resizing: one dimension after the other, at coordinates that are computed
// in f64.
#include "Node.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// What a resize is asked for.
struct Resize {
  StringRef mode, transform, nearest, policy;
  double a, outside;
  bool exclude, antialias;
  /// As Resize of operator set 10 says what is nearest.
  bool isOfSet10 = false;
};

/// One dimension: from how many elements to how many, which may be known at run
/// time only, scalars of f64, and the scale where it is known.
struct Side {
  int64_t dim;
  OpFoldResult count;
  Value from, to, scale, roiStart, roiEnd;
  std::optional<double> ratio;
};

/// A scalar of f64.
Value num(Node &n, double value) { return n.number(value, n.e.b.getF64Type()); }

/// The last place, which is a scalar of f64.
Value lastOf(Node &n, const Side &s) { return n.sub(s.from, num(n, 1)); }

/// The place in the input that is nearest to a place.
Value inside(Node &n, const Side &s, Value place) {
  return n.min(n.max(place, num(n, 0)), lastOf(n, s));
}

/// The coordinate in the input of each element of the output.
Value coordinates(Node &n, const Resize &r, const Side &s) {
  Value i = n.iota(s.count, n.e.b.getF64Type());
  Value width = n.mul(s.scale, s.from); // as it would be, unrounded
  Value one = n.eq(width, num(n, 1));
  Value half = n.sub(n.div(n.add(i, num(n, 0.5)), s.scale), num(n, 0.5));
  Value last = lastOf(n, s);
  if (r.transform == "half_pixel")
    return half;
  if (r.transform == "pytorch_half_pixel")
    return n.where(one, num(n, -0.5), half);
  if (r.transform == "tf_half_pixel_for_nn") // of operator set 11 alone
    return n.div(n.add(i, num(n, 0.5)), s.scale);
  if (r.transform == "half_pixel_symmetric") {
    Value adjustment = n.div(s.to, width);
    Value offset =
        n.mul(n.mul(s.from, num(n, 0.5)), n.sub(num(n, 1), adjustment));
    return n.add(offset, half);
  }
  if (r.transform == "asymmetric")
    return n.div(i, s.scale);
  Value steps = n.where(one, num(n, 1), n.sub(width, num(n, 1)));
  if (r.transform == "align_corners")
    return n.where(one, num(n, 0), n.div(n.mul(i, last), steps));
  // tf_crop_and_resize
  Value length = n.mul(n.sub(s.roiEnd, s.roiStart), last);
  Value at =
      n.where(one, n.mul(length, num(n, 0.5)), n.div(n.mul(i, length), steps));
  return n.add(at, n.mul(s.roiStart, last));
}

/// The weight of an element at a distance, by the mode.
Value weightAt(Node &n, const Resize &r, Value distance) {
  Value x = n.unary<prim::AbsOp>(distance);
  if (r.mode == "linear")
    return n.max(n.sub(num(n, 1), x), num(n, 0));
  auto poly = [&](double c3, double c2, double c1, double c0) {
    Value sum = num(n, c3);
    for (double c : {c2, c1, c0})
      sum = n.add(n.mul(sum, x), num(n, c));
    return sum;
  };
  Value near = poly(r.a + 2, -(r.a + 3), 0, 1);
  Value far = poly(r.a, -5 * r.a, 8 * r.a, -4 * r.a);
  return n.where(n.le(x, num(n, 1)), near,
                 n.where(n.lt(x, num(n, 2)), far, num(n, 0)));
}

/// What does not depend on arguments becomes a constant.
Value settle(Node &n, Value x) {
  auto known = n.graph.evaluate(x);
  if (!known || x.getDefiningOp<prim::ConstantOp>())
    return x;
  ArrayRef<int64_t> shape = n.shape(x);
  if (isa<FloatType>(n.e.elementOf(x))) {
    SmallVector<double> numbers;
    for (int64_t i = 0; i < known->size(); ++i)
      numbers.push_back(known->element(i).asDouble());
    return n.floats(numbers, shape, n.e.elementOf(x));
  }
  return n.e.reshape(n.list(*n.intsOf(x)), shape);
}

Value nearest(Node &n, const Resize &r, const Side &s, Value x, Value at) {
  Value rounded;
  Value half = num(n, 0.5);
  // Quotients are of f32, in which 3.5 / 0.7 - 0.5 is 4.5.
  at = n.cast(n.f32(at), n.e.b.getF64Type());
  if (r.isOfSet10) { // up where the image shrinks
    rounded = n.where(n.lt(s.scale, num(n, 1)), n.unary<prim::CeilOp>(at),
                      n.unary<prim::FloorOp>(at));
  } else if (r.nearest == "floor")
    rounded = n.unary<prim::FloorOp>(at);
  else if (r.nearest == "ceil")
    rounded = n.unary<prim::CeilOp>(at);
  else if (r.nearest == "round_prefer_ceil")
    rounded = n.unary<prim::FloorOp>(n.add(at, half));
  else if (r.nearest == "round_prefer_floor")
    rounded = n.unary<prim::CeilOp>(n.sub(at, half));
  else
    return n.refuse("has nearest_mode '" + r.nearest + "'");
  return n.take(x, settle(n, n.i64(inside(n, s, rounded))), s.dim);
}

/// A sum of near elements with weights.
Value interpolate(Node &n, const Resize &r, const Side &s, Value x, Value at) {
  int64_t reach = r.mode == "linear" ? 1 : 2, first = 1 - reach, last = reach;
  Value shrink = num(n, 1);
  if (r.antialias) {
    // More elements take part where there will be fewer.
    shrink = n.min(s.scale, shrink);
    if (!s.ratio)
      return n.refuse("has antialias with a scale that is not known");
    double ratio = std::min(*s.ratio, 1.0);
    int64_t wide = std::ceil(reach / std::max(ratio, 1e-6)) + 1;
    first = 1 - wide;
    last = wide;
    if (last - first > 4096)
      return n.refuse("shrinks a dimension too much");
  }
  Value base = n.unary<prim::FloorOp>(at);
  SmallVector<Value> places, weights;
  Value total;
  for (int64_t k = first; k <= last; ++k) {
    Value place = n.add(base, num(n, k));
    Value weight = weightAt(n, r, n.mul(n.sub(place, at), shrink));
    if (r.exclude) {
      Value isThere = n.both(n.ge(place, num(n, 0)), n.le(place, lastOf(n, s)));
      weight = n.where(isThere, weight, num(n, 0));
    }
    total = total ? n.add(total, weight) : weight;
    places.push_back(n.i64(inside(n, s, place)));
    weights.push_back(weight);
  }
  bool scaled = r.exclude || r.antialias;
  int64_t rank = n.e.typeOf(x).getRank();
  Value sum;
  for (auto [place, weight] : llvm::zip_equal(places, weights)) {
    if (scaled)
      weight = n.div(weight, total);
    Value w = n.cast(settle(n, weight), n.e.elementOf(x));
    Value along = n.along(w, s.dim, rank);
    Value part = n.mul(n.take(x, settle(n, place), s.dim), along);
    if (r.antialias) { // what has no weight may be NaN
      Value zero = n.number(0, part);
      part = n.where(n.eq(along, zero), zero, part);
    }
    sum = sum ? n.add(sum, part) : part;
  }
  return sum;
}

/// The entry of a list, of any type, as a scalar of f64.
Value entry(Node &n, Value list, int64_t k) {
  return n.cast(n.e.reshape(n.slice(list, 0, k, 1), ArrayRef<int64_t>()),
                n.e.b.getF64Type());
}

/// How many elements dimension `d` has that is scaled: what the product of f32
/// says, or that of f64 where the model declares it (10 times 0.7 are 7 and 6).
int64_t scaledCount(int64_t from, double scale,
                    const std::optional<Ints> &declared, int64_t d) {
  int64_t exact = std::floor(from * scale);
  return declared && (*declared)[d] == exact
             ? exact
             : int64_t(std::floor(float(from) * float(scale)));
}

/// A size as a scalar of f64.
Value scalarOf(Node &n, OpFoldResult size) {
  Type f64 = n.e.b.getF64Type();
  auto number = getConstantIntValue(size);
  return number ? num(n, *number) : n.cast(n.e.sizeTensor(size), f64);
}

/// One scale for all dimensions that keeps the ratio of sizes, and what it is
/// where sizes are known.
struct Shared {
  Value scale;
  std::optional<double> number;
};

Shared sharedScale(Node &n, const Resize &r, Value sizes,
                   const std::optional<eval::Value> &known,
                   ArrayRef<int64_t> dims, const Sizes &have) {
  Value common;
  std::optional<double> shared;
  bool larger = r.policy == "not_smaller";
  for (auto [k, d] : llvm::enumerate(dims)) {
    Value own = n.div(entry(n, sizes, k), scalarOf(n, have[d]));
    common = !common ? own : larger ? n.max(common, own) : n.min(common, own);
    if (auto from = getConstantIntValue(have[d]); known && from) {
      double number = known->element(k).asDouble() / *from;
      shared = !shared  ? number
               : larger ? std::max(*shared, number)
                        : std::min(*shared, number);
    }
  }
  return {common, shared};
}

/// Checks each scale, or size, that is known before anything is computed with
/// it: it is finite and above 0 (a size may be 0), and what it makes of a
/// dimension is a number of elements.
LogicalResult checkNumbers(Node &n, const eval::Value &numbers,
                           ArrayRef<int64_t> dims, const Sizes &have,
                           bool isSizes) {
  constexpr double limit = 1LL << 48;
  for (auto [k, d] : llvm::enumerate(dims)) {
    double number = numbers.element(k).asDouble();
    double from = getConstantIntValue(have[d]).value_or(1);
    double count = isSizes ? number : number * from;
    bool isPositive = isSizes ? number >= 0 : number > 0;
    if (isPositive && from >= 1 && count < limit)
      continue;
    return n.fail("resizes " + Twine(int64_t(from)) + " elements " +
                  (isSizes ? "to " : "by ") +
                  llvm::formatv("{0}", number).str());
  }
  return success();
}

/// Sizes and scales of the dimensions that change.
FailureOr<SmallVector<Side>> sidesOf(Node &n, const Resize &r, Value scales,
                                     Value sizes, Value roi) {
  Value x = n.in(0);
  int64_t rank = n.rank(0);
  Ints dims;
  for (int64_t d = 0; d < rank; ++d)
    dims.push_back(d);
  if (auto given = n.getInts("axes"))
    dims = n.axes(*given, rank);
  if (n.broken)
    return failure();
  int64_t count = dims.size();
  auto length = [&](Value list) {
    return n.e.typeOf(list).getRank() == 1 ? n.shape(list)[0] : -1;
  };
  if ((!scales && !sizes) || length(scales ? scales : sizes) != count)
    return n.fail("has no scale or size for each axis");
  auto declared = n.declared();
  if (declared && int64_t(declared->size()) != rank)
    declared = std::nullopt;
  auto known = n.graph.evaluate(scales ? scales : sizes);
  bool isWhole = r.transform == "tf_crop_and_resize";
  Sizes have = n.e.sizesOf(x);
  std::optional<Sizes> wanted;
  if (!known && !declared && sizes)
    if (!(wanted = n.readSizes(sizes)))
      wanted = n.dataSizes(3);
  if (!known && !declared && !wanted && !scales)
    return n.fail("has scales or sizes that are not known");
  auto scalar = [&](OpFoldResult size) { return scalarOf(n, size); };
  if (known && failed(checkNumbers(n, *known, dims, have, sizes != nullptr)))
    return failure();
  Shared one;
  if (sizes && r.policy != "stretch")
    one = sharedScale(n, r, sizes, known, dims, have);
  auto [common, shared] = one;
  bool isShared = common && llvm::all_of(dims, [&](int64_t d) {
                    return known && getConstantIntValue(have[d]).has_value();
                  });
  SmallVector<Side> sides;
  for (auto [k, d] : llvm::enumerate(dims)) {
    Side s{d, {}, scalar(have[d]), {}, {}, {}, {}, {}};
    auto from = getConstantIntValue(have[d]);
    double number = known ? known->element(k).asDouble() : 0;
    auto rounded = [&](Value size) { return n.sizeFrom(n.i64(size)); };
    if (known && scales && number == 1 && !isWhole)
      continue;
    if (wanted && !common && (*wanted)[k] == have[d] && !isWhole)
      continue;
    if (known && scales)
      s.count = from ? n.e.size(scaledCount(*from, number, declared, d))
                     : rounded(n.unary<prim::FloorOp>(
                           n.mul(n.f32(s.from), n.f32(num(n, number)))));
    else if (isShared)
      s.count = n.e.size(std::floor(*shared * *from + 0.5));
    else if (common && !declared)
      s.count = rounded(
          n.unary<prim::FloorOp>(n.add(n.mul(common, s.from), num(n, 0.5))));
    else if (scales && !declared)
      s.count = rounded(n.unary<prim::FloorOp>(
          n.mul(n.f32(s.from), n.f32(entry(n, scales, k)))));
    else
      s.count = known    ? n.e.size(number)
                : wanted ? (*wanted)[k]
                         : n.e.size((*declared)[d]);
    auto to = getConstantIntValue(s.count);
    // A shared scale may keep a size and yet move its coordinates.
    if (known && sizes && from && to == from && !isWhole &&
        (!common || shared == 1.0))
      continue;
    if ((from && *from < 1) || (to && *to < 0))
      return n.fail("resizes " + Twine(from.value_or(0)) + " elements to " +
                    Twine(to.value_or(0)));
    s.to = scalar(s.count);
    if (from && to)
      s.ratio = double(*to) / *from;
    else if (known && scales)
      s.ratio = number;
    s.scale = scales       ? entry(n, scales, k)
              : common     ? common
              : from && to ? num(n, double(*to) / *from)
                           : n.div(s.to, s.from);
    if (isWhole) {
      if (!roi || length(roi) != 2 * count)
        return n.fail("has no region of interest");
      s.roiStart = entry(n, roi, k);
      s.roiEnd = entry(n, roi, k + count);
    }
    sides.push_back(s);
  }
  return sides;
}

LogicalResult resizeWith(Node &n, const Resize &r, Value scales, Value sizes,
                         Value roi) {
  static constexpr StringRef transforms[] = {
      "half_pixel",          "pytorch_half_pixel", "half_pixel_symmetric",
      "align_corners",       "asymmetric",         "tf_crop_and_resize",
      "tf_half_pixel_for_nn"};
  if (!llvm::is_contained(transforms, r.transform))
    return n.fail("has coordinate_transformation_mode '" + r.transform + "'");
  if (r.mode != "nearest" && r.mode != "linear" && r.mode != "cubic")
    return n.fail("has mode '" + r.mode + "'");
  auto sides = sidesOf(n, r, scales, sizes, roi);
  if (failed(sides))
    return failure();
  Value x = n.in(0);
  if (r.mode != "nearest")
    x = n.isFloat(0) ? n.wide(x)
                     : n.cast(x, n.e.b.getF32Type(), n.isUnsigned(0));
  for (const Side &s : *sides) {
    Value at = coordinates(n, r, s);
    Value result = r.mode == "nearest" ? nearest(n, r, s, x, at)
                                       : interpolate(n, r, s, x, at);
    if (!result || n.broken)
      return failure();
    if (r.transform == "tf_crop_and_resize") {
      Value out = n.either(n.lt(at, num(n, 0)), n.gt(at, lastOf(n, s)));
      result = n.where(n.along(out, s.dim, n.rank(0)),
                       n.number(r.outside, result), result);
    }
    x = result;
  }
  return n.set(n.cast(x, n.elementIn(0)));
}

LogicalResult resize(Node &n) {
  Resize r{n.getString("mode", "nearest"),
           n.getString("coordinate_transformation_mode", "half_pixel"),
           n.getString("nearest_mode", "round_prefer_floor"),
           n.getString("keep_aspect_ratio_policy", "stretch"),
           n.getFloat("cubic_coeff_a", -0.75),
           n.getFloat("extrapolation_value", 0),
           n.getInt("exclude_outside", 0) != 0,
           n.getInt("antialias", 0) != 0};
  auto some = [&](unsigned i) {
    bool isThere = n.has(i) && !(n.e.typeOf(n.in(i)).hasStaticShape() &&
                                 n.e.typeOf(n.in(i)).getNumElements() == 0);
    return isThere ? n.in(i) : Value();
  };
  if (n.opset() < 11) { // the scales are the second input
    r.transform = "asymmetric";
    r.isOfSet10 = true;
    return resizeWith(n, r, some(1), Value(), Value());
  }
  Value sizes = some(3);
  return resizeWith(n, r, sizes ? Value() : some(2), sizes, some(1));
}

/// Upsample, which Resize has replaced.
LogicalResult upsample(Node &n) {
  StringRef mode = n.getString("mode", "nearest");
  Resize r{mode, "asymmetric", "floor", "stretch", -0.75, 0, false, false};
  Value scales = n.has(1) ? n.in(1) : Value();
  if (auto given = n.getFloats("scales"))
    scales = n.floats(*given, {int64_t(given->size())}, n.e.b.getF32Type());
  return resizeWith(n, r, scales, Value(), Value());
}

} // namespace

void addResizeRules(NodeRules &rules) {
  rules.add("Resize", resize);
  rules.add("Upsample", upsample);
}

} // namespace kiln::onnx_to_prim
