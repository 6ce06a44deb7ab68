//===- ExchangeOps.cpp - Elements that change places ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/ExchangeOps.cpp.inc"

LogicalResult ExchangeOp::verify() {
  // (C1) The dimension exists.
  auto type = cast<RankedTensorType>(getType());
  int64_t rank = type.getRank(), axis = getAxis(), mask = getMask();
  if (axis < 0 || axis >= rank)
    return emitOpError() << "expected an axis in [0, " << rank << "), found "
                         << axis;
  // (C2) The mask is positive.
  if (mask <= 0)
    return emitOpError() << "expected a positive mask, found " << mask;
  // (C3) The size is a multiple of the least power of two above the mask.
  if (mask >= type.getDimSize(axis) ||
      type.getDimSize(axis) % int64_t(llvm::NextPowerOf2(mask)))
    return emitOpError() << "expected a multiple of "
                         << llvm::NextPowerOf2(mask) << " elements along axis "
                         << axis << ", found " << type;
  return success();
}

OpFoldResult ExchangeOp::fold(FoldAdaptor adaptor) {
  // A tile in another layout is another value.
  auto inner = getSource().getDefiningOp<ExchangeOp>();
  if (inner && inner.getAxis() == getAxis() &&
      inner.getSource().getType() == getType()) {
    if (inner.getMask() == getMask())
      return inner.getSource();
    setMask(getMask() ^ inner.getMask());
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource());
}

AffineExpr tile::getExchangedIndex(AffineExpr index, int64_t mask) {
  AffineExpr result = index;
  // Blocks between two powers of two are turned round for each run of bits.
  for (int64_t left = mask; left;) {
    int64_t unit = left & -left, block = unit;
    while (left & block)
      block *= 2;
    left &= ~(block - 1);
    result =
        result + (block - unit) - (index % block).floorDiv(unit) * 2 * unit;
  }
  return result;
}

OperandRead ExchangeOp::getIndexMap(OpOperand &, unsigned) {
  SmallVector<AffineExpr> exprs;
  for (int64_t d = 0; d < cast<RankedTensorType>(getType()).getRank(); ++d)
    exprs.push_back(getAffineDimExpr(d, getContext()));
  exprs[getAxis()] = getExchangedIndex(exprs[getAxis()], getMask());
  return {AffineMap::get(exprs.size(), 0, exprs, getContext()), IntegerSet()};
}

bool ExchangeOp::movesElements() { return true; }
