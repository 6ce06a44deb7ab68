// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised operators of ONNX Runtime's domain com.microsoft.
#include "Quant.h"
#include "Windows.h"

using namespace mlir;

namespace kiln::onnx_to_prim {

Value scaleOf(Node &n, unsigned i, int64_t rank) {
  Value s = n.f32(n.in(i));
  if (n.e.typeOf(s).getRank() == 1 && n.shape(s)[0] != 1)
    return n.along(s, rank - 1, rank);
  return n.e.reshape(s, ArrayRef<int64_t>());
}

Value unpackBits(Node &n, Value bytes, int64_t bits, int64_t count) {
  Type i32 = n.e.b.getI32Type();
  Value whole = n.cast(bytes, i32, /*fromUnsigned=*/true);
  int64_t each = 8 / bits, rank = n.e.typeOf(bytes).getRank();
  if (each > 1) {
    Value shifts =
        n.mul(n.iota(each, i32), n.e.full(n.e.b.getI32IntegerAttr(bits), {}));
    Value parts = n.binary<prim::ShiftRightLogicalOp>(
        n.unsqueeze(whole, {rank}), n.along(shifts, rank, rank + 1));
    parts =
        n.both(parts, n.e.full(n.e.b.getI32IntegerAttr((1 << bits) - 1), {}));
    if (n.broken)
      return {};
    Sizes sizes = n.e.sizesOf(bytes);
    sizes.back() = n.e.size(n.shape(bytes).back() * each);
    whole = n.e.reshape(parts, sizes);
  }
  return n.slice(whole, rank - 1, 0, count);
}

namespace {

/// A scale or another input of one element, in f32.
Value single(Node &n, unsigned i) {
  return n.e.reshape(n.f32(n.in(i)), ArrayRef<int64_t>());
}

/// The numbers that an input with one scale and one zero point stands for.
Value dequantized(Node &n, unsigned i, unsigned scale, unsigned point) {
  Value whole = i32(n, i);
  if (n.has(point))
    whole = n.sub(whole, n.e.reshape(i32(n, point), ArrayRef<int64_t>()));
  return n.mul(n.f32(whole), single(n, scale));
}

/// Numbers in the type of a zero point, with one scale.
LogicalResult setQuantized(Node &n, Value x, unsigned scale, unsigned point) {
  if (!x || !n.has(point))
    return n.broken ? failure() : n.fail("has no zero point of its result");
  Value zero = n.e.reshape(i32(n, point), ArrayRef<int64_t>());
  return n.set(
      quantize(n, n.div(x, single(n, scale)), zero, n.elementIn(point)));
}

/// QLinearAdd and QLinearMul.
template <typename Op> LogicalResult qLinearBinary(Node &n) {
  Value a = dequantized(n, 0, 1, 2), c = dequantized(n, 3, 4, 5);
  return setQuantized(n, n.binary<Op>(a, c), 6, 7);
}

LogicalResult qLinearSigmoid(Node &n) {
  Value x = dequantized(n, 0, 1, 2);
  return setQuantized(n, n.unary<prim::SigmoidOp>(x), 3, 4);
}

LogicalResult qLinearLeakyRelu(Node &n) {
  Value x = dequantized(n, 0, 1, 2), zero = n.number(0, x);
  Value low = n.mul(x, n.number(n.getFloat("alpha", 0.01f), x));
  return setQuantized(n, n.where(n.lt(x, zero), low, x), 3, 4);
}

/// QLinearSoftmax: before version 13 of the operators over all dimensions from
/// the axis on.
LogicalResult qLinearSoftmax(Node &n) {
  Value x = dequantized(n, 0, 1, 2);
  int64_t dim = n.axisAttr("axis", -1, n.rank(0));
  if (n.broken)
    return failure();
  if (n.getInt("opset", 13) >= 13 || dim == n.rank(0) - 1)
    return setQuantized(n, n.softmax(x, dim), 3, 4);
  Sizes sizes = n.e.sizesOf(x), flat(sizes.begin(), sizes.begin() + dim);
  flat.push_back(n.e.sizeMath().product(ArrayRef(sizes).drop_front(dim)));
  Value rows = n.softmax(n.e.reshape(x, flat), dim);
  return setQuantized(n, n.e.reshape(rows, sizes), 3, 4);
}

/// QLinearConcat: scale and zero point of the result come first.
LogicalResult qLinearConcat(Node &n) {
  SmallVector<Value> parts;
  for (unsigned i = 2; i + 2 < n.numInputs(); i += 3)
    parts.push_back(dequantized(n, i, i + 1, i + 2));
  if (parts.empty() || n.broken)
    return n.broken ? failure() : n.fail("joins nothing");
  int64_t dim = n.axisAttr("axis", 0, n.e.typeOf(parts[0]).getRank());
  if (n.broken)
    return failure();
  return setQuantized(n, n.e.concat(parts, dim), 0, 1);
}

LogicalResult qLinearGlobalAveragePool(Node &n) {
  Value x = dequantized(n, 0, 1, 2);
  bool isLast = n.getInt("channels_last", 0);
  Ints dims;
  for (int64_t d = isLast ? 1 : 2; d < n.rank(0) - (isLast ? 1 : 0); ++d)
    dims.push_back(d);
  return setQuantized(n, n.mean(x, dims, true), 3, 4);
}

LogicalResult qLinearAveragePool(Node &n) {
  if (n.getInt("channels_last", 0))
    return n.fail("with the channels last");
  Value x = dequantized(n, 0, 1, 2);
  return n.broken ? failure() : setQuantized(n, averagePoolOf(n, x), 3, 4);
}

/// QLinearWhere: a condition, two operands, then what the result is in.
LogicalResult qLinearWhere(Node &n) {
  Value x = dequantized(n, 1, 2, 3), y = dequantized(n, 4, 5, 6);
  return setQuantized(n, n.where(n.in(0), x, y), 7, 8);
}

/// QGemm: quantised Gemm, whose result is f32 where it has no scale.
LogicalResult qGemm(Node &n) {
  if (n.rank(0) != 2 || n.rank(3) != 2)
    return n.fail("of tensors that are no matrices");
  bool transA = n.getInt("transA", 0), transB = n.getInt("transB", 0);
  Value a = n.sub(i32(n, 0), n.e.reshape(i32(n, 2), ArrayRef<int64_t>()));
  Value c = i32(n, 3), zero = i32(n, 5);
  c = n.sub(c, n.e.typeOf(zero).getRank() == 1 && n.shape(zero)[0] != 1
                   ? n.along(zero, transB ? 0 : 1, 2)
                   : n.e.reshape(zero, ArrayRef<int64_t>()));
  if (n.broken)
    return failure();
  Value sum = n.dot(a, c, {}, {}, {transA ? 0 : 1}, {transB ? 1 : 0},
                    n.e.b.getI32Type());
  Value result = n.f32(n.has(6) ? n.add(sum, n.in(6)) : sum);
  Value scale = n.mul(single(n, 1), scaleOf(n, 4, 2));
  result = n.mul(result, n.mul(scale, n.number(n.getFloat("alpha", 1), scale)));
  if (!n.has(7))
    return n.set(result);
  return setQuantized(n, result, 7, 8);
}

/// MatMulIntegerToFloat: A, B, their scales, their zero points, a bias.
LogicalResult matMulIntegerToFloat(Node &n) {
  Value sum =
      n.matmul(centred(n, 0, 4, 2), centred(n, 1, 5, 1), n.e.b.getI32Type());
  if (!sum)
    return failure();
  int64_t rank = n.e.typeOf(sum).getRank();
  Value result = n.mul(n.f32(sum), n.mul(single(n, 2), scaleOf(n, 3, rank)));
  if (n.has(6))
    result = n.add(result, n.in(6));
  return n.set(result);
}

/// DynamicQuantizeMatMul: the left operand is quantised by its own range.
LogicalResult dynamicQuantizeMatMul(Node &n) {
  Value x = n.in(0), none = n.number(0, x);
  Ints all;
  for (int64_t d = 0; d < n.rank(0); ++d)
    all.push_back(d);
  Value high = n.max(n.reduce<prim::AmaxOp>(x, all, false), none);
  Value low = n.min(n.reduce<prim::AminOp>(x, all, false), none);
  Value scale = n.div(n.sub(high, low), n.number(255, x));
  Value point = n.clamp(
      n.unary<prim::RoundOp>(n.div(n.unary<prim::NegOp>(low), scale)), 0, 255);
  Type i32 = n.e.b.getI32Type();
  Value zero = n.cast(point, i32);
  Type byte = IntegerType::get(n.e.b.getContext(), 8, IntegerType::Unsigned);
  Value quantized = quantize(n, n.div(x, scale), zero, byte);
  Value left = n.sub(n.cast(quantized, i32, /*fromUnsigned=*/true), zero);
  Value sum = n.matmul(left, centred(n, 1, 3, 1), i32);
  if (!sum)
    return failure();
  Value result =
      n.mul(n.f32(sum), n.mul(scale, scaleOf(n, 2, n.e.typeOf(sum).getRank())));
  if (n.has(4))
    result = n.add(result, n.in(4));
  return n.set(result);
}

/// MatMulNBits: A times the transpose of a matrix [N, K] of few bits, with a
/// scale and a zero point for each block along K.
LogicalResult matMulNBits(Node &n) {
  int64_t bits = n.getInt("bits", 4), block = n.getInt("block_size", 0);
  int64_t rows = n.getInt("N", 0), depth = n.getInt("K", 0);
  if ((bits != 2 && bits != 4 && bits != 8) || block < 1 || rows < 1 ||
      depth < 1)
    return n.fail("has bits, block_size, N or K that do not fit");
  int64_t blocks = llvm::divideCeil(depth, block), padded = blocks * block;
  Value a = n.in(0), packed = n.in(1), scales = n.in(2);
  auto holds = [&](Value x, int64_t count) {
    return n.e.typeOf(x).hasStaticShape() &&
           n.e.typeOf(x).getNumElements() == count;
  };
  if (!holds(packed, rows * padded * bits / 8) || !holds(scales, rows * blocks))
    return n.fail("has weights or scales that do not make up N times K");
  Type type = n.e.elementOf(n.wide(a));
  Value q = unpackBits(n, n.e.reshape(packed, Ints{rows, padded * bits / 8}),
                       bits, padded);
  Value zero = n.number(1 << (bits - 1), type);
  if (n.has(3)) {
    Value points = n.in(3);
    if (isa<FloatType>(n.e.elementOf(points)) && holds(points, rows * blocks)) {
      zero = n.cast(points, type);
    } else {
      int64_t width = llvm::divideCeil(blocks * bits, 8);
      if (!holds(points, rows * width))
        return n.fail("has zero points that do not fit");
      zero = n.cast(
          unpackBits(n, n.e.reshape(points, Ints{rows, width}), bits, blocks),
          type);
    }
    zero = n.e.reshape(zero, Ints{rows, blocks, 1});
  }
  if (n.broken)
    return failure();
  Value apart = n.e.reshape(n.cast(q, type), Ints{rows, blocks, block});
  Value factors = n.e.reshape(n.cast(scales, type), Ints{rows, blocks, 1});
  if (n.has(4)) { // columns in another order share the groups' scales
    if (!holds(n.in(4), depth))
      return n.fail("has another number of group indices");
    Value at = n.i64(n.in(4));
    auto pick = [&](Value x) {
      return n.take(n.e.reshape(x, Ints{rows, blocks}), at, 1);
    };
    apart = n.slice(n.e.reshape(apart, Ints{rows, padded}), 1, 0, depth);
    factors = pick(factors);
    if (n.has(3))
      zero = pick(zero);
  }
  Value weights = n.mul(n.sub(apart, zero), factors);
  if (n.broken)
    return failure();
  if (!n.has(4))
    weights = n.slice(n.e.reshape(weights, Ints{rows, padded}), 1, 0, depth);
  weights = n.cast(weights, n.e.elementOf(a));
  int64_t last = n.rank(0) - 1;
  if (last < 0 ||
      (n.shape(a)[last] != depth && !ShapedType::isDynamic(n.shape(a)[last])))
    return n.fail("multiplies matrices of other inner sizes than K");
  Value result = n.dot(a, weights, {}, {}, {last}, {1});
  if (n.has(5))
    result = n.add(result, n.in(5));
  return n.set(result);
}

/// GatherBlockQuantized: rows of a table of few bits, with a scale and a zero
/// point for each block of the last dimension.
LogicalResult gatherBlocks(Node &n) {
  Value table = n.in(0), at = n.i64(n.in(1));
  int64_t rank = n.rank(0), last = rank - 1,
          block = n.getInt("block_size", 128);
  int64_t dim = n.axisAttr("gather_axis", 0, rank);
  int64_t quantized = n.axisAttr("quantize_axis", 1, rank);
  if (n.broken)
    return failure();
  bool isPacked = n.elementIn(0).isUnsignedInteger(8);
  int64_t bits = isPacked ? n.getInt("bits", 4) : 8;
  if (dim == last || quantized != last || block < 1 ||
      (bits != 2 && bits != 4 && bits != 8) || n.rank(2) != rank ||
      ShapedType::isDynamic(n.shape(table)[last]) ||
      ShapedType::isDynamic(n.shape(n.in(2))[last]))
    return n.fail("of blocks of another dimension than the last one, or of "
                  "unknown sizes");
  int64_t count = n.shape(table)[last] * (isPacked ? 8 / bits : 1);
  int64_t blocks = llvm::divideCeil(count, block);
  // Whether scales or zero points are as many as the table has rows.
  auto fits = [&](Value x, int64_t size) {
    ArrayRef<int64_t> own = n.shape(x), whole = n.shape(table);
    if (own.size() != whole.size() || own.back() != size)
      return false;
    return llvm::all_of(
        llvm::zip_equal(own.drop_back(), whole.drop_back()), [](auto pair) {
          auto [a, b] = pair;
          return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
        });
  };
  if (!fits(n.in(2), blocks))
    return n.fail("has scales that do not fit");
  if (n.has(3) &&
      !fits(n.in(3), isPacked ? llvm::divideCeil(blocks * bits, 8) : blocks))
    return n.fail("has zero points that do not fit");
  at = n.fromEnd(at, n.e.sizesOf(table)[dim]);
  auto whole = [&](Value x, unsigned i, int64_t size) {
    Value rows = n.take(x, at, dim);
    return isPacked ? unpackBits(n, rows, bits, size)
                    : n.cast(rows, n.e.b.getI32Type(), n.isUnsigned(i));
  };
  Value scales = n.f32(n.take(n.in(2), at, dim));
  Value points;
  if (n.has(3))
    points = n.f32(whole(n.in(3), 3, blocks));
  else
    points = n.number(isPacked ? 1 << (bits - 1) : 0, scales);
  Value rows = n.f32(whole(table, 0, count));
  if (n.broken)
    return failure();
  Value of = n.div(n.iota(count, n.e.b.getI64Type()), n.integer(block));
  int64_t to = n.e.typeOf(rows).getRank() - 1;
  scales = n.take(scales, of, to);
  if (n.has(3))
    points = n.take(points, of, to);
  return n.set(n.cast(n.mul(n.sub(rows, points), scales), n.elementIn(2)));
}

} // namespace

void addContribQuantRules(NodeRules &rules) {
  rules.add("com.microsoft.QLinearAdd", qLinearBinary<prim::AddOp>, 2);
  rules.add("com.microsoft.QLinearMul", qLinearBinary<prim::MulOp>, 2);
  rules.add("com.microsoft.QLinearSigmoid", qLinearSigmoid, 2);
  rules.add("com.microsoft.QLinearLeakyRelu", qLinearLeakyRelu, 2);
  rules.add("com.microsoft.QLinearSoftmax", qLinearSoftmax, 2);
  rules.add("com.microsoft.QLinearConcat", qLinearConcat, 5);
  rules.add("com.microsoft.QLinearGlobalAveragePool", qLinearGlobalAveragePool,
            2);
  rules.add("com.microsoft.QLinearAveragePool", qLinearAveragePool, 5);
  rules.add("com.microsoft.QLinearWhere", qLinearWhere, 9);
  rules.add("com.microsoft.QGemm", qGemm, 6);
  rules.add("com.microsoft.MatMulIntegerToFloat", matMulIntegerToFloat, 4);
  rules.add("com.microsoft.DynamicQuantizeMatMul", dynamicQuantizeMatMul, 3);
  rules.add("com.microsoft.MatMulNBits", matMulNBits, 3);
  rules.add("com.microsoft.GatherBlockQuantized", gatherBlocks, 3);
  addExpertRules(rules);
}

} // namespace kiln::onnx_to_prim
