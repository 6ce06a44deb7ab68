// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant folding that several families share. Private to the dialect.
#ifndef KILN_DIALECTS_PRIM_FOLDS_H
#define KILN_DIALECTS_PRIM_FOLDS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace kiln::prim::fold {

/// Constants with more elements than this, other than splats, are not folded:
/// computing them belongs into a kernel.
inline constexpr int64_t maxElements = 4096;

using FloatFn = llvm::function_ref<std::optional<llvm::APFloat>(
    llvm::ArrayRef<llvm::APFloat>)>;
using IntFn =
    llvm::function_ref<std::optional<llvm::APInt>(llvm::ArrayRef<llvm::APInt>)>;

/// Computes each element from the operands' elements. Null if an operand is not
/// a dense constant, the constant is too large, or a function gives nothing.
mlir::Attribute
elements(mlir::ShapedType result, llvm::ArrayRef<mlir::Attribute> operands,
         llvm::function_ref<mlir::Attribute(llvm::ArrayRef<mlir::Attribute>)>
             function);

/// The same with values; `result` has the element type of the operands.
mlir::Attribute elements(mlir::ShapedType result,
                         llvm::ArrayRef<mlir::Attribute> operands,
                         FloatFn floats, IntFn integers = nullptr);

/// A function computed in double and rounded to the element type; folds only if
/// an error of a few units in double cannot change the rounded result.
mlir::Attribute viaDouble(mlir::ShapedType result, mlir::Attribute operand,
                          double (*function)(double));

/// A double in the format of another number, rounded.
llvm::APFloat numberLike(const llvm::APFloat &like, double value);

/// Whether `operand`, with the constant `attribute` if it is one, is exactly
/// this value everywhere (the sign of zero counts).
bool isSplat(mlir::Value operand, mlir::Attribute attribute, double value);

} // namespace kiln::prim::fold

#endif // KILN_DIALECTS_PRIM_FOLDS_H
