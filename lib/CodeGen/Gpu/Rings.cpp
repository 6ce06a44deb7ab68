//===- Rings.cpp - Rings in the code of a thread --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Rings.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

Ring::Ring(Value ring, ThreadWriter &w)
    : ring(ring), op(ring.getDefiningOp<stage::RingOpInterface>()),
      depth(op.getRing().getType().getDepth()),
      align(op.getAlign().value_or(16)), offset(op.getOffset().value_or(0)),
      slotBytes(simt::slotBytes(op)), held(op.getHeld().value_or(0)),
      barriers(dyn_cast_or_null<SlotBarriersAttr>(op.getBarriersAttr())), w(w) {
}

Value Ring::get(RingCounter counter) const {
  return w.registers(ring)[size_t(counter)];
}

void Ring::set(RingCounter counter, Value value) {
  Regs counters = w.registers(ring);
  counters[size_t(counter)] = value;
  w.define(ring, std::move(counters));
}

void Ring::start() { w.define(ring, Regs(barriers ? 3 : 2, w.c32(0))); }

SmallVector<Value> simt::ringsBefore(Operation *op) {
  SmallVector<Operation *> around;
  for (; op && !isa<tile::Kernel>(op); op = op->getParentOp())
    around.push_back(op);
  SmallVector<Value> rings;
  for (Operation *inner : llvm::reverse(around))
    for (Operation &before :
         llvm::make_range(inner->getBlock()->begin(), inner->getIterator()))
      if (auto ring = dyn_cast<stage::RingOpInterface>(before))
        rings.push_back(ring.getRing());
  return rings;
}

SmallVector<Value> simt::ringCounters(ValueRange rings, ThreadWriter &w) {
  SmallVector<Value> counters;
  for (Value ring : rings)
    llvm::append_range(counters, w.registers(ring));
  return counters;
}

void simt::setRingCounters(ValueRange rings, ValueRange counters,
                           ThreadWriter &w) {
  for (Value ring : rings) {
    size_t count = w.registers(ring).size();
    w.define(ring, Regs(counters.take_front(count)));
    counters = counters.drop_front(count);
  }
}
