//===- Slots.cpp - Uses of the slots of ring buffers ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::stage;

/// The ring of an operation (or null) that uses a slot in one of `uses`.
static Value ringOf(Operation *op, ArrayRef<SlotUse> uses) {
  auto slot = dyn_cast_or_null<SlotOpInterface>(op);
  return slot && llvm::is_contained(uses, slot.getSlotUse()) ? slot.getRing()
                                                             : Value();
}

Value stage::ringFilledBy(Operation *op) { return ringOf(op, SlotUse::Fill); }
Value stage::ringTakenBy(Operation *op) { return ringOf(op, SlotUse::Take); }
Value stage::ringFreedBy(Operation *op) { return ringOf(op, SlotUse::Free); }

Value stage::ringUsedBy(Operation *op) {
  return ringOf(op, {SlotUse::Fill, SlotUse::Take, SlotUse::Free});
}

Operation *stage::fillAround(Operation *op) {
  do
    op = op->getParentOp();
  while (op && !ringFilledBy(op));
  return op;
}

void SlotCounts::add(Operation *op) {
  filled += bool(ringFilledBy(op));
  taken += bool(ringTakenBy(op));
  freed += bool(ringFreedBy(op));
}
