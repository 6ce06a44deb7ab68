//===- PrintedTypes.cpp - What tile.print shows after lowering ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PrintedTypes.h"
#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Transforms/Tile/Passes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace kiln;

void tile::keepPrintedTypes(Kernel kernel) {
  kernel.walk([](PrintOp op) {
    if (op.getPrintedTypes())
      return;
    SmallVector<Type> types;
    for (Type type : op.getOperandTypes())
      types.push_back(getElementTypeOrSelf(type));
    op.setPrintedTypesAttr(Builder(op).getTypeArrayAttr(types));
  });
}

SmallVector<Type> tile::getPrintedTypes(PrintOp op) {
  if (ArrayAttr types = op.getPrintedTypesAttr())
    return llvm::to_vector(types.getAsValueRange<TypeAttr>());
  SmallVector<Type> types;
  for (Type type : op.getOperandTypes())
    types.push_back(getElementTypeOrSelf(type));
  return types;
}
