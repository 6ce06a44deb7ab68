// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling over windows.
#include "kiln/Dialect/Prim/PoolingOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/PoolingOps.cpp.inc"

void PrimDialect::registerPoolingOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/PoolingOps.cpp.inc"
      >();
}

/// The verifier of all poolings.
template <typename Op> static LogicalResult verifyPool(Op op) {
  RankedTensorType input = op.getInput().getType();
  // C1
  if (input.getRank() < 2)
    return op.emitOpError()
           << "expected an input of rank at least 2, found " << input.getRank();
  int64_t spatial = input.getRank() - 2;
  // C2
  if (failed(check::verifyList(op, "'window'", op.getWindow(), spatial, 1)) ||
      failed(check::verifyList(op, "'strides'", op.getStrides(), spatial, 1)) ||
      failed(check::verifyList(op, "'pad_low'", op.getPadLow(), spatial, 0)) ||
      failed(check::verifyList(op, "'pad_high'", op.getPadHigh(), spatial, 0)))
    return failure();
  // C3
  if (failed(check::verifyElement(op, "a result", input.getElementType(),
                                  op.getType())))
    return failure();
  // C4, C5
  SmallVector<int64_t> shape{input.getDimSize(0)};
  for (int64_t i = 0; i < spatial; ++i) {
    std::optional<int64_t> size = check::windowPositions(
        input.getDimSize(i + 1), {op.getWindow()[i], op.getStrides()[i],
                                  op.getPadLow()[i], op.getPadHigh()[i]});
    if (!size)
      return op.emitOpError() << "expected a window that fits into the padded "
                                 "input along spatial dimension "
                              << i;
    shape.push_back(*size);
  }
  shape.push_back(input.getShape().back());
  return check::verifyShape(op, "a result", shape, op.getType());
}

/// Windows that lie in the padding alone have no largest element and no mean.
template <typename Op> static LogicalResult verifyPadding(Op op) {
  for (auto [i, window] : llvm::enumerate(op.getWindow()))
    if (op.getPadLow()[i] >= window || op.getPadHigh()[i] >= window)
      return op.emitOpError() << "expected padding smaller than the window of "
                              << window << ", found " << op.getPadLow()[i]
                              << " and " << op.getPadHigh()[i];
  return success();
}

LogicalResult SumPoolOp::verify() { return verifyPool(*this); }

LogicalResult MaxPoolOp::verify() {
  if (failed(verifyPool(*this)))
    return failure();
  // C6
  return verifyPadding(*this);
}

LogicalResult AvgPoolOp::verify() {
  if (failed(verifyPool(*this)))
    return failure();
  // C6
  if (failed(verifyPadding(*this)))
    return failure();
  // C7
  if (!isa<FloatType>(getType().getElementType()))
    return emitOpError() << "expected floats, found "
                         << getType().getElementType();
  return success();
}
