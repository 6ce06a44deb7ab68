//===- LoopLoads.cpp - Loads of a loop that become a ring -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StagedLoads.h"
#include "StorageAreas.h"
#include "ThreadWriter.h"
#include "kiln/Dialect/Kiln/Report.h"
#include "kiln/Dialect/Simt/LayoutConversion.h"
#include "kiln/Dialect/Stage/Stage.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Interfaces/PointerAccess.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// What a thread may load an iteration ahead into registers, in bytes.
static constexpr int64_t kMostBytesAhead = 96;

bool simt::isShort(scf::ForOp loop) {
  constexpr unsigned kShort = 2;
  std::optional<APInt> trips = loop.getStaticTripCount();
  return trips && trips->ule(kShort);
}

/// Whether a product of the block computes with what is made of a tile, element
/// by element. At most `budget` operations are looked at.
static bool reachesProduct(Value tile, unsigned &budget) {
  for (OpOperand &use : tile.getUses()) {
    Operation *user = use.getOwner();
    if (auto product = dyn_cast<MatrixProductOpInterface>(user)) {
      if (&use == &product.getLhsOperand() || &use == &product.getRhsOperand())
        return true;
      continue;
    }
    bool handsOn = OpTrait::hasElementwiseMappableTraits(user) ||
                   isa<LayoutConversionOpInterface>(user) || handsOnBytes(user);
    if (!budget || !handsOn || user->getNumResults() != 1)
      continue;
    --budget;
    if (reachesProduct(user->getResult(0), budget))
      return true;
  }
  return false;
}

/// What threads copy ahead of factors that they compute, at least, in bytes.
static constexpr int64_t kLeastBytesAhead = 16;

LoopLoads::LoopLoads(scf::ForOp loop, const BlockShape &block)
    : loop(loop), writes(loop) {
  index::Analysis scalars;
  tile::AxisAnalysis facts(scalars);
  for (Operation &op : *loop.getBody()) {
    if (!isTileLoad(&op))
      continue;
    std::string why;
    auto one = stagedLoad(&op, loop, block, facts, /*takesNumbers=*/false, why);
    if (Operation *write = one ? writes.findConflict(&op) : nullptr) {
      one.reset();
      why = "an earlier iteration may write what it reads, at " +
            target::locationString(write->getLoc());
    }
    if (one) {
      staged.push_back(std::move(*one));
    } else if (!declined) {
      declined = &op;
      reason = std::move(why);
    }
  }
  if (!staged.empty() || isShort(loop))
    return;
  // Where factors are computed from what a loop loads, what they are computed
  // from is copied ahead: registers would not hold it.
  for (StagedLoad &number : findNumbers(block)) {
    unsigned budget = 24;
    if (bytesOfThread(number.load) >= kLeastBytesAhead &&
        reachesProduct(number.load->getResult(0), budget))
      staged.push_back(std::move(number));
  }
}

int64_t LoopLoads::slotBytes() const {
  int64_t bytes = 0;
  for (const StagedLoad &one : staged)
    bytes += one.alignedBytes();
  return bytes;
}

bool LoopLoads::has(Operation *load) const {
  return llvm::any_of(staged,
                      [&](const StagedLoad &one) { return one.load == load; });
}

bool LoopLoads::isRead() const {
  return llvm::any_of(staged,
                      [](const StagedLoad &one) { return one.isRead(); });
}

SmallVector<StagedLoad> LoopLoads::findNumbers(const BlockShape &block) {
  index::Analysis scalars;
  tile::AxisAnalysis facts(scalars);
  SmallVector<StagedLoad> numbers;
  for (Operation &op : *loop.getBody()) {
    std::string why;
    if (!isTileLoad(&op) || has(&op))
      continue;
    auto one = stagedLoad(&op, loop, block, facts, /*takesNumbers=*/true, why);
    if (one && one->isBox && !writes.findConflict(&op))
      numbers.push_back(std::move(*one));
  }
  return numbers;
}

int64_t LoopLoads::slotsWithNumbers(const BlockShape &block, int64_t slots,
                                    int64_t most) {
  int64_t slot = slotBytes();
  for (StagedLoad &number : findNumbers(block))
    if (bytesOfThread(number.load) > kMostBytesAhead)
      slot += number.alignedBytes();
  return slot > slotBytes() && 2 * slot <= most ? std::min(slots, most / slot)
                                                : slots;
}

void LoopLoads::addNumbers(const BlockShape &block, int64_t slots,
                           int64_t most) {
  int64_t slot = slotBytes();
  SmallVector<StagedLoad> numbers = findNumbers(block);
  // Those first that registers would not hold.
  for (bool isLarge : {true, false})
    for (StagedLoad &number : numbers) {
      if ((bytesOfThread(number.load) > kMostBytesAhead) != isLarge ||
          (slot + number.alignedBytes()) * slots > most)
        continue;
      slot += number.alignedBytes();
      staged.push_back(std::move(number));
    }
  llvm::sort(staged, [](const StagedLoad &a, const StagedLoad &b) {
    return a.load->isBeforeInBlock(b.load);
  });
}

void LoopLoads::copy(int64_t slots, const BlockShape &block) {
  int64_t slot = slotBytes();
  // Nothing in the loop writes what is copied: all copies go at the first
  // load, and so through one ring, with one barrier.
  Operation *first = staged.front().load;
  for (StagedLoad &one : staged) {
    target::Report::of(loop.getContext())
        .chose(one.load, "lowering",
               block.description ? block.description.getName() : "", "ring",
               Twine(slots) + " slots of " + Twine(slot) + " bytes");
    copyToStorage(one, moveNeedsBefore(one.load, first) ? first : one.load,
                  block);
  }
  for (StagedLoad &one : staged)
    if (one.load->use_empty())
      one.load->erase();
  // A product may go on reading its slot while the next one begins, where
  // that leaves two slots that are filled.
  std::optional<int64_t> ahead;
  if (isRead() && slots >= 4)
    ahead = slots - 2;
  loop->setAttr(stage::kDecidedAttr,
                stage::SlotsAttr::get(loop.getContext(), slots, ahead));
}

void LoopLoads::loadAhead() {
  int64_t left = kMostBytesAhead;
  for (Operation &op : *loop.getBody()) {
    auto access = dyn_cast<ViewAccessOpInterface>(&op);
    auto pointers = dyn_cast<PointerAccessOpInterface>(&op);
    bool isRead = access ? access.isRead() : pointers && pointers.isRead();
    if (!isRead || op.getNumResults() != 1 || isVolatileLoad(&op) ||
        !getElementTypeOrSelf(op.getResult(0)).isIntOrIndexOrFloat() ||
        !isKnownEarly(&op, loop) || writes.findConflict(&op))
      continue;
    int64_t bytes = bytesOfThread(&op);
    if (bytes > left)
      continue;
    left -= bytes;
    op.setAttr(stage::kAtAttr,
               stage::AtAttr::get(op.getContext(), stage::kBeforeUsers, 0));
  }
}
