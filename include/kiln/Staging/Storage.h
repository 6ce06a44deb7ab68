//===- Storage.h - Tiles that a kernel keeps or repeats ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every tile of a kernel is either recomputed at the coordinates where it is
// used, or kept in storage. `tile-decide-storage` decides and writes
// `#stage.home` on operations; code generators read it through this class,
// which also computes what follows from the decisions.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_STAGING_STORAGE_H
#define KILN_STAGING_STORAGE_H

#include "kiln/Dialect/Stage/StageDialect.h"
#include "kiln/Dialect/Tile/Kernel.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>

namespace kiln::staging {

/// Whether the only result of an operation is a tile that can be rematerialised
/// wherever its elements are needed, from elements of its operands or of
/// memory.
bool hasInlineForm(mlir::Operation *op);

/// Whether accesses through two views may touch the same memory. `disjoint`:
/// views that are parameters have been checked not to overlap.
bool mayAlias(mlir::Value viewA, mlir::Value viewB, bool disjoint);

/// What is known of one kernel. Operations without a home that could be
/// recomputed are; everything else is kept.
class Storage {
public:
  /// `forced` names operations that must be kept although they could be
  /// recomputed; null: none.
  Storage(tile::KernelOp kernel, bool disjoint,
          std::function<bool(mlir::Operation *)> forced);

  /// Takes the decisions from the attributes of the kernel. An attribute that
  /// asks for what is not possible is an error at its operation.
  mlir::LogicalResult read();

  /// True if the operation has the form of something recomputed.
  bool isInlineOp(mlir::Operation *op) const;
  /// True if uses of the tile recompute it.
  bool isInline(mlir::Value tile) const;
  /// The reduction that stores this kept value on its way, or null.
  mlir::Operation *fusedInto(mlir::Value tile) const {
    return fused.lookup(tile);
  }
  /// Values that `reduce` stores on its way.
  llvm::ArrayRef<mlir::Value> fusedValues(mlir::Operation *reduce) const;
  /// The loop-carried tile whose memory this result may overwrite, or null.
  mlir::Value inPlaceOf(mlir::Value result) const {
    return inPlace.lookup(result);
  }
  /// The last operation of the tile's block that needs it.
  mlir::Operation *lastUse(mlir::Value tile);
  /// The operations that evaluate the tile, through recomputed ones.
  const llvm::SmallVector<mlir::Operation *> &sinks(mlir::Value tile);
  /// Whether evaluating `root` reads `target`; `identity` becomes false where
  /// it reads other coordinates than those asked for.
  bool reads(mlir::Value root, mlir::Value target, bool &identity) const;
  /// Where `operand` of a recomputed operation is read; as getOperandRead,
  /// which is asked once.
  mlir::AffineMap readOf(mlir::OpOperand &operand) const;
  /// Estimated work per element of evaluating the value.
  double cost(mlir::Value tile);
  bool hasStores() const { return !stores.empty(); }

  // What decisions are made of.

  /// Forgets costs that were computed before a decision.
  void forgetCosts() { costCache.clear(); }
  void keep(mlir::Value tile);
  /// Whether a read through a view, done where its elements are used, could see
  /// what a later write has left.
  bool crossesStore(ViewAccessOpInterface read);
  /// The reduction that could store a kept value on its way, or null.
  mlir::Operation *fusionOf(mlir::Value tile);
  void fuse(mlir::Value tile, mlir::Operation *reduce);
  /// The tile that the loop around carries where `yielded` goes, if its memory
  /// may be overwritten by it; else null.
  mlir::Value overwritable(mlir::Value yielded);
  void overwrite(mlir::Value yielded, mlir::Value carried);

private:
  tile::Kernel kernel;
  bool disjoint;
  std::function<bool(mlir::Operation *)> forced;
  /// Writes through views, and their views.
  llvm::SmallVector<std::pair<mlir::Operation *, mlir::Value>> stores;
  /// Other writes, which may touch any view.
  llvm::SmallVector<mlir::Operation *> pointerWrites;
  mutable llvm::DenseMap<mlir::Operation *, bool> inlineOps;
  mutable llvm::DenseMap<mlir::OpOperand *, mlir::AffineMap> reads_;
  llvm::DenseSet<mlir::Value> kept;
  llvm::DenseMap<mlir::Value, mlir::Operation *> fused;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> fusedLists;
  llvm::DenseMap<mlir::Value, mlir::Value> inPlace;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation *>> sinkCache;
  llvm::DenseMap<mlir::Value, double> costCache;
};

} // namespace kiln::staging

#endif // KILN_STAGING_STORAGE_H
