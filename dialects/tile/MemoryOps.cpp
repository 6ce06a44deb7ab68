//===- MemoryOps.cpp - Views, loads and stores ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/MemoryOps.h"
#include "KernelDecisions.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/Padding.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/MemoryOps.cpp.inc"

void TileDialect::registerMemoryOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Tile/MemoryOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Checks shared by loads, stores and gathers
//===----------------------------------------------------------------------===//

static LogicalResult verifyTile(Operation *op, RankedTensorType tile,
                                ViewType view) {
  if (tile.getElementType() != view.getElementType())
    return op->emitOpError()
           << "expected tile and view of the same element type, found "
           << tile.getElementType() << " and " << view.getElementType();
  for (int64_t size : tile.getShape())
    if (size < 1)
      return op->emitOpError()
             << "expected a tile with positive sizes, found " << tile;
  return success();
}

/// Checks coordinates and steps of a load or store.
static LogicalResult verifyAccess(Operation *op, RankedTensorType tile,
                                  ViewType view, size_t numCoords,
                                  std::optional<ArrayRef<int64_t>> step) {
  // (C1) Element types agree, tile sizes are positive.
  if (failed(verifyTile(op, tile, view)))
    return failure();
  // (C2) The tile's rank is at most the view's.
  if (tile.getRank() > view.getRank())
    return op->emitOpError() << "expected a tile of rank at most "
                             << view.getRank() << ", found " << tile;
  // (C3) One coordinate per dimension of the view.
  if (static_cast<int64_t>(numCoords) != view.getRank())
    return op->emitOpError() << "expected " << view.getRank()
                             << " coordinates, found " << numCoords;
  // (C4) One positive step per dimension of the view.
  if (step) {
    if (static_cast<int64_t>(step->size()) != view.getRank())
      return op->emitOpError() << "expected " << view.getRank()
                               << " steps, found " << step->size();
    for (int64_t s : *step)
      if (s < 1)
        return op->emitOpError()
               << "expected steps to be at least 1, found " << s;
  }
  return success();
}

static LogicalResult verifyPadding(Operation *op, Padding padding, Value pad,
                                   Type elementType) {
  // (C5) The operand `pad` comes with padding `value`, and only then.
  if ((padding == Padding::value) != static_cast<bool>(pad))
    return op->emitOpError()
           << "expected a pad operand exactly when padding is 'value', found "
              "padding '"
           << stringifyPadding(padding) << "' " << (pad ? "with" : "without")
           << " operand";
  // (C6) The pad has the element type.
  if (pad && pad.getType() != elementType)
    return op->emitOpError() << "expected a pad of type " << elementType
                             << ", found " << pad.getType();
  // (C7) Only floats have a NaN.
  if (padding == Padding::nan && !isa<FloatType>(elementType))
    return op->emitOpError()
           << "expected a float element type with padding 'nan', found "
           << elementType;
  return success();
}

/// A volatile read stays where it is, and is done even for nothing.
static void addReadEffects(
    OpOperand &view, bool isVolatile,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &view,
                       SideEffects::DefaultResource::get());
  if (isVolatile)
    effects.emplace_back(MemoryEffects::Write::get(), &view,
                         SideEffects::DefaultResource::get());
}

static int64_t blockOf(RankedTensorType tile, ViewType view, int64_t d) {
  int64_t t = d - (view.getRank() - tile.getRank());
  return t < 0 ? 1 : tile.getDimSize(t);
}

static int64_t stepOf(std::optional<ArrayRef<int64_t>> step, int64_t d) {
  return step ? (*step)[d] : 1;
}

//===----------------------------------------------------------------------===//
// MakeViewOp, DimOp, NumBlocksOp
//===----------------------------------------------------------------------===//

LogicalResult MakeViewOp::verify() {
  ViewType view = getResult().getType();
  // (C1) Pointer and view have one element type.
  if (getBase().getType().getElementType() != view.getElementType())
    return emitOpError() << "expected a pointer to " << view.getElementType()
                         << ", found " << getBase().getType();
  // (C2) One size for each `?` of the shape.
  int64_t sizes = llvm::count(view.getShape(), ShapedType::kDynamic);
  if (sizes != static_cast<int64_t>(getSizes().size()))
    return emitOpError() << "expected " << sizes << " sizes, found "
                         << getSizes().size();
  // (C3) One stride for each `?` of the strides.
  int64_t strides = llvm::count(view.getStrides(), ShapedType::kDynamic);
  if (strides != static_cast<int64_t>(getStrides().size()))
    return emitOpError() << "expected " << strides << " strides, found "
                         << getStrides().size();
  return success();
}

static LogicalResult verifyDim(Operation *op, ViewType view, int64_t dim) {
  // (C1) The dimension exists.
  if (dim < 0 || dim >= view.getRank())
    return op->emitOpError() << "expected a dimension in [0, " << view.getRank()
                             << "), found " << dim;
  return success();
}

LogicalResult DimOp::verify() {
  return verifyDim(*this, getView().getType(), getDim());
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  int64_t size = getView().getType().getShape()[getDim()];
  if (ShapedType::isDynamic(size))
    return {};
  return IntegerAttr::get(IndexType::get(getContext()), size);
}

/// What is known of the size of a view, from its type, what it is made of and
/// the facts about parameters.
static index::Facts sizeFacts(Value view, int64_t dim,
                              function_ref<index::Facts(Value)> of) {
  auto type = cast<ViewType>(view.getType());
  if (!ShapedType::isDynamic(type.getShape()[dim]))
    return index::Facts::exactly(type.getShape()[dim]);
  index::Facts facts{index::Interval::atLeast(0), 1};
  if (auto made = view.getDefiningOp<MakeViewOp>()) {
    int64_t number =
        llvm::count_if(type.getShape().take_front(dim), ShapedType::isDynamic);
    return index::meet(facts, of(made.getSizes()[number]));
  }
  auto parameter = dyn_cast<BlockArgument>(view);
  auto kernel = parameter
                    ? dyn_cast<KernelOp>(parameter.getOwner()->getParentOp())
                    : KernelOp();
  if (!kernel)
    return facts;
  if (auto divisors = getFact<DenseI64ArrayAttr>(
          kernel, parameter.getArgNumber(), kSizeDivFact))
    facts.divisor = divisors[dim];
  return facts;
}

index::Facts DimOp::getResultFacts(unsigned,
                                   function_ref<index::Facts(Value)> of) {
  return sizeFacts(getView(), getDim(), of);
}

index::Facts NumBlocksOp::getResultFacts(unsigned,
                                         function_ref<index::Facts(Value)> of) {
  return index::ceilDiv(sizeFacts(getView(), getDim(), of),
                        index::Facts::exactly(getBlock()));
}

LogicalResult NumBlocksOp::verify() {
  if (failed(verifyDim(*this, getView().getType(), getDim())))
    return failure();
  // (C2) The block is positive.
  if (static_cast<int64_t>(getBlock()) < 1)
    return emitOpError() << "expected a block of at least 1, found "
                         << static_cast<int64_t>(getBlock());
  return success();
}

OpFoldResult NumBlocksOp::fold(FoldAdaptor) {
  int64_t size = getView().getType().getShape()[getDim()];
  if (ShapedType::isDynamic(size))
    return {};
  int64_t block = getBlock();
  int64_t count = size / block + (size % block != 0);
  return IntegerAttr::get(IndexType::get(getContext()), count);
}

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

int64_t LoadOp::getBlock(int64_t d) {
  return blockOf(getTileType(), getView().getType(), d);
}

int64_t LoadOp::getStepOf(int64_t d) { return stepOf(getStep(), d); }

LogicalResult LoadOp::verify() {
  ViewType view = getView().getType();
  if (failed(verifyAccess(*this, getTileType(), view, getCoords().size(),
                          getStep())))
    return failure();
  return verifyPadding(*this, getPadding(), getPad(), view.getElementType());
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addReadEffects(getViewMutable(), getIsVolatile(), effects);
}

//===----------------------------------------------------------------------===//
// Stores that combine
//===----------------------------------------------------------------------===//

Combine tile::combineOf(Operation *op) {
  if (auto store = dyn_cast<StoreOp>(op))
    return store.getCombine();
  if (auto scatter = dyn_cast<StoreScatterOp>(op))
    return scatter.getCombine();
  return Combine::assign;
}

/// Bitwise and unsigned combinations take integers.
static LogicalResult verifyCombine(Operation *store, ViewType view) {
  switch (Combine combine = combineOf(store)) {
  case Combine::assign:
  case Combine::add:
  case Combine::mul:
  case Combine::max:
  case Combine::min:
    return success();
  default:
    if (isa<FloatType>(view.getElementType()))
      return store->emitOpError()
             << "expected integers with combine '" << stringifyCombine(combine)
             << "', found " << view.getElementType();
    return success();
  }
}

/// Writes, and reads as well if a store combines or is volatile.
static void addWriteEffects(
    OpOperand &view, bool reads,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (reads)
    effects.emplace_back(MemoryEffects::Read::get(), &view,
                         SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &view,
                       SideEffects::DefaultResource::get());
}

//===----------------------------------------------------------------------===//
// StoreOp
//===----------------------------------------------------------------------===//

int64_t StoreOp::getBlock(int64_t d) {
  return blockOf(getTileType(), getView().getType(), d);
}

int64_t StoreOp::getStepOf(int64_t d) { return stepOf(getStep(), d); }

LogicalResult StoreOp::verify() {
  ViewType view = getView().getType();
  if (failed(verifyAccess(*this, getTileType(), view, getCoords().size(),
                          getStep())))
    return failure();
  // (C5) Bitwise and unsigned combinations take integers.
  return verifyCombine(*this, view);
}

void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addWriteEffects(getViewMutable(),
                  getCombine() != Combine::assign || getIsVolatile(), effects);
}

//===----------------------------------------------------------------------===//
// LoadGatherOp
//===----------------------------------------------------------------------===//

/// What an access by index needs of its tile.
template <typename OpT> static LogicalResult verifyIndirect(OpT op) {
  ViewType view = op.getView().getType();
  RankedTensorType tile = op.getTileType();
  auto indices = cast<RankedTensorType>(op.getIndices().getType());
  // (C1) Element types agree, tile sizes are positive.
  if (failed(verifyTile(op, tile, view)))
    return failure();
  // (C2) The indirect dimension exists.
  int64_t dim = op.getDim();
  if (failed(verifyDim(op, view, dim)))
    return failure();
  // (C3) One offset for every other dimension.
  if (static_cast<int64_t>(op.getOffsets().size()) != view.getRank() - 1)
    return op.emitOpError() << "expected " << view.getRank() - 1
                            << " offsets, found " << op.getOffsets().size();
  // (C4) The shape of the indices stands in the place of the dimension.
  int64_t rank = view.getRank() - 1 + indices.getRank();
  if (tile.getRank() != rank)
    return op.emitOpError()
           << "expected a tile of rank " << rank << ", found " << tile;
  if (tile.getShape().slice(dim, indices.getRank()) != indices.getShape())
    return op.emitOpError()
           << "expected the shape of the indices " << indices
           << " at dimension " << dim << " of the tile, found " << tile;
  return success();
}

LogicalResult LoadGatherOp::verify() {
  if (failed(verifyIndirect(*this)))
    return failure();
  return verifyPadding(*this, getPadding(), getPad(),
                       getView().getType().getElementType());
}

void LoadGatherOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addReadEffects(getViewMutable(), getIsVolatile(), effects);
}

//===----------------------------------------------------------------------===//
// StoreScatterOp
//===----------------------------------------------------------------------===//

LogicalResult StoreScatterOp::verify() {
  if (failed(verifyIndirect(*this)))
    return failure();
  // (C5) Bitwise and unsigned combinations take integers.
  return verifyCombine(*this, getView().getType());
}

void StoreScatterOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addWriteEffects(getViewMutable(),
                  getCombine() != Combine::assign || getIsVolatile(), effects);
}

LogicalResult StoreScatterOp::readProperties(DialectBytecodeReader &reader,
                                             OperationState &state) {
  // `combine` came with version 0.4, and is the last one for that reason.
  constexpr uint64_t kCombines = 4;
  auto &prop = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(prop.cache)) ||
      failed(reader.readAttribute(prop.dim)) ||
      failed(reader.readOptionalAttribute(prop.evict)) ||
      failed(reader.readOptionalAttribute(prop.is_volatile)))
    return failure();
  return isOlder(reader, kCombines)
             ? success()
             : reader.readOptionalAttribute(prop.combine);
}

void StoreScatterOp::writeProperties(DialectBytecodeWriter &writer) {
  Properties &prop = getProperties();
  writer.writeOptionalAttribute(prop.cache);
  writer.writeAttribute(prop.dim);
  writer.writeOptionalAttribute(prop.evict);
  writer.writeOptionalAttribute(prop.is_volatile);
  writer.writeOptionalAttribute(prop.combine);
}
