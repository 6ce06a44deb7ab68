// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the results of prims as values.
#ifndef KILN_DIALECT_PRIM_SHAPE_H
#define KILN_DIALECT_PRIM_SHAPE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include <optional>

namespace kiln::prim {

/// Whether elements are floats of at most 8 bits (of `type` or of a tensor of
/// it), which are kept as they are and computed with in f32.
inline bool isSmallFloat(mlir::Type type) {
  auto element =
      llvm::dyn_cast<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
  return element && element.getWidth() <= 8;
}

/// The product of sizes, or nothing if it does not fit or one of them is `?`.
std::optional<int64_t> checkedProduct(llvm::ArrayRef<int64_t> sizes);

/// Gives the sizes of a tensor: attributes where static, else index values.
using SizesFn =
    llvm::function_ref<llvm::SmallVector<mlir::OpFoldResult>(mlir::Value)>;

/// The size of dimension `dim` of `tensor`: an attribute if it is static, else
/// a `tensor.dim`.
mlir::OpFoldResult dimSize(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value tensor, int64_t dim);

/// All sizes of `tensor`, as by `dimSize`.
llvm::SmallVector<mlir::OpFoldResult>
dimSizes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

/// The sizes among `sizes` that are `?` in `type`, as values: what an operation
/// with `sizes` operands and a result of that type takes.
llvm::SmallVector<mlir::Value>
dynamicSizes(mlir::OpBuilder &builder, mlir::Location loc,
             mlir::RankedTensorType type,
             llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// The sizes of a result of a prim in terms of the sizes of its operands:
/// attributes where the result type is static, else index values made by
/// `tensor.dim` and `arith` (addi, subi, muli, ceildivsi, floordivsi) at the
/// builder's insertion point. The results of `prim.fusion` and `prim.claim`
/// have sizes in terms of the inputs. Empty if `op` is not a prim.
llvm::SmallVector<mlir::OpFoldResult> reifyResultShape(mlir::OpBuilder &builder,
                                                       mlir::Operation *op,
                                                       unsigned result = 0);

/// Returns the value that stands for an index operand where the builder is.
using IndexFn = llvm::function_ref<mlir::Value(mlir::Value)>;

/// The same, with the sizes of operands asked of `sizesOf` and the values of
/// index operands asked of `indexOf`. No other value of the function that holds
/// `op` is used, so that the builder may stand in another function.
llvm::SmallVector<mlir::OpFoldResult>
reifyResultShape(mlir::OpBuilder &builder, mlir::Operation *op, unsigned result,
                 SizesFn sizesOf, IndexFn indexOf);

/// Whether two dimensions are known to have the same size, as both come from
/// the same dimension, index value or constant.
bool sameSize(mlir::Value a, int64_t aDim, mlir::Value b, int64_t bDim);

/// All results, for ReifyRankedShapedTypeOpInterface, which every prim has.
mlir::LogicalResult
reifyResultShapes(mlir::OpBuilder &builder, mlir::Operation *op,
                  mlir::ReifiedRankedShapedTypeDims &shapes);

} // namespace kiln::prim

#endif // KILN_DIALECT_PRIM_SHAPE_H
