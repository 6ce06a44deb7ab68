// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors at places that are computed.
#include "kiln/Dialect/Prim/DynamicOps.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/DynamicOps.cpp.inc"

void PrimDialect::registerDynamicOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/DynamicOps.cpp.inc"
      >();
}

static LogicalResult verifyStarts(Operation *op, ValueRange starts,
                                  int64_t rank) {
  if (static_cast<int64_t>(starts.size()) != rank)
    return op->emitOpError()
           << "expected " << rank << " starts, found " << starts.size();
  for (Value start : starts)
    if (cast<RankedTensorType>(start.getType()).getRank() != 0)
      return op->emitOpError()
             << "expected starts of rank 0, found " << start.getType();
  return success();
}

/// A part has the element type and rank of the whole and is not larger.
static LogicalResult verifyPart(Operation *op, StringRef what,
                                RankedTensorType whole, RankedTensorType part) {
  if (failed(check::verifyElement(op, what, whole.getElementType(), part)))
    return failure();
  if (whole.getRank() != part.getRank())
    return op->emitOpError() << "expected " << what << " of rank "
                             << whole.getRank() << ", found " << part;
  for (auto [size, most] : llvm::zip(part.getShape(), whole.getShape()))
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(most) &&
        size > most)
      return op->emitOpError()
             << "expected " << what
             << " that is not larger than the operand, found shapes "
             << check::printShape(part.getShape()) << " and "
             << check::printShape(whole.getShape());
  return success();
}

LogicalResult DynamicSliceOp::verify() {
  // C1
  if (failed(check::verifySizes(*this, getSizes().size(), getType())))
    return failure();
  // C2
  RankedTensorType operand = getOperand().getType();
  if (failed(verifyStarts(*this, getStarts(), operand.getRank())))
    return failure();
  // C3, C4
  return verifyPart(*this, "a result", operand, getType());
}

LogicalResult DynamicUpdateSliceOp::verify() {
  // C1
  RankedTensorType operand = getOperand().getType();
  if (failed(verifyStarts(*this, getStarts(), operand.getRank())))
    return failure();
  // C2, C3
  return verifyPart(*this, "an update", operand, getUpdate().getType());
}

LogicalResult FromIndexOp::verify() {
  // C1
  if (getType().getRank() != 0)
    return emitOpError() << "expected a result of rank 0, found " << getType();
  return success();
}

OpFoldResult FromIndexOp::fold(FoldAdaptor adaptor) {
  if (auto number = getValue().getDefiningOp<ToIndexOp>();
      number && number.getOperand().getType() == getType())
    return number.getOperand();
  auto value = dyn_cast_or_null<IntegerAttr>(adaptor.getValue());
  if (!value)
    return {};
  unsigned width = getType().getElementType().getIntOrFloatBitWidth();
  return DenseElementsAttr::get(getType(), value.getValue().sextOrTrunc(width));
}

LogicalResult ToIndexOp::verify() {
  // C1
  RankedTensorType type = getOperand().getType();
  if (type.getRank() != 0)
    return emitOpError() << "expected an operand of rank 0, found " << type;
  return success();
}

OpFoldResult ToIndexOp::fold(FoldAdaptor adaptor) {
  auto number = getOperand().getDefiningOp<FromIndexOp>();
  // Narrower ones may have wrapped.
  if (number && getOperand().getType().getElementType().isInteger(64))
    return number.getValue();
  auto known = dyn_cast_or_null<DenseIntElementsAttr>(adaptor.getOperand());
  if (!known)
    return {};
  return Builder(getContext())
      .getIndexAttr(known.getSplatValue<APInt>().getSExtValue());
}
