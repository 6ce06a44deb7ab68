//===- WideLoop.h - Loops over whole tensors as one kernel ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `prim.while` whose tensors have either one element or all the same number,
// and whose body computes each from elements at its own place and from
// reductions to one element: iterations until all elements have converged, for
// example. The kernel carries tensors as tiles, which the code generator
// computes in vectors.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SCHEDULE_WIDELOOP_H
#define KILN_LIB_SCHEDULE_WIDELOOP_H

#include "ElementBuilder.h"
#include "kiln/Schedule/Loops.h"

namespace kiln::schedule {

/// Emits such a loop. Tensors are seen as lines of their elements in row-major
/// order; those of one element are scalars.
class WideLoopBuilder : public ElementBuilder {
public:
  WideLoopBuilder(KernelBuilder &kernel, prim::WhileOp op)
      : ElementBuilder(kernel, op), op(op), known(1) {}

  /// How the loop carries each tensor, if it has the form by its carried types;
  /// else sets `reason`.
  std::optional<llvm::SmallVector<LoopState>> classify();
  /// The loop itself; fails, with a reason, at what has no form on tiles.
  mlir::LogicalResult emitLoop(llvm::ArrayRef<LoopState> states);
  /// Writes the result of that number.
  mlir::LogicalResult storeResult(unsigned number, const Buffer &buffer);

private:
  mlir::LogicalResult emitRegions(mlir::Operation *) override {
    fail("a loop or a condition in a loop over whole tensors");
    return mlir::failure();
  }
  bool isWide(mlir::Value value) const { return numElements(value) != 1; }
  /// The tile of a value, or its scalar.
  mlir::Value tile(mlir::Value value);
  mlir::Value compute(mlir::Operation *op);
  mlir::Value reduceAll(mlir::Operation *op);
  mlir::Value read(mlir::Value value);
  /// The memory of a tensor as a line; nothing where elements lie apart.
  std::optional<Buffer> lineOf(const Buffer &buffer);
  mlir::LogicalResult readFromOutside();

  prim::WhileOp op;
  int64_t size = 0; ///< elements of the tensors that are wide
  std::vector<llvm::DenseMap<mlir::Value, mlir::Value>> known;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_WIDELOOP_H
