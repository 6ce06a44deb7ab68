// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions with windows that only the program knows: what is below each
// window is gathered, and multiplied with the filters.
#include "Windows.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

Value convolveOpen(Node &n, Value x, Value filter, ArrayRef<OpenSide> sides,
                   Type element) {
  Type i64 = n.e.b.getI64Type();
  Value zero = n.integer(0);
  auto none = tensor_to_prim::numberAttr(n.e.elementOf(x), 0);
  Sizes window = n.e.sizesOf(filter);
  OpFoldResult batch = n.e.sizesOf(x)[0];
  // [batch, channels, places, window, places, window, ...].
  for (auto [d, side] : llvm::enumerate(sides)) {
    int64_t dim = 2 + 2 * d;
    Value size = n.e.sizeTensor(n.e.sizesOf(x)[dim]);
    Value spread = n.integer(side.spread);
    Value place = n.mul(n.iota(side.count, i64), n.integer(side.stride));
    Value tap = n.mul(n.iota(window[3 + d], i64), n.integer(side.dilation));
    Value at = n.add(n.unsqueeze(place, {1}), n.unsqueeze(tap, {0}));
    at = n.sub(at, side.low);
    Value isInside = n.both(n.ge(at, zero), n.lt(at, n.mul(size, spread)));
    if (side.spread != 1)
      isInside =
          n.both(isInside, n.eq(n.binary<prim::RemainderOp>(at, spread), zero));
    // A zero at the end is there for what is outside.
    Sizes one = n.e.sizesOf(x);
    one[dim] = n.e.size(1);
    x = n.e.concat({x, n.e.full(none, one)}, dim);
    x = n.take(x, n.where(isInside, n.div(at, spread), size), dim);
  }
  Sizes apart{batch, window[0], window[2]};
  Ints contract{2}, taps{2}, order{1, 0, int64_t(sides.size()) + 2};
  Sizes to{batch, n.e.sizeMath().mul(window[0], window[1])};
  for (auto [d, side] : llvm::enumerate(sides)) {
    llvm::append_range(apart, Sizes{side.count, window[3 + d]});
    contract.push_back(4 + 2 * d);
    taps.push_back(3 + d);
    order.push_back(2 + d);
    to.push_back(side.count);
  }
  // [groups, batch, places..., filters of a group].
  Value made = n.dot(n.e.reshape(x, apart), filter, {1}, {0}, contract, taps,
                     element ? element : n.e.elementOf(x));
  return n.broken ? Value() : n.e.reshape(n.e.transpose(made, order), to);
}

Value convOpen(Node &n, Value x, Value filter, Type element) {
  auto &math = n.e.sizeMath();
  size_t count = n.e.typeOf(x).getRank() - 2;
  Ints strides = n.getInts("strides", count, 1),
       dilations = n.getInts("dilations", count, 1),
       pads = n.getInts("pads", 2 * count, 0);
  int64_t groups = n.getInt("group", 1);
  if (n.broken)
    return {};
  if (groups < 1 ||
      llvm::any_of(
          strides, [](int64_t s) { return s < 1; }) ||
      llvm::any_of(dilations, [](int64_t s) { return s < 1; }))
    return n.refuse("has a group, a stride or a dilation below 1");
  StringRef how = n.getString("auto_pad", "NOTSET");
  bool isSame = how == "SAME_UPPER" || how == "SAME_LOWER";
  if (!isSame && how != "NOTSET" && how != "VALID")
    return n.refuse("has auto_pad '" + how + "'");
  Sizes sizes = n.e.sizesOf(x), window = n.e.sizesOf(filter);
  OpFoldResult one = n.e.size(1), zero = n.e.size(0);
  SmallVector<OpenSide> sides;
  for (size_t d = 0; d < count; ++d) {
    OpFoldResult size = sizes[d + 2], stride = n.e.size(strides[d]);
    OpFoldResult extent = math.add(
        math.mul(math.sub(window[d + 2], one), n.e.size(dilations[d])), one);
    OpFoldResult places, low = n.e.size(how == "NOTSET" ? pads[d] : 0);
    if (isSame) {
      places = math.ceilDiv(size, stride);
      OpFoldResult reach =
          math.add(math.mul(math.sub(places, one), stride), extent);
      OpFoldResult total = math.max(math.sub(reach, size), zero);
      OpFoldResult less = math.divPositive(total, n.e.size(2));
      low = how == "SAME_UPPER" ? less : math.sub(total, less);
    } else {
      int64_t padding = how == "NOTSET" ? pads[d] + pads[count + d] : 0;
      OpFoldResult room =
          math.add(math.sub(size, extent), n.e.size(padding + strides[d]));
      places = math.divPositive(math.max(room, zero), stride);
    }
    sides.push_back({places, n.e.sizeTensor(low), strides[d], dilations[d], 1});
  }
  Sizes apart{n.e.size(groups), math.divPositive(window[0], n.e.size(groups))};
  apart.append(window.begin() + 1, window.end());
  return convolveOpen(n, x, n.e.reshape(filter, apart), sides, element);
}

Value convTransposeOpen(Node &n, Value x, Value filter) {
  auto &math = n.e.sizeMath();
  size_t count = n.e.typeOf(x).getRank() - 2;
  Ints strides = n.getInts("strides", count, 1),
       dilations = n.getInts("dilations", count, 1),
       pads = n.getInts("pads", 2 * count, 0),
       extra = n.getInts("output_padding", count, 0);
  auto wanted = n.getInts("output_shape");
  if (wanted && wanted->size() == count + 2)
    wanted->erase(wanted->begin(), wanted->begin() + 2);
  int64_t groups = n.getInt("group", 1);
  if (n.broken)
    return {};
  if ((wanted && wanted->size() != count) || groups < 1 ||
      llvm::any_of(strides, [](int64_t s) { return s < 1; }))
    return n.refuse("has an output_shape, groups or strides that do not fit");
  StringRef how = n.getString("auto_pad", "NOTSET");
  bool isSame = how == "SAME_UPPER" || how == "SAME_LOWER";
  Sizes sizes = n.e.sizesOf(x), window = n.e.sizesOf(filter);
  OpFoldResult one = n.e.size(1), zero = n.e.size(0);
  SmallVector<OpenSide> sides;
  for (size_t d = 0; d < count; ++d) {
    OpFoldResult stride = n.e.size(strides[d]);
    OpFoldResult extent = math.add(
        math.mul(math.sub(window[d + 2], one), n.e.size(dilations[d])), one);
    // All that the windows reach, of which the pads are cut off.
    OpFoldResult all = math.add(
        math.add(math.mul(math.sub(sizes[d + 2], one), stride), extent),
        math.constant(extra[d]));
    OpFoldResult places, low = math.constant(how == "NOTSET" ? pads[d] : 0);
    if (wanted || isSame) {
      places = wanted ? n.e.size((*wanted)[d]) : math.mul(sizes[d + 2], stride);
      OpFoldResult total = math.max(math.sub(all, places), zero);
      OpFoldResult less = math.divPositive(total, n.e.size(2));
      low = how == "SAME_UPPER" ? less : math.sub(total, less);
    } else {
      int64_t cut = how == "NOTSET" ? pads[d] + pads[count + d] : 0;
      places = math.max(math.sub(all, math.constant(cut)), zero);
    }
    Value back = n.sub(n.integer(0), n.e.sizeTensor(low));
    sides.push_back({places, back, 1, -dilations[d], strides[d]});
  }
  Sizes apart{n.e.size(groups), math.divPositive(window[0], n.e.size(groups))};
  apart.append(window.begin() + 1, window.end());
  Ints order{0, 2, 1};
  for (size_t d = 0; d < count; ++d)
    order.push_back(d + 3);
  filter = n.e.transpose(n.e.reshape(filter, apart), order);
  return convolveOpen(n, x, filter, sides);
}

} // namespace kiln::onnx_to_prim
