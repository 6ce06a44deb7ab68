//===- BarrierFlowRings.cpp - Waits for copies and products ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a slot form a group of the thread. Which groups may still be in
// flight where a slot is consumed follows from the order of the text, if the
// same groups are in flight wherever an iteration begins.
//
//===----------------------------------------------------------------------===//

#include "BarrierFlow.h"
#include "MemoryProducts.h"
#include "Order.h"
#include "kiln/Dialect/Simt/Decided.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Whether a value is defined inside of an operation.
static bool isInside(Value value, Operation *op) {
  return op->isAncestor(value.getParentBlock()->getParentOp());
}

void BarrierFlow::Copies::forgetInside(Operation *op) {
  for (Value &ring : groups)
    if (ring && isInside(ring, op))
      ring = Value();
}

SmallVector<Value> simt::groupsEndingAt(Operation *op) {
  SmallVector<Value> rings;
  if (Value ring = stage::ringFilledBy(op)) {
    auto choice = dyn_cast<scf::IfOp>(op->getParentOp());
    if (!hasSlotBarriers(ring) && (!choice || isInside(ring, choice)))
      rings.push_back(ring);
  } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : choice->getRegions())
      for (Operation &inner : region.getOps())
        if (Value ring = stage::ringFilledBy(&inner);
            ring && !isInside(ring, choice) && !hasSlotBarriers(ring))
          rings.push_back(ring);
  }
  return rings;
}

bool simt::fillsAtOnce(Operation *op) {
  if (stage::fillAround(op))
    return false;
  if (auto write = dyn_cast<stage::StorageWriteOpInterface>(op))
    return isLookup(write.getValue().getDefiningOp());
  auto copy = dyn_cast<stage::StorageCopyOpInterface>(op);
  return copy && isa<MemRefType>(copy.getTarget().getType());
}

/// The storage that an operation fills, and the global memory that it reads.
static void collectFillings(Operation *op, SmallVectorImpl<Value> &targets,
                            SmallVectorImpl<Reach> &sources) {
  op->walk([&](Operation *inner) {
    if (auto copy = dyn_cast<stage::StorageCopyOpInterface>(inner);
        copy && isa<MemRefType>(copy.getTarget().getType())) {
      targets.push_back(copy.getTarget());
      sources.push_back({copy.getSource(), /*reads=*/true, /*writes=*/false});
    } else if (auto write = dyn_cast<stage::StorageWriteOpInterface>(inner)) {
      targets.push_back(write.getStorage());
      if (Operation *load = write.getValue().getDefiningOp())
        llvm::append_range(sources, reachesOf(load));
    }
  });
}

/// Whether all that an operation reads of the bytes of a ring are slots of it.
static bool readsOnlyFrom(Operation *op, Value ring) {
  if (Value taken = stage::ringTakenBy(op))
    return taken == ring;
  if (auto read = dyn_cast<stage::StorageReadOpInterface>(op))
    return stage::ringTakenBy(read.getStorage().getDefiningOp()) == ring;
  auto product = dyn_cast<stage::StorageProductOpInterface>(op);
  if (!product || getDecided(op, kScratchEntry))
    return false;
  StorageArea slots = areaOf(ring);
  return llvm::all_of(
      ArrayRef{product.getLhs(), product.getRhs()}, [&](Value factor) {
        return !isa<MemRefType>(factor.getType()) || ringOf(factor) == ring ||
               !areaOf(factor).overlaps(slots);
      });
}

/// Slots of a ring that are full where a loop begins.
static int64_t countFull(Value ring, scf::ForOp loop) {
  stage::SlotCounts counts;
  for (Operation *user : ring.getUsers())
    if (Operation *whole = loop->getBlock()->findAncestorOpInBlock(*user);
        whole && whole->isBeforeInBlock(loop))
      counts.add(user);
  return counts.filled - counts.taken;
}

/// Whether a loop that the ring is older than fills slots here.
static bool isFilledAgain(Value ring, Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return loop && !isInside(ring, loop);
}

/// What is consumed later in an iteration is waited for with what comes first:
/// one barrier serves both.
void BarrierFlow::awaitOthers(Operation *consume, Operation *anchor) {
  for (Operation *next = consume->getNextNode(); next;
       next = next->getNextNode()) {
    Value other = stage::ringTakenBy(next);
    if (!other || copies.awaited.contains(other) ||
        !llvm::is_contained(copies.groups, other))
      continue;
    waitForSlot(other, anchor);
    copies.awaited.insert(other);
  }
}

void BarrierFlow::visitFilling(Operation *op) {
  // In a loop the slot that is filled was read an iteration ago. Where a slot
  // is consumed behind it, one barrier does both.
  for (Value ring : groupsEndingAt(op)) {
    if (!isFilledAgain(ring, op))
      continue;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      if (stage::ringTakenBy(next) == ring && !copies.awaited.contains(ring) &&
          llvm::is_contained(copies.groups, ring)) {
        waitForSlot(ring, op);
        copies.awaited.insert(ring);
        awaitOthers(next, op);
      }
  }
  // What is copied others need not wait for: it is done where its storage is
  // read.
  SmallVector<Value> targets;
  SmallVector<Reach> sources;
  collectFillings(op, targets, sources);
  SmallVector<Operation *> met;
  for (Value target : targets)
    findMeetings(areaOf(target), met);
  // Who reads a slot that has barriers says so by these.
  Value filled = stage::ringFilledBy(op);
  bool hasBarriers = filled && hasSlotBarriers(filled);
  if (hasBarriers)
    llvm::erase_if(
        met, [&](Operation *reader) { return readsOnlyFrom(reader, filled); });
  if (waitForProducts(op, met))
    return;
  auto meets = [&](Operation *earlier) {
    return mayConflict(reachesOf(earlier), sources);
  };
  llvm::copy_if(pending.global, std::back_inserter(met), meets);
  // All threads pass a barrier, whether a slot is filled or not.
  Operation *place = op;
  if (hasBarriers && isa<scf::IfOp>(op->getParentOp()))
    place = op->getParentOp();
  size_t decided = decisions;
  part(place, met);
  again |= place != op && decisions > decided;
  widenBarriers(meets);
}

bool simt::isUnused(Operation *op) {
  return stage::ringTakenBy(op) && op->use_empty();
}

void BarrierFlow::visitTake(Operation *op, Value ring) {
  if (hasSlotBarriers(ring)) {
    if (isUnused(op))
      pending.add({areaOf(ring), 0, op});
    return;
  }
  if (copies.awaited.erase(ring))
    return;
  if (!isUnused(op))
    return waitForSlot(ring, op);
  // Nothing reads the slot: only who uses its memory next has to wait for
  // others. The wait for the last of several slots of a ring covers them all.
  std::optional<int64_t> but = takeSlot(ring);
  Operation *next = op->getNextNode();
  while (next && stage::ringFreedBy(next))
    next = next->getNextNode();
  bool isLast = !next || !isUnused(next) || stage::ringTakenBy(next) != ring;
  if (but && isLast)
    plan.before[op].copiesBut = but;
  pending.add({areaOf(ring), 0, op});
}

/// Takes the oldest group of a ring from those in flight: how many younger ones
/// there are. Nothing if it was done before.
std::optional<int64_t> BarrierFlow::takeSlot(Value ring) {
  if (int64_t &ready = copies.ready[ring]) {
    --ready;
    return std::nullopt;
  }
  auto *first = llvm::find(copies.groups, ring);
  if (first == copies.groups.end()) {
    copies.groups.clear(); // not to be told from the text: all of them
    return 0;
  }
  int64_t but = copies.groups.end() - first - 1;
  for (Value done : llvm::make_range(copies.groups.begin(), first))
    if (done)
      ++copies.ready[done];
  copies.groups.erase(copies.groups.begin(), first + 1);
  return but;
}

void BarrierFlow::waitForSlot(Value ring, Operation *anchor) {
  std::optional<int64_t> but = takeSlot(ring);
  if (!but)
    return;
  std::optional<int64_t> &wait = plan.before[anchor].copiesBut;
  wait = std::min(wait.value_or(*but), *but);
  passBarrier(anchor);
}

/// Which copies are in flight must be the same at the start of each iteration,
/// or all of them are waited for.
void BarrierFlow::enterRingLoop(scf::ForOp loop) {
  // No wait of the loop depends on older groups of rings that it does not
  // consume. A later wait for one of these finds no group and covers all.
  llvm::SmallDenseSet<Value, 4> consumed;
  llvm::SetVector<Value> rings;
  loop.walk([&](Operation *inner) {
    Value ring = stage::ringTakenBy(inner);
    if (!ring)
      return;
    if (hasSlotBarriers(ring)) {
      ahead[ring] = countFull(ring, loop);
      return;
    }
    consumed.insert(ring);
    rings.insert(ring);
  });
  if (rings.empty())
    return;
  copies.groups.erase(copies.groups.begin(),
                      llvm::find_if(copies.groups, [&](Value ring) {
                        return consumed.contains(ring);
                      }));
  SmallVector<Value> under = copies.groups;
  auto ready = copies.ready;
  bool isKnown = true;
  for (Operation &op : *loop.getBody()) {
    if (Value ring = stage::ringTakenBy(&op); ring && !hasSlotBarriers(ring)) {
      if (ready[ring]) {
        --ready[ring];
        continue;
      }
      auto *first = llvm::find(under, ring);
      isKnown &= first != under.end();
      if (!isKnown)
        break;
      for (Value done : llvm::make_range(under.begin(), first))
        if (done)
          ++ready[done];
      under.erase(under.begin(), first + 1);
    } else if (SmallVector<Value> filled = groupsEndingAt(&op);
               !filled.empty()) {
      llvm::append_range(under, filled);
    } else if (isa<scf::ForOp, scf::WhileOp>(op) && touchesRings(&op)) {
      isKnown = false;
    } else if (fillsAtOnce(&op)) {
      under.clear();
    }
  }
  for (auto [ring, count] : ready)
    isKnown &= count == copies.ready.lookup(ring);
  isKnown &= under == copies.groups;
  for (Value ring : rings)
    ahead[ring] =
        isKnown ? copies.ready.lookup(ring) + llvm::count(copies.groups, ring)
                : cast<stage::RingType>(ring.getType()).getDepth();
  if (isKnown)
    return;
  plan.before[loop].copiesBut = 0;
  copies.groups.clear();
  copies.ready.clear();
  passBarrier(loop);
}

/// Whether what a product reads is storage that nothing in its loop writes.
static bool isReadOnlyInLoop(Operation *op, Value storage) {
  auto alloc = storage.getDefiningOp<stage::StorageOpInterface>();
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return alloc && loop && !loop->isAncestor(alloc) &&
         llvm::all_of(alloc->getUsers(), [&](Operation *user) {
           return isa<stage::StorageReadOpInterface,
                      stage::StorageProductOpInterface>(user) ||
                  !loop->isAncestor(user);
         });
}

/// Whether an asynchronous product may be in flight until the next iteration
/// uses its sum: no slot that it reads is filled before.
bool BarrierFlow::mayBeCarried(stage::StorageProductOpInterface op) {
  // It reads one slot, the next product another one, and others are filled.
  for (int which : {0, 1}) {
    Value factor = which == 0 ? op.getLhs() : op.getRhs();
    bool isStored = isa<MemRefType>(factor.getType());
    // In registers, which assemblers may not keep over the branch of a wait for
    // a slot.
    if (which == 0 && !isStored) {
      Value ring = ringOf(op.getRhs());
      if (ring && hasSlotBarriers(ring))
        return false;
      continue;
    }
    if (isStored && isReadOnlyInLoop(op, factor))
      continue;
    Value ring = ringOf(factor);
    if (!ring || ahead.lookup(ring) + 2 >
                     cast<stage::RingType>(ring.getType()).getDepth())
      return false;
  }
  return true;
}

void BarrierFlow::visitWaits(Operation *before) {
  for (auto &[product, wait] : plan.products)
    if (wait.before == before)
      inFlight.erase(product);
}

bool BarrierFlow::waitForProducts(Operation *op, ArrayRef<Operation *> met) {
  bool isAny = false;
  for (Operation *product : met)
    if (inFlight.contains(product)) {
      latestWait[product] = product->getBlock()->findAncestorOpInBlock(*op);
      again = isAny = true;
    }
  return isAny;
}
