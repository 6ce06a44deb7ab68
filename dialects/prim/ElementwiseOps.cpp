// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise arithmetic, functions and bits.
#include "kiln/Dialect/Prim/ElementwiseOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/ElementwiseOps.cpp.inc"

void PrimDialect::registerElementwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/ElementwiseOps.cpp.inc"
      >();
}

// C1
LogicalResult DivOp::verify() { return check::verifyUnsigned(*this); }
LogicalResult RemainderOp::verify() { return check::verifyUnsigned(*this); }
LogicalResult FmodOp::verify() { return check::verifyUnsigned(*this); }
LogicalResult MaximumOp::verify() { return check::verifyUnsigned(*this); }
LogicalResult MinimumOp::verify() { return check::verifyUnsigned(*this); }

LogicalResult ClampOp::verify() {
  Type element = getType().getElementType();
  // C1
  for (TypedAttr bound : {getMin(), getMax()})
    if (bound.getType() != element || !isa<IntegerAttr, FloatAttr>(bound))
      return emitOpError() << "expected bounds of type " << element
                           << ", found " << bound;
  // C2
  if (isa<FloatType>(element)) {
    if (getIsUnsigned())
      return emitOpError("expected no 'unsigned' for floats");
    APFloat min = cast<FloatAttr>(getMin()).getValue();
    APFloat max = cast<FloatAttr>(getMax()).getValue();
    if (min.isNaN() || max.isNaN() || min > max)
      return emitOpError() << "expected min <= max, found " << getMin()
                           << " and " << getMax();
    return success();
  }
  if (getIgnoreNan())
    return emitOpError("expected no 'ignore_nan' for integers");
  APInt min = cast<IntegerAttr>(getMin()).getValue();
  APInt max = cast<IntegerAttr>(getMax()).getValue();
  if (getIsUnsigned() ? min.ugt(max) : min.sgt(max))
    return emitOpError() << "expected min <= max, found " << getMin() << " and "
                         << getMax();
  return success();
}
