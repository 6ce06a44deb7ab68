//===- ExternOps.cpp - Calls, conversions, output -----------------------===//

#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Effects.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ExternOps.cpp.inc"

void TileDialect::registerExternOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/ExternOps.cpp.inc"
      >();
}

void CallExternOp::getEffects(Effects &effects) {
  addCallEffects(getPure(), effects);
}

void InlineAsmOp::getEffects(Effects &effects) {
  addCallEffects(getPure(), effects);
}

LogicalResult ConvertOp::verify() {
  if (isa<FloatType>(getElementTypeOrSelf(getSource().getType())) &&
      isa<FloatType>(getElementTypeOrSelf(getResult().getType())))
    return success();
  return emitOpError() << "expected float types, found "
                       << getSource().getType() << " and "
                       << getResult().getType();
}

LogicalResult AssertOp::verify() {
  if (getElementTypeOrSelf(getCondition().getType()).isInteger(1))
    return success();
  return emitOpError() << "expected a condition of i1, found "
                       << getCondition().getType();
}

LogicalResult PrintOp::verify() {
  for (Type type : getOperandTypes()) {
    Type element = getElementTypeOrSelf(type);
    if (!element.isIntOrIndexOrFloat() && !isa<PtrType>(element))
      return emitOpError() << "expected numbers and pointers, found " << type;
  }
  return success();
}

LogicalResult InlineAsmOp::verify() {
  // More would not fit into registers.
  constexpr int64_t kLargestPack = 32;
  if (getPack() < 1 || getPack() > kLargestPack ||
      !llvm::isPowerOf2_64(getPack()))
    return emitOpError() << "expected a pack of 1, 2, 4 and so on up to "
                         << kLargestPack << ", found " << getPack();
  SmallVector<Type> types(getOperandTypes());
  llvm::append_range(types, getResultTypes());
  for (Type type : types) {
    Type element = getElementTypeOrSelf(type);
    if (!element.isIntOrIndexOrFloat() && !isa<PtrType>(element))
      return emitOpError() << "expected numbers and pointers, found " << type;
    auto first = dyn_cast<RankedTensorType>(types.front());
    auto tile = dyn_cast<RankedTensorType>(type);
    if (bool(first) != bool(tile) ||
        (tile &&
         (!tile.hasStaticShape() || tile.getShape() != first.getShape())))
      return emitOpError()
             << "expected operands and results of one shape, found "
             << types.front() << " and " << type;
  }
  return success();
}
