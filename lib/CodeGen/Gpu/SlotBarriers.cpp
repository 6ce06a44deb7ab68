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
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Target/Unverified.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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
  RingReleases(stage::RingOp ring, target::TargetAttr description)
      : ring(ring), description(description) {}

  /// Moves the releases; false where a fill could wait for ever.
  bool run();
  /// The same where threads fill the slots, and barriers order that: as far as
  /// each slot is read in one block.
  void hold();
  int64_t getHeld() const { return held; }

private:
  std::optional<Point> findEnd(Operation *product);
  std::optional<Point> findEnd(stage::ConsumeOp consume);
  stage::ReleaseOp releaseOf(stage::ConsumeOp consume);
  bool canFill(scf::ForOp loop);
  bool fillsOnce();

  stage::RingOp ring;
  target::TargetAttr description;
  int64_t held = 0;
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
      if (auto wait = dyn_cast<stage::WaitOp>(op);
          wait && later >= int64_t(wait.getBut().value_or(0)))
        return Point{iteration, op};
    }
  return std::nullopt;
}

/// Behind which everything has read the slot that is consumed.
std::optional<Point> RingReleases::findEnd(stage::ConsumeOp consume) {
  Point last{0, consume};
  for (Operation *reader : consume->getUsers()) {
    if (!isa<stage::ProductOp>(reader)) {
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
  while (isa_and_nonnull<stage::WaitOp>(last.behind->getNextNode()))
    last.behind = last.behind->getNextNode();
  return last;
}

/// Slots are released in the order in which they are consumed.
stage::ReleaseOp RingReleases::releaseOf(stage::ConsumeOp consume) {
  for (Operation *op = consume->getNextNode(); op; op = op->getNextNode())
    if (auto release = dyn_cast<stage::ReleaseOp>(op);
        release && release.getRing() == ring.getRing())
      return release;
  return nullptr;
}

/// Release k of the kernel empties slot k - held. Whether the one that a fill
/// needs stands before that fill, for all fills.
bool RingReleases::canFill(scf::ForOp loop) {
  int64_t filled = 0, consumed = 0, released = 0,
          depth = ring.getRing().getType().getDepth();
  Operation *fill = nullptr, *release = nullptr;
  for (Operation *user : ring->getUsers()) {
    if (loop->isProperAncestor(user)) {
      Operation *whole = loop.getBody()->findAncestorOpInBlock(*user);
      if (isa<stage::ProduceOp>(user))
        fill = whole;
      else if (isa<stage::ReleaseOp>(user))
        release = whole;
      continue;
    }
    Operation *whole = loop->getBlock()->findAncestorOpInBlock(*user);
    if (!whole->isBeforeInBlock(loop))
      continue;
    filled += isa<stage::ProduceOp>(user);
    consumed += isa<stage::ConsumeOp>(user);
    released += isa<stage::ReleaseOp>(user);
  }
  // Before the loop no fill waits at all.
  if (consumed != released || filled + held > depth)
    return false;
  int64_t ahead = filled - consumed + held - depth;
  return ahead < 0 ||
         (ahead == 0 && fill && release && release->isBeforeInBlock(fill));
}

/// Whether a ring has a slot for each fill, in the block that it is filled in.
bool RingReleases::fillsOnce() {
  int64_t filled = 0, left = 0;
  for (Operation *user : ring->getUsers()) {
    filled += isa<stage::ProduceOp>(user);
    left += isa<stage::ProduceOp>(user) - isa<stage::ReleaseOp>(user);
  }
  return left == 0 && filled <= ring.getRing().getType().getDepth();
}

/// Moves what waits for a slot before the products of its iteration: an
/// assembler may not keep the registers that a product in flight reads over a
/// branch.
static void moveBeforeProducts(stage::ConsumeOp consume) {
  for (Operation &op : *consume->getBlock())
    if (&op == consume)
      return;
    else if (isa<stage::ConsumeOp>(op))
      return consume->moveAfter(&op);
}

bool RingReleases::run() {
  scf::ForOp loop;
  SmallVector<std::pair<stage::ReleaseOp, Operation *>> moves;
  for (Operation *user : ring->getUsers()) {
    auto consume = dyn_cast<stage::ConsumeOp>(user);
    if (!consume)
      continue;
    std::optional<Point> end = findEnd(consume);
    stage::ReleaseOp release = releaseOf(consume);
    scf::ForOp own = ringLoopOf(consume->getBlock());
    if (own)
      moveBeforeProducts(consume);
    if (!end || !release)
      return false;
    if (own) {
      loop = own;
      held = end->iteration;
    }
    moves.push_back({release, end->behind});
  }
  for (auto [release, behind] : moves)
    release->moveAfter(behind);
  // Outside of loops there is a slot for each fill.
  return loop ? canFill(loop) : fillsOnce();
}

void RingReleases::hold() {
  scf::ForOp loop;
  SmallVector<std::pair<stage::ReleaseOp, Operation *>> moves;
  for (Operation *user : ring->getUsers()) {
    auto consume = dyn_cast<stage::ConsumeOp>(user);
    auto isProduct = [&](Operation *reader) {
      return isMemoryProduct(reader, description);
    };
    if (!consume || llvm::none_of(consume->getUsers(), isProduct))
      continue;
    if (!llvm::all_of(consume->getUsers(), [&](Operation *reader) {
          return reader->getBlock() == consume->getBlock();
        }))
      return;
    std::optional<Point> end = findEnd(consume);
    stage::ReleaseOp release = releaseOf(consume);
    scf::ForOp own = ringLoopOf(consume->getBlock());
    if (!end || !release ||
        (own && (loop || own->getBlock() != ring->getBlock())))
      return;
    if (own) {
      loop = own;
      held = end->iteration;
    }
    moves.push_back({release, end->behind});
  }
  if (moves.empty() || (loop && !canFill(loop)))
    return;
  for (auto [release, behind] : moves)
    release->moveAfter(behind);
  if (held)
    ring.setHeld(held);
}

LogicalResult simt::placeSlotBarriers(tile::KernelOp kernel,
                                      target::TargetAttr description,
                                      int64_t warps, int64_t &bytes) {
  kernel.walk([&](stage::RingOp ring) {
    if (!ring.getBarriersAttr())
      RingReleases(ring, description).hold();
  });
  Block *body = &kernel.getBody().front();
  OpBuilder b = OpBuilder::atBlockBegin(body);
  Location loc = kernel.getLoc();
  bool isAny = false;
  for (auto ring : body->getOps<stage::RingOp>()) {
    if (!ring.getBarriersAttr())
      continue;
    RingReleases releases(ring, description);
    if (!releases.run())
      return target::emitUnverified(ring, kernel)
             << "has a slot that is filled before it is released";
    int64_t depth = ring.getRing().getType().getDepth();
    bytes = llvm::alignTo(bytes, kSplitBarrierBytes);
    ring.setBarriersAttr(SlotBarriersAttr::get(b.getContext(), bytes));
    if (int64_t held = releases.getHeld())
      ring.setHeld(held);
    CreateBarriersOp::create(b, loc, bytes, depth, /*arrivals=*/1);
    bytes += depth * kSplitBarrierBytes;
    if (isRefilled(ring.getRing())) {
      CreateBarriersOp::create(b, loc, bytes, depth, /*arrivals=*/warps);
      bytes += depth * kSplitBarrierBytes;
    }
    isAny = true;
  }
  if (!isAny)
    return success();
  // Threads and the copy unit know of the barriers. Where threads use the same
  // memory before a slot is filled, another barrier stands there.
  PublishOp::create(b, loc);
  gpu::BarrierOp::create(b, loc);
  return success();
}
