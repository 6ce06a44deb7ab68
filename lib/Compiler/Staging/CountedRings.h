//===- CountedRings.h - Rings whose counters the program keeps --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For machines without counters of ring buffers: the program carries where the
// next slot is filled and taken, and which transfers fill a slot.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_STAGING_COUNTEDRINGS_H
#define KILN_LIB_STAGING_COUNTEDRINGS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace kiln::staging {

/// The rings of one kernel. ScratchpadLowering calls the functions in the order
/// of the operations, and `finish` behind the last one. Until then the state is
/// in variables, which `finish` turns into values that loops and conditions
/// carry.
class CountedRings {
public:
  explicit CountedRings(mlir::RewriterBase &b) : b(b) {}

  /// `none` is a transfer for slots that were never filled.
  void make(mlir::Location loc, int64_t ring, int64_t base, int64_t slotBytes,
            int64_t depth, mlir::Value none);
  mlir::Value fill(mlir::Location loc, int64_t ring);
  mlir::Value take(mlir::Location loc, int64_t ring);
  void commit(mlir::Location loc, int64_t ring, mlir::ValueRange transfers);

  /// Whether a ring was made here.
  bool has(int64_t ring) const { return size_t(ring) < rings.size(); }

  /// Calls `wait` for each transfer of a slot before the slot is used, with the
  /// builder in front of the use.
  void finish(tile::KernelOp kernel,
              llvm::function_ref<void(mlir::Value)> wait);

private:
  /// State that the program changes; `cell` is removed again.
  using Variable = mlir::memref::AllocaOp;
  struct Ring {
    int64_t base, slotBytes, depth;
    mlir::Value none;
    Variable filled, taken; ///< addresses of the next slots
    /// Of each slot, the transfers that fill it.
    llvm::SmallVector<llvm::SmallVector<Variable>> transfers;
  };
  /// A slot that is taken: the waits stand behind its address.
  struct Taken {
    int64_t ring;
    mlir::Value address;
    mlir::Location loc;
  };

  Ring &get(int64_t number);
  Variable makeVariable(mlir::Location loc, mlir::Value initial);
  mlir::Value advance(mlir::Location loc, const Ring &ring, Variable next);
  mlir::Value isSlot(mlir::Location loc, const Ring &ring, mlir::Value address,
                     int64_t slot);
  void awaitSlot(const Taken &taken,
                 llvm::function_ref<void(mlir::Value)> wait);
  mlir::Value constant(mlir::Location loc, int64_t value);

  mlir::RewriterBase &b;
  llvm::SmallVector<Ring> rings;
  llvm::SmallVector<Taken> takes;
};

} // namespace kiln::staging

#endif // KILN_LIB_STAGING_COUNTEDRINGS_H
