// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that work on each element by itself. Private to the dialect.
#ifndef KILN_LIB_TRANSFORMS_PRIM_POINTWISE_H
#define KILN_LIB_TRANSFORMS_PRIM_POINTWISE_H

#include "kiln/Dialect/Prim/Prim.h"

namespace kiln::prim {

/// The operands that have the shape of the result, if each element of the
/// result depends on the same element of those alone; empty for other
/// operations.
mlir::OperandRange pointwiseOperands(mlir::Operation *op);

/// Whether `op` is such an operation.
inline bool isPointwise(mlir::Operation *op) {
  return op && !pointwiseOperands(op).empty();
}

/// The same operation on operands of another shape.
mlir::Value rebuildPointwise(mlir::OpBuilder &builder, mlir::Operation *op,
                             mlir::ValueRange operands);

} // namespace kiln::prim

#endif // KILN_LIB_TRANSFORMS_PRIM_POINTWISE_H
