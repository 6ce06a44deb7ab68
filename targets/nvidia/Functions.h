//===- Functions.h - Functions and conversions of scalars -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_FUNCTIONS_H
#define KILN_TARGETS_NVIDIA_FUNCTIONS_H

#include "kiln/Math/HalfFloats.h"
#include "kiln/Math/TrigFloat32.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::nvidia {

/// A call of an intrinsic of LLVM.
mlir::Value callIntrinsic(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Type type, llvm::StringRef name,
                          mlir::ValueRange operands);

/// Functions of f32 scalars with the instructions that GPUs have for some.
class GpuFloat32 : public functions::TrigFloat32 {
public:
  GpuFloat32(mlir::OpBuilder &b, mlir::Location loc)
      : TrigFloat32(b, loc, "nvidia", /*constantSpace=*/4) {}

  /// e^x to 2 units.
  Value exp(Value x) const override;
  /// 2^x to 2 units; `flush`: subnormal numbers may be zero.
  Value exp2(Value x, bool flush) const;
  /// The logarithm to base 2, with an error of 2^-22 near 1.
  Value log2Fast(Value x) const;
  /// x^y as 2^(y log2 x).
  Value powerFast(Value x, Value y) const;
  /// sin x (`cosine`: cos x), with an error that grows with x.
  Value sineFast(Value x, bool cosine) const;
  /// 1 / sqrt(x) to 2 units.
  Value rsqrt(Value x, bool flush) const;

protected:
  Value reciprocal(Value x) const override;
};

/// The function `nvidia_ipowi_iN` of the module: base^exponent by squaring, of
/// integers of N bits, which wraps. Negative exponents give the truncated
/// quotient, and 0 for base 0.
mlir::LLVM::LLVMFuncOp integerPowerFunction(mlir::ModuleOp module,
                                            mlir::Type type);

/// Replaces a conversion that chips of compute capability `compute` have no
/// instruction for, or one that rounds twice; leaves all other operations.
/// Where the next operation is the same conversion of a float of 8 bits, one
/// instruction does both. Reports what there is no code for.
mlir::LogicalResult lowerConversion(mlir::Operation *op, mlir::OpBuilder &b,
                                    unsigned compute);

/// Whether a type is one of the floats of 8 bits that there is code for:
/// f8E4M3FN and f8E5M2.
bool isFloat8(mlir::Type type);
/// The f32 values of one or two such numbers of one type.
mlir::SmallVector<mlir::Value> widenFloat8(mlir::OpBuilder &b,
                                           mlir::Location loc,
                                           mlir::ValueRange values,
                                           unsigned compute);
/// One or two f32 values rounded to nearest even; beyond the largest number
/// infinity, or NaN in a type without it.
mlir::SmallVector<mlir::Value> narrowFloat8(mlir::OpBuilder &b,
                                            mlir::Location loc,
                                            mlir::ValueRange values,
                                            mlir::Type type, unsigned compute);
/// f64 to f32, so that a second rounding to fewer bits is the only one that
/// counts.
mlir::Value roundToOdd(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value);
/// An integer of 32 or 64 bits as f32, in the same way.
mlir::Value integerToOdd(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value value, bool isSigned);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_FUNCTIONS_H
