// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operations on bits.
#include "kiln/Dialect/Prim/BitwiseOps.h"
#include "kiln/Dialect/Prim/Shape.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/BitwiseOps.cpp.inc"

void PrimDialect::registerBitwiseOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Prim/BitwiseOps.cpp.inc"
      >();
}
