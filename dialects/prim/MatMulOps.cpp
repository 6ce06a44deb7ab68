// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products.
#include "kiln/Dialect/Prim/MatMulOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/MatMulOps.cpp.inc"

void PrimDialect::registerMatMulOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/MatMulOps.cpp.inc"
      >();
}

LogicalResult DotGeneralOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  // C1
  if (getLhsBatch().size() != getRhsBatch().size() ||
      getLhsContract().size() != getRhsContract().size())
    return emitOpError() << "expected as many batch and contracted dimensions "
                            "on both sides, found "
                         << getLhsBatch().size() << " x "
                         << getRhsBatch().size() << " and "
                         << getLhsContract().size() << " x "
                         << getRhsContract().size();
  // C2
  auto lhsDims = llvm::to_vector(
      llvm::concat<const int64_t>(getLhsBatch(), getLhsContract()));
  auto rhsDims = llvm::to_vector(
      llvm::concat<const int64_t>(getRhsBatch(), getRhsContract()));
  if (failed(check::verifyDims(*this, "dimensions of lhs", lhsDims,
                               lhs.getRank())) ||
      failed(check::verifyDims(*this, "dimensions of rhs", rhsDims,
                               rhs.getRank())))
    return failure();
  // C3
  for (auto [l, r] : llvm::zip_equal(lhsDims, rhsDims))
    if (!check::compatible(lhs.getDimSize(l), rhs.getDimSize(r)))
      return emitOpError() << "expected matched dimensions of the same size, "
                              "found "
                           << lhs.getDimSize(l) << " (lhs " << l << ") and "
                           << rhs.getDimSize(r) << " (rhs " << r << ")";
  // C4
  if (failed(check::verifySumType(*this, lhs.getElementType(),
                                  rhs.getElementType(),
                                  getType().getElementType())))
    return failure();
  // C5
  if (getPrecision() == Precision::tf32 && !lhs.getElementType().isF32())
    return emitOpError() << "expected f32 operands with tf32 precision, found "
                         << lhs.getElementType();
  // C7
  if (int64_t(getImprecise()) < 0)
    return emitOpError() << "expected 'imprecise' of at least 0, found "
                         << int64_t(getImprecise());
  if (getImprecise() && !(isSmallFloat(lhs.getElementType()) &&
                          lhs.getElementTypeBitWidth() == 8))
    return emitOpError() << "expected operands of 8-bit floats with "
                            "'imprecise', found "
                         << lhs.getElementType();
  // C6
  SmallVector<int64_t> shape;
  for (auto [l, r] : llvm::zip_equal(getLhsBatch(), getRhsBatch()))
    shape.push_back(lhs.isDynamicDim(l) ? rhs.getDimSize(r)
                                        : lhs.getDimSize(l));
  for (int64_t i = 0; i < lhs.getRank(); ++i)
    if (!llvm::is_contained(lhsDims, i))
      shape.push_back(lhs.getDimSize(i));
  for (int64_t i = 0; i < rhs.getRank(); ++i)
    if (!llvm::is_contained(rhsDims, i))
      shape.push_back(rhs.getDimSize(i));
  return check::verifyShape(*this, "a result", shape, getType());
}
