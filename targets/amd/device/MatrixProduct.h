// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrix instructions by vector code of the host.
#ifndef KILN_TARGETS_AMD_DEVICE_MATRIXPRODUCT_H
#define KILN_TARGETS_AMD_DEVICE_MATRIXPRODUCT_H

#include "MatrixValues.h"

namespace kiln::amd::sim {

/// A block of results with 16 or 32 columns, of f32 or i32, and its operands as
/// lanes hold them. Elements of a row are in consecutive lanes of a register.
struct RowProduct {
  unsigned m, n, k;
  bool isInteger;
  /// For each step of the summed dimension: a column of the lhs, a row of the
  /// rhs.
  const double *lhs[kMostSummed], *rhs[kMostSummed];
  /// Rows of the accumulator, null if all its elements are `constant`.
  const uint32_t *from[32];
  uint32_t constant;
  uint32_t *to[32]; ///< rows of results: those of the accumulator, or others
};

/// Sums in f64, one step of the summed dimension after the other, and rounds
/// once, as `Product` does. Products of elements are exact in f64.
void multiplyRows(const RowProduct &product);

} // namespace kiln::amd::sim

#endif
