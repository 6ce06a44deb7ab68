// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of operations, such as those of linalg.generic and tensor.generate.
// Private to the conversions of functions on tensors.
#ifndef KILN_CONVERSIONS_TENSORTOPRIM_BODYSCOPE_H
#define KILN_CONVERSIONS_TENSORTOPRIM_BODYSCOPE_H

#include "Translator.h"

namespace kiln::tensor_to_prim {

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

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_TENSORTOPRIM_BODYSCOPE_H
