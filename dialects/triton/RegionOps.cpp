//===- RegionOps.cpp - reductions, scans and maps -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//

#include "kiln/Dialect/Triton/Triton.h"

using namespace mlir;
using namespace kiln::tt;

#define GET_OP_CLASSES
#include "kiln/Dialect/Triton/TritonRegionOps.cpp.inc"

void TritonDialect::registerRegionOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Triton/TritonRegionOps.cpp.inc"
      >();
}

/// Checks the operands and the region that reductions and scans share.
template <typename OpT> static LogicalResult verifyCombination(OpT op) {
  if (op.getSrcs().empty())
    return op.emitOpError("expected at least one operand");
  auto first = cast<RankedTensorType>(op.getSrcs().front().getType());
  if (op.getAxis() >= static_cast<uint64_t>(first.getRank()))
    return op.emitOpError("expected an axis below ")
           << first.getRank() << ", found " << op.getAxis();
  if (op.getResult().size() != op.getSrcs().size())
    return op.emitOpError("expected one result for each operand");
  Block &body = op.getCombineOp().front();
  if (body.getNumArguments() != 2 * op.getSrcs().size())
    return op.emitOpError(
               "expected two region arguments for each operand, found ")
           << body.getNumArguments();
  for (auto [index, source] : llvm::enumerate(op.getSrcs())) {
    auto type = cast<RankedTensorType>(source.getType());
    if (type.getShape() != first.getShape())
      return op.emitOpError("expected operands of one shape");
    for (unsigned side : {0u, 1u})
      if (body.getArgument(side * op.getSrcs().size() + index).getType() !=
          type.getElementType())
        return op.emitOpError(
            "expected region arguments of the operands' element types");
  }
  return success();
}

LogicalResult MapElementwiseOp::verify() {
  int64_t pack = static_cast<int32_t>(getPack());
  if (getSrcs().empty() || pack < 1)
    return emitOpError("expected an operand, and packs of at least 1 element");
  auto first = cast<RankedTensorType>(getSrcs().front().getType());
  if (first.getNumElements() % pack)
    return emitOpError("expected whole packs of ")
           << pack << " elements, found " << first.getNumElements();
  for (Type type :
       llvm::concat<const Type>(getOperandTypes(), getResultTypes()))
    if (cast<RankedTensorType>(type).getShape() != first.getShape())
      return emitOpError("expected operands and results of one shape, found ")
             << first << " and " << type;
  if (getScalarOp().empty())
    return emitOpError("expected a region that is not empty");
  // An element of every pack for each tensor, in this order.
  auto check = [&](TypeRange scalars, TypeRange tensors,
                   StringRef what) -> LogicalResult {
    if (scalars.size() != tensors.size() * static_cast<size_t>(pack))
      return emitOpError("expected ") << tensors.size() * pack << " " << what
                                      << ", found " << scalars.size();
    for (auto [i, type] : llvm::enumerate(scalars)) {
      Type element = getElementTypeOrSelf(tensors[i / pack]);
      if (type != element)
        return emitOpError("expected ")
               << what << " of type " << element << ", found " << type;
    }
    return success();
  };
  if (failed(check(getScalarOp().getArgumentTypes(), getOperandTypes(),
                   "region arguments")))
    return failure();
  for (Block &block : getScalarOp())
    if (auto end = block.empty()
                       ? MapElementwiseReturnOp()
                       : dyn_cast<MapElementwiseReturnOp>(block.back()))
      if (failed(check(end->getOperandTypes(), getResultTypes(),
                       "returned values")))
        return failure();
  return success();
}

LogicalResult ReduceOp::verify() { return verifyCombination(*this); }
LogicalResult ScanOp::verify() { return verifyCombination(*this); }
