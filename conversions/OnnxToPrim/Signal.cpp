// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fourier transforms, windows of signals, mel scales.
#include "Node.h"

#include <cmath>

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// A scalar input in f64; a known one is exact.
Value real(Node &n, unsigned i) {
  Value x = n.e.reshape(n.in(i), ArrayRef<int64_t>());
  return n.cast(x, n.e.b.getF64Type(), n.isUnsigned(i));
}

/// Cosines and sines of 2 pi n k / length: [from, to].
std::pair<Value, Value> waves(Node &n, int64_t from, int64_t to, int64_t length,
                              Type element) {
  SmallVector<double> cosines, sines;
  for (int64_t i = 0; i < from; ++i)
    for (int64_t k = 0; k < to; ++k) {
      double angle = 2 * M_PI * double((i * k) % length) / length;
      cosines.push_back(std::cos(angle));
      sines.push_back(std::sin(angle));
    }
  return {n.floats(cosines, {from, to}, element),
          n.floats(sines, {from, to}, element)};
}

/// The transform of numbers [..., length, 1 or 2] along their last dimension
/// but one, to `count` frequencies of a transform of `length`.
Value transform(Node &n, Value x, int64_t length, int64_t count, bool inverse) {
  int64_t rank = n.e.typeOf(x).getRank(), from = n.shape(x)[rank - 2];
  bool isComplex = n.shape(x)[rank - 1] == 2;
  // Longer signals are cut; what is missing is 0.
  if (from > length)
    x = n.slice(x, rank - 2, 0, from = length);
  auto [cosines, sines] = waves(n, from, count, length, n.e.elementOf(x));
  auto part = [&](int64_t k) {
    return n.squeeze(n.slice(x, rank - 1, k, 1), {rank - 1});
  };
  auto times = [&](Value v, Value m) {
    return n.dot(v, m, {}, {}, {rank - 2}, {0});
  };
  // e^(-i a) = cos a - i sin a, and the other way round for the inverse.
  Value re = times(part(0), cosines), im = times(part(0), sines);
  if (!inverse)
    im = n.unary<prim::NegOp>(im);
  if (isComplex) {
    Value s = times(part(1), sines);
    re = inverse ? n.sub(re, s) : n.add(re, s);
    im = n.add(im, times(part(1), cosines));
  }
  Value result = n.e.concat(
      {n.unsqueeze(re, {rank - 1}), n.unsqueeze(im, {rank - 1})}, rank - 1);
  return inverse ? n.div(result, n.number(length, result)) : result;
}

/// The real numbers whose one half of frequencies is given.
Value realInverse(Node &n, Value x, int64_t length) {
  int64_t rank = n.e.typeOf(x).getRank(), half = n.shape(x)[rank - 2];
  int64_t count = std::min(half, length / 2 + 1);
  x = n.slice(x, rank - 2, 0, count);
  // The other half is its conjugate: the real part counts twice.
  SmallVector<double> cosines, sines;
  for (int64_t k = 0; k < count; ++k)
    for (int64_t i = 0; i < length; ++i) {
      double angle = 2 * M_PI * double((i * k) % length) / length;
      double weight = (k == 0 || 2 * k == length ? 1.0 : 2.0) / length;
      cosines.push_back(weight * std::cos(angle));
      sines.push_back(-weight * std::sin(angle));
    }
  auto part = [&](int64_t k) {
    return n.squeeze(n.slice(x, rank - 1, k, 1), {rank - 1});
  };
  Type element = n.e.elementOf(x);
  Value result = n.dot(part(0), n.floats(cosines, {count, length}, element), {},
                       {}, {rank - 2}, {0});
  if (n.shape(x)[rank - 1] == 2)
    result =
        n.add(result, n.dot(part(1), n.floats(sines, {count, length}, element),
                            {}, {}, {rank - 2}, {0}));
  return n.unsqueeze(result, {rank - 1});
}

constexpr int64_t mostLength = 4096;

/// DFT: along one axis; before version 20 that is an attribute.
LogicalResult dft(Node &n) {
  Value x = n.wide(n.in(0));
  int64_t rank = n.rank(0);
  bool inverse = n.getInt("inverse", 0), half = n.getInt("onesided", 0);
  if (rank < 2 || ShapedType::isDynamic(n.shape(x)[rank - 1]))
    return n.fail("of numbers with parts that are not known");
  auto declared = n.declared();
  if (declared && int64_t(declared->size()) != rank)
    declared = std::nullopt;
  auto along = [&](int64_t dim) -> Value {
    if (dim == rank - 1)
      return n.refuse("along the parts of complex numbers");
    int64_t length = n.shape(x)[dim];
    if (ShapedType::isDynamic(length))
      return n.refuse("along a size that is not known");
    if (half && inverse)
      length = 2 * (length - 1);
    if (n.has(1)) {
      auto known = n.ints(1);
      if (known && known->size() == 1)
        length = known->front();
      else if (declared && !(half && !inverse))
        length = (*declared)[dim];
      else if (!declared || (*declared)[dim] != length / 2 + 1)
        return n.refuse("has a length that is not known");
    }
    if (length < 1 || length > mostLength)
      return n.refuse("of length " + Twine(length));
    Ints order;
    for (int64_t d = 0; d < rank; ++d)
      if (d != dim && d != rank - 1)
        order.push_back(d);
    order.push_back(dim);
    order.push_back(rank - 1);
    Ints back(rank);
    for (auto [to, from] : llvm::enumerate(order))
      back[from] = to;
    Value moved = n.e.transpose(x, order);
    Value result = half && inverse
                       ? realInverse(n, moved, length)
                       : transform(n, moved, length,
                                   half ? length / 2 + 1 : length, inverse);
    return n.cast(n.e.transpose(result, back), n.elementIn(0));
  };
  if (n.opset() < 20 || !n.has(2)) {
    int64_t dim = n.axisAttr("axis", n.opset() < 20 ? 1 : -2, rank);
    return n.broken ? failure() : n.set(along(dim));
  }
  if (auto axis = n.ints(2)) {
    int64_t dim = axis->empty() ? 0 : n.axis(axis->front(), rank);
    return n.broken ? failure() : n.set(along(dim));
  }
  // An axis that is computed: one of those that give the declared shape.
  Value at =
      n.fromEnd(n.e.reshape(n.in(2), ArrayRef<int64_t>()), n.e.size(rank));
  Value result;
  for (int64_t dim = 0; declared && dim < rank - 1; ++dim) {
    Ints to(n.shape(x));
    if (ShapedType::isDynamic(to[dim]))
      continue;
    if (!n.has(1) && half)
      to[dim] = inverse ? 2 * (to[dim] - 1) : to[dim] / 2 + 1;
    else if (n.has(1))
      to[dim] = (*declared)[dim];
    to[rank - 1] = half && inverse ? 1 : 2;
    if (to != *declared)
      continue;
    Value here = along(dim);
    if (!here)
      return failure();
    result = result ? n.where(n.eq(at, n.integer(dim)), here, result) : here;
  }
  return result ? n.set(result) : n.fail("has an axis that is not known");
}

/// STFT: transforms of frames that overlap.
LogicalResult stft(Node &n) {
  Value x = n.wide(n.in(0));
  if (n.rank(0) == 2)
    x = n.unsqueeze(x, {2});
  if (n.broken || n.e.typeOf(x).getRank() != 3)
    return n.broken ? failure() : n.fail("of a rank other than 2 and 3");
  bool half = n.getInt("onesided", 1);
  Sizes sizes = n.e.sizesOf(x);
  int64_t total = n.shape(x)[1], parts = n.shape(x)[2];
  if (ShapedType::isDynamic(parts))
    return n.fail("of numbers of which it is not known whether they are "
                  "complex");
  auto declared = n.declared();
  if (declared && declared->size() != 4)
    declared = std::nullopt;
  std::optional<int64_t> length;
  if (n.has(3)) {
    if (auto known = n.ints(3); known && known->size() == 1)
      length = known->front();
  }
  if (!length && n.has(2) && n.rank(2) == 1)
    length = n.shape(n.in(2))[0];
  if (!length && declared && !half)
    length = (*declared)[2];
  // Of two lengths with so many frequencies the even one.
  if (!length && declared)
    length = 2 * ((*declared)[2] - 1);
  bool isOpen = ShapedType::isDynamic(total);
  if (!length || *length < 1 || *length > mostLength ||
      (!isOpen && *length > total))
    return n.fail("has frames of a length that is not known or does not fit");
  OpFoldResult frames;
  if (auto step = n.ints(1); step && step->size() == 1 && step->front() > 0) {
    auto &math = n.e.sizeMath();
    // None where the signal is shorter than a frame.
    OpFoldResult rest = math.sub(sizes[1], n.e.size(*length - step->front()));
    frames =
        math.divPositive(math.max(rest, n.e.size(0)), n.e.size(step->front()));
  } else if (declared) {
    frames = n.e.size((*declared)[1]);
  }
  if (!frames)
    return n.fail("has a frame_step that is not known");
  Type i64 = n.e.b.getI64Type();
  Value step = n.e.reshape(n.i64(n.in(1)), ArrayRef<int64_t>());
  Value start = n.mul(n.iota(frames, i64), step);
  Value at =
      n.add(n.unsqueeze(start, {1}), n.unsqueeze(n.iota(*length, i64), {0}));
  if (isOpen) {
    Value end = n.e.sizeTensor(n.e.sizeMath().sub(sizes[1], n.e.size(1)));
    at = n.max(n.min(at, end), n.integer(0));
  } else {
    at = n.clamp(at, 0, total - 1);
  }
  Value cut = n.take(x, at, 1);
  if (n.has(2))
    cut = n.mul(
        cut, n.e.reshape(n.cast(n.in(2), n.e.elementOf(x)), Ints{*length, 1}));
  cut = n.e.reshape(cut, Sizes{n.e.sizeMath().mul(sizes[0], frames),
                               n.e.size(*length), n.e.size(parts)});
  int64_t count = half ? *length / 2 + 1 : *length;
  Value result = transform(n, cut, *length, count, false);
  Sizes to{sizes[0], frames, n.e.size(count), n.e.size(2)};
  return n.set(n.cast(n.e.reshape(result, to), n.elementIn(0)));
}

/// The same of a size that is data, in f64.
Value openWindow(Node &n, double c0, double c1, double c2) {
  Type wide = n.e.b.getF64Type();
  auto num = [&](double v) { return n.number(v, wide); };
  Value count = n.i64(n.e.reshape(n.in(0), ArrayRef<int64_t>()));
  Value period = n.getInt("periodic", 1) ? count : n.sub(count, n.integer(1));
  period = n.max(period, n.integer(1)); // one element is at angle 0
  Value at = n.iota(n.sizeFrom(count), wide);
  Value angle = n.div(n.mul(at, num(2 * M_PI)), n.cast(period, wide));
  auto wave = [&](double factor, double times) {
    return n.mul(n.unary<prim::CosOp>(n.mul(angle, num(times))), num(factor));
  };
  return n.add(n.sub(num(c0), wave(c1, 1)), wave(c2, 2));
}

/// Windows of a sum of cosines, c0 - c1 cos + c2 cos 2.
LogicalResult window(Node &n, double c0, double c1, double c2) {
  Type element = n.dataType(n.getInt("output_datatype", 1));
  std::optional<int64_t> size;
  if (auto known = n.ints(0); known && known->size() == 1)
    size = known->front();
  else if (auto declared = n.declared(); declared && declared->size() == 1)
    size = declared->front();
  if (n.broken)
    return failure();
  if (!size)
    return n.set(n.cast(openWindow(n, c0, c1, c2), element));
  if (*size < 0)
    return n.fail("has a size below 0");
  int64_t period = n.getInt("periodic", 1) ? *size : *size - 1;
  SmallVector<double> numbers;
  for (int64_t i = 0; i < *size; ++i) {
    double angle = period ? 2 * M_PI * i / period : 0;
    numbers.push_back(c0 - c1 * std::cos(angle) + c2 * std::cos(2 * angle));
  }
  return n.set(n.cast(n.floats(numbers, {*size}, n.e.b.getF64Type()), element));
}

LogicalResult hann(Node &n) { return window(n, 0.5, 0.5, 0); }
LogicalResult hamming(Node &n) { return window(n, 25.0 / 46, 21.0 / 46, 0); }
LogicalResult blackman(Node &n) { return window(n, 0.42, 0.5, 0.08); }

/// MelWeightMatrix: triangles between bins that are evenly apart in mel.
LogicalResult melWeights(Node &n) {
  Type wide = n.e.b.getF64Type();
  auto declared = n.declared();
  auto bins = n.ints(0), length = n.ints(1);
  if (declared && declared->size() != 2)
    declared = std::nullopt;
  if ((!bins || !length) && !declared)
    return n.fail("has sizes that are not known");
  int64_t rows = length ? length->front() / 2 + 1 : (*declared)[0];
  int64_t columns = bins ? bins->front() : (*declared)[1];
  Type element = n.dataType(n.getInt("output_datatype", 1));
  if (n.broken || rows < 0 || columns < 0)
    return n.broken ? failure() : n.fail("has sizes below 0");
  auto num = [&](double v) { return n.number(v, wide); };
  auto mel = [&](Value hertz) {
    Value v = n.add(n.div(hertz, num(700)), num(1));
    return n.mul(n.unary<prim::Log10Op>(v), num(2595));
  };
  Value low = mel(real(n, 3)), high = mel(real(n, 4));
  Value step = n.div(n.sub(high, low), num(columns + 2));
  Value at = n.add(n.mul(n.iota(columns + 2, wide), step), low);
  Value ten = n.binary<prim::PowOp>(num(10), n.div(at, num(2595)));
  Value hertz = n.mul(n.sub(ten, num(1)), num(700));
  Value bin = n.unary<prim::FloorOp>(
      n.div(n.mul(n.add(real(n, 1), num(1)), hertz), real(n, 2)));
  auto edge = [&](int64_t k) {
    return n.unsqueeze(n.slice(bin, 0, k, columns), {0});
  };
  Value left = edge(0), centre = edge(1), right = edge(2);
  Value row = n.unsqueeze(n.iota(rows, wide), {1}), zero = num(0);
  Value rise = n.sub(centre, left), fall = n.sub(right, centre);
  auto safe = [&](Value v) { return n.where(n.eq(v, zero), num(1), v); };
  Value up =
      n.where(n.eq(rise, zero), num(1), n.div(n.sub(row, left), safe(rise)));
  Value down = n.div(n.sub(right, row), safe(fall));
  Value isUp = n.both(n.ge(row, left), n.le(row, centre));
  Value isDown = n.both(n.ge(row, centre), n.lt(row, right));
  Value result = n.where(isDown, down, n.where(isUp, up, zero));
  return n.set(n.cast(result, element));
}

} // namespace

void addSignalRules(NodeRules &rules) {
  rules.add("DFT", dft);
  rules.add("STFT", stft, 2);
  rules.add("HannWindow", hann);
  rules.add("HammingWindow", hamming);
  rules.add("BlackmanWindow", blackman);
  rules.add("MelWeightMatrix", melWeights, 5);
}

} // namespace kiln::onnx_to_prim
