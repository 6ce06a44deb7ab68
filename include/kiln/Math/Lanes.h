//===- Lanes.h - Constants and types shaped like a value --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_MATH_LANES_H
#define KILN_MATH_LANES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

namespace kiln::functions {

/// Makes types and constants of the shape (scalar or vector) of a value.
struct Lanes {
  Lanes(mlir::OpBuilder &b, mlir::Location loc, mlir::Type like)
      : b(b), loc(loc), vector(mlir::dyn_cast<mlir::VectorType>(like)) {}

  mlir::Type type(mlir::Type element) const {
    return vector ? mlir::VectorType::get(vector.getShape(), element) : element;
  }
  mlir::Value constant(mlir::TypedAttr attr) const {
    if (vector)
      attr = mlir::DenseElementsAttr::get(
          mlir::VectorType::get(vector.getShape(), attr.getType()),
          mlir::Attribute(attr));
    return mlir::arith::ConstantOp::create(b, loc, attr);
  }
  mlir::Value i32(int64_t value) const {
    return constant(b.getI32IntegerAttr(value));
  }
  mlir::Value i64(int64_t value) const {
    return constant(b.getI64IntegerAttr(value));
  }
  mlir::Value f32(double value) const {
    return constant(b.getF32FloatAttr(value));
  }

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::VectorType vector;
};

} // namespace kiln::functions

#endif // KILN_MATH_LANES_H
