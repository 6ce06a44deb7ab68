//===- Divisions.h - Divisions of integers without traps --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A division of integers by 0, or of the smallest number by -1, is poison for
// `tile`: it may have any result, but must not trap. Some machines trap, and
// for LLVM such a program has no meaning.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_MATH_DIVISIONS_H
#define KILN_MATH_DIVISIONS_H

#include "mlir/IR/Builders.h"

namespace kiln::functions {

/// Emits a quotient or remainder, of scalars or vectors, that never traps.
/// `division` is the operation of `arith` with this meaning. `divide` emits the
/// division for a safe divisor.
///
/// The safe divisor depends on `divisor` alone, not on `dividend`, so that
/// machines without a division instruction prepare it once for all elements
/// that it divides. For a divisor of -1 the quotient is the negated dividend,
/// which wraps.
mlir::Value
emitDefinedDivision(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::Operation *division, mlir::Value dividend,
                    mlir::Value divisor,
                    llvm::function_ref<mlir::Value(mlir::Value)> divide);

/// Returns true for a quotient or a remainder of integers.
bool isDivision(mlir::Operation *op);

} // namespace kiln::functions

#endif // KILN_MATH_DIVISIONS_H
