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

/// A tensor of more elements is worth launches of their own, which all
/// processors share.
inline constexpr int64_t kMostElements = 4096;

/// Emits such a loop. Tensors are seen as lines of their elements in row-major
/// order; those of one element are scalars.
class WideLoopBuilder : public ElementBuilder {
public:
  /// `sharesTiles`: several threads have a tile together.
  WideLoopBuilder(KernelBuilder &kernel, prim::WhileOp op, bool sharesTiles)
      : ElementBuilder(kernel, op), op(op), sharesTiles(sharesTiles), known(1) {
  }

  /// How the loop carries each tensor, if it has the form by its carried types;
  /// else sets `reason`.
  virtual std::optional<llvm::SmallVector<LoopState>> classify();
  /// The loop itself; fails, with a reason, at what has no form on tiles.
  /// `memories` has a buffer for each tensor that is carried in memory.
  mlir::LogicalResult emitLoop(llvm::ArrayRef<LoopState> states,
                               llvm::ArrayRef<Buffer> memories);
  /// Writes the result of that number.
  mlir::LogicalResult storeResult(unsigned number, const Buffer &buffer);

protected:
  mlir::LogicalResult emitRegions(mlir::Operation *) override {
    fail("a loop or a condition in a loop over whole tensors");
    return mlir::failure();
  }
  bool isWide(mlir::Value value) const { return numElements(value) != 1; }
  /// The tile of a value, or its scalar.
  mlir::Value tile(mlir::Value value);
  /// The shape of the tile that stands for a wide tensor; nothing where there
  /// is none.
  virtual std::optional<llvm::SmallVector<int64_t>>
  tileShape(mlir::Value value) const;
  virtual mlir::Value compute(mlir::Operation *op);
  /// An elementwise operation on tiles.
  mlir::Value elementwise(mlir::Operation *op);
  mlir::Value refuse(mlir::Operation *op) {
    return fail("no form of " + op->getName().getStringRef() +
                " on whole tensors");
  }
  /// `from` in the type that its elements are combined in, and back.
  mlir::Value widen(mlir::Value from, mlir::Type element);
  mlir::Value narrowed(mlir::Value scalarOrTile, mlir::Type element);
  /// What a buffer holds, as the tile of a wide tensor.
  virtual mlir::Value readTile(const Buffer &buffer, mlir::Value value);
  virtual void writeTile(mlir::Value tile, const Buffer &buffer);
  /// Whether what comes from outside is read before the loop, and not where it
  /// is used.
  virtual bool isReadOnce(mlir::Value value) const { return true; }
  /// Writes the updates of what lies in memory, at the end of an iteration.
  virtual mlir::LogicalResult emitUpdates(llvm::ArrayRef<LoopState>,
                                          llvm::ArrayRef<Buffer>) {
    return mlir::success();
  }

  /// Whether scalars are slower than tiles if the largest tensor has as many
  /// elements: half a register of f32 where a thread has a tile alone.
  bool isWorthTiles(int64_t elements) const {
    return elements >= (sharesTiles ? 16 : 8) && elements <= mostElements();
  }
  virtual int64_t mostElements() const { return kMostElements; }

  prim::WhileOp op;
  const bool sharesTiles;

private:
  mlir::Value reduceAll(mlir::Operation *op);
  mlir::Value read(mlir::Value value);
  /// The memory of a tensor as a line; nothing where elements lie apart.
  std::optional<Buffer> lineOf(const Buffer &buffer);
  mlir::LogicalResult readFromOutside();

  int64_t size = 0; ///< elements of the tensors that are wide
  std::vector<llvm::DenseMap<mlir::Value, mlir::Value>> known;
};

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_WIDELOOP_H
