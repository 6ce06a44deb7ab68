// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers that run ahead of what reads them, for machines with a scratchpad: a ring of slots, and the loads of a loop that may
// begin one iteration early. It needs no instruction of the machine but a transfer and a wait.
#ifndef KILN_ISOLATED_RING_H
#define KILN_ISOLATED_RING_H

#include "Isolated.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <utility>

namespace isolated {

/// Slots of the scratchpad that loads fill, one after the other. Transfers are the numbers that the writer gives them, such as
/// registers; `wait` emits the instruction that waits for one.
class Ring {
public:
  Ring(int64_t base, int64_t slotBytes, int64_t slots, std::function<void(int64_t)> wait)
      : base(base), slotBytes(slotBytes), slots(size_t(slots)), wait(std::move(wait)) {}

  /// The address of the next slot, nothing for a tile of more bytes than it has, or where tiles from outside of a loop keep all of them.
  /// Call it before the transfer begins: what is still in flight to the slot is waited for. A tile that was there is not in the
  /// scratchpad any more, see `find`.
  std::optional<int64_t> take(mlir::Value tile, int64_t bytes) {
    auto isKept = [](const Slot &slot) { return slot.loops > 0; };
    if (bytes > slotBytes || std::all_of(slots.begin(), slots.end(), isKept))
      return std::nullopt;
    while (isKept(slots[next]))
      next = (next + 1) % slots.size();
    finish(slots[next]);
    slots[next].tile = tile;
    return base + int64_t(next) * slotBytes;
  }
  /// The transfer into the slot that was taken last.
  void begin(int64_t transfer) {
    slots[next].transfer = transfer;
    next = (next + 1) % slots.size();
  }
  /// The address of a tile, for an operation that reads it: waits for its transfer. Nothing where the tile is in no slot: it was never
  /// loaded, or another one took its place, so that the ring needs more slots.
  std::optional<int64_t> find(mlir::Value tile) {
    for (size_t number = 0; number < slots.size(); ++number)
      if (slots[number].tile == tile) {
        finish(slots[number]);
        return base + int64_t(number) * slotBytes;
      }
    return std::nullopt;
  }
  /// Around what writes the body of a loop. Both wait for everything, as an iteration does not know what the one before began. Tiles that
  /// are in slots in front of the loop stay there in each iteration; those of its body are in none behind it.
  void beginLoop() {
    finish();
    for (Slot &slot : slots)
      slot.loops += slot.loops > 0 || slot.tile;
  }
  void endLoop() {
    finish();
    for (Slot &slot : slots)
      if (slot.loops > 0)
        --slot.loops;
      else
        slot.tile = nullptr;
  }
  /// Waits for everything: before a store, as it may write what a load reads.
  void finish() {
    for (Slot &slot : slots)
      finish(slot);
  }

private:
  struct Slot {
    mlir::Value tile;
    std::optional<int64_t> transfer; ///< that is in flight
    int64_t loops = 0;               ///< that are being written, and may read the tile
  };
  void finish(Slot &slot) {
    if (std::optional<int64_t> transfer = std::exchange(slot.transfer, std::nullopt))
      wait(*transfer);
  }

  int64_t base, slotBytes;
  std::vector<Slot> slots;
  size_t next = 0;
  std::function<void(int64_t)> wait;
};

/// A load of a loop's body that may begin one iteration early, and what computes its coordinates there, in order: write these again
/// with the loop's next value in place of its induction variable, and begin the transfer.
struct EarlyLoad {
  mlir::Operation *load;
  std::vector<mlir::Operation *> slice;
};

/// The loads of a loop that may begin one iteration early: the loop writes no memory, and their coordinates follow from its
/// induction variable alone. A loop with two slots for each of them waits, begins those of the next iteration, then computes.
inline std::vector<EarlyLoad> findEarlyLoads(mlir::scf::ForOp loop) {
  auto isPure = [](mlir::Operation *op) {
    llvm::StringRef name = op->getName().getStringRef();
    for (llvm::StringRef known : {"arith.", "math.", "scf."})
      if (name.starts_with(known))
        return true;
    for (llvm::StringRef known : {"load", "dim", "num_blocks", "dot", "reduce", "yield", "reshape", "broadcast", "transpose"})
      if (name == ("tile." + known).str())
        return true;
    return false;
  };
  bool writes = false;
  loop->walk([&](mlir::Operation *op) { writes |= !isPure(op); });
  std::vector<EarlyLoad> found;
  if (writes)
    return found;
  auto isNumber = [](mlir::Value value) { return value.getType().isIntOrIndex() || viewOf(value.getType()).has_value(); };
  for (mlir::Operation &load : *loop.getBody()) {
    auto groups = segments(&load);
    if (load.getName().getStringRef() != "tile.load" || groups.size() < 2 || attribute(&load, "is_volatile"))
      continue;
    llvm::SetVector<mlir::Operation *> slice;
    llvm::SmallVector<mlir::Value> open(groups[1].begin(), groups[1].end());
    bool isKnown = true;
    while (!open.empty() && isKnown) {
      mlir::Value value = open.pop_back_val();
      mlir::Operation *op = value.getDefiningOp();
      if (!op) { // what the loop carries is not known ahead
        auto argument = llvm::cast<mlir::BlockArgument>(value);
        isKnown = argument.getOwner() != loop.getBody() || value == loop.getInductionVar();
        continue;
      }
      if (op->getBlock() != loop.getBody())
        continue;
      isKnown = op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), isNumber) && llvm::all_of(op->getResults(), isNumber);
      if (isKnown && slice.insert(op))
        open.append(op->operand_begin(), op->operand_end());
    }
    if (!isKnown)
      continue;
    EarlyLoad early{&load, {}};
    for (mlir::Operation &op : *loop.getBody())
      if (slice.contains(&op))
        early.slice.push_back(&op);
    found.push_back(std::move(early));
  }
  return found;
}

} // namespace isolated

#endif
