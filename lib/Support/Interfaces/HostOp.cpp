//===- HostOp.cpp - Operations that the host does -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/HostOp.h"

using namespace mlir;

#include "kiln/Interfaces/HostOp.cpp.inc"

SmallVector<StringRef> kiln::unitAttributes(Operation *op) {
  SmallVector<StringRef> names;
  for (StringAttr name : op->getName().getAttributeNames())
    if (op->hasAttrOfType<UnitAttr>(name))
      names.push_back(name.getValue());
  return names;
}
