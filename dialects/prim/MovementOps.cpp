// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that move elements without changing them.
#include "kiln/Dialect/Prim/MovementOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/MovementOps.cpp.inc"

void PrimDialect::registerMovementOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/MovementOps.cpp.inc"
      >();
}

LogicalResult BroadcastInDimOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  // C1
  if (failed(check::verifySizes(*this, getSizes().size(), to)))
    return failure();
  // C2
  if (failed(
          check::verifyElement(*this, "a result", from.getElementType(), to)))
    return failure();
  // C3
  if (static_cast<int64_t>(getDims().size()) != from.getRank())
    return emitOpError() << "expected one of 'dims' for each dimension of the "
                            "operand, "
                         << from.getRank() << ", found " << getDims().size();
  if (failed(check::verifyDims(*this, "'dims'", getDims(), to.getRank())))
    return failure();
  if (!llvm::is_sorted(getDims()))
    return emitOpError("expected 'dims' in ascending order");
  // C4
  for (auto [size, dim] : llvm::zip_equal(from.getShape(), getDims()))
    if (size != 1 && !check::compatible(size, to.getDimSize(dim)))
      return emitOpError() << "expected an operand dimension of size 1 or "
                           << to.getDimSize(dim) << ", found " << size;
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = getOperand().getType(), to = getType();
  // C1
  if (failed(check::verifySizes(*this, getSizes().size(), to)))
    return failure();
  // C2
  if (failed(
          check::verifyElement(*this, "a result", from.getElementType(), to)))
    return failure();
  // C3
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return success();
  std::optional<int64_t> before = checkedProduct(from.getShape());
  std::optional<int64_t> after = checkedProduct(to.getShape());
  if (!before || !after)
    return emitOpError("expected a number of elements that fits 64 bits");
  if (*before != *after)
    return emitOpError() << "expected " << *before
                         << " elements in the result, found " << *after;
  return success();
}

LogicalResult TransposeOp::verify() {
  RankedTensorType from = getOperand().getType();
  // C1
  if (static_cast<int64_t>(getPermutation().size()) != from.getRank())
    return emitOpError() << "expected a permutation of " << from.getRank()
                         << " dimensions, found " << getPermutation().size();
  if (failed(check::verifyDims(*this, "'permutation'", getPermutation(),
                               from.getRank())))
    return failure();
  // C2
  if (failed(check::verifyElement(*this, "a result", from.getElementType(),
                                  getType())))
    return failure();
  // C3
  SmallVector<int64_t> shape;
  for (int64_t dim : getPermutation())
    shape.push_back(from.getDimSize(dim));
  return check::verifyShape(*this, "a result", shape, getType());
}

LogicalResult SliceOp::verify() {
  RankedTensorType from = getOperand().getType();
  int64_t rank = from.getRank();
  // C1
  if (failed(check::verifyList(*this, "'starts'", getStarts(), rank, 0)) ||
      failed(check::verifyList(*this, "'limits'", getLimits(), rank, -1)) ||
      failed(check::verifyList(*this, "'strides'", getStrides(), rank, 1)))
    return failure();
  // C2
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = from.getDimSize(i), start = getStarts()[i];
    int64_t limit = getLimits()[i] == -1 ? size : getLimits()[i];
    if (ShapedType::isDynamic(limit)) {
      shape.push_back(ShapedType::kDynamic);
      continue;
    }
    if (start > limit || (!ShapedType::isDynamic(size) && limit > size))
      return emitOpError() << "expected 0 <= start <= limit <= size, found "
                           << start << ", " << limit << " and "
                           << check::printShape({size}) << " in dimension "
                           << i;
    int64_t extent = limit - start;
    shape.push_back(extent == 0 ? 0 : (extent - 1) / getStrides()[i] + 1);
  }
  // C3
  if (failed(check::verifyElement(*this, "a result", from.getElementType(),
                                  getType())))
    return failure();
  return check::verifyShape(*this, "a result", shape, getType());
}

LogicalResult RevOp::verify() {
  // C2
  return check::verifyDims(*this, "'dims'", getDims(), getType().getRank());
}

LogicalResult CatOp::verify() {
  // C1
  if (getOperands().empty())
    return emitOpError("expected at least one operand, found none");
  // C2
  int64_t rank = getType().getRank();
  if (failed(check::verifyDim(*this, "'dim'", getDim(), rank)))
    return failure();
  // C3, C4
  std::optional<int64_t> sum = 0;
  SmallVector<int64_t> shape(getType().getShape());
  for (auto [i, operand] : llvm::enumerate(getOperands())) {
    auto type = cast<RankedTensorType>(operand.getType());
    std::string what = ("operand " + Twine(i)).str();
    shape[getDim()] = ShapedType::kDynamic;
    if (failed(check::verifyElement(*this, what, getType().getElementType(),
                                    type)) ||
        failed(check::verifyShape(*this, what, shape, type)))
      return failure();
    int64_t size = type.getDimSize(getDim());
    if (!sum || ShapedType::isDynamic(*sum))
      continue;
    sum = ShapedType::isDynamic(size) ? std::optional<int64_t>(size)
                                      : llvm::checkedAdd(*sum, size);
  }
  if (!sum)
    return emitOpError("expected a size that fits 64 bits");
  shape[getDim()] = *sum;
  return check::verifyShape(*this, "a result", shape, getType());
}

LogicalResult PadOp::verify() {
  RankedTensorType from = getOperand().getType();
  int64_t rank = from.getRank();
  Type element = from.getElementType();
  // C1
  if (failed(check::verifyList(*this, "'low'", getLow(), rank, 0)) ||
      failed(check::verifyList(*this, "'high'", getHigh(), rank, 0)))
    return failure();
  // C2
  if (getValue().getType() != element ||
      !isa<IntegerAttr, FloatAttr>(getValue()))
    return emitOpError() << "expected a value of type " << element << ", found "
                         << getValue();
  if (failed(check::verifyElement(*this, "a result", element, getType())))
    return failure();
  // C3
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = from.getDimSize(i);
    std::optional<int64_t> sum = llvm::checkedAdd(getLow()[i], getHigh()[i]);
    if (sum && !ShapedType::isDynamic(size))
      sum = llvm::checkedAdd(*sum, size);
    if (!sum)
      return emitOpError() << "expected a size that fits 64 bits in dimension "
                           << i;
    shape.push_back(ShapedType::isDynamic(size) ? size : *sum);
  }
  return check::verifyShape(*this, "a result", shape, getType());
}
