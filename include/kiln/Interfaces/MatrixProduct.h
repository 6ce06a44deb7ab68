//===- MatrixProduct.h - Matrix products of tiles ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_MATRIXPRODUCT_H
#define KILN_INTERFACES_MATRIXPRODUCT_H

#include "kiln/Interfaces/IndexMap.h"

namespace kiln {

/// How f32 operands of a product are read: all bits, 10 bits of mantissa, or as
/// sums of parts.
enum class ProductPrecision { IEEE, TF32, TF32x3, BF16x3, BF16x6 };

/// A number of imprecise terms that stands for all terms, also those of other
/// iterations of a loop that carries the sum.
inline constexpr int64_t kAllTermsImprecise = int64_t(1) << 30;

} // namespace kiln

#include "kiln/Interfaces/MatrixProduct.h.inc"

namespace kiln {

/// Which dimension of each tile of a product is what; -1 where there is none.
struct ProductShape {
  int resultRow, resultColumn;
  int lhsRow, lhsSummed;
  int rhsSummed, rhsColumn;
  int resultBatch = -1, lhsBatch = -1, rhsBatch = -1;

  /// True for [b,] m x k times [b,] k x n.
  bool isRowMajor() const;
};

/// Reads the dimensions of a product off its index maps. Nothing for products
/// that do not have exactly one row, column and summed dimension and at most
/// one batch dimension, or an accumulator that is not read where it is written.
std::optional<ProductShape> getProductShape(MatrixProductOpInterface product);

} // namespace kiln

#endif // KILN_INTERFACES_MATRIXPRODUCT_H
