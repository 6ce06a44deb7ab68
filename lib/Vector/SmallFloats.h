//===- SmallFloats.h - 16-bit floats on registers ---------------*- C++ -*-===//

#ifndef KILN_LIB_VECTOR_SMALLFLOATS_H
#define KILN_LIB_VECTOR_SMALLFLOATS_H

#include "mlir/IR/Builders.h"

namespace kiln::vec {

/// The f32 values of bf16 or f16 scalars or vectors.
mlir::Value widenFloat(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value);
/// f32 or f64 values rounded once, to nearest even, to bf16 or f16.
mlir::Value narrowFloat(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value, mlir::Type element);

} // namespace kiln::vec

#endif // KILN_LIB_VECTOR_SMALLFLOATS_H
