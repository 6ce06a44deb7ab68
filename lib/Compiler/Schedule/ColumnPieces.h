//===- ColumnPieces.h - Blocks of columns in several pieces -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_COLUMNPIECES_H
#define KILN_LIB_SCHEDULE_COLUMNPIECES_H

#include "kiln/Schedule/KernelBuilder.h"

namespace kiln::schedule {

/// A part of a block of columns, with a power of two of them.
struct ColumnPiece {
  int64_t width;
  mlir::Value offset, coord; ///< as those of a dimension
};

/// Returns the pieces of the block of `columns`; one piece where it is a power
/// of two. Of several, the kernel gets as many warps as hold the sums of all.
/// Call this behind `placeGrid`.
llvm::SmallVector<ColumnPiece, 2> findColumnPieces(KernelBuilder &kernel,
                                                   int rows, int columns);

/// Gives tiles along `columns` those of a piece from here on.
void enterPiece(KernelBuilder &kernel, int columns, const ColumnPiece &piece);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_COLUMNPIECES_H
