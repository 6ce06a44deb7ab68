//===- ViewAccess.cpp - Access to memory through a view -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln;

#include "kiln/Interfaces/ViewAccess.cpp.inc"

LogicalResult kiln::detail::verifyViewAccess(Operation *op) {
  auto access = cast<ViewAccessOpInterface>(op);
  OpOperand *written = access.getWrittenOperand();
  if (access.isRead() ? written || op->getNumResults() != 1 : !written)
    return op->emitOpError()
           << "expected an access that either reads its only result or writes "
              "an operand through its view";
  if (!isa<RankedTensorType>(access.getAccessedTile().getType()))
    return op->emitOpError() << "expected a tile to be read or written, found "
                             << access.getAccessedTile().getType();
  return success();
}

int kiln::indirectAxis(ArrayRef<ViewAxis> axes) {
  for (auto [d, axis] : llvm::enumerate(axes))
    if (axis.isIndirect())
      return static_cast<int>(d);
  return -1;
}

bool kiln::accessSameElements(ViewAccessOpInterface a,
                              ViewAccessOpInterface b) {
  if (a.getAccessedView() != b.getAccessedView() ||
      a.getAccessedType().getShape() != b.getAccessedType().getShape())
    return false;
  SmallVector<ViewAxis, 4> left = a.getAxes(), right = b.getAxes();
  return left.size() == right.size() &&
         llvm::all_of(llvm::zip(left, right), [](auto pair) {
           auto &[x, y] = pair;
           return !x.isIndirect() && !y.isIndirect() &&
                  isEqualConstantIntOrValue(x.offset, y.offset) &&
                  x.countsBlocks == y.countsBlocks && x.block == y.block &&
                  x.step == y.step && x.tileDim == y.tileDim;
         });
}
