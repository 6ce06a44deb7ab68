// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant folding that several families share.
#include "Folds.h"

#include "kiln/Dialect/Prim/CreationOps.h"

#include <cmath>

using namespace mlir;

namespace kiln::prim::fold {

Attribute elements(ShapedType result, ArrayRef<Attribute> operands,
                   function_ref<Attribute(ArrayRef<Attribute>)> function) {
  if (!result.hasStaticShape())
    return {};
  SmallVector<DenseElementsAttr> dense;
  bool splat = true;
  for (Attribute operand : operands) {
    auto elements = dyn_cast_if_present<DenseElementsAttr>(operand);
    if (!elements)
      return {};
    splat &= elements.isSplat();
    dense.push_back(elements);
  }
  int64_t count = splat ? 1 : dense.front().getNumElements();
  if (count > maxElements)
    return {};
  SmallVector<Attribute> values, arguments(dense.size());
  for (int64_t i = 0; i < count; ++i) {
    for (auto [argument, attribute] : llvm::zip_equal(arguments, dense))
      argument = attribute.isSplat()
                     ? attribute.getSplatValue<Attribute>()
                     : *(attribute.getValues<Attribute>().begin() + i);
    Attribute value = function(arguments);
    if (!value)
      return {};
    values.push_back(value);
  }
  return DenseElementsAttr::get(result, values);
}

Attribute elements(ShapedType result, ArrayRef<Attribute> operands,
                   FloatFn floats, IntFn integers) {
  Type element = result.getElementType();
  return elements(result, operands, [&](ArrayRef<Attribute> values) {
    // Arithmetic on formats of 8 bits is left to the program.
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() > 8 &&
        floats) {
      auto arguments = llvm::map_to_vector(values, [](Attribute value) {
        return cast<FloatAttr>(value).getValue();
      });
      if (std::optional<APFloat> value = floats(arguments))
        return Attribute(FloatAttr::get(element, *value));
    }
    if (isa<IntegerType>(element) && integers) {
      auto arguments = llvm::map_to_vector(values, [](Attribute value) {
        return cast<IntegerAttr>(value).getValue();
      });
      if (std::optional<APInt> value = integers(arguments))
        return Attribute(IntegerAttr::get(element, *value));
    }
    return Attribute();
  });
}

Attribute viaDouble(ShapedType result, Attribute operand,
                    double (*function)(double)) {
  if (result.getElementType().isF64())
    return {};
  return elements(result, operand,
                  [&](ArrayRef<APFloat> values) -> std::optional<APFloat> {
                    double value = function(values[0].convertToDouble());
                    // NaN in constants is left to the program, which keeps it
                    // visible.
                    if (std::isnan(value))
                      return std::nullopt;
                    auto round = [&](double wide) {
                      APFloat narrow(wide);
                      bool inexact;
                      narrow.convert(values[0].getSemantics(),
                                     APFloat::rmNearestTiesToEven, &inexact);
                      return narrow;
                    };
                    APFloat low = round(value * (1 - 0x1p-49));
                    APFloat high = round(value * (1 + 0x1p-49));
                    if (!low.bitwiseIsEqual(high))
                      return std::nullopt;
                    return low;
                  });
}

APFloat numberLike(const APFloat &like, double value) {
  APFloat number(value);
  bool inexact;
  number.convert(like.getSemantics(), APFloat::rmNearestTiesToEven, &inexact);
  return number;
}

bool isSplat(Value operand, Attribute attribute, double value) {
  if (auto full = operand.getDefiningOp<FullOp>())
    attribute = full.getValue();
  else if (auto dense = dyn_cast_if_present<DenseElementsAttr>(attribute);
           dense && dense.isSplat() && !dense.empty())
    attribute = dense.getSplatValue<Attribute>();
  if (auto real = dyn_cast_if_present<FloatAttr>(attribute)) {
    APFloat wanted(value);
    bool inexact;
    wanted.convert(real.getValue().getSemantics(), APFloat::rmNearestTiesToEven,
                   &inexact);
    return !inexact && real.getValue().bitwiseIsEqual(wanted);
  }
  auto integer = dyn_cast_if_present<IntegerAttr>(attribute);
  // -0.0 has no integer counterpart.
  if (!integer || (std::signbit(value) && value == 0))
    return false;
  APInt bits = integer.getValue();
  return bits == APInt(bits.getBitWidth(), static_cast<int64_t>(value),
                       /*isSigned=*/true, /*implicitTrunc=*/true);
}

} // namespace kiln::prim::fold
