// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants and conversions of element types of StableHLO.
#include "Rules.h"

#include "kiln/Dialect/Prim/Shape.h"

#include <limits>

using namespace mlir;
using namespace kiln::tensor_to_prim;

namespace kiln::stablehlo_to_prim {
namespace {

/// Real parts, or imaginary ones, of complex elements.
DenseElementsAttr component(DenseElementsAttr value, RankedTensorType type,
                            bool imaginary) {
  SmallVector<APFloat> numbers;
  auto add = [&](const std::complex<APFloat> &number) {
    numbers.push_back(imaginary ? number.imag() : number.real());
  };
  if (value.isSplat())
    add(value.getSplatValue<std::complex<APFloat>>());
  else
    for (const auto &number : value.getValues<std::complex<APFloat>>())
      add(number);
  return DenseElementsAttr::get(type, numbers);
}

LogicalResult constant(stablehlo::ConstantOp op, Translator &e) {
  ElementsAttr value = op.getValue();
  auto complex = dyn_cast<ComplexType>(value.getElementType());
  if (!complex)
    return translateElements(op, value, e);
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || !isa<FloatType>(complex.getElementType()))
    return e.unsupported(op, "has type " + Twine(text(value.getType())));
  auto type = partType(op, value.getType(), e);
  if (failed(type))
    return failure();
  return bind(op,
              {e.constant(component(dense, *type, false)),
               e.constant(component(dense, *type, true))},
              e);
}

/// The two parts of complex numbers are converted each by itself.
LogicalResult convert(stablehlo::ConvertOp op, Translator &e) {
  auto type = partType(op, op.getType(), e);
  if (failed(type))
    return failure();
  Tensors parts = tensorsOf(op.getOperand(), e);
  if (parts.empty())
    return failure();
  Type element = type->getElementType();
  Type source = getElementTypeOrSelf(op.getOperand().getType());
  auto one = [&](Value x) {
    bool isBool = e.elementOf(x).isInteger(1);
    bool toBool = element.isInteger(1);
    // Scales are positive, and there is none for anything else.
    if (isa<Float8E8M0FNUType>(element) && element != e.elementOf(x)) {
      if (isBool || isa<IntegerType>(e.elementOf(x)))
        x = e.convert(x, e.b.getF32Type(), false,
                      isUnsigned(source) && !isBool);
      Value positive = e.compare<prim::GtOp>(x, e.number(0, x));
      double nan = std::numeric_limits<double>::quiet_NaN();
      return e.where(positive, e.convert(x, element),
                     e.number(nan, x, element));
    }
    return e.convert(x, element, false, isUnsigned(source) && !isBool,
                     isUnsigned(op.getType()) && !toBool);
  };
  Value first = one(parts[0]);
  if (!isComplex(op.getType()))
    return e.set(op, first);
  return bind(
      op, {first, parts.size() == 2 ? one(parts[1]) : e.number(0, first)}, e);
}

/// Complex numbers keep their type, or become pairs of real ones.
LogicalResult bitcastConvert(stablehlo::BitcastConvertOp op, Translator &e) {
  Type from = op.getOperand().getType(), to = op.getType();
  if (from == to)
    return bind(op, tensorsOf(op.getOperand(), e), e);
  if (isComplex(from) || isComplex(to))
    return e.unsupported(op, "between complex numbers and others");
  Value x = e.get(op.getOperand());
  RankedTensorType type = e.tensorType(to);
  if (!type)
    return e.unsupported(op, "has a result of type " + Twine(text(to)));
  if (type == x.getType())
    return e.set(op, x);
  auto width = [&](Type element) {
    return getElementTypeOrSelf(element).getIntOrFloatBitWidth();
  };
  if (width(from) < 8 || width(to) < 8)
    return e.unsupported(op, "of elements narrower than a byte");
  Value result = call(
      op, width(from) == width(to) ? "bitcast" : "bitcast_convert", x, e, type);
  return result ? e.set(op, result) : failure();
}

LogicalResult reducePrecision(stablehlo::ReducePrecisionOp op, Translator &e) {
  Value x = e.get(op.getOperand());
  Type element = e.elementOf(x);
  if (prim::isSmallFloat(element))
    x = e.convert(x, e.b.getF32Type());
  auto name = [&](StringRef text, int64_t value) {
    return e.b.getNamedAttr(text, e.b.getI32IntegerAttr(value));
  };
  auto made = make(op, "reduce_precision", x, x.getType(), e,
                   {name("exponent_bits", op.getExponentBits()),
                    name("mantissa_bits", op.getMantissaBits())});
  return failed(made) ? failure()
                      : e.set(op, e.convert((*made)->getResult(0), element));
}

} // namespace

void addConversionRules(Rules &rules) {
  rules.add<stablehlo::ConstantOp>(constant);
  rules.add<stablehlo::ConvertOp>(convert);
  rules.add<stablehlo::BitcastConvertOp>(bitcastConvert);
  rules.add<stablehlo::ReducePrecisionOp>(reducePrecision);
}

} // namespace kiln::stablehlo_to_prim
