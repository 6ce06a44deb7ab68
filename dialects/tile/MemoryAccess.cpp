//===- MemoryAccess.cpp - Loads and stores as accesses to views -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/MemoryOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

static Outside outsideOf(Padding padding) {
  switch (padding) {
  case Padding::zero:
    return Outside::Zero;
  case Padding::nan:
    return Outside::NaN;
  case Padding::any:
    return Outside::Any;
  case Padding::value:
    return Outside::Value;
  }
  llvm_unreachable("unknown padding");
}

/// The axes of a load or store.
template <typename OpT>
static void directAxes(OpT op, SmallVectorImpl<ViewAxis> &axes) {
  int lead = op.getView().getType().getRank() - op.getTileType().getRank();
  for (auto [d, coordinate] : llvm::enumerate(op.getCoords())) {
    ViewAxis &axis = axes.emplace_back();
    axis.offset = coordinate;
    axis.countsBlocks = !op.getElementOffsets();
    axis.block = op.getBlock(d);
    axis.step = op.getStepOf(d);
    axis.tileDim = std::max(static_cast<int>(d) - lead, -1);
  }
}

/// The axes of a gather or scatter.
template <typename OpT>
static void indirectAxes(OpT op, SmallVectorImpl<ViewAxis> &axes) {
  int dim = op.getDim(), rank = op.getView().getType().getRank();
  int inner = cast<RankedTensorType>(op.getIndices().getType()).getRank();
  for (int d = 0; d < rank; ++d) {
    ViewAxis &axis = axes.emplace_back();
    axis.tileDim = d <= dim ? d : d - 1 + inner;
    if (d == dim) {
      axis.indices = op.getIndices();
      continue;
    }
    axis.offset = op.getOffsets()[d < dim ? d : d - 1];
    axis.block = op.getTileType().getDimSize(axis.tileDim);
  }
}

static int64_t bytesOf(Type element) {
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 8;
}

/// The hints of an access under the names that ViewAccessOpInterface gives
/// them.
template <typename OpT> static DictionaryAttr hintsOf(OpT op) {
  Builder b(op.getContext());
  NamedAttrList hints;
  if (op.getCache() != CacheHint::none)
    hints.set("cache", b.getStringAttr(stringifyCacheHint(op.getCache())));
  if (op.getEvict() != EvictHint::normal)
    hints.set("evict", b.getStringAttr(stringifyEvictHint(op.getEvict())));
  for (StringRef fact : kElementFacts)
    if (Attribute value = getFact(op, fact))
      hints.set(fact, value);
  return hints.empty() ? DictionaryAttr() : hints.getDictionary(b.getContext());
}

static LogicalResult setOperands(MutableOperandRange operands,
                                 ArrayRef<Value> values) {
  if (operands.size() != values.size())
    return failure();
  for (auto [operand, value] : llvm::zip(operands, values))
    operand.set(value);
  return success();
}

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

Value LoadOp::getAccessedView() { return getView(); }
DictionaryAttr LoadOp::getAccessHints() { return hintsOf(*this); }
bool LoadOp::isVolatileAccess() { return getIsVolatile(); }
AccessKind LoadOp::getAccessKind() { return AccessKind::Read; }
void LoadOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) {
  directAxes(*this, axes);
}
Outside LoadOp::getOutside() { return outsideOf(getPadding()); }
Value LoadOp::getOutsideValue() { return getPad(); }
LogicalResult LoadOp::setElementOffsets(ArrayRef<Value> offsets) {
  setElementOffsets(true);
  return setOperands(getCoordsMutable(), offsets);
}
double LoadOp::getElementOperations() { return 1; }
int64_t LoadOp::getElementBytes() {
  return bytesOf(getTileType().getElementType());
}

//===----------------------------------------------------------------------===//
// StoreOp
//===----------------------------------------------------------------------===//

Value StoreOp::getAccessedView() { return getView(); }
DictionaryAttr StoreOp::getAccessHints() { return hintsOf(*this); }
bool StoreOp::isVolatileAccess() { return getIsVolatile(); }
AccessKind StoreOp::getAccessKind() {
  return getCombine() == Combine::assign ? AccessKind::Write
                                         : AccessKind::Update;
}
OpOperand *StoreOp::getWrittenOperand() { return &getValueMutable(); }
void StoreOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) {
  directAxes(*this, axes);
}
LogicalResult StoreOp::setElementOffsets(ArrayRef<Value> offsets) {
  setElementOffsets(true);
  return setOperands(getCoordsMutable(), offsets);
}

//===----------------------------------------------------------------------===//
// LoadGatherOp
//===----------------------------------------------------------------------===//

Value LoadGatherOp::getAccessedView() { return getView(); }
DictionaryAttr LoadGatherOp::getAccessHints() { return hintsOf(*this); }
bool LoadGatherOp::isVolatileAccess() { return getIsVolatile(); }
AccessKind LoadGatherOp::getAccessKind() { return AccessKind::Read; }
void LoadGatherOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) {
  indirectAxes(*this, axes);
}
Outside LoadGatherOp::getOutside() { return outsideOf(getPadding()); }
Value LoadGatherOp::getOutsideValue() { return getPad(); }
LogicalResult LoadGatherOp::setElementOffsets(ArrayRef<Value> offsets) {
  return setOperands(getOffsetsMutable(), offsets);
}
OperandRead LoadGatherOp::getIndexMap(OpOperand &, unsigned) {
  unsigned first = getDim();
  unsigned rank = cast<RankedTensorType>(getIndices().getType()).getRank();
  SmallVector<AffineExpr> exprs;
  for (unsigned d = 0; d < rank; ++d)
    exprs.push_back(getAffineDimExpr(first + d, getContext()));
  return {AffineMap::get(getTileType().getRank(), 0, exprs, getContext()),
          IntegerSet()};
}
double LoadGatherOp::getElementOperations() { return 6; }
int64_t LoadGatherOp::getElementBytes() {
  return bytesOf(getTileType().getElementType());
}

//===----------------------------------------------------------------------===//
// StoreScatterOp
//===----------------------------------------------------------------------===//

Value StoreScatterOp::getAccessedView() { return getView(); }
DictionaryAttr StoreScatterOp::getAccessHints() { return hintsOf(*this); }
bool StoreScatterOp::isVolatileAccess() { return getIsVolatile(); }
AccessKind StoreScatterOp::getAccessKind() {
  return getCombine() == Combine::assign ? AccessKind::Write
                                         : AccessKind::Update;
}
OpOperand *StoreScatterOp::getWrittenOperand() { return &getValueMutable(); }
void StoreScatterOp::getViewAxes(SmallVectorImpl<ViewAxis> &axes) {
  indirectAxes(*this, axes);
}
