//===- Order.cpp - Accesses of one instance in program order --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Within an instance accesses that may overlap keep their order. Two threads
// share out the elements of a tile, so a barrier stands between such accesses,
// unless each thread meets only what it did itself.
//
//===----------------------------------------------------------------------===//

#include "KernelWalk.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

BlockArgument simt::rootOf(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return isa<tile::KernelOp>(argument.getOwner()->getParentOp())
                 ? argument
                 : BlockArgument();
    Operation *op = value.getDefiningOp();
    if (isa<tile::MakeViewOp, tile::PtrAddOp, tile::PtrCastOp, tile::SplatOp,
            tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp,
            tile::TransposeOp, ConvertLayoutOp>(op))
      value = op->getOperand(0);
    else
      return {};
  }
}

namespace {
/// What an access reaches, and how.
struct Reach {
  Value place;
  bool reads = false, writes = false;
};

Reach reachOf(Operation *op) {
  if (auto access = dyn_cast<ViewAccessOpInterface>(op))
    return {access.getAccessedView(),
            access.getAccessKind() != AccessKind::Write,
            access.getAccessKind() != AccessKind::Read};
  if (auto load = dyn_cast<tile::LoadPtrOp>(op))
    return {load.getPtr(), true, false};
  if (auto store = dyn_cast<tile::StorePtrOp>(op))
    return {store.getPtr(), false, true};
  if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op))
    return {op->getOperand(0), true, true};
  return {};
}

bool hasFact(BlockArgument argument, StringRef name) {
  if (!argument)
    return false;
  auto kernel = cast<tile::KernelOp>(argument.getOwner()->getParentOp());
  return static_cast<bool>(kernel.getArgAttr(argument.getArgNumber(), name));
}

/// Whether two places may have memory in common.
bool mayOverlap(const Reach &a, const Reach &b) {
  BlockArgument x = rootOf(a.place), y = rootOf(b.place);
  for (BlockArgument argument : {x, y})
    if (hasFact(argument, tile::kReadonlyAttr))
      return false; // nothing writes it
  // What comes from an unknown place may come from either parameter.
  return x == y || !x || !y ||
         (!hasFact(x, tile::kNoaliasAttr) && !hasFact(y, tile::kNoaliasAttr));
}

/// What one thread finds by it says what others may read.
bool isAtomic(Operation *op) {
  return isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op);
}

/// Atomics order what is around them for other instances.
bool isFence(Operation *op) {
  tile::MemoryOrder order = tile::MemoryOrder::relaxed;
  if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op))
    order = rmw.getOrder();
  if (auto cas = dyn_cast<tile::AtomicCASOp>(op))
    order = cas.getOrder();
  return order == tile::MemoryOrder::release ||
         order == tile::MemoryOrder::acq_rel;
}
} // namespace

/// Whether each thread reads first what it writes second, and nobody else does:
/// where threads have copies, one writes what others may yet read.
bool KernelWalk::isOwn(Operation *first, Operation *second) {
  auto a = dyn_cast<ViewAccessOpInterface>(first);
  auto b = dyn_cast<ViewAccessOpInterface>(second);
  if (!a || !b || !a.isRead())
    return false;
  LayoutAttr layout = getLayout(a.getAccessedTile());
  return layout == getLayout(b.getAccessedTile()) && !isFirstCopy(layout) &&
         accessSameElements(a, b);
}

void KernelWalk::orderCopy(Value source) {
  Reach now{source, /*reads=*/true, /*writes=*/false};
  auto meets = [&](Operation *earlier) {
    Reach before = reachOf(earlier);
    return before.writes && mayOverlap(before, now);
  };
  if (llvm::any_of(pending, meets))
    synchronize();
  widenBarriers(meets);
}

void KernelWalk::widenBarriers(function_ref<bool(Operation *)> meets) {
  llvm::erase_if(narrowBarriers, [&](NarrowBarrier &one) {
    if (llvm::none_of(one.before, meets))
      return false;
    one.barrier.setMemories(Memories::All);
    return true;
  });
}

void KernelWalk::order(Operation *op) {
  Reach now = reachOf(op);
  if (!now.place)
    return;
  bool waits = isFence(op) && !pending.empty();
  auto meets = [&](Operation *earlier) {
    Reach before = reachOf(earlier);
    return isFence(op) || isAtomic(earlier) ||
           ((before.writes || now.writes) && mayOverlap(before, now) &&
            !isOwn(earlier, op));
  };
  for (Operation *earlier : pending) {
    Reach before = reachOf(earlier);
    waits |= (before.writes || now.writes) && mayOverlap(before, now) &&
             !isOwn(earlier, op);
  }
  if (waits)
    synchronize();
  // What a barrier has parted needs one that orders this memory, too.
  widenBarriers(meets);
  pending.push_back(op);
}

void KernelWalk::enterLoop(Operation *loop) {
  // What the iteration before did may meet what this one does.
  loop->walk([&](Operation *op) {
    if (reachOf(op).place && !isLookup(op))
      pending.push_back(op);
  });
  space.enterBody();
}

void KernelWalk::endBody() {
  Scratch::Wait wait = space.atEndOfBody();
  if (wait == Scratch::Wait::Block)
    synchronize();
  else if (wait == Scratch::Wait::Warp)
    synchronizeWarp();
}

void KernelWalk::synchronize() {
  Operation *made = barrier();
  if (auto named = dyn_cast<BarrierOp>(made); named && !pending.empty())
    narrowBarriers.push_back({named, pending});
  pending.clear();
  reads.clear();
  space.waitedForBlock();
}

void KernelWalk::synchronizeWarp() {
  WarpBarrierOp::create(b, loc);
  space.waitedForWarp();
}
