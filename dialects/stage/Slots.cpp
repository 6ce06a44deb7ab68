//===- Slots.cpp - Uses of the slots of ring buffers ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Stage/Slots.h"
#include "kiln/Dialect/Stage/RingOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::stage;

template <typename OpT> static Value ringOf(Operation *op) {
  auto slot = dyn_cast_or_null<OpT>(op);
  return slot ? slot.getRing() : Value();
}

Value stage::ringFilledBy(Operation *op) { return ringOf<ProduceOp>(op); }
Value stage::ringTakenBy(Operation *op) { return ringOf<ConsumeOp>(op); }
Value stage::ringFreedBy(Operation *op) { return ringOf<ReleaseOp>(op); }

Value stage::ringUsedBy(Operation *op) {
  for (Value ring : {ringFilledBy(op), ringTakenBy(op), ringFreedBy(op)})
    if (ring)
      return ring;
  return Value();
}

Operation *stage::fillAround(Operation *op) {
  return op->getParentOfType<ProduceOp>();
}

void SlotCounts::add(Operation *op) {
  filled += isa<ProduceOp>(op);
  taken += isa<ConsumeOp>(op);
  freed += isa<ReleaseOp>(op);
}
