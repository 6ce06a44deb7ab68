//===- PrintedTypes.cpp - What tile.print shows after lowering ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PrintedTypes.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace kiln;

void tile::keepPrintedTypes(KernelOp kernel) {
  kernel.walk([](PrintOp op) {
    if (op->hasAttr(kPrintedTypesAttr))
      return;
    SmallVector<Type> types;
    for (Type type : op.getOperandTypes())
      types.push_back(getElementTypeOrSelf(type));
    op->setAttr(kPrintedTypesAttr, Builder(op).getTypeArrayAttr(types));
  });
}

SmallVector<Type> tile::getPrintedTypes(PrintOp op) {
  if (auto types = op->getAttrOfType<ArrayAttr>(kPrintedTypesAttr))
    return llvm::to_vector(types.getAsValueRange<TypeAttr>());
  SmallVector<Type> types;
  for (Type type : op.getOperandTypes())
    types.push_back(getElementTypeOrSelf(type));
  return types;
}
