//===- Accumulation.h - How an operation accumulates ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_ACCUMULATION_H
#define KILN_INTERFACES_ACCUMULATION_H

#include "kiln/Interfaces/ExactResult.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln {

/// What one element of a result accumulates.
struct Accumulation {
  /// Roundings besides those of the sums; 0 without sums: exact.
  int64_t roundings = 1;
  /// One entry per sum (or product) that the element goes through: the sizes
  /// of the dimensions that are summed, ShapedType::kDynamic where they are not
  /// known.
  llvm::SmallVector<llvm::SmallVector<int64_t, 2>, 1> sums;
  /// The terms are added in ascending order; else in any order, and the error
  /// is bounded by c * terms * eps * sum of |terms|.
  bool isOrdered = false;

  static Accumulation exact() { return {0, {}, false}; }
  static Accumulation sumOver(llvm::ArrayRef<int64_t> sizes,
                              int64_t roundings = 0, bool isOrdered = false) {
    Accumulation result{roundings, {}, isOrdered};
    result.sums.emplace_back(sizes.begin(), sizes.end());
    return result;
  }
};

} // namespace kiln

#include "kiln/Interfaces/Accumulation.h.inc"

namespace kiln {

/// What `op` accumulates: by the interface or the trait, else one rounding.
Accumulation getAccumulation(mlir::Operation *op);

} // namespace kiln

#endif // KILN_INTERFACES_ACCUMULATION_H
