//===- InterleaveCopies.cpp - Copies between matrix instructions ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies that fill a slot stand in front of the product of the slot that is
// full. Issued all at once they would hold up the first matrix instructions;
// the matrix unit then hides what they take.
//
//===----------------------------------------------------------------------===//

#include "SharedPlaces.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Gpu/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTINTERLEAVECOPIES
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

static constexpr auto kCopies = Synchronization::Group::Copies;
static constexpr auto kProducts = Synchronization::Group::Products;

namespace {
/// Copies that end in a commit, and the matrix instructions behind them.
struct CopyGroup {
  SmallVector<Operation *> copies;
  SmallVector<Operation *> commits;
  SmallVector<Operation *> products; ///< of one product of tiles
};

struct InterleaveCopies
    : simt::impl::SimtInterleaveCopiesBase<InterleaveCopies> {
  void runOnOperation() override {
    getOperation().walk([&](Block *block) {
      SmallVector<Operation *> groupEnds;
      for (Operation &op : *block)
        if (commits(&op, kCopies))
          groupEnds.push_back(&op);
      for (Operation *commit : groupEnds)
        if (CopyGroup group = groupOf(commit); !group.products.empty())
          interleave(group);
    });
  }

private:
  static CopyGroup groupOf(Operation *commit);
  static void interleave(const CopyGroup &group);
};
} // namespace

/// Whether copies may be issued behind an operation instead of before it: it
/// neither waits, nor writes what they may read, nor is it another copy.
static bool lets(Operation *op) {
  return isMemoryEffectFree(op) || isa<AsyncProductOpInterface>(op) ||
         hasSingleEffect<MemoryEffects::Read>(op);
}

CopyGroup InterleaveCopies::groupOf(Operation *commit) {
  CopyGroup group;
  // Several groups may end at one place: then these copies are the first one's.
  if (commits(commit->getPrevNode(), kCopies))
    return {};
  for (Operation *op = commit->getPrevNode(); op; op = op->getPrevNode()) {
    // One that has results stays in front of those who use them.
    if (isa<AsyncCopyOpInterface>(op) && !op->getNumResults())
      group.copies.push_back(op);
    else if (!isMemoryEffectFree(op) || op->getNumRegions())
      break;
  }
  std::reverse(group.copies.begin(), group.copies.end());
  Operation *op = commit;
  for (; commits(op, kCopies); op = op->getNextNode())
    group.commits.push_back(op);
  for (; op && !op->getNumRegions(); op = op->getNextNode()) {
    if (isa<MmaOp>(op) || commits(op, kProducts)) {
      // Those of a product of tiles have its location.
      if (!group.products.empty() &&
          group.products[0]->getLoc() != op->getLoc())
        break;
      group.products.push_back(op);
    } else if (!lets(op)) {
      break;
    }
  }
  if (group.copies.empty())
    group.products.clear();
  return group;
}

/// Twice as many copies as their share behind each matrix instruction, so that
/// all are in flight by the middle of the product. An asynchronous product
/// needs no thread: all are issued behind it.
void InterleaveCopies::interleave(const CopyGroup &group) {
  size_t issued = 0, count = group.copies.size();
  Operation *last = nullptr;
  for (auto [done, product] : llvm::enumerate(group.products)) {
    size_t wanted =
        commits(product, kProducts)
            ? count
            : std::min(count, (done + 1) * 2 * count / group.products.size());
    last = product;
    for (; issued < wanted; ++issued) {
      group.copies[issued]->moveAfter(last);
      last = group.copies[issued];
    }
    if (issued == count)
      break;
  }
  for (Operation *commit : group.commits) {
    commit->moveAfter(last);
    last = commit;
  }
}
