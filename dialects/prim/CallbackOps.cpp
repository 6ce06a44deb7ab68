// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls back to the process that runs a program.
#include "kiln/Dialect/Prim/CallbackOps.h"
#include "kiln/Dialect/Prim/Shape.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/CallbackOps.cpp.inc"

SmallVector<StringRef> CallbackOp::getHostFlags() { return {getName()}; }

LogicalResult CallbackOp::verify() {
  if (getName().empty())
    return emitOpError("expected a name of the function");
  for (Type type : getResultTypes())
    if (!cast<RankedTensorType>(type).hasStaticShape())
      return emitOpError("expected results of static sizes, found ") << type;
  return success();
}
