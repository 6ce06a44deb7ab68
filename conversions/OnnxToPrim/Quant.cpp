// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised operators.
#include "Quant.h"
#include "Windows.h"

#include "kiln/Dialect/Prim/Shape.h"

using namespace mlir;

namespace kiln::onnx_to_prim {
namespace {

struct Range {
  double low, high;
};

std::optional<Range> rangeOf(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || integer.getWidth() > 16)
    return std::nullopt;
  double values = 1 << integer.getWidth();
  if (integer.isUnsigned())
    return Range{0, values - 1};
  return Range{-values / 2, values / 2 - 1};
}

} // namespace

Value quantize(Node &n, Value scaled, Value zero, Type element) {
  if (prim::isSmallFloat(element)) // its zero point is 0
    return castTo(n, scaled, element);
  auto range = rangeOf(element);
  if (!range)
    return n.refuse("makes elements that are neither integers of 4 to 16 bits "
                    "nor floats of at most 8");
  Value rounded = n.unary<prim::RoundOp>(scaled);
  // Far outside of every range, and exact.
  rounded = n.clamp(rounded, -1e6, 1e6);
  Value whole = n.cast(rounded, n.e.b.getI32Type());
  if (zero)
    whole = n.add(whole, zero);
  return n.cast(n.clamp(whole, range->low, range->high), element);
}

Value i32(Node &n, unsigned i) {
  return n.cast(n.in(i), n.e.b.getI32Type(), n.isUnsigned(i));
}

Value centred(Node &n, unsigned i, unsigned point, int64_t fromEnd) {
  Value x = i32(n, i);
  if (!n.has(point))
    return x;
  Value zero = i32(n, point);
  int64_t rank = n.e.typeOf(x).getRank();
  if (n.e.typeOf(zero).getRank() == 1 && n.shape(zero)[0] != 1 && rank > 1)
    zero = n.along(zero, rank - fromEnd, rank);
  else if (n.e.typeOf(zero).getRank() <= 1)
    zero = n.e.reshape(zero, ArrayRef<int64_t>());
  return n.sub(x, zero);
}

namespace {

/// A scale or a zero point in the shape of `x`: one for all, one for each index
/// of an axis, or one for each block along it.
Value perAxis(Node &n, Value v, Value x) {
  int64_t rank = n.e.typeOf(x).getRank(), own = n.e.typeOf(v).getRank();
  if (own == 0 || (own == 1 && n.shape(v)[0] == 1))
    return n.e.reshape(v, ArrayRef<int64_t>());
  int64_t dim = n.axisAttr("axis", 1, rank), block = n.getInt("block_size", 0);
  if (n.broken)
    return v;
  if (own == 1)
    return n.along(v, dim, rank);
  int64_t to = n.shape(x)[dim], from = n.shape(v)[dim];
  if (own != rank || ShapedType::isDynamic(to) || ShapedType::isDynamic(from) ||
      from < 1)
    return n.refuse("has scales that do not fit");
  if (block == 0)
    block = llvm::divideCeil(to, from);
  Value at = n.div(n.iota(to, n.e.b.getI64Type()), n.integer(block));
  return n.take(v, at, dim);
}

LogicalResult quantizeLinear(Node &n) {
  Value x = n.in(0);
  Type element =
      n.has(2) ? n.elementIn(2)
               : IntegerType::get(n.e.b.getContext(), 8, IntegerType::Unsigned);
  if (!n.has(2) && n.getInt("output_dtype", 0))
    element = n.dataType(n.getInt("output_dtype", 0));
  if (n.broken)
    return failure();
  Value scale = perAxis(n, n.in(1), x);
  Value zero = n.has(2) && isa<IntegerType>(element) ? perAxis(n, i32(n, 2), x)
                                                     : Value();
  if (n.broken || !scale)
    return failure();
  Type type = n.isFloat(1) ? n.e.elementOf(scale) : n.e.b.getF32Type();
  if (int64_t precision = n.getInt("precision", 0))
    type = n.dataType(precision);
  Value scaled = n.div(n.cast(x, type, n.isUnsigned(0)), n.cast(scale, type));
  return n.set(quantize(n, scaled, zero, element));
}

LogicalResult dequantizeLinear(Node &n) {
  Value x = n.in(0);
  bool isSmall = prim::isSmallFloat(n.e.elementOf(x));
  if (!isa<IntegerType>(n.e.elementOf(x)) && !isSmall)
    return n.fail("of elements that are neither integers nor floats of at most "
                  "8 bits");
  Value scale = perAxis(n, n.in(1), x);
  Value whole = isSmall ? x : i32(n, 0);
  if (n.has(2) && !isSmall) // of floats it is 0
    whole = n.sub(whole, perAxis(n, i32(n, 2), x));
  if (n.broken || !scale)
    return failure();
  Type element = n.elementIn(1);
  if (n.getInt("output_dtype", 0))
    element = n.dataType(n.getInt("output_dtype", 0));
  return n.set(n.cast(n.mul(n.f32(whole), n.f32(scale)), element));
}

/// DynamicQuantizeLinear: the range of the elements, 0 included, on 8 bits.
LogicalResult dynamicQuantize(Node &n) {
  Value x = n.in(0), zero = n.number(0, x);
  Ints all;
  for (int64_t d = 0; d < n.rank(0); ++d)
    all.push_back(d);
  Value high = n.max(n.reduce<prim::AmaxOp>(x, all, false), zero);
  Value low = n.min(n.reduce<prim::AminOp>(x, all, false), zero);
  Value scale = n.div(n.sub(high, low), n.number(255, x));
  Value point = n.clamp(
      n.unary<prim::RoundOp>(n.div(n.unary<prim::NegOp>(low), scale)), 0, 255);
  Type element = IntegerType::get(n.e.b.getContext(), 8, IntegerType::Unsigned);
  Value whole = n.cast(point, n.e.b.getI32Type());
  Value result = quantize(n, n.div(x, scale), whole, element);
  if (failed(n.set(0, result)) || failed(n.set(1, scale)))
    return failure();
  return n.set(2, n.cast(whole, element));
}

LogicalResult matMulInteger(Node &n) {
  return n.set(
      n.matmul(centred(n, 0, 2, 2), centred(n, 1, 3, 1), n.e.b.getI32Type()));
}

/// Brings sums back to 8 bits.
LogicalResult requantize(Node &n, Value sum, Value scale, unsigned out,
                         unsigned point) {
  Value scaled = n.mul(n.f32(sum), n.div(scale, n.f32(n.in(out))));
  Value zero =
      n.has(point) ? n.e.reshape(i32(n, point), ArrayRef<int64_t>()) : Value();
  return n.set(quantize(n, scaled, zero, n.elementIn(point)));
}

LogicalResult qLinearMatMul(Node &n) {
  Value sum =
      n.matmul(centred(n, 0, 2, 2), centred(n, 3, 5, 1), n.e.b.getI32Type());
  if (!sum)
    return failure();
  int64_t rank = n.e.typeOf(sum).getRank();
  auto scale = [&](unsigned i, int64_t fromEnd) {
    Value s = n.f32(n.in(i));
    if (n.e.typeOf(s).getRank() == 1 && n.shape(s)[0] != 1 && rank > 1)
      return n.along(s, rank - fromEnd, rank);
    return n.e.typeOf(s).getRank() <= 1 ? n.e.reshape(s, ArrayRef<int64_t>())
                                        : s;
  };
  return requantize(n, sum, n.mul(scale(1, 2), scale(4, 1)), 6, 7);
}

/// A filter without its zero point, which there may be one of for each output.
Value filterOf(Node &n, unsigned i, unsigned point) {
  Value filter = i32(n, i);
  if (!n.has(point))
    return filter;
  Value zero = i32(n, point);
  zero = n.e.typeOf(zero).getRank() == 1 && n.shape(zero)[0] != 1
             ? n.along(zero, 0, n.e.typeOf(filter).getRank())
             : n.e.reshape(zero, ArrayRef<int64_t>());
  return n.sub(filter, zero);
}

LogicalResult convInteger(Node &n) {
  Value x = i32(n, 0);
  if (n.has(2))
    x = n.sub(x, n.e.reshape(i32(n, 2), ArrayRef<int64_t>()));
  return n.set(convOf(n, x, filterOf(n, 1, 3), n.e.b.getI32Type()));
}

LogicalResult qLinearConv(Node &n) {
  Value x = n.sub(i32(n, 0), n.e.reshape(i32(n, 2), ArrayRef<int64_t>()));
  Value sum = convOf(n, x, filterOf(n, 3, 5), n.e.b.getI32Type());
  if (!sum)
    return failure();
  int64_t rank = n.e.typeOf(sum).getRank();
  if (n.has(8))
    sum = n.add(sum, n.along(n.in(8), 1, rank));
  Value scale = n.f32(n.in(4));
  scale = n.e.typeOf(scale).getRank() == 1 && n.shape(scale)[0] != 1
              ? n.along(scale, 1, rank)
              : n.e.reshape(scale, ArrayRef<int64_t>());
  return requantize(
      n, sum, n.mul(n.e.reshape(n.f32(n.in(1)), ArrayRef<int64_t>()), scale), 6,
      7);
}

} // namespace

void addQuantRules(NodeRules &rules) {
  rules.add("QuantizeLinear", quantizeLinear, 2);
  rules.add("DequantizeLinear", dequantizeLinear, 2);
  // Those of ONNX Runtime took 16 bits before ONNX's did.
  rules.add("com.microsoft.QuantizeLinear", quantizeLinear, 2);
  rules.add("com.microsoft.DequantizeLinear", dequantizeLinear, 2);
  rules.add("DynamicQuantizeLinear", dynamicQuantize);
  rules.add("MatMulInteger", matMulInteger, 2);
  rules.add("QLinearMatMul", qLinearMatMul, 8);
  rules.add("ConvInteger", convInteger, 2);
  rules.add("QLinearConv", qLinearConv, 8);
}

} // namespace kiln::onnx_to_prim
