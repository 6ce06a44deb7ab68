// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing windows at computed places.
#include "kiln/Dialect/Prim/ScatterOps.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/ScatterOps.cpp.inc"

void PrimDialect::registerScatterOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/ScatterOps.cpp.inc"
      >();
}

/// What gathers and scatters share: `batch_dims`, `dims` and batch sizes.
static LogicalResult verifyPlaces(Operation *op, RankedTensorType operand,
                                  RankedTensorType indices,
                                  ArrayRef<int64_t> dims, int64_t batch) {
  // C1
  int64_t most = std::min(operand.getRank(), indices.getRank() - 1);
  if (batch < 0 || batch > most)
    return op->emitOpError()
           << "expected 'batch_dims' in [0, " << most << "], found " << batch;
  // C2
  if (failed(check::verifyDims(op, "'dims'", dims, operand.getRank())))
    return failure();
  for (int64_t dim : dims)
    if (dim < batch)
      return op->emitOpError()
             << "expected 'dims' that are not matched, found " << dim;
  int64_t count = dims.size();
  if (!check::compatible(indices.getShape().back(), count))
    return op->emitOpError()
           << "expected indices with " << count
           << " coordinates in the last dimension, found " << indices;
  // C4, C3 of a scatter
  for (int64_t i = 0; i < batch; ++i)
    if (!check::compatible(operand.getDimSize(i), indices.getDimSize(i)))
      return op->emitOpError()
             << "expected equal batch dimensions, found shapes "
             << check::printShape(operand.getShape()) << " and "
             << check::printShape(indices.getShape());
  return success();
}

LogicalResult GatherSlicesOp::verify() {
  RankedTensorType operand = getOperand().getType(),
                   indices = getIndices().getType();
  int64_t batch = getBatchDims();
  // C1, C2, C4
  if (indices.getRank() == 0)
    return emitOpError("expected indices of rank 1 or more, found rank 0");
  if (failed(verifyPlaces(*this, operand, indices, getDims(), batch)))
    return failure();
  // C3
  if (failed(check::verifyList(*this, "'slice_sizes'", getSliceSizes(),
                               operand.getRank() - batch, -1)))
    return failure();
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  for (auto [size, whole] :
       llvm::zip(getSliceSizes(), operand.getShape().drop_front(batch))) {
    if (!ShapedType::isDynamic(whole) && size > whole)
      return emitOpError() << "expected 'slice_sizes' of at most " << whole
                           << ", found " << size;
    shape.push_back(size == -1 ? whole : size);
  }
  // C5
  if (failed(check::verifyElement(*this, "a result", operand.getElementType(),
                                  getType())))
    return failure();
  // C6
  return check::verifyShape(*this, "a result", shape, getType());
}

LogicalResult ScatterOp::verify() {
  RankedTensorType operand = getOperand().getType(),
                   indices = getIndices().getType(),
                   updates = getUpdates().getType();
  int64_t batch = getBatchDims(), rank = operand.getRank();
  // C1, C2, C3
  if (indices.getRank() == 0)
    return emitOpError("expected indices of rank 1 or more, found rank 0");
  if (failed(verifyPlaces(*this, operand, indices, getDims(), batch)))
    return failure();
  // C4
  if (failed(check::verifyElement(*this, "updates", operand.getElementType(),
                                  updates)))
    return failure();
  if (isa<FloatType>(operand.getElementType()))
    switch (getCombine()) {
    case ScatterKind::umin:
    case ScatterKind::umax:
    case ScatterKind::and_:
    case ScatterKind::or_:
    case ScatterKind::xor_:
      return emitOpError() << "expected integers to combine by '"
                           << stringifyScatterKind(getCombine()) << "', found "
                           << operand.getElementType();
    default:
      break;
    }
  // C5
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  if (updates.getRank() != static_cast<int64_t>(shape.size()) + rank - batch)
    return emitOpError() << "expected updates of rank "
                         << shape.size() + rank - batch << ", found "
                         << updates;
  for (int64_t d = batch; d < rank; ++d) {
    int64_t size = updates.getDimSize(shape.size()),
            most = operand.getDimSize(d);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(most) &&
        size > most)
      return emitOpError() << "expected windows of at most " << most
                           << " in dimension " << d << ", found " << size;
    shape.push_back(size);
  }
  return check::verifyShape(*this, "updates", shape, updates);
}
