//===- StorageOps.cpp - Storage, and tiles in and out of it ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/StorageOps.h"
#include "kiln/Dialect/Stage/ComputeOps.h"
#include "kiln/Dialect/Stage/Places.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln::stage;

#define GET_OP_CLASSES
#include "kiln/Dialect/Stage/StorageOps.cpp.inc"

void StageDialect::registerStorageOps() {
  addOperations<
#define GET_OP_LIST
#include "kiln/Dialect/Stage/StorageOps.cpp.inc"
      >();
}

using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// AllocOp
//===----------------------------------------------------------------------===//

LogicalResult AllocOp::verify() {
  MemRefType type = getStorage().getType();
  // (C1) The space is of this dialect.
  if (Attribute space = type.getMemorySpace(); space && !isa<SpaceAttr>(space))
    return emitOpError() << "expected a space #stage.space<...>, found "
                         << space;
  // (C2) The alignment is a power of two.
  int64_t align = getAlign().value_or(1);
  if (align < 1 || !llvm::isPowerOf2_64(align))
    return emitOpError() << "expected 'align' to be a power of two, found "
                         << align;
  // (C3) Slack and offset are not negative, the offset is aligned.
  if (getSlack().value_or(0) > uint64_t(INT64_MAX))
    return emitOpError() << "expected 'slack' of at least 0, found "
                         << static_cast<int64_t>(*getSlack());
  int64_t offset = getOffset().value_or(0);
  if (offset < 0 || offset % align)
    return emitOpError() << "expected 'offset' to be a multiple of " << align
                         << " that is not negative, found " << offset;
  // (C4) The layout can be computed.
  std::string reason;
  if (!Places::of(type, &reason))
    return emitOpError() << "unsupported: layout of " << type << " " << reason;
  return success();
}

void AllocOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(),
                       cast<OpResult>(getStorage()));
}

//===----------------------------------------------------------------------===//
// ReadOp, WriteOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyAccess(Operation *op, MemRefType storage,
                                  RankedTensorType tile, size_t numOrigin,
                                  bool isPart = false) {
  // (C1) One element type, one rank.
  if (storage.getElementType() != tile.getElementType())
    return op->emitOpError()
           << "expected storage and tile of one element type, found "
           << storage.getElementType() << " and " << tile.getElementType();
  if (storage.getRank() != tile.getRank())
    return op->emitOpError() << "expected storage and tile of one rank, found "
                             << storage.getRank() << " and " << tile.getRank();
  // (C2) An origin of one coordinate per dimension, and shapes that fit.
  if (numOrigin == 0) {
    if (storage.getShape() != tile.getShape())
      return op->emitOpError() << "expected a tile of the storage's shape "
                                  "without an origin, found "
                               << tile << " and " << storage;
    return success();
  }
  if (static_cast<int64_t>(numOrigin) != storage.getRank())
    return op->emitOpError() << "expected " << storage.getRank()
                             << " coordinates, found " << numOrigin;
  for (auto [size, most] : llvm::zip(tile.getShape(), storage.getShape()))
    if (size > most && !isPart)
      return op->emitOpError()
             << "expected a tile that the storage has room for, found " << tile
             << " and " << storage;
  return success();
}

LogicalResult ReadOp::verify() {
  return verifyAccess(*this, getStorage().getType(),
                      cast<RankedTensorType>(getResult().getType()),
                      getOrigin().size());
}

void ReadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getStorageMutable());
}

LogicalResult WriteOp::verify() {
  auto region = dyn_cast<ComputeOp>((*this)->getParentOp());
  bool isPart = region && !region.getFrom().empty() && !region.getTo().empty();
  return verifyAccess(*this, getStorage().getType(),
                      cast<RankedTensorType>(getValue().getType()),
                      getOrigin().size(), isPart);
}

void WriteOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getStorageMutable());
}
