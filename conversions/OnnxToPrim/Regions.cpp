// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions of pictures that are brought to one size.
#include "Control.h"
#include "Windows.h"

#include <limits>

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// Regions of pictures that are read at samples.
struct Regions {
  Node &n;
  Value x, rois, batch;
  bool isMax, half;
  double scale;

  Value corner(int64_t k) {
    Value c =
        n.mul(n.squeeze(n.slice(rois, 1, k, 1), {1}), n.number(scale, rois));
    return n.sub(c, n.number(half ? 0.5 : 0, c)); // [R]
  }
  /// The size of one of `parts` along a dimension, whose first corner it is.
  Value bin(int64_t first, int64_t parts) {
    Value length = n.sub(corner(first + 2), corner(first));
    if (!half)
      length = n.max(length, n.number(1, length));
    return n.div(length, n.number(parts, length));
  }
  /// Places and weights along one dimension: [R, steps], two taps.
  struct Line {
    Value low, high, lowWeight, highWeight;
  };
  /// At places that are counted in parts: [R, steps], or [1, steps].
  Line line(int64_t first, Value bin, Value steps, OpFoldResult size) {
    Value at = n.add(n.unsqueeze(corner(first), {1}),
                     n.mul(n.unsqueeze(bin, {1}), steps));
    Value inside =
        n.both(n.ge(at, n.number(-1, at)), n.le(at, beside(n, size, 0, at)));
    Value last = beside(n, size, -1, at);
    Value y = n.min(n.max(at, n.number(0, at)), last);
    Value low = n.unary<prim::FloorOp>(y), t = n.sub(y, low);
    Value zero = n.number(0, at);
    return Line{n.i64(low), n.i64(n.min(n.add(low, n.number(1, low)), last)),
                n.where(inside, n.sub(n.number(1, t), t), zero),
                n.where(inside, t, zero)};
  }
  /// What is read where rows and columns cross: [R, rows, columns, C].
  Value read(const Line &v, const Line &h);
  /// As many samples in each part as `samples` says: [R, height, width, C].
  Value fixed(int64_t height, int64_t width, int64_t samples);
  /// As many samples in each part as pixels of the picture lie in it.
  Value adaptive(int64_t height, int64_t width);
};

Value Regions::read(const Line &v, const Line &h) {
  Sizes sizes = n.e.sizesOf(x);
  OpFoldResult one = n.e.size(1);
  OpFoldResult pixels = n.e.sizeMath().product({sizes[2], sizes[3]});
  OpFoldResult all = n.e.sizeMath().product({sizes[0], pixels});
  Value planes = n.e.reshape(channelsLast(n, x), {all, sizes[1]});
  Value first = n.e.reshape(n.i64(batch), {n.e.sizesOf(rois)[0], one, one});
  first = n.mul(first, n.e.sizeTensor(pixels));
  Value columns = n.e.sizeTensor(sizes[3]);
  Value result;
  for (bool down : {false, true})
    for (bool right : {false, true}) {
      Value row = n.unsqueeze(down ? v.high : v.low, {2});
      Value column = n.unsqueeze(right ? h.high : h.low, {1});
      Value place = n.add(first, n.add(n.mul(row, columns), column));
      Value weight =
          n.mul(n.unsqueeze(down ? v.highWeight : v.lowWeight, {2}),
                n.unsqueeze(right ? h.highWeight : h.lowWeight, {1}));
      Value part = n.mul(n.take(planes, place, 0), n.unsqueeze(weight, {3}));
      result = !result ? part
               : isMax ? n.max(result, part)
                       : n.add(result, part);
    }
  return result;
}

Value Regions::fixed(int64_t height, int64_t width, int64_t samples) {
  Sizes sizes = n.e.sizesOf(x);
  Type element = n.e.elementOf(x);
  auto along = [&](int64_t first, int64_t parts, OpFoldResult size) {
    Value i = n.iota(parts * samples, element); // part * samples + sample
    Value steps = n.div(n.add(i, n.number(0.5, i)), n.number(samples, i));
    return line(first, bin(first, parts), n.unsqueeze(steps, {0}), size);
  };
  Value result = read(along(1, height, sizes[2]), along(0, width, sizes[3]));
  auto size = [&](int64_t number) -> OpFoldResult { return n.e.size(number); };
  result =
      n.e.reshape(result, {n.e.sizesOf(rois)[0], size(height), size(samples),
                           size(width), size(samples), sizes[1]});
  return isMax ? n.reduce<prim::AmaxOp>(result, {2, 4}, false)
               : n.mean(result, {2, 4});
}

Value Regions::adaptive(int64_t height, int64_t width) {
  Sizes sizes = n.e.sizesOf(x);
  Type element = n.e.elementOf(x);
  Value zero = n.number(0, element);
  Value binHeight = bin(1, height), binWidth = bin(0, width);
  auto countOf = [&](Value bin) {
    return n.max(n.unary<prim::CeilOp>(bin), zero);
  };
  Value rows = countOf(binHeight), columns = countOf(binWidth); // [R]
  auto most = [&](Value counts) { // of at least one region
    Value none =
        n.e.full(tensor_to_prim::numberAttr(element, 0), {n.e.size(1)});
    return n.i64(
        n.reduce<prim::AmaxOp>(n.e.concat({counts, none}, 0), {0}, false));
  };
  Value width0 = n.max(most(columns), n.integer(1));
  OpFoldResult steps = n.sizeFrom(n.mul(most(rows), width0));
  auto along = [&](int64_t first, int64_t parts, Value bin, Value counts,
                   Value sample, OpFoldResult size) {
    Value inPart = n.div(n.add(sample, n.number(0.5, element)), counts); // [R]
    Value steps = n.add(n.unsqueeze(n.iota(parts, element), {0}),
                        n.unsqueeze(inPart, {1}));
    return line(first, bin, steps, size);
  };
  double least = isMax ? -std::numeric_limits<double>::infinity() : 0;
  Value start = n.e.full(
      tensor_to_prim::numberAttr(element, least),
      {n.e.sizesOf(rois)[0], n.e.size(height), n.e.size(width), sizes[1]});
  auto step = [&](Value number,
                  ArrayRef<Value> now) -> FailureOr<SmallVector<Value>> {
    Value row = n.cast(n.div(number, width0), element),
          column = n.cast(n.binary<prim::RemainderOp>(number, width0), element);
    Value made = read(along(1, height, binHeight, rows, row, sizes[2]),
                      along(0, width, binWidth, columns, column, sizes[3]));
    Value isThere = n.both(n.lt(row, rows), n.lt(column, columns));
    Value next = isMax ? n.max(now[0], made) : n.add(now[0], made);
    return SmallVector<Value>{
        n.where(n.unsqueeze(isThere, {1, 2, 3}), next, now[0])};
  };
  auto made = countedLoop(n, steps, start, step);
  if (failed(made))
    return {};
  Value result = made->front(), count = n.mul(rows, columns);
  if (isMax)
    return n.where(n.unsqueeze(n.gt(count, zero), {1, 2, 3}), result, zero);
  count = n.max(count, n.number(1, element));
  return n.div(result, n.unsqueeze(count, {1, 2, 3}));
}

/// RoiAlign: means or largest values of samples in each part of a region.
LogicalResult roiAlign(Node &n) {
  int64_t height = n.getInt("output_height", 1),
          width = n.getInt("output_width", 1),
          samples = n.getInt("sampling_ratio", 0);
  bool half = n.getString("coordinate_transformation_mode",
                          n.opset() < 16 ? "output_half_pixel"
                                         : "half_pixel") == "half_pixel";
  if (n.rank(0) != 4 || n.rank(1) != 2 ||
      !llvm::is_contained({int64_t(4), ShapedType::kDynamic},
                          n.shape(n.in(1))[1]))
    return n.fail("needs a picture of rank 4 and regions of four corners");
  Regions regions{n,
                  n.in(0),
                  n.in(1),
                  n.in(2),
                  n.getString("mode", "avg") == "max",
                  half,
                  n.getFloat("spatial_scale", 1)};
  Value result = samples > 0 ? regions.fixed(height, width, samples)
                             : regions.adaptive(height, width);
  return result ? n.set(n.e.transpose(result, {0, 3, 1, 2})) : failure();
}

} // namespace

void addRegionRules(NodeRules &rules) { rules.add("RoiAlign", roiAlign, 3); }

} // namespace kiln::onnx_to_prim
