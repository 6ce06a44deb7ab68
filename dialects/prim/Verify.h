// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the verifiers of several families share. Private to the dialect.
#ifndef KILN_DIALECTS_PRIM_VERIFY_H
#define KILN_DIALECTS_PRIM_VERIFY_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace kiln::prim::check {

/// Whether two sizes may be equal: `?` is compatible with everything.
inline bool compatible(int64_t a, int64_t b) {
  return mlir::ShapedType::isDynamic(a) || mlir::ShapedType::isDynamic(b) ||
         a == b;
}

/// "[2, ?, 3]".
std::string printShape(llvm::ArrayRef<int64_t> shape);

/// Each of `dims` lies in [0, rank), and none repeats.
mlir::LogicalResult verifyDims(mlir::Operation *op, llvm::StringRef what,
                               llvm::ArrayRef<int64_t> dims, int64_t rank);

/// `dim` lies in [0, rank).
mlir::LogicalResult verifyDim(mlir::Operation *op, llvm::StringRef what,
                              int64_t dim, int64_t rank);

/// `values` has `count` entries, none smaller than `least`.
mlir::LogicalResult verifyList(mlir::Operation *op, llvm::StringRef what,
                               llvm::ArrayRef<int64_t> values, int64_t count,
                               int64_t least);

/// The shape of `found` is compatible with `expected`.
mlir::LogicalResult verifyShape(mlir::Operation *op, llvm::StringRef what,
                                llvm::ArrayRef<int64_t> expected,
                                mlir::RankedTensorType found);

/// The element type of `found` is `expected`.
mlir::LogicalResult verifyElement(mlir::Operation *op, llvm::StringRef what,
                                  mlir::Type expected,
                                  mlir::RankedTensorType found);

/// There is one size operand for each `?` of the result type.
mlir::LogicalResult verifySizes(mlir::Operation *op, size_t sizes,
                                mlir::RankedTensorType result);

/// `unsigned`, where it is there, is for integers of more than one bit (of the
/// first operand).
mlir::LogicalResult verifyUnsigned(mlir::Operation *op);

/// The element type of a sum of products: see `prim.dot_general`.
mlir::LogicalResult verifySumType(mlir::Operation *op, mlir::Type lhs,
                                  mlir::Type rhs, mlir::Type result);

/// A window along one dimension.
struct Window {
  int64_t size;
  int64_t stride = 1;
  int64_t padLow = 0;
  int64_t padHigh = 0;
  int64_t dilation = 1;
  int64_t inputDilation = 1;
};

/// The number of positions of a window over `size` elements; `?` of `?`.
/// Nothing if the window does not fit or a number overflows.
std::optional<int64_t> windowPositions(int64_t size, const Window &window);

} // namespace kiln::prim::check

#endif // KILN_DIALECTS_PRIM_VERIFY_H
