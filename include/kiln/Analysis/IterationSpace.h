//===- IterationSpace.h - What a kernel iterates over -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recovers, from a kernel, the dimensions that it iterates over (grid axes,
// digits of a rastered linear id, loops), how every load and store moves with
// them, and which dimension of which tile belongs to which of them. Targets use
// it to recognise a kernel and to ask for other block sizes (see Retile.h).
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_ITERATIONSPACE_H
#define KILN_ANALYSIS_ITERATIONSPACE_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Index/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <string>

namespace kiln::tile {

/// One dimension of the iteration space.
struct IterationDim {
  enum Kind { Parallel, Reduction };
  Kind kind = Parallel;

  /// The value that counts: a result of tile.program_id, a digit computed from
  /// one (`raster`), or the induction variable of `loop`.
  mlir::Value index;
  int gridAxis = -1;     ///< 0 to 2; for a digit the axis of the linear id
  bool raster = false;   ///< one of several digits of the linear id
  mlir::scf::ForOp loop; ///< for loops
  int64_t indexStep = 1; ///< how far `index` moves from one block to the next

  /// Elements that one block covers, in the views that the dimension moves
  /// through; 1 when it moves through none.
  int64_t block = 1;

  /// The extent in elements is the size of `extentView` along `extentDim`, if
  /// that is known (extentView is null otherwise).
  mlir::Value extentView;
  int64_t extentDim = -1;

  /// Why the block size cannot be changed; empty if it can.
  std::string pinned;

  bool isLoop() const { return static_cast<bool>(loop); }
  /// The index counts elements: a loop that steps by the block.
  bool countsElements() const { return indexStep == block && block != 1; }
};

/// How one dimension of a view is reached.
struct AxisAccess {
  bool affine = true;    ///< else `offset` says nothing
  bool indirect = false; ///< the indexed dimension of a gather
  /// First element: linear in the iteration dimensions, with symbols for values
  /// that are the same wherever the kernel is.
  index::Expr offset;
  int64_t block = 1; ///< elements of the tile along the dimension
  int64_t step = 1;  ///< distance of neighbouring elements
  /// The iteration dimension whose blocks tile this one, or -1: with it alone
  /// the offset moves by exactly block * step from one block to the next.
  int dim = -1;
};

/// A load, store or gather.
struct ViewAccess {
  mlir::Operation *op = nullptr;
  mlir::Value view;
  bool isWrite = false;
  llvm::SmallVector<AxisAccess> axes; ///< one per dimension of the view
};

/// The iteration space of a kernel. It is a snapshot: rewriting the kernel
/// makes it stale.
class IterationSpace {
public:
  /// Analyses `kernel`; never fails, see isStructured().
  static IterationSpace analyze(KernelOp kernel);

  /// True if every access is affine in the dimensions and control flow is
  /// known. Single dimensions may still be pinned.
  bool isStructured() const { return reason.empty(); }
  /// Why the kernel is not structured; empty if it is.
  llvm::StringRef getReason() const { return reason; }

  llvm::ArrayRef<IterationDim> getDims() const { return dims; }
  llvm::ArrayRef<ViewAccess> getAccesses() const { return accesses; }

  /// The access of a load, store or gather, or null.
  const ViewAccess *getAccess(mlir::Operation *op) const;

  /// The iteration dimension that dimension `d` of a tile belongs to, or -1.
  int dimOf(mlir::Value tile, int64_t d) const;

  /// An index computation as a function of the iteration dimensions, if it is
  /// linear in them.
  std::optional<index::Expr> linearize(mlir::Value value) const;
  /// What the symbols of offsets stand for.
  const index::Symbols &getSymbols() const { return *symbols; }

  /// Prints one line per dimension and access.
  void print(llvm::raw_ostream &os) const;
  /// {dims = ["d0: ..."], accesses = ["load ..."]}.
  mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context) const;

private:
  friend class IterationSpaceBuilder;
  llvm::SmallVector<IterationDim> dims;
  llvm::SmallVector<ViewAccess> accesses;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int>> tileDims;
  std::shared_ptr<index::Symbols> symbols = std::make_shared<index::Symbols>();
  std::string reason;
};

/// How far a limit lies from the start of a block, within the block: matches
/// min(max(distance, 0), block), through casts, and returns `distance`; null if
/// `value` is something else. Masks compare it with the index in the block.
mlir::Value matchClampedDistance(mlir::Value value, int64_t block);

} // namespace kiln::tile

#endif // KILN_ANALYSIS_ITERATIONSPACE_H
