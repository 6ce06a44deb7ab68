//===- SizeExpressions.h - Sizes of buffers as products ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TRANSFORMS_PROGRAM_SIZEEXPRESSIONS_H
#define KILN_LIB_TRANSFORMS_PROGRAM_SIZEEXPRESSIONS_H

#include "kiln/Dialect/Program/Program.h"
#include "kiln/Index/Math.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace kiln::program {

/// Brings the sizes of buffers to one point of a host program, where they are
/// expressed over what is known there.
class SizeExpressions {
public:
  /// Expressions are made right before `point`.
  explicit SizeExpressions(mlir::Operation *point) : point(point) {}

  /// The size of a buffer in bytes, a number times a product of values, or
  /// nothing when it is not known at the point.
  std::optional<index::Expr> bytesOf(AllocOp alloc);

  index::Symbols symbols;

private:
  mlir::Value hoist(mlir::Value value);
  mlir::Value compute(mlir::Value value);
  mlir::Value sizeOf(mlir::Value buffer, int64_t dim);
  mlir::Value constant(int64_t value);
  bool isKnown(mlir::Operation *op);

  mlir::Operation *point;
  llvm::DenseMap<mlir::Value, mlir::Value> known;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> sizes;
  llvm::DenseMap<int64_t, mlir::Value> constants;
};

} // namespace kiln::program

#endif // KILN_LIB_TRANSFORMS_PROGRAM_SIZEEXPRESSIONS_H
