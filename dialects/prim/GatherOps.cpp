// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indexed reading.
#include "kiln/Dialect/Prim/GatherOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/GatherOps.cpp.inc"

void PrimDialect::registerGatherOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/GatherOps.cpp.inc"
      >();
}

LogicalResult GatherOp::verify() {
  RankedTensorType operand = getOperand().getType();
  RankedTensorType indices = getIndices().getType();
  int64_t batch = getBatchDims(), dim = getDim();
  // C1
  if (batch < 0 || batch > indices.getRank())
    return emitOpError() << "expected 'batch_dims' in [0, " << indices.getRank()
                         << "], found " << batch;
  // C2
  if (dim < batch || dim >= operand.getRank())
    return emitOpError() << "expected 'dim' in [" << batch << ", "
                         << operand.getRank() << "), found " << dim;
  // C3
  for (int64_t i = 0; i < batch; ++i)
    if (!check::compatible(operand.getDimSize(i), indices.getDimSize(i)))
      return emitOpError() << "expected equal batch dimensions, found shapes "
                           << check::printShape(operand.getShape()) << " and "
                           << check::printShape(indices.getShape());
  // C4
  if (failed(check::verifyElement(*this, "a result", operand.getElementType(),
                                  getType())))
    return failure();
  // C5
  SmallVector<int64_t> shape(operand.getShape().take_front(dim));
  llvm::append_range(shape, indices.getShape().drop_front(batch));
  llvm::append_range(shape, operand.getShape().drop_front(dim + 1));
  return check::verifyShape(*this, "a result", shape, getType());
}
