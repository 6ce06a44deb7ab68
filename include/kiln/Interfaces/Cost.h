//===- Cost.h - What an operation costs, how it accumulates -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_COST_H
#define KILN_INTERFACES_COST_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir {
class MLIRContext;
} // namespace mlir

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

/// Marks operations that round nothing, see Cost.td.
template <typename ConcreteType>
class ExactResult : public mlir::OpTrait::TraitBase<ConcreteType, ExactResult> {
};

} // namespace kiln

#include "kiln/Interfaces/Cost.h.inc"

namespace kiln {

/// Simple instructions per element of the result, operands not counted: by the
/// interface; 1 for elementwise operations without it, 0 for others, which only
/// move elements.
double getElementOperations(mlir::Operation *op);

/// What `op` accumulates: by the interface or the trait, else one rounding.
Accumulation getAccumulation(mlir::Operation *op);

/// Gives the operations of arith and math whose cost is not that of an addition
/// their models. Called where a dialect that uses them is loaded.
void attachUpstreamModels(mlir::MLIRContext *context);

} // namespace kiln

#endif // KILN_INTERFACES_COST_H
