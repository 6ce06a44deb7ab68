// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Combinations of everything up to each element.
#include "kiln/Dialect/Prim/ScanOps.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/ScanOps.cpp.inc"

void PrimDialect::registerScanOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/ScanOps.cpp.inc"
      >();
}

LogicalResult ScanOp::verify() {
  // C1
  if (failed(check::verifyDim(*this, "'dim'", getDim(), getType().getRank())))
    return failure();
  // C2
  if (getKind() == ScanKind::logsumexp &&
      !isa<FloatType>(getType().getElementType()))
    return emitOpError() << "expected floats for 'logsumexp', found "
                         << getType().getElementType();
  return success();
}

LogicalResult ArgScanOp::verify() {
  RankedTensorType operand = getOperand().getType();
  // C1
  if (failed(check::verifyDim(*this, "'dim'", getDim(), operand.getRank())))
    return failure();
  // C2
  if (getKind() != ScanKind::max && getKind() != ScanKind::min)
    return emitOpError() << "expected 'max' or 'min', found '"
                         << stringifyScanKind(getKind()) << "'";
  // C3
  Type element = getType().getElementType();
  if (!element.isInteger(32) && !element.isInteger(64))
    return emitOpError() << "expected a result of i32 or i64, found "
                         << element;
  return check::verifyShape(*this, "a result", operand.getShape(), getType());
}
