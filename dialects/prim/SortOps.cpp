// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders.
#include "kiln/Dialect/Prim/SortOps.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/SortOps.cpp.inc"

void PrimDialect::registerSortOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/SortOps.cpp.inc"
      >();
}

/// There are operands, of one shape, which has the dimension.
static LogicalResult verifyOperands(Operation *op, ValueRange operands,
                                    int64_t dim) {
  // C1
  if (operands.empty())
    return op->emitOpError("expected at least one operand");
  // C2
  auto first = cast<RankedTensorType>(operands.front().getType());
  if (failed(check::verifyDim(op, "'dim'", dim, first.getRank())))
    return failure();
  // C4 of sort, C3 of argsort
  for (Value operand : operands.drop_front())
    if (failed(check::verifyShape(op, "an operand", first.getShape(),
                                  cast<RankedTensorType>(operand.getType()))))
      return failure();
  return success();
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult SortOp::verify() {
  // C1, C2, C4
  if (failed(verifyOperands(*this, getOperands(), getDim())))
    return failure();
  // C3
  int64_t count = getOperands().size();
  if (static_cast<int64_t>(getKeys()) < 1 ||
      static_cast<int64_t>(getKeys()) > count)
    return emitOpError() << "expected 'keys' in [1, " << count << "], found "
                         << getKeys();
  // C5
  if (getResultTypes() != getOperandTypes())
    return emitOpError() << "expected results of the types of the operands ("
                         << getOperandTypes() << "), found ("
                         << getResultTypes() << ")";
  return success();
}

LogicalResult ArgsortOp::verify() {
  // C1, C2, C3
  if (failed(verifyOperands(*this, getOperands(), getDim())))
    return failure();
  auto first = cast<RankedTensorType>(getOperands().front().getType());
  if (failed(
          check::verifyShape(*this, "a result", first.getShape(), getType())))
    return failure();
  // C4
  Type element = getType().getElementType();
  if (!element.isInteger(32) && !element.isInteger(64))
    return emitOpError() << "expected a result of i32 or i64, found "
                         << element;
  return success();
}

LogicalResult TopKOp::verify() {
  RankedTensorType operand = getOperand().getType();
  // C1
  if (failed(check::verifyDim(*this, "'dim'", getDim(), operand.getRank())))
    return failure();
  // C2
  int64_t k = getK(), most = operand.getDimSize(getDim());
  if (k < 0 || (!ShapedType::isDynamic(most) && k > most))
    return emitOpError() << "expected 'k' of at least 0 and at most the size "
                            "of the dimension, found "
                         << k;
  // C3
  if (failed(check::verifyElement(*this, "values", operand.getElementType(),
                                  getValues().getType())))
    return failure();
  Type element = getIndices().getType().getElementType();
  if (!element.isInteger(32) && !element.isInteger(64))
    return emitOpError() << "expected indices of i32 or i64, found " << element;
  // C4
  SmallVector<int64_t> shape(operand.getShape());
  shape[getDim()] = k;
  if (failed(check::verifyShape(*this, "values", shape, getValues().getType())))
    return failure();
  return check::verifyShape(*this, "indices", shape, getIndices().getType());
}
