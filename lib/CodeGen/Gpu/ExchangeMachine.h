//===- ExchangeMachine.h - What exchanges cost ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_EXCHANGEMACHINE_H
#define KILN_LIB_GPU_EXCHANGEMACHINE_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Layout/Conversion.h"
#include "kiln/Layout/Shared.h"

namespace kiln::simt {

/// What exchanges cost on a machine, and what it has for them.
struct ExchangeMachine {
  layout::Banks banks;
  layout::ConversionCosts costs;
  double warpBarrier = 10; ///< in the units of `costs`
  int64_t bytes = 0;       ///< of memory that one exchange takes if it can
  int64_t mostBytes = 0;   ///< that it takes at most
  /// Of memory that exchanges use in turns, so that fewer wait.
  int64_t getTurnBytes() const { return bytes / 2; }
  bool loadsMatrices = false, storesMatrices = false;

  /// Shapes in which `simt.load_matrix` and `simt.store_matrix` move elements
  /// of so many bits, the transposed one last.
  static llvm::SmallVector<layout::InstructionTile>
  getMatrixTiles(unsigned bits, int64_t lanes);

  explicit ExchangeMachine(target::TargetAttr description);
};

} // namespace kiln::simt

#endif // KILN_LIB_GPU_EXCHANGEMACHINE_H
