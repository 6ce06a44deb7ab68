//===- LoopMemory.cpp - Whether loads may run ahead of stores -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopMemory.h"
#include "Order.h"
#include "kiln/Analysis/Aliases.h"
#include "kiln/Dialect/Effects.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/Facts.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Gpu/ThreadBuilder.h"
#include "kiln/Staging/LoopValues.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Whether an operation itself, not what its regions hold, may write memory.
static bool writes(Operation *op) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return !isMemoryEffectFree(op);
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::any_of(all, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           !isa<LaunchOutput>(effect.getResource());
  });
}

LoopWrites::LoopWrites(scf::ForOp loop) {
  loop.getBody()->walk([&](Operation *op) {
    if (::writes(op))
      writes.push_back(op);
  });
  auto hints = loop->getAttrOfType<tile::LoopHintsAttr>(tile::kHintsAttr);
  isIndependent = hints && hints.getIndependent();
}

Operation *LoopWrites::findConflict(Operation *load) const {
  if (writes.empty())
    return nullptr;
  // An inner loop has copies in flight already.
  auto *staged = llvm::find_if(writes, [](Operation *op) {
    return isa<stage::StorageCopyOpInterface, stage::StorageWriteOpInterface>(
        op);
  });
  if (staged != writes.end())
    return *staged;
  Reaches read = reachesOf(load);
  BlockArgument from =
      read.size() == 1 ? tile::rootOf(read[0].place) : BlockArgument();
  if (tile::hasFact(from, tile::kReadonlyFact))
    return nullptr;
  for (Operation *write : writes) {
    // Atomic operations order what is around them for other instances.
    Reaches reaches = reachesOf(write);
    auto isApart = [&](const Reach &reach) {
      if (!reach.writes)
        return true;
      BlockArgument to =
          reach.reads ? BlockArgument() : tile::rootOf(reach.place);
      return from && to && from != to &&
             (isIndependent || tile::hasFact(from, tile::kNoaliasFact) ||
              tile::hasFact(to, tile::kNoaliasFact));
    };
    if (reaches.empty() || !llvm::all_of(reaches, isApart))
      return write;
  }
  return nullptr;
}

int64_t simt::bytesOfThread(Operation *load) {
  Value loaded = load->getResult(0);
  LayoutAttr layout = getLayout(loaded);
  return (layout ? layout.getNumRegisters() : 1) *
         ThreadBuilder::storedBytes(
             ThreadBuilder::scalarType(getElementTypeOrSelf(loaded.getType())));
}

bool simt::isKnownEarly(Operation *load, scf::ForOp loop) {
  SetVector<Operation *> needed;
  needed.insert(load);
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands())
      if (Operation *op = staging::definitionIn(loop, operand)) {
        if (!isMemoryEffectFree(op))
          return false;
        needed.insert(op);
      }
  return true;
}

bool simt::moveNeedsBefore(Operation *op, Operation *before,
                           llvm::function_ref<bool(Operation *)> isMovable) {
  SetVector<Operation *> needed;
  needed.insert(op);
  for (size_t i = 0; i < needed.size(); ++i)
    for (Value operand : needed[i]->getOperands()) {
      Operation *made = operand.getDefiningOp();
      if (!made || made->getBlock() != before->getBlock() ||
          made->isBeforeInBlock(before))
        continue;
      if (made == before || !isPure(made) || made->getNumRegions() ||
          (isMovable && !isMovable(made)))
        return false;
      needed.insert(made);
    }
  needed.remove(op);
  SmallVector<Operation *> ordered(needed.getArrayRef());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *made : ordered)
    made->moveBefore(before);
  return true;
}
