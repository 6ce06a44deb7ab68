//===- Names.cpp - Kinds of operations, by interface ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/Names.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/ViewAccess.h"

using namespace mlir;
using namespace kiln;

ArrayRef<StringLiteral> kiln::interfaceNames() {
  static constexpr StringLiteral names[] = {
      kMatrixProduct, kViewRead, kViewWrite, kElementwise, kMovement};
  return names;
}

bool kiln::isOfKind(Operation *op, StringRef name) {
  if (name == kMatrixProduct)
    return isa<MatrixProductOpInterface>(op);
  if (name == kElementwise)
    return OpTrait::hasElementwiseMappableTraits(op);
  if (name == kMovement) {
    auto moved = dyn_cast<IndexMapOpInterface>(op);
    return moved && (moved.movesElements() || moved.getGeneratedElement());
  }
  auto access = dyn_cast<ViewAccessOpInterface>(op);
  return access && name == (access.isRead() ? kViewRead : kViewWrite);
}
