//===- Staged.cpp - Storage of the block and rings of it ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rings count their slots in scalars that loops carry. Copies of a slot form a
// group of the thread; which groups may still be under way when a slot is
// consumed follows from the order of the text.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Fragments.h"
#include "LayoutChoice.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/MatrixProduct.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

void KernelWalk::waitFor(Ring *ring) {
  if (ring->ready) {
    --ring->ready;
    return;
  }
  finishCopies();
  auto *first = llvm::find(groups, ring);
  int64_t but = 0;
  if (first == groups.end()) {
    groups.clear(); // not to be told from the text: all of them
  } else {
    but = groups.end() - first - 1;
    for (Ring *done : llvm::make_range(groups.begin(), first))
      if (done)
        ++done->ready;
    groups.erase(groups.begin(), first + 1);
  }
  WaitCopiesOp::create(b, loc, but);
  publish();
}

int64_t KernelWalk::slotBytes(stage::RingOp ring) {
  int64_t bytes = 0, align = ring.getAlign().value_or(16);
  for (MemRefType part : ring.getRing().getType().getParts())
    bytes += llvm::alignTo(
        part.getNumElements() * storedBytes(part.getElementType()), align);
  return bytes;
}

StorageArea KernelWalk::areaOf(stage::RingOp ring) {
  int64_t begin = ring.getOffset().value_or(0);
  return {begin, begin + slotBytes(ring) * ring.getRing().getType().getDepth()};
}

StorageArea KernelWalk::areaOf(stage::AllocOp alloc) {
  auto type = cast<MemRefType>(alloc.getStorage().getType());
  int64_t begin = alloc.getOffset().value_or(0);
  return {begin,
          begin + type.getNumElements() * storedBytes(type.getElementType())};
}

void KernelWalk::addReadsOfLoop(Operation *loop) {
  loop->walk([&](Operation *op) {
    if (auto consume = dyn_cast<stage::ConsumeOp>(op))
      reads.add(areaOf(consume.getRing().getDefiningOp<stage::RingOp>()));
    else if (auto alloc = dyn_cast<stage::AllocOp>(op))
      reads.add(areaOf(alloc));
  });
}

void KernelWalk::addReadsOfProduct(Operation *product) {
  for (Value operand : product->getOperands())
    if (const StoragePlace *place = storageOf(operand))
      reads.add(place->area);
}

void KernelWalk::finishReads(StorageArea written) {
  if (reads.overlaps(written))
    synchronize();
}

/// The ring that is filled here, if one is. A branch may have rings of its own.
static Value filledRing(Operation *op) {
  if (auto produce = dyn_cast<stage::ProduceOp>(op))
    return produce.getRing();
  Value ring;
  if (auto choice = dyn_cast<scf::IfOp>(op))
    choice.walk([&](stage::ProduceOp produce) {
      if (!choice->isAncestor(
              produce.getRing().getParentBlock()->getParentOp()))
        ring = produce.getRing();
    });
  return ring;
}

/// What is to be done before a ring is filled: the slot that is filled was read
/// an iteration ago. Where a slot is consumed behind it, one barrier does both.
void KernelWalk::beforeFilling(Operation *op) {
  Value value = filledRing(op);
  if (!value)
    return;
  Ring *ring = rings.find(value)->second.get();
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (auto consume = dyn_cast<stage::ConsumeOp>(next);
        consume && consume.getRing() == value && !ring->isAwaited &&
        llvm::is_contained(groups, ring)) {
      waitFor(ring);
      ring->isAwaited = true;
    }
  finishReads(ring->area());
}

Value KernelWalk::nextSlot(const Ring &ring, Value slot) {
  Value next = add(slot, c32(ring.slotBytes));
  return select(
      compare(arith::CmpIPredicate::eq, next, c32(ring.slotBytes * ring.depth)),
      c32(0), next);
}

void KernelWalk::bindSlot(Ring *ring, Value start, ValueRange parts) {
  int64_t at = ring->offset;
  for (Value part : parts) {
    auto type = cast<MemRefType>(part.getType());
    storages[part] = {type, start, at, ring->area(), machine.getRunBytes()};
    at += llvm::alignTo(type.getNumElements() *
                            storedBytes(type.getElementType()),
                        ring->align);
  }
}

LogicalResult KernelWalk::emitStage(Operation *op) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](stage::RingOp op) -> LogicalResult {
        auto ring = std::make_unique<Ring>();
        ring->align = op.getAlign().value_or(16);
        ring->offset = op.getOffset().value_or(0);
        ring->depth = op.getRing().getType().getDepth();
        ring->slotBytes = slotBytes(op);
        ring->fill = ring->use = c32(0);
        finishReads(ring->area());
        rings[op.getRing()] = std::move(ring);
        return success();
      })
      .Case([&](stage::AllocOp op) -> LogicalResult {
        StorageArea area = areaOf(op);
        storages[op.getStorage()] = {
            cast<MemRefType>(op.getStorage().getType()), Value(), area.begin,
            area, machine.getRunBytes()};
        return success();
      })
      .Case([&](stage::ProduceOp op) -> LogicalResult {
        Ring *ring = rings.find(op.getRing())->second.get();
        finishCopies();
        bindSlot(ring, ring->fill, op.getBody().getArguments());
        for (Operation &inner : op.getBody().front().without_terminator())
          if (!emitFilling(&inner) && failed(emitOp(&inner)))
            return failure();
        ring->fill = select(copyMask, nextSlot(*ring, ring->fill), ring->fill);
        // Under a condition the group ends behind it, for as many groups
        // whatever holds.
        if (!isa<scf::IfOp>(op->getParentOp()))
          lateRings.push_back(ring);
        return success();
      })
      .Case([&](stage::ConsumeOp op) -> LogicalResult {
        Ring *ring = rings.find(op.getRing())->second.get();
        if (!ring->isAwaited)
          waitFor(ring);
        ring->isAwaited = false;
        reads.add(ring->area());
        bindSlot(ring, ring->use, op.getParts());
        ring->use = nextSlot(*ring, ring->use);
        return success();
      })
      .Case([&](stage::ReleaseOp) { return success(); })
      .Case([&](stage::CopyOp op) -> LogicalResult {
        if (op.getAsync() || !isa<tile::ViewType>(op.getSource().getType()))
          return decline(op, "this copy");
        fillAtOnce(op);
        return success();
      })
      .Case([&](stage::WriteOp op) -> LogicalResult {
        if (!isLookup(op.getValue().getDefiningOp()))
          return decline(op, "this writing of storage");
        fillAtOnce(op);
        return success();
      })
      .Case([&](stage::ReadOp op) { return emitRead(op); })
      .Default([&](Operation *op) -> LogicalResult {
        return decline(op, op->getName().getStringRef());
      });
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

/// Whether a product reads a factor by fragments, with nothing between that
/// waits or copies; `transposed` are the transpositions on the way.
static bool goesToProduct(Value factor,
                          SmallVectorImpl<Operation *> &transposed) {
  if (!factor.hasOneUse())
    return false;
  Operation *user = *factor.getUsers().begin(), *op = factor.getDefiningOp();
  if (user->getBlock() != op->getBlock())
    return false;
  for (op = op->getNextNode(); op != user; op = op->getNextNode())
    if (!isa<stage::ReadOp, stage::ReleaseOp>(op) && !isTransposition(op))
      return false;
  if (isTransposition(user)) {
    transposed.push_back(user);
    return goesToProduct(user->getResult(0), transposed);
  }
  return isa<MatrixProductOpInterface>(user) && user->hasAttr(kRowAttr);
}

LogicalResult KernelWalk::emitRead(stage::ReadOp op) {
  Value result = op.getResult();
  LayoutAttr layout = getLayout(result);
  auto place = storages.find(op.getStorage());
  if (!layout || place == storages.end() || !op.getOrigin().empty() ||
      place->second.type.getRank() != 2)
    return decline(op, "this read of storage");
  SmallVector<Operation *> transposed;
  if (goesToProduct(result, transposed)) {
    StoragePlace from = place->second;
    lateReads[result] = from;
    for (Operation *moved : transposed) {
      from = from.transposed();
      lateReads[moved->getResult(0)] = from;
    }
    return success();
  }
  finishCopies();
  reads.add(place->second.area);
  define(result, FragmentReader(*this, place->second, layout,
                                scalarType(getElementTypeOrSelf(result)))
                     .all());
  return success();
}

std::unique_ptr<FragmentReader> KernelWalk::readerOf(Value tile) {
  auto late = lateReads.find(tile);
  if (late == lateReads.end())
    return nullptr;
  return std::make_unique<FragmentReader>(
      *this, late->second, getLayout(tile),
      scalarType(getElementTypeOrSelf(tile)));
}

index::Facts KernelWalk::factsOf(Value value) {
  index::Facts known = facts.of(value);
  if (!copyBound.first)
    return known;
  int64_t more = 0;
  if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    index::Interval added = facts.of(sum.getRhs()).range;
    if (!added.low || added.low != added.high)
      return known;
    more = *added.low;
    value = sum.getLhs();
  }
  if (value == copyBound.first)
    known.range.high =
        std::min(known.range.high.value_or(INT64_MAX), copyBound.second + more);
  return known;
}

/// Fills slots where a condition holds, without a branch: each copy asks for
/// itself, and the code around stays in one piece. Nothing where there is more
/// under the condition.
std::optional<LogicalResult> KernelWalk::emitFillings(scf::IfOp op) {
  if (op.getNumResults() || !op.getElseRegion().empty() || copyMask)
    return std::nullopt;
  auto isCopy = [](Operation &op) {
    return isa<stage::CopyOp, stage::CommitOp, stage::WriteOp>(op) ||
           isLookup(&op) || isPure(&op);
  };
  Block::OpListType::iterator begin = op.thenBlock()->begin();
  auto end = op.thenBlock()->without_terminator().end();
  SmallVector<stage::ProduceOp> fillings;
  for (Operation &inner : llvm::make_range(begin, end)) {
    auto produce = dyn_cast<stage::ProduceOp>(inner);
    if (produce && llvm::all_of(produce.getBody().front(), isCopy))
      fillings.push_back(produce);
    else if (!isPure(&inner) || inner.getNumRegions())
      return std::nullopt;
  }
  if (fillings.empty())
    return std::nullopt;
  copyMask = scalar(op.getCondition());
  if (auto less = op.getCondition().getDefiningOp<arith::CmpIOp>();
      less && less.getPredicate() == arith::CmpIPredicate::slt)
    if (auto high = facts.of(less.getRhs()).range.high)
      copyBound = {less.getLhs(), *high - 1};
  LogicalResult emitted = success();
  for (Operation &inner : llvm::make_range(begin, end))
    if (succeeded(emitted))
      emitted = emitOp(&inner);
  copyMask = Value();
  copyBound = {};
  for (stage::ProduceOp produce : fillings)
    lateRings.push_back(rings.find(produce.getRing())->second.get());
  return emitted;
}

SmallVector<Value> KernelWalk::ringCounters(size_t count) {
  SmallVector<Value> counters;
  for (auto &ring : llvm::make_range(rings.begin(), rings.begin() + count))
    counters.append({ring.second->fill, ring.second->use});
  return counters;
}

void KernelWalk::setRingCounters(size_t count, ValueRange counters) {
  for (auto &ring : llvm::make_range(rings.begin(), rings.begin() + count)) {
    ring.second->fill = counters[0];
    ring.second->use = counters[1];
    counters = counters.drop_front(2);
  }
}

void KernelWalk::forgetRings(size_t count) {
  // What a region made ends with it.
  while (rings.size() > count) {
    Ring *last = rings.back().second.get();
    llvm::replace(groups, last, static_cast<Ring *>(nullptr));
    rings.pop_back();
  }
}

KernelWalk::CopiesInFlight KernelWalk::copiesInFlight() const {
  CopiesInFlight now;
  now.groups = groups;
  for (auto &ring : rings)
    now.ready.push_back(ring.second->ready);
  return now;
}

void KernelWalk::leaveRegion(const CopiesInFlight &before) {
  forgetRings(before.ready.size());
  groups = before.groups;
  for (auto [ring, ready] : llvm::zip_equal(rings, before.ready))
    ring.second->ready = ready;
}

bool KernelWalk::touchesRings(Operation *op) {
  // Rings that are made in it are its own affair.
  return op
      ->walk([&](Operation *inner) {
        return isa<stage::ProduceOp, stage::ConsumeOp>(inner) &&
                       !op->isAncestor(inner->getOperand(0).getDefiningOp())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Which copies are under way must be the same at the start of each iteration,
/// or all of them are waited for.
void KernelWalk::enterRingLoop(scf::ForOp loop) {
  // No wait of the loop depends on older groups of rings that it does not
  // consume. A later wait for one of these finds no group and covers all.
  llvm::SmallPtrSet<Ring *, 4> consumed;
  loop.walk([&](stage::ConsumeOp consume) {
    if (auto ring = rings.find(consume.getRing()); ring != rings.end())
      consumed.insert(ring->second.get());
  });
  groups.erase(groups.begin(), llvm::find_if(groups, [&](Ring *ring) {
                 return consumed.contains(ring);
               }));
  SmallVector<Ring *> under = groups;
  llvm::MapVector<Ring *, int64_t> ready;
  for (auto &ring : rings)
    ready[ring.second.get()] = ring.second->ready;
  bool isKnown = true;
  for (Operation &op : *loop.getBody()) {
    if (auto consume = dyn_cast<stage::ConsumeOp>(op)) {
      Ring *ring = rings.find(consume.getRing())->second.get();
      if (ready[ring]) {
        --ready[ring];
        continue;
      }
      auto *first = llvm::find(under, ring);
      isKnown &= first != under.end();
      if (!isKnown)
        break;
      for (Ring *done : llvm::make_range(under.begin(), first))
        if (done)
          ++ready[done];
      under.erase(under.begin(), first + 1);
    } else if (Value value = filledRing(&op)) {
      under.push_back(rings.find(value)->second.get());
    } else if (isa<scf::ForOp, scf::WhileOp>(op) && touchesRings(&op)) {
      isKnown = false;
    } else if (isa<stage::CopyOp>(op)) {
      under.clear();
    }
  }
  for (auto &ring : rings) {
    isKnown &= ready[ring.second.get()] == ring.second->ready;
  }
  isKnown &= under == groups;
  for (auto &ring : rings)
    ring.second->ahead =
        isKnown ? ring.second->ready + llvm::count(groups, ring.second.get())
                : ring.second->depth;
  if (isKnown)
    return;
  WaitCopiesOp::create(b, loc, 0);
  publish();
  groups.clear();
  for (auto &ring : rings)
    ring.second->ready = 0;
}
