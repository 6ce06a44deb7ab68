// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions, running sums, and indices of extremes.
#include "Lists.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

/// A reduction over known axes.
using Reduce = Value (*)(Node &, Value, ArrayRef<int64_t>);

/// Sets of dimensions that a reduction to `declared` may be over.
SmallVector<Ints> candidates(ArrayRef<int64_t> from, ArrayRef<int64_t> declared,
                             bool keep, int64_t most) {
  SmallVector<Ints> sets;
  int64_t rank = from.size();
  for (int64_t bits = 1; rank < 16 && bits < (int64_t(1) << rank); ++bits) {
    Ints dims, to;
    for (int64_t d = 0; d < rank; ++d) {
      bool gone = bits >> d & 1;
      if (gone)
        dims.push_back(d);
      if (gone && keep)
        to.push_back(1);
      if (!gone)
        to.push_back(from[d]);
    }
    if (int64_t(dims.size()) <= most && ArrayRef(to) == declared)
      sets.push_back(dims);
  }
  return sets;
}

/// Axes that are data, of any number: the elements that are reduced to one are
/// gathered in a row.
LogicalResult openAxes(Node &n, Reduce reduce, bool keep) {
  Value x = n.in(0), one = n.integer(1);
  int64_t rank = n.rank(0);
  auto to = n.declaredRank();
  if (!keep && (!to || *to > rank))
    return n.fail("has axes that are not known");
  Value axes = axesFrom(n, 1, rank);
  Value isAll = n.eq(n.e.sizeTensor(n.e.sizesOf(axes)[0]), n.integer(0));
  bool isNoop = n.getInt("noop_with_empty_axes", 0);
  // From the last dimension on: where in the whole an element is that is at a
  // place among the kept, and among those of a row.
  Type i64 = n.e.b.getI64Type();
  SmallVector<Value> named(rank), size(rank), kept(rank), gone(rank);
  Value count = one, length = one;
  for (int64_t d = 0; d < rank; ++d) {
    named[d] = isNamed(n, axes, d);
    if (!isNoop)
      named[d] = n.either(named[d], isAll);
    size[d] = n.e.sizeTensor(n.e.sizesOf(x)[d]);
    kept[d] = n.where(named[d], one, size[d]);
    gone[d] = n.where(named[d], size[d], one);
    count = n.mul(count, kept[d]);
    length = n.mul(length, gone[d]);
  }
  OpFoldResult rows = n.sizeFrom(count), columns = n.sizeFrom(length);
  auto places = [&](OpFoldResult all, ArrayRef<Value> sizes) {
    Value left = n.iota(all, i64), stride = one, at = n.mul(left, n.integer(0));
    for (int64_t d = rank; d-- > 0;) {
      Value by = n.max(sizes[d], one);
      at = n.add(at, n.mul(n.binary<prim::RemainderOp>(left, by), stride));
      left = n.div(left, by);
      stride = n.mul(stride, size[d]);
    }
    return at;
  };
  Value at = n.add(n.unsqueeze(places(rows, kept), {1}),
                   n.unsqueeze(places(columns, gone), {0}));
  Value flat = n.e.reshape(x, Sizes{n.e.sizeMath().product(n.e.sizesOf(x))});
  Value result = reduce(n, n.take(flat, at, 0), {1});
  Sizes shape;
  // The sizes that are kept move to the front.
  SmallVector<Value> left(keep ? 0 : *to, one);
  Value before = n.integer(0);
  for (int64_t d = 0; d < rank; ++d) {
    if (keep)
      shape.push_back(n.sizeFrom(kept[d]));
    for (auto [k, mine] : llvm::enumerate(left)) {
      Value here = n.both(n.no(named[d]), n.eq(before, n.integer(k)));
      mine = n.where(here, kept[d], mine);
    }
    before = n.where(named[d], before, n.add(before, one));
  }
  for (Value mine : left)
    shape.push_back(n.sizeFrom(mine));
  return n.broken || !result ? failure() : n.set(n.e.reshape(result, shape));
}

/// Axes that are computed: of the sets of dimensions that lead to the declared
/// shape, the one that they name.
LogicalResult computedAxes(Node &n, Reduce reduce, bool keep) {
  Value x = n.in(0), axes = n.in(1);
  auto declared = n.declared();
  if (n.e.typeOf(axes).getRank() != 1)
    return n.fail("has axes that are no list");
  if (!declared || !n.e.typeOf(x).hasStaticShape() ||
      !n.e.typeOf(axes).hasStaticShape())
    return openAxes(n, reduce, keep);
  int64_t rank = n.rank(0);
  auto sets = candidates(n.shape(x), *declared, keep, n.shape(axes)[0]);
  Value at = n.fromEnd(axes, n.e.size(rank));
  Value result;
  for (const Ints &dims : sets) {
    Value here = n.e.reshape(reduce(n, x, dims), *declared);
    if (!result) {
      result = here;
      continue;
    }
    // All of them are named.
    Value named;
    for (int64_t d : dims) {
      Value one =
          n.cast(n.reduce<prim::AmaxOp>(n.eq(at, n.integer(d)), {0}, false),
                 n.e.b.getI1Type());
      named = named ? n.both(named, one) : one;
    }
    result = n.where(named, here, result);
  }
  return result ? n.set(result) : n.fail("has axes that are not known");
}

LogicalResult reduceWith(Node &n, Reduce reduce) {
  Value x = n.in(0);
  bool keep = n.getInt("keepdims", 1);
  std::optional<Ints> given = n.getInts("axes");
  if (!given && n.has(1)) {
    given = n.ints(1);
    if (!given && n.e.typeOf(n.in(1)).hasStaticShape() &&
        n.e.typeOf(n.in(1)).getNumElements() == 0)
      given = Ints();
    if (!given)
      return computedAxes(n, reduce, keep);
  }
  if (!given || given->empty()) {
    if (n.getInt("noop_with_empty_axes", 0))
      return n.set(reduce(n, x, {}));
    given.emplace();
    for (int64_t d = 0; d < n.rank(0); ++d)
      given->push_back(d);
  }
  Ints dims = n.axes(*given, n.rank(0));
  if (n.broken)
    return failure();
  Value result = reduce(n, x, dims);
  if (!keep || !result)
    return n.set(result);
  Sizes sizes = n.e.sizesOf(x);
  for (int64_t d : dims)
    sizes[d] = n.e.size(1);
  return n.set(n.e.reshape(result, sizes));
}

template <typename Op> Value plain(Node &n, Value x, ArrayRef<int64_t> dims) {
  return n.reduce<Op>(x, dims, false);
}

/// Integers that are unsigned are ordered by their bits with the top flipped.
Value ordered(Node &n, Value x) {
  auto integer = dyn_cast<IntegerType>(n.e.elementOf(x));
  if (!n.isUnsigned(0) || !integer || integer.getWidth() == 1)
    return x;
  APInt top = APInt::getSignMask(integer.getWidth());
  return n.binary<prim::BitwiseXorOp>(
      x, n.e.full(IntegerAttr::get(integer, top), {}));
}

template <typename Op> Value extreme(Node &n, Value x, ArrayRef<int64_t> dims) {
  return ordered(n, n.reduce<Op>(ordered(n, x), dims, false));
}

/// Of integers rounded towards zero.
Value mean(Node &n, Value x, ArrayRef<int64_t> dims) {
  if (!n.isUnsigned(0))
    return n.mean(x, dims);
  Value both[] = {n.sum(x, dims), n.count(x, dims, n.e.elementOf(x))};
  n.together(both);
  return prim::DivOp::create(n.e.b, both[0].getType(), both[0], both[1],
                             /*is_unsigned=*/true);
}

Value l1(Node &n, Value x, ArrayRef<int64_t> dims) {
  return n.sum(n.isUnsigned(0) ? x : n.unary<prim::AbsOp>(x), dims);
}

Value sumSquare(Node &n, Value x, ArrayRef<int64_t> dims) {
  return n.sum(n.mul(x, x), dims);
}

Value l2(Node &n, Value x, ArrayRef<int64_t> dims) {
  Value sum = sumSquare(n, x, dims);
  if (isa<FloatType>(n.e.elementOf(x)))
    return n.unary<prim::SqrtOp>(sum);
  Type wide = n.e.b.getF64Type();
  return n.cast(n.unary<prim::SqrtOp>(n.cast(sum, wide, n.isUnsigned(0))),
                n.elementIn(0));
}

/// A reduction of floats, of integers by way of f64.
template <Reduce fn>
Value throughFloats(Node &n, Value x, ArrayRef<int64_t> dims) {
  if (n.isFloat(0))
    return fn(n, x, dims);
  x = n.cast(x, n.e.b.getF64Type(), n.isUnsigned(0));
  return n.cast(fn(n, x, dims), n.elementIn(0));
}

Value logSum(Node &n, Value x, ArrayRef<int64_t> dims) {
  return n.unary<prim::LogOp>(n.sum(x, dims));
}

/// The largest element is taken out, unless it is infinite.
Value logSumExp(Node &n, Value x, ArrayRef<int64_t> dims) {
  if (dims.empty())
    return x;
  Value largest = n.reduce<prim::AmaxOp>(x, dims, true);
  Value finite = prim::IsFiniteOp::create(
      n.e.b, n.e.typeOf(largest).clone(n.e.b.getI1Type()), largest);
  Value shift = n.where(finite, largest, n.number(0, x));
  Value total = n.sum(n.unary<prim::ExpOp>(n.sub(x, shift)), dims);
  return n.add(n.unary<prim::LogOp>(total),
               n.e.reshape(shift, n.e.sizesOf(total)));
}

template <Reduce fn> LogicalResult reduction(Node &n) {
  return reduceWith(n, fn);
}

/// ArgMax, ArgMin: the first of equals, or with `select_last_index` the last.
template <typename Op> LogicalResult argExtreme(Node &n) {
  Value x = n.in(0);
  x = n.e.elementOf(x).isInteger(1) ? n.i64(x, true) : ordered(n, x);
  int64_t dim = n.axisAttr("axis", 0, n.rank(0));
  if (n.broken)
    return failure();
  bool last = n.getInt("select_last_index", 0);
  Ints shape(n.shape(x));
  OpFoldResult size = n.e.sizesOf(x)[dim];
  shape.erase(shape.begin() + dim);
  Value at = Op::create(n.e.b, RankedTensorType::get(shape, n.e.b.getI64Type()),
                        last ? n.reverse(x, dim) : x, dim, false);
  if (last)
    at = n.sub(n.sub(n.e.sizeTensor(size), n.integer(1)), at);
  return n.set(n.getInt("keepdims", 1) ? n.unsqueeze(at, {dim}) : at);
}

/// CumSum, CumProd: along an axis that may be computed.
template <prim::ScanKind kind> LogicalResult cumulative(Node &n) {
  Value x = n.in(0);
  int64_t rank = n.rank(0);
  bool reverse = n.getInt("reverse", 0), exclusive = n.getInt("exclusive", 0);
  auto scan = [&](int64_t dim) -> Value {
    return prim::ScanOp::create(n.e.b, x.getType(), kind, x, dim, reverse,
                                exclusive);
  };
  if (auto axis = n.ints(1); axis && axis->size() == 1) {
    int64_t dim = n.axis(axis->front(), rank);
    return n.broken ? failure() : n.set(scan(dim));
  }
  if (rank == 0)
    return n.fail("of a scalar");
  Value at =
      n.fromEnd(n.e.reshape(n.in(1), ArrayRef<int64_t>()), n.e.size(rank));
  Value result = scan(0);
  for (int64_t dim = 1; dim < rank; ++dim)
    result = n.where(n.eq(at, n.integer(dim)), scan(dim), result);
  return n.set(result);
}

} // namespace

void addReductionRules(NodeRules &rules) {
  rules.add("ReduceSum", reduction<plain<prim::SumOp>>);
  rules.add("ReduceProd", reduction<plain<prim::ProdOp>>);
  rules.add("ReduceMax", reduction<extreme<prim::AmaxOp>>);
  rules.add("ReduceMin", reduction<extreme<prim::AminOp>>);
  rules.add("ReduceMean", reduction<mean>);
  rules.add("ReduceL1", reduction<l1>);
  rules.add("ReduceL2", reduction<l2>);
  rules.add("ReduceSumSquare", reduction<sumSquare>);
  rules.add("ReduceLogSum", reduction<throughFloats<logSum>>);
  rules.add("ReduceLogSumExp", reduction<throughFloats<logSumExp>>);
  rules.add("ArgMax", argExtreme<prim::ArgmaxOp>);
  rules.add("ArgMin", argExtreme<prim::ArgminOp>);
  rules.add("CumSum", cumulative<prim::ScanKind::sum>, 2);
  rules.add("CumProd", cumulative<prim::ScanKind::prod>, 2);
}

} // namespace kiln::onnx_to_prim
