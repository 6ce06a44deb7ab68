//===- BulkCopies.h - Ring buffers that a copy unit fills -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a thread for rings whose slots have barriers
// (`#simt.slot_barriers`).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_BULKCOPIES_H
#define KILN_LIB_GPU_BULKCOPIES_H

#include "Rings.h"

namespace kiln::simt {

/// The number of the slot behind the one of this number, and where the slot of
/// a number begins in the storage of its ring, in bytes.
mlir::Value nextNumber(const Ring &ring, mlir::Value number, ThreadWriter &w);
mlir::Value slotStart(const Ring &ring, mlir::Value number, ThreadWriter &w);

/// One thread waits until the next slot is empty, and starts the copies that
/// fill it.
mlir::LogicalResult fillInBulk(stage::ProduceOp op, Ring &ring,
                               ThreadWriter &w);
/// Waits until the next slot is full.
void awaitFull(const Ring &ring, ThreadWriter &w);
/// One thread of each warp says that the warp needs a slot no more.
void releaseSlot(Ring &ring, ThreadWriter &w);

/// Gives the parts of a slot their places; `start` is where the slot begins.
void bindSlot(ThreadWriter &w, const Ring &ring, mlir::Value start,
              mlir::ValueRange parts);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_BULKCOPIES_H
