// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling of TOSA.
#include "Rules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// A window of TOSA in the terms of prim.
struct Pool {
  SmallVector<int64_t> window, strides, low, high;
  SmallVector<int64_t> shape; // of the result
};

template <typename Op> Pool poolOf(Op op, Value input, Translator &e) {
  Pool p;
  p.window.assign(op.getKernel().begin(), op.getKernel().end());
  p.strides.assign(op.getStride().begin(), op.getStride().end());
  p.shape.assign(e.typeOf(input).getShape().begin(),
                 e.typeOf(input).getShape().end());
  for (size_t i = 0; i < 2; ++i) {
    p.low.push_back(op.getPad()[2 * i]);
    p.high.push_back(op.getPad()[2 * i + 1]);
    int64_t &size = p.shape[i + 1];
    if (ShapedType::isStatic(size))
      size = (size + p.low[i] + p.high[i] - p.window[i]) / p.strides[i] + 1;
  }
  return p;
}

template <typename To> Value pool(Value x, const Pool &p, Translator &e) {
  return To::create(e.b, e.typeOf(x).clone(p.shape), x, p.window, p.strides,
                    p.low, p.high);
}

LogicalResult maxPool(tosa::MaxPool2dOp op, Translator &e) {
  Value x = e.get(op.getInput());
  if (isUnsigned(op.getType()))
    return e.unsupported(op, "on unsigned integers");
  Pool p = poolOf(op, x, e);
  if (op.getNanMode() != tosa::NanPropagationMode::IGNORE ||
      !isa<FloatType>(e.elementOf(x)))
    return e.set(op, pool<prim::MaxPoolOp>(x, p, e));
  // A NaN loses, unless the window holds nothing else.
  Value nan = e.isNan(x);
  Value lowest = e.number(-std::numeric_limits<double>::infinity(), x);
  Value result = pool<prim::MaxPoolOp>(e.where(nan, lowest, x), p, e);
  Value flags = e.where(nan, e.integer(0, x, e.b.getI8Type()),
                        e.integer(1, x, e.b.getI8Type()));
  Value any = e.convert(pool<prim::MaxPoolOp>(flags, p, e), e.b.getI1Type());
  Value quiet = e.number(std::numeric_limits<double>::quiet_NaN(), result);
  return e.set(op, e.where(any, result, quiet));
}

/// How many elements of each window lie inside of the input.
SmallVector<int64_t> counts(int64_t in, int64_t out, const Pool &p, size_t i) {
  SmallVector<int64_t> result;
  for (int64_t position = 0; position < out; ++position) {
    int64_t start = position * p.strides[i] - p.low[i];
    int64_t end = std::min(start + p.window[i], in);
    result.push_back(end - std::max<int64_t>(start, 0));
  }
  return result;
}

/// The fixed-point factor for a division by `value`.
std::pair<int64_t, int64_t> reciprocalScale(uint32_t value) {
  int64_t k = 32 - llvm::countl_zero(value - 1);
  int64_t numerator = ((int64_t(1) << 30) + 1) << k;
  return {numerator / value, 30 + k};
}

/// Sums in i32, multiplied by a fixed-point reciprocal of the number of
/// elements, as TOSA prescribes bit by bit.
LogicalResult integerAverage(tosa::AvgPool2dOp op, Value x, const Pool &p,
                             Translator &e) {
  auto element = cast<IntegerType>(e.elementOf(x));
  auto inZp = e.integersOf(e.get(op.getInputZp()));
  auto outZp = e.integersOf(e.get(op.getOutputZp()));
  if (!inZp || !outZp)
    return e.unsupported(op, "has a zero point that is not a constant");
  RankedTensorType in = e.typeOf(x);
  if (p.window[0] > 8192 || p.window[1] > 8192)
    return e.unsupported(op, "has a window of more than 8192 elements along a "
                             "dimension");
  bool padded = llvm::any_of(p.low, [](int64_t n) { return n != 0; }) ||
                llvm::any_of(p.high, [](int64_t n) { return n != 0; });
  if (padded && (in.isDynamicDim(1) || in.isDynamicDim(2)))
    return e.unsupported(op, "has padding around a size that is not known");
  Value wide = e.convert(x, e.b.getI32Type());
  if (inZp->front() != 0)
    wide = e.sub(wide, e.integer(inZp->front(), wide));
  Value sum = pool<prim::SumPoolOp>(wide, p, e);
  if (!padded) {
    auto [multiplier, shift] = reciprocalScale(p.window[0] * p.window[1]);
    return e.set(op, prim::RescaleOp::create(
                         e.b, e.typeOf(sum).clone(element), sum,
                         ArrayRef<int32_t>{int32_t(multiplier)},
                         ArrayRef<int8_t>{int8_t(shift)}, 0, outZp->front(),
                         prim::Rounding::single, true, false, false));
  }
  if (padded && (p.shape[1] > 4096 || p.shape[2] > 4096))
    return e.unsupported(op, "has padding and a result of more than 4096 "
                             "elements along a dimension");
  SmallVector<int64_t> multipliers, shifts;
  for (int64_t rows : counts(in.getDimSize(1), p.shape[1], p, 0))
    for (int64_t columns : counts(in.getDimSize(2), p.shape[2], p, 1)) {
      if (rows <= 0 || columns <= 0)
        return e.unsupported(op, "has a window that lies in the padding alone");
      auto [multiplier, shift] = reciprocalScale(rows * columns);
      multipliers.push_back(multiplier);
      shifts.push_back(shift);
    }
  Type i64 = e.b.getI64Type();
  Value accumulated = e.convert(sum, i64);
  auto positions = RankedTensorType::get({p.shape[1], p.shape[2]}, i64);
  auto spread = [&](ArrayRef<int64_t> numbers) {
    Value table = e.constant(DenseElementsAttr::get(positions, numbers));
    return e.broadcastInDim(table, {1, 2}, e.sizesOf(accumulated));
  };
  Value shift = spread(shifts), one = e.integer(1, accumulated);
  Value round = e.binary<prim::ShiftLeftOp>(one, e.sub(shift, one));
  Value scaled = e.binary<prim::ShiftRightArithmeticOp>(
      e.add(e.mul(accumulated, spread(multipliers)), round), shift);
  Value moved = e.add(scaled, e.integer(outZp->front(), scaled));
  int64_t high = (int64_t(1) << (element.getWidth() - 1)) - 1;
  return e.set(op, e.convert(e.clampTo(moved, -high - 1, high), element));
}

LogicalResult avgPool(tosa::AvgPool2dOp op, Translator &e) {
  Value x = e.get(op.getInput());
  if (isUnsigned(op.getType()))
    return e.unsupported(op, "on unsigned integers");
  Pool p = poolOf(op, x, e);
  Type element = e.elementOf(x);
  if (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() > 32)
    return e.unsupported(op, "on " + Twine(text(element)));
  if (isa<IntegerType>(element))
    return integerAverage(op, x, p, e);
  Type work = element.isF64() ? element : Type(e.b.getF32Type());
  Value mean = pool<prim::AvgPoolOp>(e.convert(x, work), p, e);
  return e.set(op, e.convert(mean, element));
}

} // namespace

void addPoolRules(Rules &rules) {
  rules.add<tosa::MaxPool2dOp>(maxPool);
  rules.add<tosa::AvgPool2dOp>(avgPool);
}

} // namespace kiln::tensor_to_prim
