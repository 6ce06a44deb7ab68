//===- ExchangeMachine.h - What exchanges cost ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_EXCHANGEMACHINE_H
#define KILN_LIB_GPU_EXCHANGEMACHINE_H

#include "Machine.h"

namespace kiln::simt {

/// Tile moves of a description that serve elements of one width, with what
/// the layouts make of each.
struct TileMoves {
  llvm::SmallVector<target::TileMoveAttr> rows;
  llvm::SmallVector<layout::InstructionTile> tiles;
};

/// The tile moves of one kind for elements of `bits` bits and warps of `lanes`
/// threads, whose home is shared memory. Leaves out rows whose layouts do not
/// tell rows and elements by single bits.
TileMoves tileMovesOf(target::TargetAttr description, target::MoveKind kind,
                      unsigned bits, int64_t lanes);

/// Bytes that a tile move accesses at each address.
int64_t bytesOfAddress(target::TileMoveAttr move);
/// Lanes that give addresses where an instruction moves so many matrices.
int64_t addressLanes(target::TileMoveAttr move, int64_t matrices,
                     int64_t lanes);

/// What exchanges cost on a machine, and what it has for them.
struct ExchangeMachine {
  layout::Banks banks;
  layout::ConversionCosts costs;
  int64_t bytes = 0;     ///< of memory that one exchange takes if it can
  int64_t mostBytes = 0; ///< that it takes at most
  int64_t turnBytes = 0; ///< that nothing else uses; 0: not known
  /// Bytes that one exchange takes where more rounds are all it costs; 0: any.
  int64_t spareBytes = 0;
  /// Of memory that exchanges use in turns, so that fewer wait.
  int64_t getTurnBytes() const { return turnBytes ? turnBytes : bytes / 2; }
  /// Bytes of one word in every bank.
  int64_t getRunBytes() const { return int64_t(banks.count) * banks.bytes; }
  target::TargetAttr description; ///< null: none

  /// Leaves `kept` bytes of the memory to others; the rest is for exchanges.
  void reserve(int64_t kept);

  explicit ExchangeMachine(target::TargetAttr description);
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_EXCHANGEMACHINE_H
