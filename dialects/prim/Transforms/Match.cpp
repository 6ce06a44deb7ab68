// Matching of values through what frontends put in between.
#include "Match.h"

#include <cmath>

using namespace mlir;

namespace kiln::prim::match {

std::optional<double> splat(Value value) {
  // Shape changes of a splat are splats.
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ReshapeOp, BroadcastInDimOp, TransposeOp>(op))
      break;
    value = op->getOperand(0);
  }
  Attribute attribute;
  if (auto full = def<FullOp>(value))
    attribute = full.getValue();
  else if (DenseElementsAttr dense; matchPattern(value, m_Constant(&dense)) &&
                                    dense.isSplat() && !dense.empty())
    attribute = dense.getSplatValue<Attribute>();
  if (auto real = dyn_cast_if_present<FloatAttr>(attribute))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast_if_present<IntegerAttr>(attribute))
    return static_cast<double>(integer.getValue().getSExtValue());
  return std::nullopt;
}

bool isNear(double value, double expected) {
  return std::abs(value - expected) <= std::abs(expected) * 0x1p-8;
}

bool isSplatNear(Value value, double expected) {
  std::optional<double> found = splat(value);
  if (!found)
    return false;
  // What rounding to the element type may have done, and no more.
  Type element = cast<ShapedType>(value.getType()).getElementType();
  double epsilon = element.isBF16()  ? 0x1p-8
                   : element.isF16() ? 0x1p-11
                                     : 0x1p-20;
  return std::abs(*found - expected) <= std::abs(expected) * epsilon;
}

std::optional<std::pair<Value, double>> scaled(Value value) {
  if (auto product = withSplat<MulOp>(value))
    return product;
  if (auto quotient = def<DivOp>(value))
    if (std::optional<double> divisor = splat(quotient.getRhs()))
      return std::make_pair(Value(quotient.getLhs()), 1 / *divisor);
  return std::nullopt;
}

} // namespace kiln::prim::match
