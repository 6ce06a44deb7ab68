//===- Order.cpp - Accesses to global memory that may meet ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Within an instance accesses that may overlap keep their order. Two threads
// share out the elements of a tile, so a barrier stands between such accesses,
// unless each thread meets only what it did itself.
//
//===----------------------------------------------------------------------===//

#include "Order.h"
#include "ThreadBuilder.h"
#include "kiln/Interfaces/ViewAccess.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// The block argument that a pointer or a view is derived from; null where it
/// comes from elsewhere.
static BlockArgument originOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tile::MakeViewOp, tile::PtrAddOp, tile::PtrCastOp, tile::SplatOp,
             tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp,
             tile::TransposeOp, ConvertLayoutOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return cast<BlockArgument>(value);
}

BlockArgument simt::rootOf(Value value) {
  BlockArgument origin = originOf(value);
  while (origin && !isa<tile::KernelOp>(origin.getOwner()->getParentOp())) {
    // A loop that only moves a pointer on has that of its begin.
    auto loop = dyn_cast<scf::ForOp>(origin.getOwner()->getParentOp());
    if (!loop || origin == loop.getInductionVar() ||
        originOf(loop.getTiedLoopYieldedValue(origin)->get()) != origin)
      return {};
    origin = originOf(loop.getTiedLoopInit(origin)->get());
  }
  return origin;
}

Reach simt::reachOf(Operation *op) {
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

static bool hasFact(BlockArgument argument, StringRef name) {
  if (!argument)
    return false;
  auto kernel = cast<tile::KernelOp>(argument.getOwner()->getParentOp());
  return static_cast<bool>(kernel.getArgAttr(argument.getArgNumber(), name));
}

bool simt::mayConflict(const Reach &a, const Reach &b) {
  if (!a.writes && !b.writes)
    return false;
  BlockArgument x = rootOf(a.place), y = rootOf(b.place);
  for (BlockArgument argument : {x, y})
    if (hasFact(argument, tile::kReadonlyAttr))
      return false; // nothing writes it
  // What comes from an unknown place may come from either parameter.
  return x == y || !x || !y ||
         (!hasFact(x, tile::kNoaliasAttr) && !hasFact(y, tile::kNoaliasAttr));
}

bool simt::isAtomic(Operation *op) {
  return isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op);
}

bool simt::isFence(Operation *op) {
  tile::MemoryOrder order = tile::MemoryOrder::relaxed;
  if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op))
    order = rmw.getOrder();
  if (auto cas = dyn_cast<tile::AtomicCASOp>(op))
    order = cas.getOrder();
  return order == tile::MemoryOrder::release ||
         order == tile::MemoryOrder::acq_rel;
}

bool simt::isOwnAccess(Operation *first, Operation *second, unsigned laneBits,
                       unsigned warpBits) {
  auto a = dyn_cast<ViewAccessOpInterface>(first);
  auto b = dyn_cast<ViewAccessOpInterface>(second);
  if (!a || !b || !a.isRead())
    return false;
  LayoutAttr layout = getLayout(a.getAccessedTile());
  return layout && layout == getLayout(b.getAccessedTile()) &&
         !ThreadBuilder::copyMask(layout, laneBits, warpBits) &&
         accessSameElements(a, b);
}
