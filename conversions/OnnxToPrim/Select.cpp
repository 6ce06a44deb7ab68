// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections: the largest, those that are not zero, those that differ. A size
// that depends on data is what the type of the result says, or read by the
// host when it is computed.
#include "Node.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

Value argsort(Node &n, ArrayRef<Value> keys, int64_t dim,
              bool descending = false, bool isUnsigned = false) {
  return prim::ArgsortOp::create(
      n.e.b, n.e.typeOf(keys[0]).clone(n.e.b.getI64Type()), keys, dim,
      descending, /*total_order=*/false, isUnsigned);
}

/// The first `count` positions along dimension 0 at which `mask` holds.
Value positionsOf(Node &n, Value mask, OpFoldResult count) {
  return n.first(argsort(n, n.no(mask), 0), count);
}

/// At how many positions `mask` holds: what the type of the result says of one
/// of its `rank` dimensions, where it does.
OpFoldResult countOf(Node &n, Value mask, int64_t rank, int64_t dim) {
  auto declared = n.declared();
  if (declared && int64_t(declared->size()) == rank)
    return n.e.size((*declared)[dim]);
  return n.sizeFrom(n.sum(n.i64(mask, /*fromUnsigned=*/true), {0}));
}

/// Whether a number, if it is known, is larger than there are.
bool exceeds(OpFoldResult count, int64_t total) {
  return getConstantIntValue(count).value_or(0) > total;
}

/// TopK of k or of a size that is known when the program runs: the first of all
/// in order.
LogicalResult sortedFirst(Node &n, int64_t dim) {
  Value x = n.in(0);
  auto sizes = n.dataSizes(1);
  if (!sizes || sizes->size() != 1)
    return n.fail("has a k that is not known");
  Value order =
      argsort(n, x, dim, n.getInt("largest", 1) != 0, n.isUnsigned(0));
  Sizes part = n.e.sizesOf(order);
  part[dim] = sizes->front();
  SmallVector<Value> starts(part.size(), n.integer(0));
  order =
      prim::DynamicSliceOp::create(n.e.b, n.e.typeFor(part, n.e.b.getI64Type()),
                                   order, starts, n.e.dynamicSizes(part));
  SmallVector<Value> at;
  for (auto [d, size] : llvm::enumerate(part))
    at.push_back(int64_t(d) == dim
                     ? order
                     : n.e.broadcast(n.along(n.iota(size, n.e.b.getI64Type()),
                                             d, part.size()),
                                     part));
  return failed(n.set(0, n.takeAt(x, at))) ? failure() : n.set(1, order);
}

LogicalResult topK(Node &n) {
  Value x = n.in(0);
  int64_t dim = n.axisAttr("axis", -1, n.rank(0));
  if (n.broken)
    return failure();
  std::optional<int64_t> k;
  auto declared = n.declared();
  if (n.hasAttr("k"))
    k = n.getInt("k", 1);
  else if (auto known = n.has(1) ? n.ints(1) : std::nullopt;
           known && known->size() == 1)
    k = known->front();
  else if (declared && int64_t(declared->size()) == n.rank(0))
    k = (*declared)[dim];
  if (!k || (ShapedType::isDynamic(n.shape(x)[dim]) && n.has(1)))
    return sortedFirst(n, dim);
  Ints shape(n.shape(x));
  if (*k < 0 || (!ShapedType::isDynamic(shape[dim]) && *k > shape[dim]))
    return n.fail("has k = " + Twine(*k));
  shape[dim] = *k;
  auto op = prim::TopKOp::create(
      n.e.b, n.e.typeOf(x).clone(shape),
      RankedTensorType::get(shape, n.e.b.getI64Type()), x, *k, dim,
      /*smallest=*/!n.getInt("largest", 1), n.isUnsigned(0));
  return failed(n.set(0, op.getValues())) ? failure()
                                          : n.set(1, op.getIndices());
}

/// NonZero: coordinates in columns.
LogicalResult nonZero(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0);
  Sizes sizes = n.e.sizesOf(x);
  OpFoldResult total = n.e.sizeMath().product(sizes);
  Value flat = n.e.reshape(x, Sizes{total});
  Value mask = n.cast(flat, n.e.b.getI1Type());
  OpFoldResult count = countOf(n, mask, 2, 1);
  if (auto known = getConstantIntValue(total); known && exceeds(count, *known))
    return n.fail("gives more places than there are");
  if (rank == 0) // a scalar has no coordinates, but they are counted
    return n.set(n.e.full(tensor_to_prim::integerAttr(n.e.b.getI64Type(), 0),
                          Sizes{n.e.size(0), count}));
  Value at = positionsOf(n, mask, count);
  SmallVector<Value> rows;
  for (int64_t d = rank; d-- > 0;) {
    Value size = n.e.sizeTensor(sizes[d]);
    rows.push_back(n.unsqueeze(n.binary<prim::RemainderOp>(at, size), {0}));
    at = n.div(at, size);
  }
  std::reverse(rows.begin(), rows.end());
  return n.set(n.e.concat(rows, 0));
}

/// Compress: slices along an axis, or elements, at which a condition holds.
LogicalResult compress(Node &n) {
  Value x = n.in(0), condition = n.in(1);
  int64_t dim = 0;
  if (n.hasAttr("axis"))
    dim = n.axisAttr("axis", 0, n.rank(0));
  else
    x = n.e.reshape(x, Sizes{n.e.sizeMath().product(n.e.sizesOf(x))});
  if (n.broken)
    return failure();
  if (auto known = n.ints(1)) {
    Ints at;
    for (auto [i, holds] : llvm::enumerate(*known))
      if (holds)
        at.push_back(i);
    return n.set(n.take(x, n.list(at), dim));
  }
  if (n.rank(1) != 1)
    return n.fail("has a condition of rank " + Twine(n.rank(1)));
  OpFoldResult count = countOf(n, condition, n.e.typeOf(x).getRank(), dim);
  if (!ShapedType::isDynamic(n.shape(condition)[0]) &&
      exceeds(count, n.shape(condition)[0]))
    return n.fail("gives more slices than there are");
  return n.set(n.take(x, positionsOf(n, condition, count), dim));
}

/// What is different in a tensor: its slices, where each is first, which of
/// them each slice of the tensor is, and how often each is there.
struct Distinct {
  Value slices, first, inverse, counts;
};

/// The different slices along `axis`, elements without one, in order or in the
/// order in which they come first.
FailureOr<Distinct> distinct(Node &n, bool isSorted) {
  Value x = n.in(0);
  int64_t dim = 0, rank = n.rank(0);
  bool flat = !n.hasAttr("axis");
  if (!flat)
    dim = n.axisAttr("axis", 0, rank);
  if (n.broken)
    return failure();
  Sizes all = n.e.sizesOf(x);
  Value whole = flat ? n.e.reshape(x, n.e.sizeMath().product(all)) : x;
  OpFoldResult total = n.e.sizesOf(whole)[dim];
  if (getConstantIntValue(total) == 0)
    return n.fail("of nothing");
  // Each slice as keys.
  Ints order{dim};
  int64_t width = 1;
  for (auto [d, size] : llvm::enumerate(n.shape(whole)))
    if (int64_t(d) != dim) {
      if (ShapedType::isDynamic(size))
        return n.fail("of slices of a size that is not known");
      order.push_back(d);
      width *= size;
    }
  constexpr int64_t most = 256;
  if (width > most || width == 0)
    return n.fail("of slices with more than " + Twine(most) + " elements");
  Value rows =
      n.e.reshape(n.e.transpose(whole, order), {total, n.e.size(width)});
  SmallVector<Value> keys;
  for (int64_t k = 0; k < width; ++k)
    keys.push_back(n.squeeze(n.slice(rows, 1, k, 1), {1}));
  Value sorting = argsort(n, keys, 0, false, n.isUnsigned(0));
  Value sorted = n.take(rows, sorting, 0);
  // A slice is new where it is not the one before.
  Value zero = n.integer(0), place = n.iota(total, n.e.b.getI64Type());
  Value before = n.take(sorted, n.max(n.sub(place, n.integer(1)), zero), 0);
  Value differs =
      n.reduce<prim::AmaxOp>(n.no(n.eq(sorted, before)), {1}, false);
  Value isNew = n.either(differs, n.eq(place, zero));
  OpFoldResult count = countOf(n, isNew, n.e.typeOf(whole).getRank(), dim);
  if (auto there = getConstantIntValue(total); there && exceeds(count, *there))
    return n.fail("gives more elements than there are");
  Value starts = positionsOf(n, isNew, count);
  Value group =
      n.sub(prim::ScanOp::create(n.e.b, sorting.getType(), prim::ScanKind::sum,
                                 n.i64(isNew), 0, false, false),
            n.integer(1));
  auto scatter = [&](OpFoldResult size, Value at, Value what,
                     prim::ScatterKind kind) -> Value {
    Value into = n.e.full(n.e.b.getI64IntegerAttr(0), {size});
    return prim::ScatterOp::create(n.e.b, into.getType(), kind, into,
                                   n.unsqueeze(at, {1}), n.unsqueeze(what, {1}),
                                   Ints{0}, 0, kind == prim::ScatterKind::set);
  };
  Distinct d;
  d.first = n.take(sorting, starts, 0);
  d.inverse = scatter(total, sorting, group, prim::ScatterKind::set);
  d.counts = scatter(count, group, n.expand(n.integer(1), {total}),
                     prim::ScatterKind::add);
  if (!isSorted && getConstantIntValue(count) != 0) {
    Value byPlace = argsort(n, d.first, 0);
    d.first = n.take(d.first, byPlace, 0);
    d.counts = n.take(d.counts, byPlace, 0);
    Value number = scatter(count, byPlace, n.iota(count, n.e.b.getI64Type()),
                           prim::ScatterKind::set);
    d.inverse = n.take(number, d.inverse, 0);
  }
  d.slices = n.take(whole, d.first, dim);
  return d;
}

/// Unique: slices, where they are first, which one each is, and how many.
LogicalResult unique(Node &n) {
  auto made = distinct(n, n.getInt("sorted", 1));
  if (failed(made) || failed(n.set(0, made->slices)) ||
      failed(n.set(1, made->first)) || failed(n.set(2, made->inverse)))
    return failure();
  return n.set(3, made->counts);
}

/// Unique of com.microsoft: elements in the order in which they come first,
/// which one each is, and how many.
LogicalResult uniqueInOrder(Node &n) {
  auto made = distinct(n, false);
  if (failed(made) || failed(n.set(0, made->slices)) ||
      failed(n.set(1, made->inverse)))
    return failure();
  return n.set(2, made->counts);
}

/// The area that pairs of boxes share over the area that they cover.
Value overlaps(Node &n, Value boxes, bool centred) {
  int64_t last = n.e.typeOf(boxes).getRank() - 1;
  auto part = [&](int64_t k) {
    return n.squeeze(n.slice(boxes, last, k, 1), {last});
  };
  Value y0 = part(0), x0 = part(1), y1 = part(2), x1 = part(3);
  if (centred) { // x, y, width, height
    Value half = n.number(0.5, boxes);
    Value cx = part(0), cy = part(1), w = n.mul(part(2), half),
          h = n.mul(part(3), half);
    y0 = n.sub(cy, h);
    y1 = n.add(cy, h);
    x0 = n.sub(cx, w);
    x1 = n.add(cx, w);
  } else { // any two corners
    Value top = n.min(y0, y1), left = n.min(x0, x1);
    y1 = n.max(y0, y1);
    x1 = n.max(x0, x1);
    y0 = top;
    x0 = left;
  }
  auto row = [&](Value v) { return n.unsqueeze(v, {last}); };
  auto column = [&](Value v) { return n.unsqueeze(v, {last - 1}); };
  Value zero = n.number(0, boxes);
  auto shared = [&](Value low, Value high) {
    return n.max(
        n.sub(n.min(row(high), column(high)), n.max(row(low), column(low))),
        zero);
  };
  Value area = n.mul(n.sub(y1, y0), n.sub(x1, x0));
  Value both = n.mul(shared(y0, y1), shared(x0, x1));
  Value all = n.sub(n.add(row(area), column(area)), both);
  return n.where(n.gt(all, zero), n.div(both, all), zero);
}

/// NonMaxSuppression: boxes of each class in the order of their scores, without
/// those that overlap with one that was taken before.
LogicalResult nonMaxSuppression(Node &n) {
  Value boxes = n.in(0), scores = n.in(1);
  if (n.rank(0) != 3 || n.rank(1) != 3)
    return n.fail("needs boxes and scores of rank 3");
  int64_t corners = n.shape(boxes)[2];
  if (corners != 4 && !ShapedType::isDynamic(corners))
    return n.fail("needs boxes of 4 coordinates");
  boxes = n.requireSize(boxes, 2, 4);
  auto &math = n.e.sizeMath();
  Sizes sizes = n.e.sizesOf(scores);
  OpFoldResult batch = sizes[0], classes = sizes[1], count = sizes[2],
               lists = math.mul(batch, classes), total = math.mul(lists, count);
  Value number = n.e.sizeTensor(count);
  auto scalar = [&](unsigned i) {
    return n.e.reshape(n.in(i), ArrayRef<int64_t>());
  };
  Type i64 = n.e.b.getI64Type();
  Value most = n.has(2) ? n.i64(scalar(2)) : n.integer(0);
  Value limit = n.has(3) ? scalar(3) : n.number(0, boxes);
  Value rows = n.e.reshape(scores, {lists, count});
  Value order = argsort(n, rows, 1, true);
  Value sorted = n.take(rows, order, 1, 1);
  Value repeated =
      n.e.reshape(n.expandOpen(n.unsqueeze(boxes, {1}),
                               {batch, classes, count, n.e.size(4)}),
                  {lists, count, n.e.size(4)});
  Value placed = n.take(repeated, order, 1, 1);
  Value clash =
      n.gt(overlaps(n, placed, n.getInt("center_point_box", 0)), limit);
  Value alive = n.has(4) ? n.gt(sorted, scalar(4))
                         : n.e.full(n.e.b.getIntegerAttr(n.e.b.getI1Type(), 1),
                                    n.e.sizesOf(sorted));
  // One after the other, all lists at once.
  Value taken = n.e.full(n.e.b.getI64IntegerAttr(0), {lists});
  Value kept =
      n.e.full(n.e.b.getIntegerAttr(n.e.b.getI1Type(), 0), n.e.sizesOf(sorted));
  Value place = n.unsqueeze(n.iota(count, i64), {0});
  Value inits[] = {n.integer(0), alive, taken, kept};
  auto loop = prim::WhileOp::create(n.e.b, ValueRange(inits).getTypes(), inits);
  OpBuilder::InsertionGuard guard(n.e.b);
  auto enter = [&](Region &region) {
    Block *block = n.e.b.createBlock(&region);
    for (Value init : inits)
      block->addArgument(init.getType(), n.e.b.getLoc());
    return block->getArguments();
  };
  auto test = enter(loop.getCondition());
  prim::YieldOp::create(n.e.b, ValueRange{n.lt(test[0], number)});
  auto now = enter(loop.getBody());
  Value here = n.eq(place, now[0]); // [1, count]
  Value mine = n.reduce<prim::AmaxOp>(n.both(now[1], here), {1}, false);
  mine = n.both(mine, n.lt(now[2], most));
  Value row = n.reduce<prim::AmaxOp>(n.both(clash, n.unsqueeze(here, {2})), {1},
                                     false); // [lists, count]
  Value gone = n.both(n.unsqueeze(mine, {1}), row);
  prim::YieldOp::create(
      n.e.b,
      ValueRange{n.add(now[0], n.integer(1)), n.both(now[1], n.no(gone)),
                 n.add(now[2], n.i64(mine)),
                 n.either(now[3], n.both(here, n.unsqueeze(mine, {1})))});
  n.e.b.setInsertionPointAfter(loop);
  Value chosen = n.e.reshape(loop.getResult(3), {total});
  OpFoldResult wanted = countOf(n, chosen, 2, 0);
  if (auto there = getConstantIntValue(total); there && exceeds(wanted, *there))
    return n.fail("gives more boxes than there are");
  Value at = positionsOf(n, chosen, wanted);
  Value list = n.div(at, number), numClasses = n.e.sizeTensor(classes);
  auto column = [&](Value v) { return n.unsqueeze(v, {1}); };
  return n.set(
      n.e.concat({column(n.div(list, numClasses)),
                  column(n.binary<prim::RemainderOp>(list, numClasses)),
                  column(n.take(n.e.reshape(order, {total}), at, 0))},
                 1));
}

} // namespace

void addSelectRules(NodeRules &rules) {
  rules.add("TopK", topK);
  rules.add("NonZero", nonZero);
  rules.add("Compress", compress, 2);
  rules.add("Unique", unique);
  rules.add("com.microsoft.Unique", uniqueInOrder);
  rules.add("NonMaxSuppression", nonMaxSuppression, 2);
}

} // namespace kiln::onnx_to_prim
