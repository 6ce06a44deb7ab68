// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over dimensions.
#include "kiln/Dialect/Prim/ReductionOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/ReductionOps.cpp.inc"

void PrimDialect::registerReductionOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/ReductionOps.cpp.inc"
      >();
}

/// The verifier of all reductions.
static LogicalResult verifyReduction(Operation *op, RankedTensorType operand,
                                     ArrayRef<int64_t> dims,
                                     RankedTensorType result) {
  // C1
  if (failed(check::verifyDims(op, "'dims'", dims, operand.getRank())))
    return failure();
  // C2
  if (failed(check::verifyElement(op, "a result", operand.getElementType(),
                                  result)))
    return failure();
  // C3
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(operand.getShape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      shape.push_back(size);
  return check::verifyShape(op, "a result", shape, result);
}

LogicalResult SumOp::verify() {
  return verifyReduction(*this, getOperand().getType(), getDims(), getType());
}

LogicalResult ProdOp::verify() {
  return verifyReduction(*this, getOperand().getType(), getDims(), getType());
}

LogicalResult AmaxOp::verify() {
  return verifyReduction(*this, getOperand().getType(), getDims(), getType());
}

LogicalResult AminOp::verify() {
  return verifyReduction(*this, getOperand().getType(), getDims(), getType());
}

/// A reduction over no dimension is the operand.
static OpFoldResult foldReduction(Value operand, ArrayRef<int64_t> dims,
                                  Type result) {
  return dims.empty() && operand.getType() == result ? operand : Value();
}

OpFoldResult SumOp::fold(FoldAdaptor) {
  return foldReduction(getOperand(), getDims(), getType());
}

OpFoldResult ProdOp::fold(FoldAdaptor) {
  return foldReduction(getOperand(), getDims(), getType());
}

OpFoldResult AmaxOp::fold(FoldAdaptor) {
  return foldReduction(getOperand(), getDims(), getType());
}

OpFoldResult AminOp::fold(FoldAdaptor) {
  return foldReduction(getOperand(), getDims(), getType());
}

/// The verifier of argmax and argmin.
template <typename Op> static LogicalResult verifyArg(Op op) {
  RankedTensorType operand = op.getOperand().getType();
  // C1
  if (failed(check::verifyDim(op, "'dim'", op.getDim(), operand.getRank())))
    return failure();
  // C2
  if (operand.getDimSize(op.getDim()) == 0)
    return op.emitOpError(
        "expected a dimension that is not empty, found size 0");
  // C3
  Type element = op.getType().getElementType();
  if (!element.isInteger(32) && !element.isInteger(64))
    return op.emitOpError()
           << "expected a result of i32 or i64, found " << element;
  // C4
  if (op.getIgnoreNan() && !isa<FloatType>(operand.getElementType()))
    return op.emitOpError("expected no 'ignore_nan' for integers");
  // C5
  SmallVector<int64_t> shape(operand.getShape());
  shape.erase(shape.begin() + op.getDim());
  return check::verifyShape(op, "a result", shape, op.getType());
}

LogicalResult ArgmaxOp::verify() { return verifyArg(*this); }

LogicalResult ArgminOp::verify() { return verifyArg(*this); }
