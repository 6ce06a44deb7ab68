//===- Plan.h - Tiles computed in place, tiles in memory --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every tile of a kernel is either `inline`, recomputed at the coordinates
// where it is used, or materialised in scratch memory. The plan decides by cost
// and by the order of memory accesses, before any code is emitted.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CPU_PLAN_H
#define KILN_LIB_CPU_PLAN_H

#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Interfaces/IndexMap.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <functional>
#include <optional>

namespace kiln::cpu {

/// True for values that are tiles.
inline bool isTile(mlir::Type type) {
  return mlir::isa<mlir::RankedTensorType>(type);
}

/// True for operations of arith and math, and calls, that combine element with
/// element.
inline bool isElementwise(mlir::Operation *op) {
  return mlir::OpTrait::hasElementwiseMappableTraits(op);
}

/// Whether accesses through two views may touch the same memory. `disjoint`:
/// views that are parameters have been checked not to overlap.
bool mayAlias(mlir::Value viewA, mlir::Value viewB, bool disjoint);

class Plan {
public:
  /// `forced` names operations that must be materialised although they could be
  /// computed inline.
  Plan(tile::KernelOp kernel, bool disjoint,
       std::function<bool(mlir::Operation *)> forced);

  /// True if the operation has the form of something computed inline.
  bool isInlineOp(mlir::Operation *op) const;
  /// True if uses of the tile recompute it.
  bool isInline(mlir::Value tile) const;
  /// The reduce that stores this materialised value on its way, or null.
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
  /// The operations that evaluate the tile, through inline ones.
  const llvm::SmallVector<mlir::Operation *> &sinks(mlir::Value tile);
  /// Whether evaluating `root` reads `target`; `identity` becomes false where
  /// it reads other coordinates than those asked for.
  bool reads(mlir::Value root, mlir::Value target, bool &identity) const;
  /// Where `operand` of an inline operation is read; as getOperandRead, which
  /// is asked once.
  mlir::AffineMap readOf(mlir::OpOperand &operand) const;
  /// Estimated work per element of evaluating the value.
  double cost(mlir::Value tile);
  bool hasStores() const { return !stores.empty(); }

private:
  bool hasInlineForm(mlir::Operation *op) const;
  bool crossesStore(mlir::Operation *op, mlir::Value view);
  void decide(mlir::Operation *op);
  void findFusion(mlir::Value tile);
  void findInPlace(mlir::scf::ForOp loop);

  tile::KernelOp kernel;
  bool disjoint;
  std::function<bool(mlir::Operation *)> forced;
  /// Writes through views, and their views.
  llvm::SmallVector<std::pair<mlir::Operation *, mlir::Value>> stores;
  /// Other writes, which may touch any view.
  llvm::SmallVector<mlir::Operation *> pointerWrites;
  mutable llvm::DenseMap<mlir::Operation *, bool> inlineOps;
  mutable llvm::DenseMap<mlir::OpOperand *, mlir::AffineMap> reads_;
  llvm::DenseSet<mlir::Value> materialized;
  llvm::DenseMap<mlir::Value, mlir::Operation *> fused;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> fusedLists;
  llvm::DenseMap<mlir::Value, mlir::Value> inPlace;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation *>> sinkCache;
  llvm::DenseMap<mlir::Value, double> costCache;
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_PLAN_H
