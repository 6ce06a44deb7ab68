// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds prims in the midst of a rewrite. Private to the dialect.
#ifndef KILN_LIB_TRANSFORMS_PRIM_PRIMBUILDER_H
#define KILN_LIB_TRANSFORMS_PRIM_PRIMBUILDER_H

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Dialect/Prim/Shape.h"

#include "mlir/IR/PatternMatch.h"

namespace kiln::prim {

using TensorValue = mlir::TypedValue<mlir::RankedTensorType>;

/// Builds prims at one location; operands decide shapes and types.
class PrimBuilder {
public:
  PrimBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// The type in which composites of this type compute: f32 or wider.
  static mlir::FloatType computeType(mlir::Type element);

  /// An elementwise operation whose result has the type of its operands.
  template <typename Op> mlir::Value map(mlir::Value operand) {
    return Op::create(builder, loc, operand.getType(), operand);
  }
  template <typename Op> mlir::Value map(mlir::Value lhs, mlir::Value rhs) {
    return Op::create(builder, loc, lhs.getType(), lhs, rhs);
  }
  template <typename Op> mlir::Value map(mlir::Value lhs, double rhs) {
    return map<Op>(lhs, splatLike(lhs, rhs));
  }

  /// A reduction over `dims`.
  template <typename Op>
  mlir::Value reduce(mlir::Value operand, llvm::ArrayRef<int64_t> dims) {
    return Op::create(builder, loc, reducedType(operand, dims), operand, dims);
  }

  /// `value` everywhere, in the type of `like`.
  mlir::Value splatLike(mlir::Value like, double value);

  /// `operand` in another element type.
  mlir::Value convert(mlir::Value operand, mlir::Type element);

  /// Dimension i of `operand` becomes dimension dims[i] of the shape of `like`.
  mlir::Value broadcastTo(mlir::Value operand, mlir::Value like,
                          llvm::ArrayRef<int64_t> dims);

  /// Undoes the shape change of a reduction of `like` over `dims`.
  mlir::Value broadcastReduced(mlir::Value reduced, mlir::Value like,
                               llvm::ArrayRef<int64_t> dims);

  /// The number of elements that a reduction of `like` over `dims` combines, in
  /// the type of `reduced`.
  mlir::Value countLike(mlir::Value reduced, mlir::Value like,
                        llvm::ArrayRef<int64_t> dims);

  mlir::Value transpose(mlir::Value operand,
                        llvm::ArrayRef<int64_t> permutation);

  /// A reshape to these sizes; static ones become part of the type.
  mlir::Value reshape(mlir::Value operand,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes);

  /// A reshape to this type, whose open sizes are those of `sizes`, known or
  /// not: what replaces an operation keeps its type.
  mlir::Value reshape(mlir::Value operand, mlir::RankedTensorType type,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes);

  /// The product of sizes.
  mlir::OpFoldResult product(llvm::ArrayRef<mlir::OpFoldResult> sizes);

  llvm::SmallVector<mlir::OpFoldResult> sizes(mlir::Value tensor) {
    return dimSizes(builder, loc, tensor);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  mlir::RankedTensorType reducedType(mlir::Value operand,
                                     llvm::ArrayRef<int64_t> dims);
};

} // namespace kiln::prim

#endif // KILN_LIB_TRANSFORMS_PRIM_PRIMBUILDER_H
