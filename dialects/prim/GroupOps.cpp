// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of operations.
#include "kiln/Dialect/Prim/GroupOps.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/Shape.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/GroupOps.cpp.inc"

void PrimDialect::registerGroupOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/GroupOps.cpp.inc"
      >();
}

/// Groups and claims: the block takes the inputs and yields the results.
static LogicalResult verifyGroup(Operation *op, Region &region) {
  Block &block = region.front();
  // C1
  if (block.getArgumentTypes() != TypeRange(op->getOperandTypes()))
    return op->emitOpError()
           << "expected block arguments of the types of the inputs ("
           << op->getOperandTypes() << "), found ("
           << TypeRange(block.getArgumentTypes()) << ")";
  // C2
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getValues().getTypes() != op->getResultTypes()) {
    InFlightDiagnostic diag = op->emitOpError()
                              << "expected the region to yield values of the "
                                 "types of the results";
    diag.attachNote(block.getTerminator()->getLoc()) << "terminator is here";
    return diag;
  }
  return success();
}

LogicalResult FusionOp::verify() { return verifyGroup(*this, getBody()); }

LogicalResult ClaimOp::verify() { return verifyGroup(*this, getBody()); }
