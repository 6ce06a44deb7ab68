//===- MathFunctions.h - Functions on registers -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_MATHFUNCTIONS_H
#define KILN_LIB_CPU_MATHFUNCTIONS_H

#include "mlir/IR/Builders.h"

namespace kiln::cpu {

/// Code for an operation of `math`, or a call of a function of C, that a plain
/// copy of the operation would not do: polynomials for f32, lane by lane calls
/// of libm for the rest. Null where a copy will do.
mlir::Value emitMathFunction(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::Operation *op, mlir::ValueRange operands,
                             mlir::Type result);

/// base^exponent of integers, which wraps; 0 to a negative power is 0.
mlir::Value emitIntegerPower(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::Value base, mlir::Value exponent);

/// erfc(x) and the cube root of x in f64 to about a unit in the last place,
/// from what libm gives.
mlir::Value refineErfc(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                       mlir::Value rough);
mlir::Value refineCbrt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                       mlir::Value rough);

/// Whether `emitMathFunction` has a polynomial for an operation, and does not
/// call libm.
bool isPolynomial(mlir::Operation *op);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_MATHFUNCTIONS_H
