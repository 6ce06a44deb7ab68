// Sizes of the results of prims as values.
#ifndef KILN_DIALECT_PRIM_SHAPE_H
#define KILN_DIALECT_PRIM_SHAPE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

namespace kiln::prim {

/// The size of dimension `dim` of `tensor`: an attribute if it is static, else
/// a `tensor.dim`.
mlir::OpFoldResult dimSize(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value tensor, int64_t dim);

/// All sizes of `tensor`, as by `dimSize`.
llvm::SmallVector<mlir::OpFoldResult>
dimSizes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

/// The sizes of a result of a prim in terms of the sizes and `sizes` of its
/// operands: attributes where they are static, else index values computed by
/// `tensor.dim` and `arith` before the builder's insertion point. Empty if `op`
/// is not a prim whose shape is known from its operands.
llvm::SmallVector<mlir::OpFoldResult> reifyResultShape(mlir::OpBuilder &builder,
                                                       mlir::Operation *op,
                                                       unsigned result = 0);

} // namespace kiln::prim

#endif // KILN_DIALECT_PRIM_SHAPE_H
