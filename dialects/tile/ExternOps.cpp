//===- ExternOps.cpp - Calls, conversions, output -----------------------===//

#include "kiln/Dialect/Tile/ExternOps.h"
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

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// A call that is not pure may do anything to memory.
static void addImpureEffects(bool pure, Effects &effects) {
  if (pure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void CallExternOp::getEffects(Effects &effects) {
  addImpureEffects(getPure(), effects);
}

void InlineAsmOp::getEffects(Effects &effects) {
  addImpureEffects(getPure(), effects);
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
