//===- RegionOps.cpp - operations that apply a function to elements ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Text.h"

using namespace mlir;
using namespace kiln::stablehlo;

/// Two arguments for each of the tensors.
template <typename Op> static LogicalResult verifyPairs(Op op, Region &body) {
  size_t inputs = op.getInputs().size();
  if (inputs == 0 || op->getNumResults() != inputs)
    return op.emitOpError("expected one result for each of its inputs");
  return verifyArguments(op, body, 2 * inputs);
}

LogicalResult ReduceWindowOp::verify() { return verifyPairs(*this, getBody()); }
LogicalResult ScatterOp::verify() {
  return verifyPairs(*this, getUpdateComputation());
}
LogicalResult SortOp::verify() { return verifyPairs(*this, getComparator()); }

LogicalResult SelectAndScatterOp::verify() {
  if (failed(verifyArguments(*this, getSelect(), 2)))
    return failure();
  return verifyArguments(*this, getScatter(), 2);
}

LogicalResult MapOp::verify() {
  return verifyArguments(*this, getComputation(), getInputs().size());
}

#define GET_OP_CLASSES
#include "kiln/Dialect/Stablehlo/StablehloRegionOps.cpp.inc"

void StablehloDialect::registerRegionOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stablehlo/StablehloRegionOps.cpp.inc"
      >();
}
