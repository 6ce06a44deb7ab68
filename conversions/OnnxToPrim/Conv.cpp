// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions.
#include "Activation.h"
#include "Windows.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

FailureOr<Window> windowOf(Node &n, ArrayRef<int64_t> spatial,
                           ArrayRef<int64_t> kernel) {
  size_t count = spatial.size();
  if (kernel.size() != count)
    return n.fail("has a window of " + Twine(kernel.size()) +
                  " dimensions on a picture of " + Twine(count));
  Window w;
  w.kernel.assign(kernel.begin(), kernel.end());
  w.strides = n.getInts("strides", count, 1);
  w.dilations = n.getInts("dilations", count, 1);
  Ints pads = n.getInts("pads", 2 * count, 0);
  if (n.broken)
    return failure();
  w.low.assign(pads.begin(), pads.begin() + count);
  w.high.assign(pads.begin() + count, pads.end());
  for (size_t d = 0; d < count; ++d)
    if (w.strides[d] < 1 || w.dilations[d] < 1 || w.kernel[d] < 1)
      return n.fail("has a stride, a dilation or a window below 1");
  StringRef how = n.getString("auto_pad", "NOTSET");
  if (how == "NOTSET")
    return w;
  if (how != "VALID" && how != "SAME_UPPER" && how != "SAME_LOWER")
    return n.fail("has auto_pad '" + how + "'");
  w.low.assign(count, 0);
  w.high.assign(count, 0);
  if (how == "VALID")
    return w;
  for (size_t d = 0; d < count; ++d) {
    if (ShapedType::isDynamic(spatial[d]) && w.strides[d] != 1)
      continue;
    int64_t total =
        w.strides[d] == 1
            ? w.extent(d) - 1
            : std::max<int64_t>((llvm::divideCeil(spatial[d], w.strides[d]) -
                                 1) * w.strides[d] +
                                    w.extent(d) - spatial[d],
                                0);
    bool upper = how == "SAME_UPPER";
    w.low[d] = upper ? total / 2 : total - total / 2;
    w.high[d] = total - w.low[d];
  }
  return w;
}

Value padOpen(Node &n, Value x, const Window &w, Value filler) {
  StringRef how = n.getString("auto_pad", "NOTSET");
  if (how != "SAME_UPPER" && how != "SAME_LOWER")
    return x;
  for (size_t d = 0; d < w.kernel.size(); ++d) {
    int64_t dim = d + 2;
    if (!ShapedType::isDynamic(n.shape(x)[dim]) || w.strides[d] == 1)
      continue;
    index::ScalarBuilder &math = n.e.sizeMath();
    Sizes part = n.e.sizesOf(x);
    OpFoldResult size = part[dim], stride = n.e.size(w.strides[d]);
    OpFoldResult steps = math.sub(math.ceilDiv(size, stride), n.e.size(1));
    OpFoldResult reach =
        math.add(math.mul(steps, stride), n.e.size(w.extent(d)));
    OpFoldResult total = math.max(math.sub(reach, size), n.e.size(0));
    OpFoldResult less = math.divPositive(total, n.e.size(2));
    OpFoldResult more = math.sub(total, less);
    bool upper = how == "SAME_UPPER";
    part[dim] = upper ? less : more;
    Value before = n.expand(filler, part);
    part[dim] = upper ? more : less;
    x = n.e.concat({before, x, n.expand(filler, part)}, dim);
  }
  return x;
}

Value channelsLast(Node &n, Value x) {
  Ints order{0};
  for (int64_t d = 2; d < n.e.typeOf(x).getRank(); ++d)
    order.push_back(d);
  order.push_back(1);
  return n.e.transpose(x, order);
}

Value channelsFirst(Node &n, Value x) {
  int64_t rank = n.e.typeOf(x).getRank();
  Ints order{0, rank - 1};
  for (int64_t d = 1; d < rank - 1; ++d)
    order.push_back(d);
  return n.e.transpose(x, order);
}

Value convolve(Node &n, Value x, Value filter, const Window &w,
               ArrayRef<int64_t> inputDilation, int64_t groups, Type element) {
  x = channelsLast(n, x);
  filter = channelsLast(n, filter);
  int64_t channels = n.shape(x).back(), filters = n.shape(filter)[0];
  int64_t perGroup = n.shape(filter).back();
  bool isKnown =
      !ShapedType::isDynamic(channels) && !ShapedType::isDynamic(perGroup);
  if (groups < 1 || (isKnown && channels != groups * perGroup) ||
      (!ShapedType::isDynamic(filters) && filters % groups))
    return n.refuse("has " + Twine(channels) + " channels for filters of " +
                    Twine(n.shape(filter).back()) + " in " + Twine(groups) +
                    " groups");
  Ints to{n.shape(x)[0]};
  for (size_t d = 0; d < w.kernel.size(); ++d) {
    int64_t size = n.shape(x)[d + 1];
    if (w.low[d] < 0 || w.high[d] < 0)
      return n.refuse("has pads below 0");
    if (!ShapedType::isDynamic(size)) {
      int64_t room = (size - 1) * inputDilation[d] + 1 + w.low[d] + w.high[d] -
                     w.extent(d);
      if (room < 0 || size == 0)
        return n.refuse("has a window that does not fit the padded input");
      size = room / w.strides[d] + 1;
    }
    to.push_back(size);
  }
  to.push_back(filters);
  if (!element)
    element = n.e.elementOf(x);
  Value result = prim::ConvOp::create(n.e.b, RankedTensorType::get(to, element),
                                      x, filter, w.strides, w.low, w.high,
                                      w.dilations, inputDilation, groups);
  return channelsFirst(n, result);
}

/// Gives the filter the sizes of the window that an attribute states.
static LogicalResult completeFilter(Node &n, Value x, Value &filter) {
  int64_t rank = n.e.typeOf(x).getRank();
  if (rank < 3 || n.e.typeOf(filter).getRank() != rank)
    return n.fail("needs input and filters of one rank of at least 3");
  auto given = n.getInts("kernel_shape");
  if (!given)
    return success();
  if (int64_t(given->size()) == rank - 2)
    for (int64_t d = 2; d < rank; ++d)
      if (ShapedType::isDynamic(n.shape(filter)[d]))
        filter = n.requireSize(filter, d, (*given)[d - 2]);
  if (ArrayRef(*given) != n.shape(filter).drop_front(2))
    return n.fail("has a kernel_shape that is not that of its filters");
  return success();
}

Value convOf(Node &n, Value x, Value filter, Type element) {
  if (failed(completeFilter(n, x, filter)))
    return {};
  ArrayRef<int64_t> kernel = n.shape(filter).drop_front(2);
  if (ShapedType::isDynamicShape(kernel))
    return convOpen(n, x, filter, element);
  auto window = windowOf(n, n.shape(x).drop_front(2), kernel);
  if (failed(window))
    return {};
  x = padOpen(n, x, *window, n.number(0, x));
  return convolve(n, x, filter, *window, Ints(kernel.size(), 1),
                  n.getInt("group", 1), element);
}

namespace {

/// Adds a bias of a number for each channel.
Value addBias(Node &n, Value x, unsigned i) {
  if (!x || !n.has(i))
    return x;
  return n.add(x, n.along(n.in(i), 1, n.e.typeOf(x).getRank()));
}

LogicalResult conv(Node &n) {
  return n.set(addBias(n, convOf(n, n.in(0), n.in(1)), 2));
}

/// FusedConv: Conv, plus a tensor, with an activation.
LogicalResult fusedConv(Node &n) {
  Value result = addBias(n, convOf(n, n.in(0), n.in(1)), 2);
  if (result && n.has(3))
    result = n.add(result, n.in(3));
  auto parameters = n.getFloats("activation_params");
  return n.set(
      activate(n, result, n.getString("activation"),
               parameters ? ArrayRef(*parameters) : ArrayRef<double>()));
}

/// ConvTranspose: the input is spread by the strides and convolved with the
/// filters turned round.
LogicalResult convTranspose(Node &n) {
  Value x = n.in(0), filter = n.in(1);
  if (failed(completeFilter(n, x, filter)))
    return failure();
  if (!n.e.typeOf(filter).hasStaticShape())
    return n.set(addBias(n, convTransposeOpen(n, x, filter), 2));
  Ints kernel(n.shape(filter).drop_front(2));
  size_t count = kernel.size();
  int64_t groups = n.getInt("group", 1), channels = n.shape(filter)[0];
  if (groups < 1 || channels % groups)
    return n.fail("has filters of " + Twine(channels) + " channels in " +
                  Twine(groups) + " groups");
  Window w;
  w.kernel = kernel;
  w.strides = n.getInts("strides", count, 1);
  w.dilations = n.getInts("dilations", count, 1);
  Ints pads = n.getInts("pads", 2 * count, 0);
  Ints extra = n.getInts("output_padding", count, 0);
  StringRef how = n.getString("auto_pad", "NOTSET");
  auto wanted = n.getInts("output_shape");
  if (n.broken)
    return failure();
  if (wanted && wanted->size() == count + 2)
    wanted->erase(wanted->begin(), wanted->begin() + 2);
  if (wanted && wanted->size() != count)
    return n.fail("has an output_shape of " + Twine(wanted->size()) + " sizes");
  Ints cutLow(count, 0), cutHigh(count, 0);
  for (size_t d = 0; d < count; ++d) {
    int64_t size = n.shape(x)[d + 2], stride = w.strides[d];
    int64_t low = pads[d], high = pads[count + d];
    bool isSame = how == "SAME_UPPER" || how == "SAME_LOWER";
    if (wanted || isSame) {
      if (wanted && ShapedType::isDynamic(size))
        return n.fail("has a size that is not known");
      // Without output_shape the result is as many times as large as a step.
      int64_t missing = wanted ? stride * size - (*wanted)[d] : 0;
      int64_t total = missing + extra[d] + w.extent(d) - stride;
      // More than there is: the result is larger at its end.
      if (isSame && !wanted)
        total = std::max<int64_t>(total, 0);
      low = how == "SAME_UPPER" ? total / 2 : total - total / 2;
      low = std::max<int64_t>(low, 0);
      high = total - low;
    } else if (how == "VALID") {
      low = high = 0;
    }
    int64_t before = w.extent(d) - 1 - low,
            behind = w.extent(d) - 1 - high + extra[d];
    cutLow[d] = std::max<int64_t>(-before, 0);
    cutHigh[d] = std::max<int64_t>(-behind, 0);
    w.low.push_back(std::max<int64_t>(before, 0));
    w.high.push_back(std::max<int64_t>(behind, 0));
  }
  // [C, M / g, window...] to [M, C / g, window...], turned round.
  Ints apart{groups, channels / groups}, order{0, 2, 1},
      joined{groups * n.shape(filter)[1], channels / groups}, spatial;
  llvm::append_range(apart, n.shape(filter).drop_front(1));
  for (size_t d = 0; d < count; ++d) {
    order.push_back(d + 3);
    joined.push_back(kernel[d]);
    spatial.push_back(d + 2);
  }
  filter =
      n.e.reshape(n.e.transpose(n.e.reshape(filter, apart), order), joined);
  filter = prim::RevOp::create(n.e.b, filter.getType(), filter, spatial);
  Ints spread = w.strides;
  w.strides.assign(count, 1);
  Value result = convolve(n, x, filter, w, spread, groups);
  for (size_t d = 0; d < count && result; ++d)
    if (cutLow[d] || cutHigh[d]) {
      int64_t size = n.shape(result)[d + 2];
      if (ShapedType::isDynamic(size))
        return n.fail("has a size that is not known");
      result = n.slice(result, d + 2, cutLow[d], size - cutLow[d] - cutHigh[d]);
    }
  return n.set(addBias(n, result, 2));
}

/// Col2Im: columns of blocks are added where they were taken from.
LogicalResult col2Im(Node &n) {
  Value x = n.in(0);
  auto image = n.ints(1), block = n.ints(2);
  auto declared = n.declared();
  if (declared && declared->size() < 3)
    declared = std::nullopt;
  if (!image && declared)
    image = Ints(ArrayRef(*declared).drop_front(2));
  if (!block && image && n.rank(0) == 3 && declared && n.rank(2) == 1 &&
      n.shape(n.in(2))[0] == 1 && (*declared)[1])
    block = Ints{n.shape(x)[1] / (*declared)[1]};
  if (!image || n.rank(0) != 3 ||
      ShapedType::isDynamicShape(n.shape(x).drop_front()))
    return n.fail("has sizes that are not known");
  size_t count = image->size();
  if (!block) // of those that make the number of columns, the only one
    return n.fail("has a block_shape that is not known");
  auto window = windowOf(n, *image, *block);
  if (failed(window))
    return failure();
  const Window &w = *window;
  int64_t points = 1, columns = 1;
  Ints blocks;
  for (size_t d = 0; d < count; ++d) {
    blocks.push_back(
        ((*image)[d] + w.low[d] + w.high[d] - w.extent(d)) / w.strides[d] + 1);
    points *= (*block)[d];
    columns *= blocks.back();
  }
  if (points == 0 || n.shape(x)[1] % points || n.shape(x)[2] != columns)
    return n.fail("has columns that are not made of blocks");
  int64_t channels = n.shape(x)[1] / points;
  // Position of each element: block * stride + offset * dilation - pad.
  Ints all(*block);
  llvm::append_range(all, blocks);
  int64_t rank = 2 * count;
  Value place, inside;
  for (size_t d = 0; d < count; ++d) {
    Type i64 = n.e.b.getI64Type();
    Value at = n.add(n.mul(n.along(n.iota((*block)[d], i64), d, rank),
                           n.integer(w.dilations[d])),
                     n.mul(n.along(n.iota(blocks[d], i64), count + d, rank),
                           n.integer(w.strides[d])));
    at = n.sub(at, n.integer(w.low[d]));
    Value here =
        n.both(n.ge(at, n.integer(0)), n.lt(at, n.integer((*image)[d])));
    inside = inside ? n.both(inside, here) : here;
    place = place ? n.add(n.mul(place, n.integer((*image)[d])), at) : at;
  }
  int64_t elements = 1, pixels = 1;
  for (int64_t size : all)
    elements *= size;
  for (int64_t size : *image)
    pixels *= size;
  place = n.where(inside, place, n.integer(pixels)); // outside: dropped
  place = n.e.reshape(n.expand(place, all), Ints{elements, 1});
  tensor_to_prim::Sizes outer{n.e.sizesOf(x)[0], n.e.size(channels)};
  auto with = [&](ArrayRef<int64_t> first, ArrayRef<int64_t> last) {
    tensor_to_prim::Sizes sizes;
    for (int64_t size : first)
      sizes.push_back(n.e.size(size));
    llvm::append_range(sizes, outer);
    for (int64_t size : last)
      sizes.push_back(n.e.size(size));
    return sizes;
  };
  Value rows = n.e.transpose(n.e.reshape(x, with({}, elements)), {2, 0, 1});
  Value zero = n.e.full(tensor_to_prim::numberAttr(n.e.elementOf(x), 0),
                        with(pixels, {}));
  Value sum = prim::ScatterOp::create(
      n.e.b, zero.getType(), prim::ScatterKind::add, zero, place,
      n.e.reshape(rows, with({elements, 1}, {})), Ints{0}, 0, false);
  return n.set(n.e.reshape(n.e.transpose(sum, {1, 2, 0}), with({}, *image)));
}

} // namespace

void addConvRules(NodeRules &rules) {
  rules.add("Conv", conv, 2);
  rules.add("com.microsoft.FusedConv", fusedConv, 2);
  rules.add("ConvTranspose", convTranspose, 2);
  rules.add("Col2Im", col2Im, 3);
}

} // namespace kiln::onnx_to_prim
