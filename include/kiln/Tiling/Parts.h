//===- Parts.h - Instances that share the depth of a block ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TILING_PARTS_H
#define KILN_TILING_PARTS_H

#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace kiln::tiling {

/// How many of `parts` instances have steps to do if each has as many, but the
/// last one.
inline int64_t partsOfSteps(int64_t steps, int64_t parts) {
  if (steps < 1)
    return 1;
  return llvm::divideCeil(
      steps, llvm::divideCeil(steps, std::clamp<int64_t>(parts, 1, steps)));
}

/// Whether the instances that share the depth of a block (partsOfSteps) add up
/// their sums as a cluster, each for as many of its `columns` columns, if so
/// many do at most. A second kernel adds up a product of a single row, as its
/// block may have more rows for the matrix unit.
inline bool addsInCluster(bool isSingleRow, int64_t columns, int64_t parts,
                          int64_t most) {
  constexpr int64_t kLeastColumns = 8;
  return !isSingleRow && parts > 1 && parts <= most &&
         llvm::isPowerOf2_64(parts) && llvm::isPowerOf2_64(columns) &&
         columns / parts >= kLeastColumns;
}

} // namespace kiln::tiling

#endif // KILN_TILING_PARTS_H
