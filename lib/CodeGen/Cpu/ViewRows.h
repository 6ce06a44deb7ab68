//===- ViewRows.h - Where rows of an operand lie in a view ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_VIEWROWS_H
#define KILN_LIB_CPU_VIEWROWS_H

#include "kiln/Interfaces/ViewAccess.h"
#include <optional>

namespace kiln::cpu {

/// So many rows, or steps, that lie `stride` elements apart.
struct Level {
  int64_t count, stride;
};

/// How the rows and the steps of a left operand lie in a view, outermost level
/// first. Those of a patch of an image are in several levels: lines of
/// positions, positions; lines of the window, its elements and channels.
struct ViewRows {
  ViewAccessOpInterface load;
  llvm::SmallVector<Level> rows, steps;

  int64_t numSteps() const;
  /// From one row of a block to the next.
  int64_t apart() const { return rows.back().stride; }
  /// Rows that lie at one distance: blocks of them must not go beyond.
  int64_t line() const { return rows.back().count; }
  /// The most steps, up to `most`, that divide all steps and whose addresses
  /// are those of whole levels; a multiple of `granule`. 0 if there are none.
  int64_t depthUpTo(int64_t most, int64_t granule) const;
  /// The levels of so many steps; none where addresses are not alike for each
  /// such part of the steps.
  llvm::SmallVector<Level> levelsOf(int64_t depth) const;
};

/// Where a tile of `m` x `k` elements lies that is loaded from a view, as it is
/// or in another shape, with steps of a row side by side.
std::optional<ViewRows> findViewRows(mlir::Value tile);

/// Micro-kernels take rows a limited distance apart, a multiple of the
/// `granule` steps that an instruction takes. Rows whole pages apart would have
/// the same few places of the nearest cache.
bool canReadApart(int64_t stride, int64_t elementBytes, int64_t granule);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_VIEWROWS_H
