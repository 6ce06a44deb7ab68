// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas on tensors.
#include "Node.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

void Node::together(MutableArrayRef<Value> values) {
  for (Value value : values)
    if (!value)
      broken = true;
  if (!broken)
    joinOpenSizes(values);
  if (!broken && failed(e.broadcastTogether(op, values)))
    broken = true;
  if (!broken)
    return;
  // Something to go on with: it is never used.
  Value any = number(0, e.b.getF32Type());
  for (Value &value : values)
    value = any;
}

Value Node::where(Value condition, Value a, Value c) {
  Value all[] = {condition, a, c};
  together(all);
  return broken ? all[1] : e.where(all[0], all[1], all[2]);
}

Value Node::list(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({int64_t(values.size())}, e.b.getI64Type());
  return e.constant(DenseElementsAttr::get(type, values));
}

Value Node::floats(ArrayRef<double> values, ArrayRef<int64_t> shape,
                   Type element) {
  SmallVector<APFloat> numbers;
  for (double value : values) {
    APFloat number(value);
    bool lost;
    number.convert(llvm::cast<FloatType>(element).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &lost);
    numbers.push_back(number);
  }
  return e.constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, element), numbers));
}

Value Node::cast(Value x, Type element, bool fromUnsigned) {
  Type to = element ? tensor_to_prim::primElement(element) : Type();
  if (!to)
    return refuse("makes elements that prim has no type for");
  if (!x)
    return {};
  Type from = e.elementOf(x);
  bool isTruth = from.isInteger(1);
  // Floats become integers by way of 64 bits, of which the low ones are kept.
  auto integer = dyn_cast<IntegerType>(to);
  if (isa<FloatType>(from) && integer && integer.getWidth() > 1 &&
      integer.getWidth() < 64)
    return e.convert(e.convert(x, e.b.getI64Type()), to);
  return e.convert(x, to, /*round=*/false,
                   fromUnsigned && isa<IntegerType>(from) && !isTruth,
                   element.isUnsignedInteger() && isa<FloatType>(from));
}

Value Node::wide(Value x) {
  Type element = e.elementOf(x);
  return element.isF16() || element.isBF16() ? f32(x) : x;
}

Value Node::iota(OpFoldResult count, Type element) {
  Sizes sizes{count};
  return prim::IotaOp::create(e.b, e.typeFor(sizes, element),
                              e.dynamicSizes(sizes), 0);
}

Value Node::mean(Value x, ArrayRef<int64_t> dims, bool keep) {
  return div(sum(x, dims, keep), count(x, dims, e.elementOf(x)));
}

Value Node::count(Value x, ArrayRef<int64_t> dims, Type element) {
  Sizes sizes = e.sizesOf(x), some;
  for (int64_t dim : dims)
    some.push_back(sizes[dim]);
  return cast(e.sizeTensor(e.sizeMath().product(some)), element);
}

Value Node::unsqueeze(Value x, ArrayRef<int64_t> dims) {
  Sizes from = e.sizesOf(x), to;
  size_t rank = from.size() + dims.size(), next = 0;
  if (llvm::any_of(dims,
                   [&](int64_t d) { return d < 0 || d >= int64_t(rank); }))
    return refuse("has a tensor of too few dimensions");
  for (size_t d = 0; d < rank; ++d)
    to.push_back(llvm::is_contained(dims, int64_t(d)) ? e.size(1)
                                                      : from[next++]);
  return e.reshape(x, to);
}

Value Node::squeeze(Value x, ArrayRef<int64_t> dims) {
  Sizes from = e.sizesOf(x), to;
  for (auto [d, size] : llvm::enumerate(from))
    if (!llvm::is_contained(dims, int64_t(d)))
      to.push_back(size);
  return e.reshape(x, to);
}

Value Node::along(Value x, int64_t dim, int64_t rank) {
  if (e.typeOf(x).getRank() != 1) {
    refuse("has a tensor of rank " + Twine(e.typeOf(x).getRank()) +
           " where it takes a list");
    return number(0, x);
  }
  Sizes to(rank, e.size(1));
  to[dim] = e.sizesOf(x)[0];
  return e.reshape(x, to);
}

Value Node::expand(Value x, ArrayRef<OpFoldResult> to) {
  int64_t missing = int64_t(to.size()) - e.typeOf(x).getRank();
  if (missing < 0)
    return refuse("repeats a tensor in a shape of lower rank");
  Sizes sizes(missing, e.size(1));
  llvm::append_range(sizes, e.sizesOf(x));
  for (auto [have, want] : llvm::zip_equal(sizes, to)) {
    auto size = getConstantIntValue(have), wanted = getConstantIntValue(want);
    if (size && wanted && *size != 1 && *size != *wanted)
      return refuse("repeats size " + Twine(*size) + " to " + Twine(*wanted));
  }
  return e.broadcast(e.reshape(x, sizes), to);
}

Value Node::expand(Value x, ArrayRef<int64_t> to) {
  return expand(x, getAsIndexOpFoldResult(e.b.getContext(), to));
}

OpFoldResult Node::sizeFrom(Value number) {
  Value scalar = i64(e.reshape(number, ArrayRef<int64_t>()));
  if (auto known = intsOf(scalar))
    return e.size(known->front());
  return prim::ToIndexOp::create(e.b, scalar).getResult();
}

/// More sizes than any tensor has.
static constexpr int64_t kMostSizes = 64;

std::optional<Sizes> Node::dataSizes(unsigned i) {
  if (auto sizes = this->sizes(i))
    return sizes;
  Value list = in(i);
  if (!list || !isa<IntegerType>(e.elementOf(list)) || rank(i) != 1 ||
      !e.typeOf(list).hasStaticShape() || shape(list)[0] > kMostSizes)
    return std::nullopt;
  Sizes result;
  for (int64_t k = 0; k < shape(list)[0]; ++k)
    result.push_back(sizeFrom(slice(list, 0, k, 1)));
  return result;
}

Value Node::first(Value x, OpFoldResult count) {
  if (auto known = getConstantIntValue(count);
      known && e.typeOf(x).hasStaticShape())
    return slice(x, 0, 0, *known);
  Sizes sizes = e.sizesOf(x);
  sizes[0] = count;
  SmallVector<Value> starts(sizes.size(), integer(0));
  return prim::DynamicSliceOp::create(e.b, e.typeFor(sizes, e.elementOf(x)), x,
                                      starts, e.dynamicSizes(sizes));
}

Value Node::slice(Value x, int64_t dim, int64_t start, int64_t count,
                  int64_t step) {
  RankedTensorType type = e.typeOf(x);
  int64_t size = dim < type.getRank() ? type.getDimSize(dim) : -1;
  if (size < 0 ? dim >= type.getRank()
               : start < 0 || count < 0 ||
                     start + (count ? (count - 1) * step + 1 : 0) > size) {
    refuse("takes a part that is not there");
    return x;
  }
  Ints starts(type.getRank(), 0), limits(type.getRank(), -1),
      strides(type.getRank(), 1), shape(type.getShape());
  for (auto [limit, size] : llvm::zip_equal(limits, shape))
    if (!ShapedType::isDynamic(size))
      limit = size;
  if (start == 0 && count == shape[dim] && step == 1)
    return x;
  starts[dim] = start;
  limits[dim] = count ? start + (count - 1) * step + 1 : start;
  strides[dim] = step;
  shape[dim] = count;
  return prim::SliceOp::create(e.b, type.clone(shape), x, starts, limits,
                               strides);
}

Value Node::reverse(Value x, int64_t dim) {
  return prim::RevOp::create(e.b, x.getType(), x, Ints{dim});
}

Value Node::take(Value x, Value positions, int64_t dim, int64_t batch) {
  if (dim >= e.typeOf(x).getRank() || batch > e.typeOf(positions).getRank()) {
    refuse("reads along a dimension that is not there");
    return x;
  }
  ArrayRef<int64_t> from = shape(x), at = shape(positions);
  Ints to(from.take_front(dim));
  llvm::append_range(to, at.drop_front(batch));
  llvm::append_range(to, from.drop_front(dim + 1));
  return prim::GatherOp::create(e.b, e.typeOf(x).clone(to), x, positions, dim,
                                batch);
}

Value Node::fromEnd(Value positions, OpFoldResult size) {
  Value at = i64(positions);
  Value zero = number(0, at);
  if (auto known = graph.evaluate(at)) {
    bool negative = false;
    for (int64_t i = 0; i < known->size(); ++i)
      negative |= known->element(i).asInt() < 0;
    if (!negative)
      return at;
  }
  return where(lt(at, zero), add(at, e.sizeTensor(size)), at);
}

Value Node::takeAt(Value x, ArrayRef<Value> coordinates) {
  if (coordinates.empty())
    return x;
  return tensor_to_prim::readElements(x, coordinates, e);
}

Value Node::pad(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                Value value) {
  auto isZero = [](int64_t number) { return number == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return x;
  // What is negative cuts off.
  Ints before(low), behind(high), to;
  for (auto [dim, b, a] : llvm::enumerate(before, behind)) {
    int64_t size = shape(x)[dim];
    int64_t cutLow = std::max<int64_t>(-b, 0),
            cutHigh = std::max<int64_t>(-a, 0);
    if (cutLow || cutHigh) {
      if (ShapedType::isDynamic(size) || cutLow + cutHigh > size)
        return refuse("cuts off more than there is, or of a size that is not "
                      "known");
      x = slice(x, dim, cutLow, size - cutLow - cutHigh);
    }
    b = std::max<int64_t>(b, 0);
    a = std::max<int64_t>(a, 0);
    size = shape(x)[dim];
    to.push_back(ShapedType::isDynamic(size) ? size : size + b + a);
  }
  RankedTensorType type = e.typeOf(x).clone(to);
  auto filled = [&](TypedAttr attr) -> Value {
    return prim::PadOp::create(e.b, type, x, before, behind, attr);
  };
  if (auto splat = e.splatOf(value))
    return filled(*splat);
  // A value that is not known: where there was nothing before.
  Value inside = prim::PadOp::create(
      e.b, type.clone(e.b.getI1Type()),
      e.full(e.b.getIntegerAttr(e.b.getI1Type(), 1), e.sizesOf(x)), before,
      behind, e.b.getIntegerAttr(e.b.getI1Type(), 0));
  return where(inside, filled(tensor_to_prim::numberAttr(e.elementOf(x), 0)),
               e.reshape(value, ArrayRef<int64_t>()));
}

Value Node::dot(Value a, Value c, ArrayRef<int64_t> aBatch,
                ArrayRef<int64_t> cBatch, ArrayRef<int64_t> aContract,
                ArrayRef<int64_t> cContract, Type element) {
  Ints to;
  for (int64_t d : aBatch)
    to.push_back(shape(a)[d]);
  auto rest = [&](Value x, ArrayRef<int64_t> batch,
                  ArrayRef<int64_t> contract) {
    for (int64_t d = 0; d < e.typeOf(x).getRank(); ++d)
      if (!llvm::is_contained(batch, d) && !llvm::is_contained(contract, d))
        to.push_back(shape(x)[d]);
  };
  rest(a, aBatch, aContract);
  rest(c, cBatch, cContract);
  if (!element)
    element = e.elementOf(a);
  return prim::DotGeneralOp::create(e.b, RankedTensorType::get(to, element), a,
                                    c, aBatch, cBatch, aContract, cContract,
                                    prim::Precision::ieee);
}

Value Node::matmul(Value a, Value c, Type element) {
  if (!a || !c)
    return {};
  bool isRow = e.typeOf(a).getRank() == 1,
       isColumn = e.typeOf(c).getRank() == 1;
  if (e.typeOf(a).getRank() == 0 || e.typeOf(c).getRank() == 0)
    return refuse("multiplies a scalar");
  if (isRow)
    a = unsqueeze(a, {0});
  if (isColumn)
    c = unsqueeze(c, {1});
  int64_t ra = e.typeOf(a).getRank(), rc = e.typeOf(c).getRank();
  int64_t inner = shape(a)[ra - 1], other = shape(c)[rc - 2];
  if (!ShapedType::isDynamic(inner) && !ShapedType::isDynamic(other) &&
      inner != other)
    return refuse("multiplies matrices of inner sizes " + Twine(inner) +
                  " and " + Twine(other));
  Value result;
  if (rc == 2) { // one matrix on the right for all on the left
    result = dot(a, c, {}, {}, {ra - 1}, {0}, element);
  } else {
    int64_t rank = std::max(ra, rc);
    // Dimensions in front are repeated; the last two are not.
    Value factors[] = {a, c};
    joinOpenSizes(factors, /*behind=*/2);
    a = factors[0];
    c = factors[1];
    Sizes sa(rank - ra, e.size(1)), sc(rank - rc, e.size(1));
    llvm::append_range(sa, e.sizesOf(a));
    llvm::append_range(sc, e.sizesOf(c));
    Ints batch;
    for (int64_t d = 0; d < rank - 2; ++d) {
      auto l = getConstantIntValue(sa[d]), r = getConstantIntValue(sc[d]);
      if (l && r && *l != *r && *l != 1 && *r != 1)
        return refuse("joins sizes " + Twine(*l) + " and " + Twine(*r));
      OpFoldResult size = l == 1 ? sc[d] : sa[d];
      sa[d] = l == 1 ? sa[d] : size;
      sc[d] = r == 1 ? sc[d] : size;
      batch.push_back(d);
    }
    Sizes wa = sa, wc = sc;
    for (int64_t d = 0; d < rank - 2; ++d) {
      if (getConstantIntValue(wa[d]) == 1)
        wa[d] = wc[d];
      else
        wc[d] = wa[d];
    }
    a = e.broadcast(e.reshape(a, sa), wa);
    c = e.broadcast(e.reshape(c, sc), wc);
    result = dot(a, c, batch, batch, {rank - 1}, {rank - 2}, element);
  }
  Ints gone;
  int64_t rank = e.typeOf(result).getRank();
  if (isRow)
    gone.push_back(rank - 2);
  if (isColumn)
    gone.push_back(rank - 1);
  return gone.empty() ? result : squeeze(result, gone);
}

Value Node::logSoftmax(Value x, int64_t dim) {
  Value shifted = sub(x, reduce<prim::AmaxOp>(x, {dim}, true));
  Value total = sum(unary<prim::ExpOp>(shifted), {dim}, true);
  return sub(shifted, unary<prim::LogOp>(total));
}

Value Node::clamp(Value x, double low, double high) {
  return min(max(x, number(low, x)), number(high, x));
}

} // namespace kiln::onnx_to_prim
