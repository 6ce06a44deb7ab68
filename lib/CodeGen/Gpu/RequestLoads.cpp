//===- RequestLoads.cpp - Loads before exchanges of what others load ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that exchange what they load wait for memory, and then for each
// other. A load behind such an exchange would be requested after that wait;
// here it comes before, so that both are in flight at once: exchanges move
// behind the loads that the program has before their users, and loads of few
// bytes before exchanges.
//
//===----------------------------------------------------------------------===//

#include "LoopMemory.h"
#include "StorageAreas.h"
#include "Work.h"
#include "kiln/Dialect/Simt/LayoutConversion.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Gpu/Passes.h"
#include "kiln/Gpu/ThreadBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace kiln::simt {
#define GEN_PASS_DEF_SIMTREQUESTLOADS
#include "kiln/Gpu/Passes.h.inc"
} // namespace kiln::simt

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

/// Whether an operation loads a tile, and may do so earlier.
static bool isOrdinaryLoad(Operation *op) {
  return isTileLoad(op) && !isVolatileLoad(op);
}

/// Whether threads exchange a tile that they load in the same block, or compute
/// element by element from one.
static bool isExchangeOfLoad(Operation *op) {
  if (!isa<LayoutConversionOpInterface>(op))
    return false;
  constexpr int kDeepest = 4;
  Operation *from = op->getOperand(0).getDefiningOp();
  for (int depth = 0;
       from && from->getBlock() == op->getBlock() && depth < kDeepest;
       ++depth) {
    if (isTileLoad(from))
      return true;
    if (!OpTrait::hasElementwiseMappableTraits(from))
      return false;
    from = from->getOperand(0).getDefiningOp();
  }
  return false;
}

/// The first exchange of a load that a load may pass; null: none.
static Operation *findExchange(Operation *load) {
  Operation *first = nullptr;
  for (Operation *op = load->getPrevNode(); op; op = op->getPrevNode()) {
    if (op->getNumRegions() || (!isPure(op) && !isOrdinaryLoad(op)))
      break;
    if (isExchangeOfLoad(op))
      first = op;
  }
  return first;
}

/// Moves an exchange of a load behind the loads that come before its first user
/// in the block, as far as threads have registers for `most` bytes of them.
static void moveBehindLoads(Operation *exchange, int64_t most) {
  Block *block = exchange->getBlock();
  Operation *firstUser = nullptr;
  for (Operation *user : exchange->getUsers()) {
    Operation *whole = block->findAncestorOpInBlock(*user);
    if (!whole)
      return;
    if (!firstUser || whole->isBeforeInBlock(firstUser))
      firstUser = whole;
  }
  Operation *last = nullptr;
  for (Operation *op = exchange->getNextNode(); op && op != firstUser;
       op = op->getNextNode()) {
    if (op->getNumRegions() || (!isPure(op) && !isOrdinaryLoad(op)))
      break;
    if (!isOrdinaryLoad(op))
      continue;
    most -= bytesOfThread(op);
    if (most < 0)
      break;
    last = op;
  }
  if (last)
    exchange->moveAfter(last);
}

/// Moves a load, with what it needs, before an operation of its block. False
/// where it needs what is loaded or exchanged behind that.
static bool moveBefore(Operation *load, Operation *before) {
  auto isOwn = [](Operation *op) {
    return !isa<LayoutConversionOpInterface>(op);
  };
  if (!moveNeedsBefore(load, before, isOwn))
    return false;
  load->moveBefore(before);
  return true;
}

namespace {
struct SimtRequestLoads : simt::impl::SimtRequestLoadsBase<SimtRequestLoads> {
  using Base::Base;

  void runOnOperation() override {
    // Tiles that fill the registers leave none for loads in flight.
    constexpr int64_t kMostWords = 96;
    const bool isFull = liveWordsOfThread(getOperation()) > kMostWords;
    getOperation().walk([&](Block *block) { requestIn(*block, isFull); });
  }

private:
  /// What waits in registers of a thread is little: rows of numbers, rather
  /// than the tiles that a kernel computes with.
  static void requestIn(Block &block, bool isFull) {
    constexpr int64_t kMostBytes = 64, kRowBytes = 16, kTileBytes = 128;
    int64_t left = kMostBytes;
    SmallVector<Operation *> loads, exchanges;
    for (Operation &op : block) {
      if (isOrdinaryLoad(&op) && !isLookup(&op))
        loads.push_back(&op);
      if (!isFull && isExchangeOfLoad(&op))
        exchanges.push_back(&op);
    }
    for (Operation *exchange : llvm::reverse(exchanges)) // stay in order
      moveBehindLoads(exchange, kTileBytes);
    for (Operation *load : loads) {
      int64_t bytes = bytesOfThread(load);
      Operation *exchange =
          bytes <= std::min(left, kRowBytes) ? findExchange(load) : nullptr;
      if (exchange && moveBefore(load, exchange))
        left -= bytes;
    }
  }
};
} // namespace
