// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of element types.
#include "kiln/Dialect/Prim/ConvertOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/ConvertOps.cpp.inc"

void PrimDialect::registerConvertOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/ConvertOps.cpp.inc"
      >();
}

LogicalResult ConvertElementTypeOp::verify() {
  Type from = getOperand().getType().getElementType();
  Type to = getType().getElementType();
  // C2
  if (getRound() && !(isa<FloatType>(from) && isa<IntegerType>(to)))
    return emitOpError() << "expected 'round' on float to integer only, found "
                         << from << " to " << to;
  // C3
  if (getFromUnsigned() && !isa<IntegerType>(from))
    return emitOpError()
           << "expected an integer operand with 'from_unsigned', found "
           << from;
  // C4
  if (getToUnsigned() && !isa<IntegerType>(to))
    return emitOpError()
           << "expected an integer result with 'to_unsigned', found " << to;
  return success();
}

LogicalResult RescaleOp::verify() {
  RankedTensorType type = getOperand().getType();
  int64_t count = getMultiplier().size();
  // C2
  if (static_cast<int64_t>(getShift().size()) != count)
    return emitOpError() << "expected as many shifts as multipliers, found "
                         << getShift().size() << " and " << count;
  // C3
  if (count != 1 && (type.getRank() == 0 ||
                     !check::compatible(type.getShape().back(), count)))
    return emitOpError() << "expected one multiplier, or one for each index of "
                            "the last dimension, found "
                         << count << " for shape "
                         << check::printShape(type.getShape());
  // C4
  for (int8_t shift : getShift())
    if (shift < 2 || shift > 62)
      return emitOpError() << "expected shifts in [2, 62], found "
                           << static_cast<int>(shift);
  // C5
  for (int32_t multiplier : getMultiplier())
    if (multiplier < 0 || (!getScale32() && multiplier > 0x7fff))
      return emitOpError() << "expected multipliers in [0, "
                           << (getScale32() ? 0x7fffffff : 0x7fff)
                           << "], found " << multiplier;
  // C6
  if (getRounding() == Rounding::double_ && !getScale32())
    return emitOpError("expected 'scale32' with double rounding");
  return success();
}

static unsigned widthOf(RankedTensorType type) {
  return type.getElementTypeBitWidth();
}

LogicalResult BitcastOp::verify() {
  // C1
  RankedTensorType from = getOperand().getType();
  if (widthOf(from) != widthOf(getType()))
    return emitOpError() << "expected element types of one width, found "
                         << from.getElementType() << " and "
                         << getType().getElementType();
  return success();
}

LogicalResult BitcastConvertOp::verify() {
  // C1
  RankedTensorType from = getOperand().getType(), to = getType();
  bool isNarrower = widthOf(to) < widthOf(from);
  RankedTensorType wide = isNarrower ? from : to,
                   narrow = isNarrower ? to : from;
  SmallVector<int64_t> expected(wide.getShape());
  // C2
  if (widthOf(narrow) < 8 && widthOf(narrow) != widthOf(wide))
    return emitOpError() << "expected element types of one width, or of whole "
                            "bytes, found "
                         << from.getElementType() << " and "
                         << to.getElementType();
  int64_t ratio = widthOf(wide) / widthOf(narrow);
  if (ratio > 1)
    expected.push_back(ratio);
  if (failed(verifyCompatibleShape(expected, narrow.getShape())))
    return emitOpError() << "expected shape " << check::printShape(expected)
                         << " for the elements of type "
                         << narrow.getElementType() << ", found "
                         << check::printShape(narrow.getShape());
  return success();
}

LogicalResult TableOp::verify() {
  Type element = getOperand().getType().getElementType();
  bool narrow = element.isInteger(8);
  // C2
  if (!narrow && !element.isInteger(16))
    return emitOpError() << "expected an operand of i8 or i16, found "
                         << element;
  // C3
  if (failed(check::verifyElement(*this, "a table", element,
                                  getTable().getType())) ||
      failed(check::verifyShape(*this, "a table", {narrow ? 256 : 513},
                                getTable().getType())))
    return failure();
  // C4
  Type expected = IntegerType::get(getContext(), narrow ? 8 : 32);
  return check::verifyElement(*this, "a result", expected, getType());
}
