//===- RegionOps.cpp - reductions, scans and maps
//--------------------------===//

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

LogicalResult ReduceOp::verify() { return verifyCombination(*this); }
LogicalResult ScanOp::verify() { return verifyCombination(*this); }
