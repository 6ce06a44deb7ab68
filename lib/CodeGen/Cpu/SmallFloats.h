//===- SmallFloats.h - 16-bit floats on registers ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_SMALLFLOATS_H
#define KILN_LIB_CPU_SMALLFLOATS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace kiln::cpu {

/// True for bf16 and f16. Registers hold their bits as i16: few machines move
/// such elements about, and LLVM would convert them for every shuffle.
inline bool isSmallFloat(mlir::Type type) {
  return mlir::isa<mlir::BFloat16Type, mlir::Float16Type>(
      mlir::getElementTypeOrSelf(type));
}
/// The type of register elements that stand for elements of type `element`.
inline mlir::Type registerElement(mlir::Type element) {
  return isSmallFloat(element)
             ? mlir::Type(mlir::IntegerType::get(element.getContext(), 16))
             : element;
}

/// The f32 values of the bits of bf16 or f16 elements.
mlir::Value widenFloat(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value, mlir::Type element);
/// The bits of f32 or f64 values rounded once, to nearest even, to bf16 or f16.
mlir::Value narrowFloat(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, mlir::Type element);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_SMALLFLOATS_H
