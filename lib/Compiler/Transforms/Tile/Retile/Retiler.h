//===- Retiler.h - Steps of changing block sizes ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TRANSFORMS_TILE_RETILER_H
#define KILN_LIB_TRANSFORMS_TILE_RETILER_H

#include "kiln/Analysis/IterationSpace.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "mlir/IR/Builders.h"
#include <functional>
#include <string>

namespace kiln::tile {

/// An old and a new block size.
struct BlockChange {
  int64_t from = 1, to = 1;
  bool changes() const { return from != to; }
};

/// Rewrites the body of one kernel, which nothing else uses meanwhile: after a
/// failure it is in no particular state.
class Retiler {
public:
  /// `isCount` says whether a scalar parameter is, in every launch, the number
  /// of blocks of a size that cover something.
  Retiler(Kernel kernel, std::string &why,
          std::function<bool(unsigned parameter, int64_t block)> isCount)
      : kernel(kernel), why(why), isCount(std::move(isCount)) {}

  mlir::LogicalResult run(llvm::ArrayRef<int64_t> sizes);

  const IterationSpace &getSpace() const { return space; }
  BlockChange getChange(unsigned dim) const { return changes[dim]; }
  bool changesAnything() const;

private:
  mlir::LogicalResult fail(const llvm::Twine &reason);
  void splitShapeless();
  mlir::LogicalResult setSizes(llvm::ArrayRef<int64_t> sizes);

  // Padding that appears where the old blocks had none.
  mlir::LogicalResult checkPadding(unsigned dim);

  // Index arithmetic.
  bool isScaled(unsigned dim) const;
  bool isScaled(const index::Expr &form) const;
  mlir::FailureOr<mlir::Value> materialize(mlir::OpBuilder &builder,
                                           mlir::Location loc,
                                           const index::Expr &form);
  mlir::LogicalResult rewriteAccess(const ViewAccess &access);
  /// Rewrites the scalar that fills the tile of `op`.
  mlir::LogicalResult rewriteFill(mlir::Operation *op, mlir::Value fill);

  // Bounds.
  mlir::LogicalResult rewriteLoop(unsigned dim);
  mlir::LogicalResult rewriteRasters();
  /// The number of new blocks for a value that counts old ones, in its type;
  /// null if what it covers is not known.
  mlir::Value recountValue(mlir::Value count, BlockChange change,
                           std::optional<int64_t> extent);

  void rewriteTypes();

  Kernel kernel;
  std::string &why;
  std::function<bool(unsigned, int64_t)> isCount;
  IterationSpace space;
  llvm::SmallVector<BlockChange> changes;
};

/// How many blocks of the new size do what `count` blocks of the old size did
/// over `extent` elements (or an unknown number of them), if that is exact.
std::optional<int64_t> recount(int64_t count, BlockChange change,
                               std::optional<int64_t> extent);

/// The value that `count` is the quotient of, rounded up, by `block`.
mlir::Value matchCeilDiv(mlir::Value count, int64_t block);

/// The static extent of an iteration dimension.
std::optional<int64_t> getStaticExtent(const IterationDim &dim);

/// True if every launch of `kernel`, and there is one, passes ceildiv(x, block)
/// for the scalar `parameter`.
bool isCountInLaunches(KernelOp kernel, unsigned parameter, int64_t block);

/// Scales the grids of the launches of `kernel` around it, or leaves a note on
/// the kernel. Checks everything before it changes anything.
mlir::LogicalResult retileLaunches(KernelOp kernel, const Retiler &retiler,
                                   std::string &why);

} // namespace kiln::tile

#endif // KILN_LIB_TRANSFORMS_TILE_RETILER_H
