// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 bits in lowerings that compute with more.
#ifndef KILN_MATH_HALFFLOATS_H
#define KILN_MATH_HALFFLOATS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace kiln {

/// Whether a type is f16 or bf16, for which functions are computed in f32.
inline bool isHalf(mlir::Type type) {
  return mlir::isa<mlir::Float16Type, mlir::BFloat16Type>(type);
}

/// A float, or a vector of floats, as one of another type: extended, rounded to
/// nearest even, or as it is.
inline mlir::Value castFloat(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::Value value, mlir::Type type) {
  if (value.getType() == type)
    return value;
  unsigned from =
      mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  if (from < mlir::getElementTypeOrSelf(type).getIntOrFloatBitWidth())
    return mlir::arith::ExtFOp::create(b, loc, type, value);
  return mlir::arith::TruncFOp::create(b, loc, type, value);
}

} // namespace kiln

#endif // KILN_MATH_HALFFLOATS_H
