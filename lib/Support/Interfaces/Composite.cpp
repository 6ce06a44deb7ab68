//===- Composite.cpp - Operations that others define ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/Composite.h"

using namespace mlir;
using namespace kiln;

#include "kiln/Interfaces/Composite.cpp.inc"

LogicalResult kiln::expandComposite(CompositeOpInterface op) {
  OpBuilder builder(op);
  SmallVector<Value> results;
  op.buildExpansion(builder, results);
  if (TypeRange(ValueRange(results)) != op->getResultTypes())
    return op->emitOpError("expected an expansion with the results of the "
                           "operation, in number and type");
  op->replaceAllUsesWith(results);
  op->erase();
  return success();
}
