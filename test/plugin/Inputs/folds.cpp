// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect of folds.td as a plug-in: it registers its operation, and nothing else.
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Target/Plugin.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include "folds.dialect.h.inc"
#define GET_OP_CLASSES
#include "folds.ops.h.inc"

#include "folds.dialect.cpp.inc"
#define GET_OP_CLASSES
#include "folds.ops.cpp.inc"

using namespace mlir;
using namespace kiln;

void folds::FoldsDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "folds.ops.cpp.inc"
      >();
}

int64_t folds::RowsOp::getFoldedAxis() { return 1; }
unsigned folds::RowsOp::getNumSummedDims() { return 1; }
OperandRead folds::RowsOp::getIndexMap(OpOperand &, unsigned) {
  return {AffineMap::getMultiDimIdentityMap(2, getContext()), IntegerSet()};
}

static void addDialect(DialectRegistry &dialects) { dialects.insert<folds::FoldsDialect>(); }

static void registerAll(target::TargetRegistry &registry) { registry.addDialects(addDialect); }

KILN_TARGET_PLUGIN("folds", "1.0", registerAll)
