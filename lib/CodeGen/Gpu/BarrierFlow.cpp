//===- BarrierFlow.cpp - Where threads of a block have to wait ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierFlow.h"
#include "MemoryProducts.h"
#include "Order.h"
#include "RowCopies.h"
#include "StoredFactors.h"
#include "Work.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

void BarrierFlow::Pending::join(const Pending &other) {
  global.insert(other.global.begin(), other.global.end());
  for (const Touch &touch : other.shared)
    add(touch);
  parted.insert(other.parted.begin(), other.parted.end());
  written.insert(other.written.begin(), other.written.end());
}

bool BarrierFlow::Pending::contains(const Pending &other) const {
  return llvm::all_of(other.global,
                      [&](Operation *op) { return global.contains(op); }) &&
         llvm::all_of(other.parted,
                      [&](auto pair) { return parted.contains(pair); }) &&
         llvm::all_of(other.written,
                      [&](auto pair) { return written.contains(pair); }) &&
         llvm::all_of(other.shared, [&](const Touch &touch) {
           return llvm::is_contained(shared, touch);
         });
}

BarrierFlow::BarrierFlow(tile::KernelOp kernel, const BlockShape &block)
    : kernel(kernel), block(block),
      namesMemories(simt::namesMemories(block.description)) {
  kernel.walk([&](Operation *op) {
    if (isa<stage::StorageOpInterface, stage::RingOpInterface>(op))
      storages.push_back(StorageLife(op->getResult(0)));
  });
}

BarrierPlan BarrierFlow::run() {
  if (hasOnlyScalars(kernel))
    return std::move(plan);
  // A barrier before a loop changes what is pending in it.
  do {
    again = false;
    pending = Pending();
    copies = Copies();
    wanted.clear();
    plan.products.clear();
    inFlight.clear();
    visitBlock(kernel.getBody().front());
  } while (again);
  for (const StorageLife &storage : storages)
    plan.sharedBytes = std::max(plan.sharedBytes, storage.area.end);
  for (auto [base, size] : scratchSize)
    plan.sharedBytes = std::max(plan.sharedBytes, base + size);
  return std::move(plan);
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

void BarrierFlow::decideBlock(Operation *anchor) {
  bool &is = plan.before[anchor].block;
  decisions += !is;
  is = true;
}

void BarrierFlow::passBarrier(Operation *anchor, Operation *inside) {
  auto isDone = [&](Operation *op) {
    return (!inside || !inside->isAncestor(op)) && !inFlight.contains(op);
  };
  if (namesMemories)
    for (Operation *op : pending.global)
      if (isDone(op))
        pending.parted.insert({op, anchor});
  for (auto [write, last] : pending.written.takeVector())
    pending.written.insert({write, isDone(write) ? anchor : last});
  for (const Touch &touch : pending.shared)
    if (writesFragment(touch.op) && isDone(touch.op))
      pending.written.insert({touch.op, anchor});
  pending.global.remove_if(isDone);
  llvm::erase_if(pending.shared,
                 [&](const Touch &touch) { return isDone(touch.op); });
}

void BarrierFlow::widenBarriers(function_ref<bool(Operation *)> meets) {
  for (auto [earlier, anchor] : pending.parted)
    if (meets(earlier))
      plan.before[anchor].memories = Memories::All;
}

/// The outermost loop around `op` that `met` is not in: a barrier before it is
/// passed once. The operation itself where there is none.
static Operation *outermostLoop(Operation *op, Operation *met) {
  Operation *place = op;
  for (Operation *around = op->getParentOp(); !around->isAncestor(met);
       around = around->getParentOp())
    if (isa<LoopLikeOpInterface>(around))
      place = around;
  return place;
}

/// The end of an iteration, if that is where a barrier parts `op` from all that
/// it meets: what the iteration before did. It serves what comes behind the
/// loop, too.
static Operation *endOfIteration(Operation *op, ArrayRef<Operation *> met) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop)
    return nullptr;
  for (Operation *one : met) {
    Operation *whole = loop.getBody()->findAncestorOpInBlock(*one);
    if (!whole || whole->isBeforeInBlock(op))
      return nullptr;
  }
  return loop.getBody()->getTerminator();
}

void BarrierFlow::partBehind(Operation *op, ArrayRef<Operation *> met) {
  Operation *end = met.empty() ? nullptr : endOfIteration(op, met);
  if (!end)
    return part(op, met);
  decideBlock(end);
  for (Operation *one : met)
    if (writesFragment(one))
      pending.written.insert({one, end});
  llvm::erase_if(pending.shared, [&](const Touch &touch) {
    return llvm::is_contained(met, touch.op);
  });
}

void BarrierFlow::part(Operation *op, ArrayRef<Operation *> met) {
  if (met.empty())
    return;
  SmallVector<Operation *> places;
  for (Operation *one : met)
    places.push_back(outermostLoop(op, one));
  if (llvm::is_contained(places, op)) {
    decideBlock(op);
    passBarrier(op);
    return;
  }
  // The barrier may be needed in the loop all the same, for what an iteration
  // does to the next one: that is known when the loop has been gone through.
  for (Operation *loop : places) {
    wanted.insert(loop);
    passBarrier(loop, /*inside=*/loop);
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void BarrierFlow::visitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (again)
      return;
    visitWaits(&op);
    visit(&op);
  }
  visitWaits(block.getTerminator());
}

void BarrierFlow::visit(Operation *op) {
  if (auto known = plan.before.find(op); known != plan.before.end()) {
    // Waits for copies are decided anew: they follow from the text.
    if (known->second.block)
      passBarrier(op);
    known->second.copiesBut.reset();
  }
  if (isLookup(op))
    return; // with what it is written to
  if (fillsAtOnce(op) || stage::ringFilledBy(op) || !groupsEndingAt(op).empty())
    visitFilling(op);
  if (runsInFirstThread(op))
    visitGlobal(op);
  else if (auto loop = dyn_cast<scf::ForOp>(op))
    visitFor(loop);
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    visitWhile(loop);
  else if (auto choice = dyn_cast<scf::IfOp>(op))
    visitIf(choice);
  else if (Value ring = stage::ringTakenBy(op))
    visitTake(op, ring);
  else if (auto read = dyn_cast<stage::StorageReadOpInterface>(op)) {
    partFromWrites(op, areaOf(read.getStorage()));
    pending.add({areaOf(read.getStorage()), 0, op});
  } else if (writesFragment(op)) {
    visitWrite(cast<stage::StorageWriteOpInterface>(op));
  } else if (!stage::ringFilledBy(op)) {
    visitGlobal(op);
    visitScratch(op);
    if (auto product = dyn_cast<stage::StorageProductOpInterface>(op))
      visitProduct(product);
  }
  if (again)
    return;
  for (Value ring : groupsEndingAt(op))
    copies.groups.push_back(ring);
  if (fillsAtOnce(op)) {
    // A wait for all copies, and a barrier.
    copies.groups.clear();
    passBarrier(op);
  }
}

void BarrierFlow::iterate(Operation *loop, function_ref<void()> body) {
  Pending before = pending, back;
  Copies copiesBefore = copies;
  while (true) {
    size_t decided = decisions;
    wanted.remove_if([&](Operation *one) { return loop->isAncestor(one); });
    pending = before;
    pending.join(back);
    copies = copiesBefore;
    body();
    if (again)
      return;
    bool isSame = decided == decisions;
    if (isSame && back.contains(pending))
      break;
    if (isSame)
      back.join(pending);
    else
      back = pending;
  }
  // Waits of the loop do not count behind it, and its own groups are younger:
  // later waits cover them.
  copies = copiesBefore;
  if (wanted.remove(loop)) {
    decideBlock(loop);
    again = true;
  }
}

void BarrierFlow::visitFor(scf::ForOp loop) {
  if (touchesRings(loop))
    enterRingLoop(loop);
  Pending before = pending;
  iterate(loop, [&] {
    visitBlock(*loop.getBody());
    if (auto end = plan.before.find(loop.getBody()->getTerminator());
        end != plan.before.end() && end->second.block)
      passBarrier(loop.getBody()->getTerminator());
    copies.forgetInside(loop);
    // Nothing orders accesses of different points of the grid.
    if (isOverPoints(loop)) {
      pending.global.clear();
      pending.parted.clear();
    }
  });
  if (again)
    return;
  pending.join(before);
  // A product that the loop carries has read its slots until its wait, which
  // stands behind the loop.
  for (auto &[product, wait] : plan.products)
    if (wait.loopResult && product->getParentOp() == loop)
      addReads(cast<stage::StorageProductOpInterface>(product));
}

void BarrierFlow::visitWhile(scf::WhileOp loop) {
  Pending exit;
  iterate(loop, [&] {
    visitBlock(*loop.getBeforeBody());
    exit = pending;
    visitBlock(*loop.getAfterBody());
  });
  pending = exit;
}

void BarrierFlow::visitIf(scf::IfOp op) {
  Pending before = pending, after;
  Copies copiesBefore = copies;
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    pending = before;
    copies = copiesBefore;
    if (!region->empty())
      visitBlock(region->front());
    after.join(pending);
  }
  pending = std::move(after);
  copies = std::move(copiesBefore);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

void BarrierFlow::visitGlobal(Operation *op) {
  Reaches now = reachesOf(op);
  if (now.empty())
    return;
  SmallVector<Operation *> met;
  auto meets = [&](Operation *earlier) {
    return isFence(op) ||
           (mayConflict(reachesOf(earlier), now) && !isUnordered(earlier, op) &&
            !isOwnAccess(earlier, op, block.laneBits(), block.warpBits()));
  };
  llvm::copy_if(pending.global, std::back_inserter(met), meets);
  part(op, met);
  // What one thread finds by an atomic operation says what others may access.
  widenBarriers(
      [&](Operation *earlier) { return isAtomic(earlier) || meets(earlier); });
  // All threads wait at the barrier of a cluster, and what follows it is
  // ordered behind what other blocks did before.
  if (!isa<tile::ClusterBarrierOp>(op))
    pending.global.insert(op);
}

void BarrierFlow::findMeetings(StorageArea written,
                               SmallVectorImpl<Operation *> &met) const {
  for (const Touch &touch : pending.shared)
    if (touch.area.overlaps(written))
      met.push_back(touch.op);
}

/// Bytes that exchanges use in turns. Where nothing copies beside the threads,
/// or not into a loop, those of a loop that multiplies have half of the memory:
/// there its factors lie beside each other, as they do in rings elsewhere. A
/// block that is alone on a core has all of it. What happens once rather waits
/// than takes memory that is spared.
static int64_t turnBytesAt(Operation *op, const BlockShape &block) {
  int64_t usual = block.machine.getTurnBytes();
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  if (!loop && sparesShared(block.description))
    return 0;
  if (!loop || !block.description ||
      (block.description.getUnitOfKind(target::UnitKind::DMA) &&
       (!rowCopyBytesOf(block.description) || touchesRings(loop))))
    return usual;
  bool multiplies = loop->walk([](stage::StorageProductOpInterface) {
                          return WalkResult::interrupt();
                        })
                        .wasInterrupted();
  if (!multiplies)
    return usual;
  int64_t shared = sharedBytesOf(block.description);
  bool isAlone = fillsRegisters(op->getParentOfType<tile::KernelOp>(),
                                block.warps * block.lanes, block.description);
  return std::max(usual, isAlone ? shared : shared / 2);
}

int64_t BarrierFlow::findPlace(Operation *op, const ScratchNeed &need,
                               std::optional<int64_t> last) {
  // Behind the storage that is in use, and behind what a copy unit may fill
  // meanwhile if there is room.
  int64_t base = 0, room = sharedBytesOf(block.description);
  for (bool isEarly : {false, true})
    for (const StorageLife &storage : storages) {
      int64_t end = std::max<int64_t>(
          base,
          llvm::alignTo(storage.area.end, lineBytesOf(block.description)));
      if (isEarly ? storage.mayBeFilledAt(op) && end + need.bytes <= room
                  : storage.isInUseAt(op))
        base = end;
    }
  constexpr int64_t kAlignment = 16;
  SmallVector<int64_t> starts = {0};
  for (const Touch &touch : pending.shared)
    if (touch.area.end > base)
      starts.push_back(llvm::alignTo(touch.area.end - base, kAlignment));
  llvm::sort(starts);
  int64_t &size = scratchSize[base],
          most = std::max(std::min(turnBytesAt(op, block), room - base), size),
          found = last && *last >= base ? *last - base : 0;
  for (int64_t begin : starts) {
    SmallVector<Operation *> met;
    findMeetings({base + begin, base + begin + need.bytes}, met);
    if (begin + need.bytes <= most && met.empty()) {
      found = begin;
      break;
    }
  }
  size = std::max(size, found + need.bytes);
  return base + found;
}

ScratchNeeds BarrierFlow::needsAt(Operation *op) const {
  ScratchNeeds needs = scratchNeeds(op, block);
  if (needs.empty() || !sparesShared(block.description) ||
      op->getParentOfType<LoopLikeOpInterface>())
    return needs;
  // More memory than all before it takes would be there for this one alone.
  BlockShape sparing = block;
  int64_t &taken = sparing.machine.spareBytes;
  for (const StorageLife &storage : storages)
    taken = std::max(taken, storage.area.end);
  for (auto [base, size] : scratchSize)
    taken = std::max(taken, base + size);
  return taken ? scratchNeeds(op, sparing) : needs;
}

void BarrierFlow::visitScratch(Operation *op) {
  auto [known, isNew] = needsOf.try_emplace(op);
  if (isNew)
    known->second = needsAt(op);
  if (known->second.empty())
    return;
  ScratchNeeds needs = known->second;
  SmallVector<int64_t> &places = plan.scratch[op];
  for (auto [i, need] : llvm::enumerate(needs)) {
    if (places.size() < 2 * (i + 1))
      places.append(
          {findPlace(op, need,
                     i ? std::optional(places[2 * i - 2]) : std::nullopt),
           need.bytes});
    int64_t begin = places[2 * i];
    Touch now{{begin, begin + need.bytes}, need.warpBytes, op};
    // Further pieces meet only the one before: that is up to the operation.
    SmallVector<Operation *> met;
    for (const Touch &touch : pending.shared) {
      if (i || !touch.area.overlaps(now.area))
        continue;
      bool isAlike = now.warpBytes && touch.warpBytes == now.warpBytes &&
                     touch.area.begin == begin;
      if (!isAlike)
        met.push_back(touch.op);
      else if (bool &warp = plan.before[op].warp; !warp) {
        warp = true;
        ++decisions;
      }
    }
    // A barrier does not end the reads of a product in flight.
    if (waitForProducts(op, met))
      return;
    partBehind(op, met);
    // It waits between what it writes and what it reads.
    if (!now.warpBytes && namesMemories)
      pending.shared.clear();
    else if (!now.warpBytes)
      passBarrier(op);
    pending.add(now);
  }
}

void BarrierFlow::addReads(stage::StorageProductOpInterface op) {
  for (Value factor : {op.getLhs(), op.getRhs()})
    if (isa<MemRefType>(factor.getType()))
      pending.add({areaOf(factor), 0, op});
}

void BarrierFlow::visitProduct(stage::StorageProductOpInterface op) {
  for (Value factor : {op.getLhs(), op.getRhs()})
    if (isa<MemRefType>(factor.getType())) {
      partFromWrites(op, areaOf(factor));
      if (isMemoryProduct(op, block.description))
        publishFor(areaOf(factor));
    }
  addReads(op);
  if (!isMemoryProduct(op, block.description))
    return;
  ProductWait wait = chooseProductWait(
      op, mayBeCarried(op), latestWait.lookup(op), block.description);
  if (!wait.loopResult)
    inFlight.insert(op);
  plan.products[op] = std::move(wait);
}
