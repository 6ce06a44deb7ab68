//===- RowCosts.h - The time of a product by a matrix instruction -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_ROWCOSTS_H
#define KILN_LIB_GPU_ROWCOSTS_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Interfaces/MatrixProduct.h"

namespace kiln::simt {

/// Warps along the rows and the columns of a product by instructions of one
/// warp. Those beyond compute what others do.
struct WarpGrid {
  int64_t rows = 1, columns = 1;
};
WarpGrid shareOut(MatrixProductOpInterface op,
                  target::MatrixInstructionAttr row, int64_t warps);

/// What a product takes of a block that is alone on its core.
struct RowCost {
  /// Cycles of the units, or of the shared memory that operands are read from,
  /// whichever are more; 0 where the description does not say.
  double cycles = 0;
  int64_t instructions = 0; ///< of a warp

  /// Whether this one is known to be better.
  bool isBetterThan(const RowCost &other) const {
    if (cycles == 0 || other.cycles == 0)
      return false;
    return cycles != other.cycles ? cycles < other.cycles
                                  : instructions < other.instructions;
  }
};
/// The cost of a row that takes the product.
RowCost costOf(MatrixProductOpInterface op, target::MatrixInstructionAttr row,
               target::TargetAttr description, int64_t warps);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_ROWCOSTS_H
