// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparison and selection.
#include "kiln/Dialect/Prim/CompareOps.h"
#include "kiln/Dialect/Prim/Shape.h"

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
