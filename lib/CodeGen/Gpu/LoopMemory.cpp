//===- LoopMemory.cpp - Whether loads may run ahead of stores -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopMemory.h"
#include "KernelWalk.h"
#include "kiln/Dialect/Effects.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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
  auto hints = loop->getAttrOfType<tile::LoopHintsAttr>(tile::kLoopHintsAttr);
  isIndependent = hints && hints.getIndependent();
}

/// The view or pointer that an operation reaches memory through; null for
/// operations that reach it otherwise, or that order it for other instances.
static Value placeOf(Operation *op) {
  if (auto access = dyn_cast<ViewAccessOpInterface>(op))
    return access.getAccessedView();
  if (auto load = dyn_cast<tile::LoadPtrOp>(op))
    return load.getPtr();
  if (auto store = dyn_cast<tile::StorePtrOp>(op))
    return store.getPtr();
  return {};
}

/// The parameter of the kernel that a view or pointer comes from, also one that
/// a loop moves on; null if that is not known.
static BlockArgument parameterOf(Value place) {
  for (unsigned depth = 0; place && depth < 16; ++depth) {
    if (BlockArgument parameter = rootOf(place))
      return parameter;
    // Steps to the block argument of a loop that carries a pointer.
    while (Operation *op = place.getDefiningOp()) {
      if (!isa<tile::MakeViewOp, tile::PtrAddOp, tile::PtrCastOp, tile::SplatOp,
               tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp,
               tile::TransposeOp, ConvertLayoutOp>(op))
        return {};
      place = op->getOperand(0);
    }
    auto carried = cast<BlockArgument>(place);
    auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
    if (!loop || carried == loop.getInductionVar())
      return {};
    // The next iteration's is made of this one's.
    Value next = loop.getTiedLoopYieldedValue(carried)->get();
    while (next != carried) {
      auto moved = next.getDefiningOp<tile::PtrAddOp>();
      if (!moved)
        return {};
      next = moved.getPtr();
    }
    place = loop.getTiedLoopInit(carried)->get();
  }
  return {};
}

static bool hasFact(BlockArgument parameter, StringRef name) {
  auto kernel = cast<tile::KernelOp>(parameter.getOwner()->getParentOp());
  return bool(kernel.getArgAttr(parameter.getArgNumber(), name));
}

Operation *LoopWrites::findConflict(Operation *load) const {
  if (writes.empty())
    return nullptr;
  // An inner loop has copies in flight already.
  auto *staged = llvm::find_if(writes, [](Operation *op) {
    return isa<stage::CopyOp, stage::WriteOp>(op);
  });
  if (staged != writes.end())
    return *staged;
  Value place = placeOf(load);
  BlockArgument from = place ? parameterOf(place) : BlockArgument();
  if (from && hasFact(from, tile::kReadonlyAttr))
    return nullptr;
  for (Operation *write : writes) {
    Value target = placeOf(write);
    BlockArgument to = target ? parameterOf(target) : BlockArgument();
    bool isApart = from && to && from != to &&
                   (isIndependent || hasFact(from, tile::kNoaliasAttr) ||
                    hasFact(to, tile::kNoaliasAttr));
    if (!isApart)
      return write;
  }
  return nullptr;
}
