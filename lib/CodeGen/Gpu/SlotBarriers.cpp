//===- SlotBarriers.cpp - Where slots of ring buffers are released --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slot is free for the next copy when every product that reads it is done. A
// loop may wait for a product of one iteration in the next one: then the
// release there is one of the slot before.
//
//===----------------------------------------------------------------------===//

#include "SlotBarriers.h"
#include "MemoryProducts.h"
#include "StorageAreas.h"
#include "kiln/Dialect/Simt/ClusterOps.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Target/Unverified.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

namespace {
/// A place in a loop, or in what surrounds it.
struct Point {
  int64_t iteration = 0; ///< counted from the one that consumes the slot
  Operation *behind = nullptr;

  bool isBefore(const Point &other) const {
    return iteration != other.iteration ? iteration < other.iteration
                                        : behind->isBeforeInBlock(other.behind);
  }
};

/// The slots of one ring.
class RingReleases {
public:
  RingReleases(stage::RingOpInterface ring, target::TargetAttr description)
      : ring(ring), description(description),
        hasBarriers(ring.getBarriersAttr()) {}

  /// Moves each release behind the end of what reads its slot, and states how
  /// many slots the ring holds. False where a fill could wait for ever, or an
  /// end is not known; the releases stay then.
  bool run();

private:
  std::optional<Point> findEnd(Operation *product);
  std::optional<Point> findReadsEnd(Operation *consume);
  Operation *releaseOf(Operation *consume);
  bool isLateRead(Operation *consume);
  bool plan(Operation *consume);
  bool canFill();
  bool fillsOnce();

  stage::RingOpInterface ring;
  target::TargetAttr description;
  /// Of the slots; without them barriers of all threads order the accesses.
  bool hasBarriers;
  scf::ForOp loop; ///< which fills the slots; null without one
  int64_t held = 0;
  /// The releases that move, with the operation that each comes behind.
  llvm::MapVector<Operation *, Operation *> moves;
};
} // namespace

/// The loop that fills and empties slots in each iteration, which an operation
/// of it is in; null before and behind it.
static scf::ForOp ringLoopOf(Block *block) {
  auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
  return loop && !isOverPoints(loop) ? loop : scf::ForOp();
}

/// The wait behind which a product has read its slots: it leaves at most those
/// in flight that began later.
std::optional<Point> RingReleases::findEnd(Operation *product) {
  Block *block = product->getBlock();
  bool isLoop = bool(ringLoopOf(block));
  int64_t later = 0;
  for (int64_t iteration = 0; iteration <= int64_t(isLoop); ++iteration)
    for (Operation *op = iteration ? &block->front() : product->getNextNode();
         op; op = op->getNextNode()) {
      later += isMemoryProduct(op, description);
      if (auto wait = dyn_cast<stage::AsyncWaitOpInterface>(op);
          wait && later >= int64_t(wait.getBut().value_or(0)))
        return Point{iteration, op};
    }
  return std::nullopt;
}

/// Behind which everything has read the slot that is consumed.
std::optional<Point> RingReleases::findReadsEnd(Operation *consume) {
  Point last{0, consume};
  for (Operation *reader : consume->getUsers()) {
    if (!isa<stage::StorageProductOpInterface>(reader)) {
      // Threads have it in registers then.
      if (last.isBefore(Point{0, reader}))
        last = Point{0, reader};
      continue;
    }
    // Waits for what a loop leaves in flight stand behind it.
    std::optional<Point> end =
        reader->getBlock() == consume->getBlock()
            ? findEnd(reader)
            : Point{0, consume->getBlock()->findAncestorOpInBlock(*reader)};
    if (!end)
      return std::nullopt;
    if (last.isBefore(*end))
      last = *end;
  }
  // Waits that stand together stay together: nothing is computed between them.
  while (
      isa_and_nonnull<stage::AsyncWaitOpInterface>(last.behind->getNextNode()))
    last.behind = last.behind->getNextNode();
  return last;
}

/// Slots are released in the order in which they are consumed.
Operation *RingReleases::releaseOf(Operation *consume) {
  for (Operation *op = consume->getNextNode(); op; op = op->getNextNode())
    if (stage::ringFreedBy(op) == ring.getRing())
      return op;
  return nullptr;
}

/// Release k of the kernel empties slot k - held. Whether the one that a fill
/// of the loop needs stands before that fill, for all fills.
bool RingReleases::canFill() {
  stage::SlotCounts before;
  Operation *fill = nullptr, *behind = nullptr;
  for (Operation *user : ring->getUsers()) {
    if (loop->isProperAncestor(user)) {
      Operation *whole = loop.getBody()->findAncestorOpInBlock(*user);
      if (stage::ringFilledBy(user))
        fill = whole;
      else if (stage::ringFreedBy(user))
        behind = moves.contains(user) ? moves.lookup(user) : whole;
      continue;
    }
    Operation *whole = loop->getBlock()->findAncestorOpInBlock(*user);
    if (!whole->isBeforeInBlock(loop))
      continue;
    before.add(user);
  }
  // Before the loop no fill waits at all.
  int64_t depth = ring.getRing().getType().getDepth();
  if (before.taken != before.freed || before.filled + held > depth)
    return false;
  int64_t ahead = before.filled - before.taken + held - depth;
  return ahead < 0 ||
         (ahead == 0 && fill && behind && behind->isBeforeInBlock(fill));
}

/// Whether a ring has a slot for each fill, in the block that it is filled in.
bool RingReleases::fillsOnce() {
  stage::SlotCounts counts;
  for (Operation *user : ring->getUsers())
    counts.add(user);
  return counts.filled == counts.freed &&
         counts.filled <= int64_t(ring.getRing().getType().getDepth());
}

/// Moves what waits for a slot before the products of its iteration: an
/// assembler may not keep the registers that a product in flight reads over a
/// branch.
static void moveBeforeProducts(Operation *consume) {
  for (Operation &op : *consume->getBlock())
    if (&op == consume)
      return;
    else if (stage::ringTakenBy(&op))
      return consume->moveAfter(&op);
}

/// Whether a product in flight reads the slot. Where threads alone read it, a
/// release orders nothing without barriers of the slots.
bool RingReleases::isLateRead(Operation *consume) {
  return llvm::any_of(consume->getUsers(), [&](Operation *reader) {
    return isMemoryProduct(reader, description);
  });
}

/// Finds the place of the release of a slot; false where it is not known.
bool RingReleases::plan(Operation *consume) {
  if (!hasBarriers && llvm::any_of(consume->getUsers(), [&](Operation *reader) {
        return reader->getBlock() != consume->getBlock();
      }))
    return false;
  std::optional<Point> end = findReadsEnd(consume);
  Operation *release = releaseOf(consume);
  scf::ForOp own = ringLoopOf(consume->getBlock());
  if (own && hasBarriers)
    moveBeforeProducts(consume);
  if (!end || !release)
    return false;
  if (own) {
    // Without barriers of the slots one loop holds slots, beside its ring.
    if (!hasBarriers && (loop || own->getBlock() != ring->getBlock()))
      return false;
    loop = own;
    held = end->iteration;
  }
  moves[release] = end->behind;
  return true;
}

bool RingReleases::run() {
  for (Operation *user : ring->getUsers())
    if (stage::ringTakenBy(user) && (hasBarriers || isLateRead(user)) &&
        !plan(user))
      return false;
  // Outside of loops there is a slot for each fill.
  if (loop ? !canFill() : hasBarriers && !fillsOnce())
    return false;
  for (auto [release, behind] : moves)
    release->moveAfter(behind);
  if (held)
    ring.setHeld(held);
  return true;
}

LogicalResult simt::placeSlotBarriers(tile::KernelOp kernel,
                                      target::TargetAttr description,
                                      int64_t warps, int64_t &bytes) {
  SmallVector<stage::RingOpInterface> released;
  WalkResult result =
      kernel.walk([&](stage::RingOpInterface ring) -> WalkResult {
        bool isReleased = RingReleases(ring, description).run();
        if (!ring.getBarriersAttr())
          return success();
        // The barriers are made once, and their phases go on from loop to loop.
        if (ring->getParentOp() != kernel)
          return target::emitUnverified(ring, kernel)
                 << "has barriers inside of a loop";
        released.push_back(ring);
        if (isReleased)
          return success();
        return target::emitUnverified(ring, kernel)
               << "has a slot that is filled before it is released";
      });
  if (result.wasInterrupted())
    return failure();
  if (released.empty())
    return success();
  OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = kernel.getLoc();
  bool isShared = false;
  for (stage::RingOpInterface ring : released) {
    int64_t depth = ring.getRing().getType().getDepth();
    bytes = llvm::alignTo(bytes, kSplitBarrierBytes);
    ring.setBarriersAttr(SlotBarriersAttr::get(b.getContext(), bytes));
    CreateBarriersOp::create(b, loc, bytes, depth, /*arrivals=*/1);
    bytes += depth * kSplitBarrierBytes;
    int64_t sharers = countSharers(ring.getRing());
    isShared |= sharers > 1;
    if (isRefilled(ring.getRing())) {
      CreateBarriersOp::create(b, loc, bytes, depth,
                               /*arrivals=*/warps * sharers);
      bytes += depth * kSplitBarrierBytes;
    }
  }
  // Other blocks copy as soon as they know of the barriers of this one.
  if (isShared)
    tile::ClusterBarrierOp::create(b, loc, tile::getCluster(kernel));
  // Threads and the copy unit know of the barriers. Where threads use the same
  // memory before a slot is filled, another barrier stands there.
  PublishOp::create(b, loc);
  gpu::BarrierOp::create(b, loc);
  return success();
}
