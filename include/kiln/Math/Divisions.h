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

/// Emits the quotient or remainder that `division` stands for, on scalars or
/// vectors, so that no operands trap. `divide` emits it for a divisor.
///
/// What is divided by depends on `divisor` alone, not on `dividend`: machines
/// without an instruction for divisions then prepare a divisor once for all
/// elements that it divides. Where the divisor is -1, the quotient is the
/// dividend's negative, which wraps.
mlir::Value
emitDefinedDivision(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::Operation *division, mlir::Value dividend,
                    mlir::Value divisor,
                    llvm::function_ref<mlir::Value(mlir::Value)> divide);

/// Whether an operation is a division of integers: a quotient or a remainder.
bool isDivision(mlir::Operation *op);

} // namespace kiln::functions

#endif // KILN_MATH_DIVISIONS_H
