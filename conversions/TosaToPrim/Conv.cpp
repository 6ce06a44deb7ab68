// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and matrix products of TOSA.
#include "Rules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// The type in which products are summed, bias included.
Type sumType(Type operand, Type result, Translator &e) {
  if (isa<FloatType>(operand))
    return operand.isF64() ? operand : Type(e.b.getF32Type());
  return result.isInteger(64) ? result : Type(e.b.getI32Type());
}

/// An operand less its zero point: as it is if that is zero, else in i32.
Value withoutZeroPoint(Value operand, Value zeroPoint, Translator &e) {
  if (isa<FloatType>(e.elementOf(operand)))
    return operand; // TOSA wants zero
  auto zp = e.integersOf(zeroPoint);
  if (zp && zp->front() == 0)
    return operand;
  Value wide = e.convert(operand, e.b.getI32Type());
  Value scalar =
      e.reshape(e.convert(zeroPoint, e.b.getI32Type()), ArrayRef<int64_t>());
  return e.sub(wide, e.broadcastInDim(scalar, {}, e.sizesOf(wide)));
}

/// A convolution in the terms of prim.
struct Window {
  SmallVector<int64_t> strides, low, high, dilation, inputDilation;
  int64_t groups = 1;
};

/// Size of a spatial dimension of the result.
int64_t resultSize(int64_t in, int64_t window, const Window &w, size_t i) {
  if (ShapedType::isDynamic(in) || ShapedType::isDynamic(window))
    return ShapedType::kDynamic;
  int64_t padded = (in - 1) * w.inputDilation[i] + 1 + w.low[i] + w.high[i];
  return (padded - ((window - 1) * w.dilation[i] + 1)) / w.strides[i] + 1;
}

/// Convolves, adds the bias and rounds once.
template <typename Op>
LogicalResult finishConv(Op op, Value input, Value filter, const Window &w,
                         Translator &e) {
  RankedTensorType declared = e.tensorType(op.getType());
  if (!declared)
    return e.unsupported(op,
                         "has a result of type " + Twine(text(op.getType())));
  Value x = withoutZeroPoint(input, e.get(op.getInputZp()), e);
  Value f = withoutZeroPoint(filter, e.get(op.getWeightZp()), e);
  if (isa<FloatType>(e.elementOf(x)) && e.elementOf(x) != e.elementOf(f))
    return e.unsupported(op, "has operands of different floats");
  Type sum = sumType(e.elementOf(x), declared.getElementType(), e);
  RankedTensorType in = e.typeOf(x), window = e.typeOf(f);
  SmallVector<int64_t> shape{in.getDimSize(0)};
  for (size_t i = 0; i < w.strides.size(); ++i) {
    shape.push_back(
        resultSize(in.getDimSize(i + 1), window.getDimSize(i + 1), w, i));
    if (w.low[i] < 0 || w.high[i] < 0)
      return e.unsupported(op, "has negative padding");
    if (ShapedType::isStatic(shape.back()) && shape.back() <= 0)
      return e.unsupported(op, "has a window larger than its padded input");
  }
  shape.push_back(window.getDimSize(0));
  Value result = prim::ConvOp::create(e.b, RankedTensorType::get(shape, sum), x,
                                      f, w.strides, w.low, w.high, w.dilation,
                                      w.inputDilation, w.groups);
  Value bias = e.convert(e.get(op.getBias()), sum);
  std::optional<TypedAttr> splat = e.splatOf(bias);
  bool zero = splat && (matchPattern(*splat, m_Zero()) ||
                        matchPattern(*splat, m_AnyZeroFloat()));
  if (!zero) {
    Sizes sizes = e.sizesOf(result);
    int64_t channels = e.typeOf(result).getRank() - 1;
    if (e.typeOf(bias).getDimSize(0) == 1)
      bias = e.broadcastInDim(e.reshape(bias, ArrayRef<int64_t>{}), {}, sizes);
    else
      bias = e.broadcastInDim(bias, {channels}, sizes);
    result = e.add(result, bias);
  }
  return e.set(op, e.convert(result, declared.getElementType()));
}

/// Strides, padding and dilation as TOSA lists them.
Window windowOf(ArrayRef<int64_t> strides, ArrayRef<int64_t> pad,
                ArrayRef<int64_t> dilation) {
  Window w;
  w.strides.assign(strides.begin(), strides.end());
  w.dilation.assign(dilation.begin(), dilation.end());
  w.inputDilation.assign(strides.size(), 1);
  for (size_t i = 0; i < strides.size(); ++i) {
    w.low.push_back(pad[2 * i]);
    w.high.push_back(pad[2 * i + 1]);
  }
  return w;
}

template <typename Op> LogicalResult conv(Op op, Translator &e) {
  Window w = windowOf(op.getStride(), op.getPad(), op.getDilation());
  return finishConv(op, e.get(op.getInput()), e.get(op.getWeight()), w, e);
}

/// Weights [KH, KW, C, M] become [C * M, KH, KW, 1], one group per channel.
LogicalResult depthwise(tosa::DepthwiseConv2DOp op, Translator &e) {
  Window w = windowOf(op.getStride(), op.getPad(), op.getDilation());
  Value filter = e.get(op.getWeight());
  RankedTensorType type = e.typeOf(filter);
  if (!type.hasStaticShape())
    return e.unsupported(op, "has weights of a size that is not known");
  w.groups = type.getDimSize(2);
  filter = e.transpose(filter, {2, 3, 0, 1});
  filter = e.reshape(filter, {type.getDimSize(2) * type.getDimSize(3),
                              type.getDimSize(0), type.getDimSize(1), 1});
  return finishConv(op, e.get(op.getInput()), filter, w, e);
}

/// The convolution of the spread input with the reversed window.
LogicalResult transposeConv(tosa::TransposeConv2DOp op, Translator &e) {
  Window w;
  Value filter = e.get(op.getWeight());
  RankedTensorType type = e.typeOf(filter);
  w.inputDilation.assign(op.getStride().begin(), op.getStride().end());
  for (size_t i = 0; i < 2; ++i) {
    int64_t size = type.getDimSize(i + 1);
    if (ShapedType::isDynamic(size))
      return e.unsupported(op, "has weights of a size that is not known");
    w.strides.push_back(1);
    w.dilation.push_back(1);
    w.low.push_back(size - 1 + op.getOutPad()[2 * i]);
    w.high.push_back(size - 1 + op.getOutPad()[2 * i + 1]);
  }
  filter = prim::RevOp::create(e.b, type, filter, ArrayRef<int64_t>{1, 2});
  return finishConv(op, e.get(op.getInput()), filter, w, e);
}

LogicalResult matmul(tosa::MatMulOp op, Translator &e) {
  RankedTensorType declared = e.tensorType(op.getType());
  if (!declared)
    return e.unsupported(op,
                         "has a result of type " + Twine(text(op.getType())));
  Value lhs = withoutZeroPoint(e.get(op.getA()), e.get(op.getAZp()), e);
  Value rhs = withoutZeroPoint(e.get(op.getB()), e.get(op.getBZp()), e);
  Type element = e.elementOf(lhs);
  if (isa<FloatType>(element) && element != e.elementOf(rhs))
    return e.unsupported(op, "has operands of different floats");
  Type sum = sumType(element, declared.getElementType(), e);
  int64_t batch = e.typeOf(lhs).getDimSize(0);
  if (ShapedType::isDynamic(batch))
    batch = e.typeOf(rhs).getDimSize(0);
  auto type = RankedTensorType::get(
      {batch, e.typeOf(lhs).getDimSize(1), e.typeOf(rhs).getDimSize(2)}, sum);
  Value product = prim::DotGeneralOp::create(
      e.b, type, lhs, rhs, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{0},
      ArrayRef<int64_t>{2}, ArrayRef<int64_t>{1}, prim::Precision::ieee);
  return e.set(op, e.convert(product, declared.getElementType()));
}

} // namespace

void addConvRules(Rules &rules) {
  rules.add<tosa::Conv2DOp>(conv<tosa::Conv2DOp>);
  rules.add<tosa::Conv3DOp>(conv<tosa::Conv3DOp>);
  rules.add<tosa::DepthwiseConv2DOp>(depthwise);
  rules.add<tosa::TransposeConv2DOp>(transposeConv);
  rules.add<tosa::MatMulOp>(matmul);
}

} // namespace kiln::tensor_to_prim
