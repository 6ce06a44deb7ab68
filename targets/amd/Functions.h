//===- Functions.h - Functions of scalars -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_FUNCTIONS_H
#define KILN_TARGETS_AMD_FUNCTIONS_H

#include "kiln/Math/Float32.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::amd {

/// Functions of f32 scalars with the instructions that AMD's GPUs have for
/// some: v_rcp_f32 and v_rsq_f32 err by 1 unit in the last place (instruction
/// set manuals, "VOP1 Instructions"), for normal numbers.
class AmdFloat32 : public functions::Float32 {
public:
  AmdFloat32(mlir::OpBuilder &b, mlir::Location loc)
      : Float32(b, loc, b.getF32Type()) {}

  /// 1 / sqrt(x) to 1 unit, subnormal numbers included.
  Value rsqrt(Value x) const;
  /// sin for `quarter` 0, cos for 1, everywhere.
  Value sine(Value x, int64_t quarter, mlir::ModuleOp module) const;
  Value tangent(Value x, mlir::ModuleOp module) const;

protected:
  Value reciprocal(Value x) const override;

private:
  Turn turnOf(Value x, mlir::ModuleOp module, bool withRest) const;
};

/// The function `amd_quarter_turn` of the module: f32 to a struct of r and
/// the number of quarter turns for any argument, r within 1 unit; NaN for what
/// is not finite. `amd_quarter_turn_rest` adds what r lacks.
mlir::LLVM::LLVMFuncOp quarterTurnFunction(mlir::ModuleOp module,
                                           bool withRest);

/// The function `amd_power_TYPE` of the module: base^exponent by squaring.
/// `type` is an integer type, of which the exponent is too (the product wraps;
/// negative exponents give the truncated quotient, and 0 for base 0), or f64
/// with an exponent of i32.
mlir::LLVM::LLVMFuncOp powerFunction(mlir::ModuleOp module, mlir::Type type);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_FUNCTIONS_H
