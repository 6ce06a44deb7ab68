//===- TrigFloat32.h - Sine, cosine, tangent of any argument ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_MATH_TRIGFLOAT32_H
#define KILN_MATH_TRIGFLOAT32_H

#include "kiln/Math/Float32.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::functions {

/// Functions of f32 scalars whose sine, cosine and tangent hold for every
/// argument. Large ones are reduced by a function that the module gets once, at
/// the level of LLVM's dialect, with a table of the bits of 2 / pi in constant
/// memory (Payne and Hanek, Radian Reduction for Trigonometric Functions,
/// 1983).
class TrigFloat32 : public Float32 {
public:
  /// `prefix` begins the names of the function and the table; `constantSpace`
  /// is the target's address space for constants.
  TrigFloat32(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef prefix,
              unsigned constantSpace)
      : Float32(b, loc, b.getF32Type()), prefix(prefix),
        constantSpace(constantSpace) {}

  /// sin for `quarter` 0, cos for 1.
  Value sine(Value x, int64_t quarter, mlir::ModuleOp module) const;
  Value tangent(Value x, mlir::ModuleOp module) const;

private:
  Turn turnOf(Value x, mlir::ModuleOp module, bool withRest) const;
  /// The function PREFIX_quarter_turn of the module: f32 to a struct of r and
  /// the number of quarter turns, r within 1 unit; NaN for what is not finite.
  /// PREFIX_quarter_turn_rest adds what r lacks.
  mlir::LLVM::LLVMFuncOp functionIn(mlir::ModuleOp module, bool withRest) const;

  llvm::StringRef prefix; ///< a literal
  unsigned constantSpace;
};

} // namespace kiln::functions

#endif // KILN_MATH_TRIGFLOAT32_H
