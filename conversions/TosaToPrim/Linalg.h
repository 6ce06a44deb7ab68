// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of structured operations. Private to the conversion.
#ifndef KILN_CONVERSIONS_TOSATOPRIM_LINALG_H
#define KILN_CONVERSIONS_TOSATOPRIM_LINALG_H

#include "Translator.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace kiln::tosa_to_prim {

/// Evaluates values of a region for all points of an iteration space at once.
/// What it translated is forgotten when it ends.
class BodyScope {
public:
  BodyScope(Translator &e, mlir::Region &region, Sizes sizes);
  ~BodyScope();

  /// The tensor that stands for an argument of the body.
  void bind(mlir::Value argument, mlir::Value value);
  /// The index along one dimension of the iteration space.
  mlir::Value index(int64_t dim);
  /// Makes the indices along a dimension begin at `start`.
  void startAt(int64_t dim, int64_t start) {
    body.starts.resize(body.sizes.size(), 0);
    body.starts[dim] = start;
  }
  /// The translation of a value of the region and of what it needs.
  llvm::FailureOr<mlir::Value> evaluate(mlir::Value value);

private:
  Translator &e;
  Translator::Body body, *outer;
  llvm::SmallVector<mlir::Value> known;
};

/// The operations of the body that a value needs, in order, and the arguments.
/// What is given needs nothing.
struct Slice {
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<mlir::BlockArgument> arguments;
};
Slice sliceOf(mlir::Value value, mlir::Region &region,
              llvm::function_ref<bool(mlir::Value)> isGiven = {});

/// An operand in the iteration space (or in those dimensions of it that `dims`
/// lists), repeated along what its map does not use. A map that is not one of
/// distinct dimensions and constants becomes a gather at computed indices. Null
/// if it needs other dimensions; it has been reported then.
mlir::Value materialize(mlir::Operation *op, mlir::Value operand,
                        mlir::AffineMap map, llvm::ArrayRef<int64_t> dims,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        Translator &e);

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

} // namespace kiln::tosa_to_prim

#endif // KILN_CONVERSIONS_TOSATOPRIM_LINALG_H
