//===- IndexMap.cpp - Which operand elements make a result element --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/IndexMap.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;

#include "kiln/Interfaces/IndexMap.cpp.inc"

OperandRead kiln::getOperandRead(OpOperand &operand, unsigned result) {
  Operation *op = operand.getOwner();
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!type || result >= op->getNumResults())
    return {};
  if (auto mapped = dyn_cast<IndexMapOpInterface>(op))
    return mapped.getIndexMap(operand, result);
  auto out = dyn_cast<RankedTensorType>(op->getResult(result).getType());
  if (out && out.getRank() == type.getRank() &&
      OpTrait::hasElementwiseMappableTraits(op))
    return {AffineMap::getMultiDimIdentityMap(type.getRank(), op->getContext()),
            IntegerSet()};
  return {};
}

std::optional<int> kiln::getMovedDim(AffineExpr expr) {
  auto isFree = [](AffineExpr part) {
    bool found = false;
    part.walk([&](AffineExpr e) { found |= isa<AffineDimExpr>(e); });
    return !found;
  };
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition();
  if (isFree(expr))
    return -1;
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  for (auto [part, rest] : {std::pair(sum.getLHS(), sum.getRHS()),
                            std::pair(sum.getRHS(), sum.getLHS())})
    if (isFree(rest))
      return getMovedDim(part);
  return std::nullopt;
}

bool kiln::isElementToElement(AffineMap map) {
  SmallVector<bool, 8> seen(map.getNumDims());
  return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
    std::optional<int> dim = getMovedDim(expr);
    return dim && (*dim < 0 || !std::exchange(seen[*dim], true));
  });
}

/// The expression that makes the elements of a tile, or null.
static AffineExpr generatedBy(Operation *op) {
  auto mapped = dyn_cast_or_null<IndexMapOpInterface>(op);
  AffineMap map = mapped ? mapped.getGeneratedElement() : AffineMap();
  return map ? map.getResult(0) : AffineExpr();
}

Value kiln::getFillValue(Operation *op) {
  auto symbol = dyn_cast_or_null<AffineSymbolExpr>(generatedBy(op));
  if (!symbol)
    return {};
  SmallVector<Value> symbols;
  cast<IndexMapOpInterface>(op).getIndexSymbols(symbols);
  return symbols[symbol.getPosition()];
}

std::optional<unsigned> kiln::getCountedDim(Operation *op) {
  if (auto dim = dyn_cast_or_null<AffineDimExpr>(generatedBy(op)))
    return dim.getPosition();
  return std::nullopt;
}

bool kiln::isShapeless(Operation *op) {
  if (!op)
    return false;
  if (generatedBy(op))
    return true;
  SplatElementsAttr splat;
  return op->hasTrait<OpTrait::ConstantLike>() &&
         matchPattern(op, m_Constant(&splat));
}

bool kiln::handsOnElements(Operation *op) {
  auto mapped = dyn_cast_or_null<IndexMapOpInterface>(op);
  return mapped && mapped.movesElements() &&
         llvm::count_if(op->getOperandTypes(),
                        llvm::IsaPred<RankedTensorType>) == 1;
}

AffineMap kiln::getReshapeMap(MLIRContext *context, ArrayRef<int64_t> source,
                              ArrayRef<int64_t> result) {
  SmallVector<AffineExpr> exprs(source.size(),
                                getAffineConstantExpr(0, context));
  size_t i = 0, j = 0, n = source.size(), m = result.size();
  while (i < n || j < m) {
    if (i < n && j < m && source[i] == result[j]) {
      exprs[i++] = getAffineDimExpr(j++, context);
      continue;
    }
    if (i < n && source[i] == 1) {
      ++i;
      continue;
    }
    if (j < m && result[j] == 1) {
      ++j;
      continue;
    }
    if (i == n || j == m)
      return {}; // other numbers of elements
    // A group of dimensions with the same number of elements on both sides.
    size_t i0 = i, j0 = j;
    int64_t from = source[i++], to = result[j++];
    while (from != to) {
      bool isSource = from < to;
      if (isSource ? i == n : j == m)
        return {};
      if (isSource ? llvm::MulOverflow(from, source[i++], from)
                   : llvm::MulOverflow(to, result[j++], to))
        return {};
    }
    AffineExpr linear = getAffineConstantExpr(0, context);
    for (size_t d = j0; d < j; ++d)
      linear = linear * result[d] + getAffineDimExpr(d, context);
    int64_t stride = 1;
    for (size_t d = i; d-- > i0;) {
      AffineExpr expr = linear.floorDiv(stride);
      exprs[d] = d == i0 ? expr : expr % source[d];
      stride *= source[d];
    }
  }
  return AffineMap::get(result.size(), 0, exprs, context);
}
