// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What products and convolutions share. Private to the conversion.
#ifndef KILN_CONVERSIONS_STABLEHLOTOPRIM_PRODUCTS_H
#define KILN_CONVERSIONS_STABLEHLOTOPRIM_PRODUCTS_H

#include "Rules.h"

namespace kiln::stablehlo_to_prim {

/// Dimensions of a product that are matched.
struct Dot {
  llvm::SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
  /// Whether 8-bit floats may be summed with few bits.
  bool allowsImprecise = false;
};
llvm::LogicalResult translateDot(mlir::Operation *op, mlir::Value lhs,
                                 mlir::Value rhs, const Dot &dot,
                                 Translator &e);

/// Brings operands to types that prim multiplies; `sum` is what it adds in to
/// give elements of type `result`.
void bringToSum(mlir::Value &lhs, mlir::Value &rhs, mlir::Type &sum,
                mlir::Type lhsSource, mlir::Type rhsSource, mlir::Type result,
                Translator &e);

} // namespace kiln::stablehlo_to_prim

#endif // KILN_CONVERSIONS_STABLEHLOTOPRIM_PRODUCTS_H
