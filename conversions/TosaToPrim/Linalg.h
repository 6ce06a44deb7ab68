// Bodies of structured operations. Private to the conversion.
#ifndef KILN_CONVERSIONS_TOSATOPRIM_LINALG_H
#define KILN_CONVERSIONS_TOSATOPRIM_LINALG_H

#include "Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace kiln::tosa_to_prim {

/// Evaluates values of a region for all points of an iteration space at once.
/// What it translated is forgotten when it ends.
class BodyScope {
public:
  BodyScope(Emitter &e, mlir::Region &region, Sizes sizes);
  ~BodyScope();

  /// The tensor that stands for an argument of the body.
  void bind(mlir::Value argument, mlir::Value value);
  /// The index along one dimension of the iteration space.
  mlir::Value index(int64_t dim);
  /// The translation of a value of the region and of what it needs.
  llvm::FailureOr<mlir::Value> evaluate(mlir::Value value);

private:
  Emitter &e;
  Emitter::Body body, *outer;
  llvm::SmallVector<mlir::Value> known;
};

/// The operations of the body that a value needs, in order, and the arguments.
struct Slice {
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<mlir::BlockArgument> arguments;
};
Slice sliceOf(mlir::Value value, mlir::Region &region);

/// An operand in the iteration space (or in those dimensions of it that `dims`
/// lists), repeated along what its map does not use. Null if the map is not
/// one of distinct dimensions and zeros; it has been reported then.
mlir::Value materialize(mlir::Operation *op, mlir::Value operand,
                        mlir::AffineMap map, llvm::ArrayRef<int64_t> dims,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes, Emitter &e);

/// The sizes of the iteration space.
llvm::FailureOr<Sizes> loopSizes(mlir::linalg::LinalgOp op, Emitter &e);

/// Brings a result with the listed loop dimensions to the form its map wants.
llvm::FailureOr<mlir::Value> arrange(mlir::Operation *op, mlir::Value value,
                                     llvm::ArrayRef<int64_t> dims,
                                     mlir::AffineMap map, Emitter &e);

/// `combine(out, value)` at the end of a body, in either order.
struct Combine {
  mlir::Operation *op = nullptr;
  mlir::Value value;
};
std::optional<Combine> matchCombine(mlir::linalg::LinalgOp op, unsigned result);

/// Whether adding `value` changes nothing.
bool isZero(mlir::Value value, Emitter &e);

/// Sums of products become `prim.dot_general` or `prim.conv`, windows become
/// poolings. Nothing if the operation has another form.
std::optional<llvm::LogicalResult> emitContraction(mlir::linalg::LinalgOp op,
                                                   Emitter &e);
std::optional<llvm::LogicalResult> emitWindow(mlir::linalg::LinalgOp op,
                                              Emitter &e);

} // namespace kiln::tosa_to_prim

#endif // KILN_CONVERSIONS_TOSATOPRIM_LINALG_H
