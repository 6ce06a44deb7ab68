//===- Slots.h - Uses of the slots of ring buffers --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `stage.produce` fills a slot of a ring buffer, `stage.consume` takes it and
// `stage.release` frees it. Passes that pipeline loops, insert waits and
// barriers or give storage its place ask what an operation does to slots.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_STAGE_SLOTS_H
#define KILN_DIALECT_STAGE_SLOTS_H

#include "mlir/IR/Operation.h"

namespace kiln::stage {

/// Returns the ring buffer a slot of which an operation (or null) fills, takes
/// or frees; null if it does not.
mlir::Value ringFilledBy(mlir::Operation *op);
mlir::Value ringTakenBy(mlir::Operation *op);
mlir::Value ringFreedBy(mlir::Operation *op);
/// Returns the ring buffer that an operation uses a slot of in any of these
/// ways; null if it uses none.
mlir::Value ringUsedBy(mlir::Operation *op);

/// Returns the operation around an operation that fills a slot with what is
/// done in it; null if there is none.
mlir::Operation *fillAround(mlir::Operation *op);

/// Counts the operations that fill, take and free slots.
struct SlotCounts {
  int64_t filled = 0, taken = 0, freed = 0;

  void add(mlir::Operation *op);
};

} // namespace kiln::stage

#endif // KILN_DIALECT_STAGE_SLOTS_H
