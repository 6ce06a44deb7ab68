//===- Functions.h - Functions of scalars -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_FUNCTIONS_H
#define KILN_TARGETS_AMD_FUNCTIONS_H

#include "kiln/Math/TrigFloat32.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::amd {

/// Functions of f32 scalars with the instructions that AMD's GPUs have for
/// some: v_rcp_f32 and v_rsq_f32 err by 1 unit in the last place (instruction
/// set manuals, "VOP1 Instructions"), for normal numbers.
class AmdFloat32 : public functions::TrigFloat32 {
public:
  AmdFloat32(mlir::OpBuilder &b, mlir::Location loc)
      : TrigFloat32(b, loc, "amd", /*constantSpace=*/4) {}

  /// 1 / sqrt(x) to 1 unit, subnormal numbers included.
  Value rsqrt(Value x) const;

protected:
  Value reciprocal(Value x) const override;
};

/// The function `amd_power_TYPE` of the module: base^exponent by squaring.
/// `type` is an integer type, of which the exponent is too (the product wraps;
/// negative exponents give the truncated quotient, and 0 for base 0), or f64
/// with an exponent of i32.
mlir::LLVM::LLVMFuncOp powerFunction(mlir::ModuleOp module, mlir::Type type);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_FUNCTIONS_H
