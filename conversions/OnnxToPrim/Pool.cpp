// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Poolings.
#include "Windows.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// A window of a pooling, whose sizes of the result ceil_mode may round up:
/// what it reads behind the padding is `extra`.
struct Pool : Window {
  Ints sizes, extra;
};

FailureOr<Pool> poolOf(Node &n) {
  Value x = n.in(0);
  auto kernel = n.getInts("kernel_shape");
  if (n.rank(0) < 3 || !kernel)
    return n.fail("needs an input of rank 3 or more and a kernel_shape");
  auto window = windowOf(n, n.shape(x).drop_front(2), *kernel);
  if (failed(window))
    return failure();
  Pool p{*window, {}, {}};
  // What auto_pad adds to an open size leaves nothing to round.
  bool ceil = n.getInt("ceil_mode", 0);
  bool isSame = n.getString("auto_pad").starts_with("SAME");
  for (size_t d = 0; d < kernel->size(); ++d) {
    int64_t size = n.shape(x)[d + 2];
    p.extra.push_back(0);
    if (p.low[d] < 0 || p.high[d] < 0)
      return n.fail("has pads below 0");
    if (ShapedType::isDynamic(size)) {
      // The last window begins in the input or before it, if a step is not
      // longer than what a window has besides the padding behind.
      bool rounds = ceil && !isSame;
      if (rounds && p.strides[d] > p.extent(d) - p.high[d])
        return n.fail("rounds a size up that is not known");
      if (rounds)
        p.extra[d] = p.strides[d] - 1;
      p.sizes.push_back(size);
      continue;
    }
    int64_t room = size + p.low[d] + p.high[d] - p.extent(d);
    if (room < 0)
      return n.fail("has a window that does not fit the padded input");
    int64_t to = room / p.strides[d] + 1;
    if (ceil) {
      to = llvm::divideCeil(room, p.strides[d]) + 1;
      // The last window begins in the input or before it.
      if ((to - 1) * p.strides[d] >= size + p.low[d])
        --to;
      p.extra[d] = std::max<int64_t>((to - 1) * p.strides[d] + p.extent(d) -
                                         size - p.low[d] - p.high[d],
                                     0);
    }
    p.sizes.push_back(to);
  }
  return p;
}

bool isDilated(const Pool &p) {
  return llvm::any_of(p.dilations, [](int64_t by) { return by != 1; });
}

/// Padding that a pooling of prim does not take: as wide as the window.
bool isWide(const Pool &p) {
  for (size_t d = 0; d < p.kernel.size(); ++d)
    if (p.low[d] >= p.kernel[d] || p.high[d] + p.extra[d] >= p.kernel[d])
      return true;
  return false;
}

/// A combination of what the windows of tensors [N, C, spatial...] hold.
template <typename Make>
SmallVector<Value> windows(Node &n, ArrayRef<Value> x, ArrayRef<Value> inits,
                           const Pool &p, Make combine) {
  auto full = [&](ArrayRef<int64_t> list, int64_t first) {
    Ints all(2, first);
    llvm::append_range(all, list);
    return all;
  };
  Ints high;
  for (auto [a, c] : llvm::zip_equal(p.high, p.extra))
    high.push_back(a + c);
  Ints to(n.shape(x[0]).take_front(2));
  llvm::append_range(to, p.sizes);
  SmallVector<Type> types;
  for (Value each : x)
    types.push_back(n.e.typeOf(each).clone(to));
  OpBuilder &b = n.e.b;
  auto op = prim::ReduceWindowOp::create(
      n.e.b, types, x, inits, full(p.kernel, 1), full(p.strides, 1),
      full(p.low, 0), full(high, 0), full(p.dilations, 1),
      Ints(p.kernel.size() + 2, 1));
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&op.getCombiner());
  for (int side = 0; side < 2; ++side)
    for (Value each : x)
      block->addArgument(RankedTensorType::get({}, n.e.elementOf(each)),
                         n.e.b.getLoc());
  SmallVector<Value> results = combine(block->getArguments());
  prim::YieldOp::create(n.e.b, results);
  return SmallVector<Value>(op.getResults());
}

/// The sum of each window.
Value sums(Node &n, Value x, const Pool &p) {
  if (isDilated(p))
    return windows(n, x, n.number(0, x), p, [&](ValueRange a) {
      return SmallVector<Value>{n.e.binary<prim::AddOp>(a[0], a[1])};
    })[0];
  x = channelsLast(n, x);
  Ints to{n.shape(x)[0]}, high;
  llvm::append_range(to, p.sizes);
  to.push_back(n.shape(x).back());
  for (auto [a, c] : llvm::zip_equal(p.high, p.extra))
    high.push_back(a + c);
  return channelsFirst(
      n, prim::SumPoolOp::create(n.e.b, n.e.typeOf(x).clone(to), x, p.kernel,
                                 p.strides, p.low, high));
}

/// The lowest value of an element type.
Value lowest(Node &n, Type element) {
  if (auto real = dyn_cast<FloatType>(element))
    return n.e.full(
        FloatAttr::get(real, APFloat::getInf(real.getFloatSemantics(), true)),
        {});
  auto integer = llvm::cast<IntegerType>(element);
  return n.e.full(
      IntegerAttr::get(integer, APInt::getSignedMinValue(integer.getWidth())),
      {});
}

} // namespace

Value averagePoolOf(Node &n, Value x) {
  auto pool = poolOf(n);
  if (failed(pool))
    return n.broken = true, Value();
  Value padded = padOpen(n, x, *pool, n.number(0, x));
  Value sum = sums(n, padded, *pool);
  bool counts = n.getInt("count_include_pad", 0);
  auto isZero = [](int64_t size) { return size == 0; };
  bool isFull = llvm::all_of(pool->extra, isZero) &&
                (counts || (padded == x && llvm::all_of(pool->low, isZero) &&
                            llvm::all_of(pool->high, isZero)));
  if (isFull) {
    int64_t total = 1;
    for (int64_t size : pool->kernel)
      total *= size;
    return n.div(sum, n.number(total, sum));
  }
  Sizes sizes = n.e.sizesOf(counts ? padded : x);
  sizes[0] = sizes[1] = n.e.size(1);
  Pool own = *pool;
  if (counts)
    for (size_t d = 0; d < own.kernel.size(); ++d) {
      sizes[d + 2] =
          n.e.sizeMath().add(sizes[d + 2], n.e.size(own.low[d] + own.high[d]));
      own.low[d] = own.high[d] = 0;
    }
  Value ones = n.e.full(tensor_to_prim::numberAttr(n.e.elementOf(x), 1), sizes);
  if (!counts)
    ones = padOpen(n, ones, *pool, n.number(0, x));
  return n.div(sum, sums(n, ones, own));
}

namespace {

LogicalResult averagePool(Node &n) {
  Value mean = averagePoolOf(n, n.in(0));
  return mean ? n.set(mean) : failure();
}

/// LpPool: (sum |x|^p)^(1/p).
LogicalResult lpPool(Node &n) {
  auto pool = poolOf(n);
  if (failed(pool))
    return failure();
  double p = n.hasAttr("p") ? n.getInt("p", 2) : 2;
  Value x = n.unary<prim::AbsOp>(n.in(0));
  Value powers = n.binary<prim::PowOp>(x, n.number(p, x));
  Value sum = sums(n, padOpen(n, powers, *pool, n.number(0, x)), *pool);
  return n.set(n.binary<prim::PowOp>(sum, n.number(1 / p, sum)));
}

/// Positions of a tensor with these sizes, counted with the last dimension
/// first, as they are counted with the first dimension of the picture first.
Value placesByColumn(Node &n, Value place, ArrayRef<OpFoldResult> sizes) {
  Value image = n.integer(1);
  for (OpFoldResult size : sizes.drop_front(2))
    image = n.mul(image, n.e.sizeTensor(size));
  Value rest = n.binary<prim::FmodOp>(place, image);
  Value result = n.sub(place, rest);
  // The last dimension has the largest stride, and is taken off first.
  Value stride = image;
  for (OpFoldResult size : llvm::reverse(sizes.drop_front(2))) {
    Value count = n.e.sizeTensor(size);
    stride = n.div(stride, count);
    result = n.add(result, n.mul(n.binary<prim::FmodOp>(rest, count), stride));
    rest = n.div(rest, count);
  }
  return result;
}

/// The largest element of each window, as an `element`, and its position in the
/// input.
LogicalResult withIndices(Node &n, Value x, const Pool &p, Type element) {
  int64_t rank = n.rank(0);
  Type i64 = n.e.b.getI64Type();
  Value place = n.integer(0), stride = n.integer(1);
  Sizes sizes = n.e.sizesOf(x);
  for (int64_t d = rank; d-- > 0;) {
    place =
        n.add(place, n.mul(n.along(n.iota(sizes[d], i64), d, rank), stride));
    stride = n.mul(stride, n.e.sizeTensor(sizes[d]));
  }
  Value far = n.integer(std::numeric_limits<int64_t>::max());
  place = padOpen(n, place, p, far);
  x = padOpen(n, x, p, lowest(n, n.e.elementOf(x)));
  auto results = windows(
      n, {x, place}, {lowest(n, n.e.elementOf(x)), far}, p, [&](ValueRange a) {
        // The larger one; of equals the first. NaN is larger than all.
        Value more = n.e.compare<prim::GtOp>(a[0], a[2]);
        Value same = n.e.compare<prim::EqOp>(a[0], a[2]);
        Value first = n.e.compare<prim::LtOp>(a[1], a[3]);
        Value left = n.e.binary<prim::BitwiseOrOp>(
            more, n.e.binary<prim::BitwiseAndOp>(same, first));
        return SmallVector<Value>{n.e.where(left, a[0], a[2]),
                                  n.e.where(left, a[1], a[3])};
      });
  // Of equal elements the first one counts, however places are numbered.
  Value at = results[1];
  if (n.getInt("storage_order", 0))
    at = placesByColumn(n, at, sizes);
  return failed(n.set(0, n.e.convert(results[0], element))) ? failure()
                                                            : n.set(1, at);
}

LogicalResult maxPool(Node &n) {
  auto pool = poolOf(n);
  if (failed(pool))
    return failure();
  Value x = n.in(0);
  bool isUnsigned = n.isUnsigned(0);
  Type element = n.e.elementOf(x);
  if (isUnsigned) // its numbers fit the next wider type
    x = element.isInteger(8) ? n.cast(x, n.e.b.getI16Type(), true)
                             : n.i64(x, true);
  if (n.wants(1))
    return withIndices(n, x, *pool, element);
  x = padOpen(n, x, *pool, lowest(n, n.e.elementOf(x)));
  Value result;
  if (isDilated(*pool) || isWide(*pool)) {
    result =
        windows(n, x, lowest(n, n.e.elementOf(x)), *pool, [&](ValueRange a) {
          return SmallVector<Value>{n.e.binary<prim::MaximumOp>(a[0], a[1])};
        })[0];
  } else {
    x = channelsLast(n, x);
    Ints to{n.shape(x)[0]}, high;
    llvm::append_range(to, pool->sizes);
    to.push_back(n.shape(x).back());
    for (auto [a, c] : llvm::zip_equal(pool->high, pool->extra))
      high.push_back(a + c);
    result =
        channelsFirst(n, prim::MaxPoolOp::create(n.e.b, n.e.typeOf(x).clone(to),
                                                 x, pool->kernel, pool->strides,
                                                 pool->low, high));
  }
  return n.set(n.e.convert(result, element));
}

/// MaxUnpool: elements go to the positions in the output.
LogicalResult maxUnpool(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0);
  auto kernel = n.getInts("kernel_shape");
  if (rank < 3 || !kernel || int64_t(kernel->size()) != rank - 2 ||
      !n.e.typeOf(x).hasStaticShape())
    return n.fail("needs a kernel_shape and an input of a known size");
  auto window = windowOf(n, n.shape(x).drop_front(2), *kernel);
  if (failed(window))
    return failure();
  Ints usual(n.shape(x));
  for (size_t d = 0; d < kernel->size(); ++d)
    usual[d + 2] = (n.shape(x)[d + 2] - 1) * window->strides[d] -
                   window->low[d] - window->high[d] + (*kernel)[d];
  Ints to = usual;
  if (n.has(2)) {
    auto given = n.ints(2);
    if (!given)
      given = n.declared();
    if (!given || int64_t(given->size()) != rank)
      return n.fail("has an output_shape that is not known");
    to = *given;
  }
  // Positions are those of the output without output_shape.
  Value at = n.e.reshape(n.in(1), Ints{n.e.typeOf(x).getNumElements()});
  Value flat = n.e.reshape(x, n.shape(at));
  int64_t total = 1;
  for (int64_t size : usual)
    total *= size;
  Value zero = n.e.full(tensor_to_prim::numberAttr(n.e.elementOf(x), 0),
                        {n.e.size(total)});
  Value all = prim::ScatterOp::create(
      n.e.b, zero.getType(), prim::ScatterKind::set, zero, n.unsqueeze(at, {1}),
      n.unsqueeze(flat, {1}), Ints{0}, 0, false);
  Value result = n.e.reshape(all, usual);
  Ints low(rank, 0), high;
  for (auto [want, have] : llvm::zip_equal(to, usual))
    high.push_back(want - have);
  return n.set(n.pad(result, low, high, n.number(0, x)));
}

/// A reduction of all spatial dimensions.
LogicalResult global(Node &n, llvm::function_ref<Value(Value, Ints)> reduce) {
  Ints dims;
  for (int64_t d = 2; d < n.rank(0); ++d)
    dims.push_back(d);
  return n.set(reduce(n.in(0), dims));
}

LogicalResult globalAverage(Node &n) {
  return global(n, [&](Value x, Ints dims) { return n.mean(x, dims, true); });
}

LogicalResult globalMax(Node &n) {
  return global(n, [&](Value x, Ints dims) {
    return n.reduce<prim::AmaxOp>(x, dims, true);
  });
}

LogicalResult globalLp(Node &n) {
  double p = n.getInt("p", 2);
  return global(n, [&](Value x, Ints dims) {
    x = n.unary<prim::AbsOp>(x);
    Value sum = n.sum(n.binary<prim::PowOp>(x, n.number(p, x)), dims, true);
    return n.binary<prim::PowOp>(sum, n.number(1 / p, sum));
  });
}

} // namespace

void addPoolRules(NodeRules &rules) {
  rules.add("AveragePool", averagePool);
  rules.add("MaxPool", maxPool);
  rules.add("LpPool", lpPool);
  rules.add("MaxUnpool", maxUnpool, 2);
  rules.add("GlobalAveragePool", globalAverage);
  rules.add("GlobalMaxPool", globalMax);
  rules.add("GlobalLpPool", globalLp);
}

} // namespace kiln::onnx_to_prim
