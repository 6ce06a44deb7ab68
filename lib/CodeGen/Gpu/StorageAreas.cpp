//===- StorageAreas.cpp - Bytes of storage, and who reads it --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StorageAreas.h"
#include "ThreadProducts.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Gpu/ThreadBuilder.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

static int64_t bytesOf(MemRefType type) {
  return type.getNumElements() *
         ThreadBuilder::storedBytes(type.getElementType());
}

int64_t simt::slotBytes(stage::RingOpInterface ring) {
  int64_t bytes = 0, align = ring.getAlign().value_or(16);
  for (MemRefType part : ring.getRing().getType().getParts())
    bytes += llvm::alignTo(bytesOf(part), align);
  return bytes;
}

int64_t simt::ringBytes(stage::RingOpInterface ring) {
  return slotBytes(ring) * ring.getRing().getType().getDepth();
}

int64_t simt::storageBytes(tile::Kernel kernel) {
  int64_t bytes = 0;
  kernel.walk([&](Operation *op) {
    if (auto ring = dyn_cast<stage::RingOpInterface>(op)) {
      bytes =
          llvm::alignTo(bytes, ring.getAlign().value_or(16)) + ringBytes(ring);
      if (hasSlotBarriers(ring.getRing()))
        bytes += 2 * kSplitBarrierBytes * ring.getRing().getType().getDepth();
    } else if (auto alloc = dyn_cast<stage::StorageOpInterface>(op)) {
      StorageArea area = areaOf(alloc.getStorage());
      bytes = llvm::alignTo(bytes, alloc.getAlign().value_or(16)) + area.end -
              area.begin;
    }
  });
  return bytes;
}

bool simt::isOverPoints(scf::ForOp loop) {
  return loop.getStep().getDefiningOp<tile::NumInstancesOp>() != nullptr;
}

bool simt::lastsForLaunch(stage::RingOpInterface ring) {
  return llvm::any_of(ring->getUsers(), [&](Operation *user) {
    auto loop =
        dyn_cast<scf::ForOp>(ring->getBlock()->findAncestorOpInBlock(*user));
    return loop && isOverPoints(loop);
  });
}

StorageArea simt::areaOf(Value storage) {
  Operation *op = storage.getDefiningOp();
  if (!op)
    op = storage.getParentBlock()->getParentOp();
  if (Value ring = stage::ringUsedBy(op))
    op = ring.getDefiningOp();
  if (auto ring = dyn_cast_or_null<stage::RingOpInterface>(op)) {
    int64_t begin = ring.getOffset().value_or(0);
    return {begin, begin + ringBytes(ring)};
  }
  if (auto alloc = dyn_cast_or_null<stage::StorageOpInterface>(op)) {
    int64_t begin = alloc.getOffset().value_or(0);
    return {begin, begin + bytesOf(alloc.getStorage().getType())};
  }
  // Any bytes, where it is not known which storage this is.
  return {0, std::numeric_limits<int64_t>::max()};
}

Permutation simt::permutationOf(MemRefType type) {
  auto space = dyn_cast_or_null<stage::SpaceAttr>(type.getMemorySpace());
  Attribute permute = space ? space.getPermute() : Attribute();
  Permutation result;
  if (auto all = dyn_cast_or_null<DenseI64ArrayAttr>(permute)) {
    result.inner = all[0] == 0 ? 0 : 1;
    result.unit = all[1];
    if (all.size() > 2)
      result.piece = all[2];
  } else if (auto dim = dyn_cast_or_null<IntegerAttr>(permute)) {
    result.inner = dim.getInt() == 0 ? 0 : 1;
  }
  return result;
}

bool simt::hasSlotBarriers(Value ring) {
  auto made = ring.getDefiningOp<stage::RingOpInterface>();
  return made && made.getBarriersAttr();
}

Value simt::ringOf(Value storage) {
  return stage::ringTakenBy(storage.getDefiningOp());
}

bool simt::isTileLoad(Operation *op) {
  if (!op || op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  auto access = dyn_cast<ViewAccessOpInterface>(op);
  auto pointers = dyn_cast<PointerAccessOpInterface>(op);
  return access ? access.isRead() : pointers && pointers.isRead();
}

bool simt::isVolatileLoad(Operation *load) {
  if (auto pointers = dyn_cast<PointerAccessOpInterface>(load))
    return pointers.isVolatileAccess();
  return cast<ViewAccessOpInterface>(load).isVolatileAccess();
}

bool simt::isLookup(Operation *op) {
  return isTileLoad(op) && op->hasOneUse() &&
         isa<stage::StorageWriteOpInterface>(*op->getUsers().begin());
}

bool simt::isTransposition(Operation *op) {
  if (!isa<IndexMapOpInterface>(op) || op->getNumOperands() != 1 ||
      op->getNumResults() != 1)
    return false;
  OperandRead read = getOperandRead(op->getOpOperand(0));
  return read && !read.domain &&
         read.map == AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0},
                                                  op->getContext());
}

bool simt::handsOnBytes(Operation *op) {
  return isTransposition(op) ||
         (isa<arith::BitcastOp>(op) &&
          isa<RankedTensorType>(op->getResult(0).getType()));
}

Value simt::bytesBefore(Value factor) {
  Operation *op = factor.getDefiningOp();
  return op && handsOnBytes(op) ? op->getOperand(0) : Value();
}

static bool goesToProduct(Value factor) {
  if (!factor.hasOneUse())
    return false;
  Operation *user = *factor.getUsers().begin(), *op = factor.getDefiningOp();
  if (user->getBlock() != op->getBlock())
    return false;
  for (op = op->getNextNode(); op != user; op = op->getNextNode())
    if (!isa<stage::StorageReadOpInterface>(op) && !stage::ringFreedBy(op) &&
        !handsOnBytes(op))
      return false;
  if (handsOnBytes(user))
    return goesToProduct(user->getResult(0));
  auto product = dyn_cast<MatrixProductOpInterface>(user);
  return product &&
         (getDecided(user, kRowEntry) || multipliesAsStored(product));
}

bool simt::isReadByProduct(stage::StorageReadOpInterface read) {
  return goesToProduct(read.getResult());
}

bool simt::isRefilled(Value ring) {
  return llvm::any_of(ring.getUsers(), [](Operation *user) {
    return stage::ringFilledBy(user) && user->getParentOfType<scf::ForOp>();
  });
}

bool simt::isReadByThreads(Value ring) {
  return llvm::any_of(ring.getUsers(), [](Operation *user) {
    return stage::ringTakenBy(user) &&
           !llvm::all_of(user->getUsers(),
                         llvm::IsaPred<stage::StorageProductOpInterface>);
  });
}

stage::StorageReadOpInterface simt::storageRead(Value factor) {
  while (Value before = bytesBefore(factor))
    factor = before;
  auto read = factor.getDefiningOp<stage::StorageReadOpInterface>();
  return read && isReadByProduct(read) ? read : stage::StorageReadOpInterface();
}

bool simt::touchesRings(Operation *op) {
  // Rings that are made in it are its own affair.
  return op
      ->walk([&](Operation *inner) {
        Value ring = stage::ringUsedBy(inner);
        return ring && !stage::ringFreedBy(inner) &&
                       !op->isAncestor(ring.getDefiningOp())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

StorageLife::StorageLife(Value storage)
    : area(areaOf(storage)), block(storage.getParentBlock()),
      isFilledInBulk(hasSlotBarriers(storage)) {
  llvm::SetVector<Value> names;
  names.insert(storage);
  for (size_t i = 0; i < names.size(); ++i)
    for (Operation *user : names[i].getUsers()) {
      Operation *whole = block->findAncestorOpInBlock(*user);
      if (!first || whole->isBeforeInBlock(first))
        first = whole;
      if (!last || last->isBeforeInBlock(whole))
        last = whole;
      // Products read what goes to them alone.
      if (stage::ringTakenBy(user) ||
          isa<stage::StorageReadOpInterface>(user) || handsOnBytes(user))
        names.insert(user->result_begin(), user->result_end());
    }
}

bool StorageLife::isInUseAt(Operation *op) const {
  Operation *whole = first ? block->findAncestorOpInBlock(*op) : nullptr;
  return whole && !whole->isBeforeInBlock(first) &&
         !last->isBeforeInBlock(whole);
}

bool StorageLife::mayBeFilledAt(Operation *op) const {
  Operation *whole = first ? block->findAncestorOpInBlock(*op) : nullptr;
  return isFilledInBulk && whole && !last->isBeforeInBlock(whole);
}

int64_t simt::storageEndAt(tile::Kernel kernel, Operation *op) {
  int64_t end = 0;
  auto see = [&](const StorageLife &storage) {
    if (storage.isInUseAt(op))
      end = std::max(end, storage.area.end);
  };
  kernel.walk([&](Operation *made) {
    if (isa<stage::RingOpInterface, stage::StorageOpInterface>(made))
      see(StorageLife(made->getResult(0)));
  });
  return end;
}
