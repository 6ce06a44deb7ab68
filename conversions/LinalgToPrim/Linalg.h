// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of structured operations. Private to the conversion.
#ifndef KILN_CONVERSIONS_LINALGTOPRIM_LINALG_H
#define KILN_CONVERSIONS_LINALGTOPRIM_LINALG_H

#include "../TensorToPrim/BodyScope.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace kiln::tensor_to_prim {

void addLinalgRules(Rules &rules);
void addPackRules(Rules &rules);
void addTmTensorRules(Rules &rules);

/// An operand in the iteration space (or in those dimensions of it that `dims`
/// lists), repeated along what its map does not use. A map that is not one of
/// distinct dimensions and constants becomes a gather at computed indices. Null
/// if it needs other dimensions; it has been reported then.
mlir::Value materialize(mlir::Operation *op, mlir::Value operand,
                        mlir::AffineMap map, llvm::ArrayRef<int64_t> dims,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        Translator &e);

/// What an operand stands for outside of the body that is being evaluated: a
/// scalar is not repeated.
mlir::Value operandValue(mlir::Value operand, Translator &e);

/// The sizes of the iteration space.
llvm::FailureOr<Sizes> loopSizes(mlir::linalg::LinalgOp op, Translator &e);

/// Brings a result with the listed loop dimensions to the form its map wants.
llvm::FailureOr<mlir::Value> arrange(mlir::Operation *op, mlir::Value value,
                                     llvm::ArrayRef<int64_t> dims,
                                     mlir::AffineMap map, Translator &e);

/// `combine(out, value)` at the end of a body, in either order; conversions of
/// `out` before it and of its result after it are allowed.
struct Combine {
  mlir::Operation *op = nullptr;
  mlir::Value value, yielded;
};
std::optional<Combine> matchCombine(mlir::linalg::LinalgOp op, unsigned result);

/// Brings bodies such as `out - f(x)`, `(out + f(x)) + g(x)` and
/// `select(c(x), out + f(x), out)` to the form that `matchCombine` finds.
void simplifyCombine(mlir::linalg::LinalgOp op);

/// The loops of an operation and what their body works on.
struct Loops {
  mlir::linalg::LinalgOp op;
  Sizes sizes;
  llvm::SmallVector<int64_t> all, kept, reduced; // dimensions
};

/// Binds the arguments of the body to the operands, in the iteration space.
llvm::LogicalResult
bindOperands(const Loops &loops, BodyScope &scope,
             const llvm::SetVector<mlir::BlockArgument> &needed, Translator &e);

/// Whether a value of a body depends on what it combines with.
bool readsOuts(mlir::linalg::LinalgOp op, mlir::Value value);
/// The init of a result over the dimensions that remain, and their sizes.
mlir::Value startOf(const Loops &loops, unsigned result,
                    llvm::ArrayRef<mlir::OpFoldResult> sizes, Translator &e);
Sizes keptSizes(const Loops &loops);

/// Reduces with a body that keeps one of two candidates. Nothing if it does
/// not.
std::optional<llvm::FailureOr<llvm::SmallVector<mlir::Value>>>
reduceBySelection(const Loops &loops, Translator &e);

/// Reduces with a body that is no sum of its own kind: pairs of a value and its
/// index, or anything else along few steps. The results are over `kept`.
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
reduceTogether(const Loops &loops, Translator &e);

/// Whether adding `value` changes nothing.
bool isZero(mlir::Value value, Translator &e);

/// Sums of products become `prim.dot_general` or `prim.conv`, windows become
/// poolings. Nothing if the operation has another form.
std::optional<llvm::LogicalResult> emitContraction(mlir::linalg::LinalgOp op,
                                                   Translator &e);
std::optional<llvm::LogicalResult> emitWindow(mlir::linalg::LinalgOp op,
                                              Translator &e);

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_LINALGTOPRIM_LINALG_H
