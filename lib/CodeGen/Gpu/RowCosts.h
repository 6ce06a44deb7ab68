//===- RowCosts.h - The time of a product by a matrix instruction -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_ROWCOSTS_H
#define KILN_LIB_GPU_ROWCOSTS_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Interfaces/MatrixProduct.h"

namespace kiln::simt {

/// How instructions of one warp compute a product. One with more rows or
/// columns than the product has multiplies copies of those.
struct RowFit {
  /// The instruction has the product's columns as its rows: its operands are
  /// exchanged and transposed, and so is its result.
  bool isExchanged = false;
  int64_t m = 1, n = 1; ///< rows and columns of the product that it computes
};
/// The fit with fewer instructions; exchanged only where these are fewer.
RowFit fitOf(MatrixProductOpInterface op, target::MatrixInstructionAttr row);

/// The layout of an operand of an instruction (0: lhs, 1: rhs, 2: acc) as a
/// layout of that operand of the product.
LayoutAttr atomOf(target::MatrixInstructionAttr row, int operand,
                  bool isExchanged);

/// Warps along the batches, rows and columns of a product by instructions of
/// one warp. Those beyond compute what others do.
struct WarpGrid {
  int64_t batches = 1, rows = 1, columns = 1;
};
WarpGrid shareOut(MatrixProductOpInterface op,
                  target::MatrixInstructionAttr row,
                  target::TargetAttr description, int64_t warps);

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
  /// Whether both are known, and neither is better.
  bool isLike(const RowCost &other) const {
    return cycles != 0 && cycles == other.cycles &&
           instructions == other.instructions;
  }
};
/// The cost of a row that takes the product.
RowCost costOf(MatrixProductOpInterface op, target::MatrixInstructionAttr row,
               target::TargetAttr description, int64_t warps);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_ROWCOSTS_H
