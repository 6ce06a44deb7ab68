// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison and selection.
#include "kiln/Dialect/Prim/CompareOps.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CompareOps.cpp.inc"

void PrimDialect::registerCompareOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/CompareOps.cpp.inc"
      >();
}

// C1
LogicalResult LtOp::verify() { return check::verifyUnsigned(*this); }
LogicalResult LeOp::verify() { return check::verifyUnsigned(*this); }
LogicalResult GtOp::verify() { return check::verifyUnsigned(*this); }
LogicalResult GeOp::verify() { return check::verifyUnsigned(*this); }
