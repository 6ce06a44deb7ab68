//===- YieldOps.cpp - Ends of the regions of tile operations --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/YieldOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/YieldOps.cpp.inc"

void TileDialect::registerYieldOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/YieldOps.cpp.inc"
      >();
}
