//===- LoopMemory.h - Whether loads may run ahead of stores -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_LOOPMEMORY_H
#define KILN_LIB_GPU_LOOPMEMORY_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln::simt {

/// The writes to memory of one loop. A copy that runs iterations ahead passes
/// them, so it must not read what they write. A loop around one whose copies
/// run ahead has none that do.
class LoopWrites {
public:
  explicit LoopWrites(mlir::scf::ForOp loop);

  /// Returns a write that may reach what `load` reads; null if there is none. A
  /// write and a load are apart if nothing writes the parameter that is loaded
  /// from, if one of both parameters has no alias, or if they go through
  /// different parameters of a loop whose hint says `independent`.
  mlir::Operation *findConflict(mlir::Operation *load) const;

private:
  llvm::SmallVector<mlir::Operation *> writes;
  bool isIndependent = false; ///< the loop's hint
};

/// Moves what an operation needs of its block before another operation of it,
/// if `isMovable` holds for all of that and none of it has effects or regions.
/// False, and nothing moves, where some of it has to stay.
bool moveNeedsBefore(
    mlir::Operation *op, mlir::Operation *before,
    llvm::function_ref<bool(mlir::Operation *)> isMovable = nullptr);

/// Bytes of registers of a thread that a load of a tile, or of a number, fills.
int64_t bytesOfThread(mlir::Operation *load);

/// Whether an iteration's part of a load follows from pure operations of it and
/// of those before it, which can be performed ahead.
bool isKnownEarly(mlir::Operation *load, mlir::scf::ForOp loop);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_LOOPMEMORY_H
