//===- BarrierFlowWrites.cpp - Tiles that threads write to storage --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads write a tile where no thread and no product reads the bytes any more,
// and a barrier stands before what reads it. A product that reads by itself
// wants a fence before that barrier, too.
//
//===----------------------------------------------------------------------===//

#include "BarrierFlow.h"
#include "MemoryProducts.h"
#include "StoredFactors.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

void BarrierFlow::visitWrite(stage::StorageWriteOpInterface op) {
  StorageArea area = areaOf(op.getStorage());
  SmallVector<Operation *> met;
  findMeetings(area, met);
  // A barrier does not end the reads of a product in flight.
  if (waitForProducts(op, met))
    return;
  part(op, met);
  pending.add({area, 0, op});
}

void BarrierFlow::partFromWrites(Operation *op, StorageArea read) {
  SmallVector<Operation *> met;
  for (const Touch &touch : pending.shared)
    if (isa<stage::StorageWriteOpInterface>(touch.op) &&
        touch.area.overlaps(read))
      met.push_back(touch.op);
  part(op, met);
}

void BarrierFlow::publishFor(StorageArea read) {
  for (auto [write, anchor] : pending.written)
    if (areaOf(cast<stage::StorageWriteOpInterface>(write).getStorage())
            .overlaps(read))
      plan.before[anchor].publishes = true;
}
