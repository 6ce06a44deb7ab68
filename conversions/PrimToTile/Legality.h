//===- Legality.h - Which operations may be one group -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_LEGALITY_H
#define KILN_CONVERSIONS_PRIMTOTILE_LEGALITY_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Schedule/GroupPlan.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kiln {

/// True if a view movement of what lies in memory needs no copy.
bool isDenseView(mlir::Operation *op);

/// Operations that are worth storing rather than computing again.
bool isExpensive(mlir::Operation *op);

/// True for conversions to more bits: reading the operand and converting it
/// takes fewer bytes than reading the result.
bool isWidening(mlir::Operation *op);

/// Decides about groups; keeps what it learns about sizes.
class Legality {
public:
  /// `description`: of the target, null where none is bound.
  explicit Legality(target::TargetAttr description)
      : description(description) {}

  /// `ops`: the root first, every other one after its users; the last one is
  /// the newcomer.
  bool canForm(llvm::ArrayRef<mlir::Operation *> ops);

private:
  bool anchorAllows(const schedule::GroupPlan &plan,
                    llvm::ArrayRef<mlir::Operation *> ops);
  /// Whether what follows a product takes longer at its end than in a kernel of
  /// its own. Warps that hold all sums of a block are few and keep no matrix
  /// unit busy meanwhile, so that a function of 30 instructions took 29 us for
  /// 6000 x 2048 elements; to write and to read 16 bits each takes 15 us.
  /// `before` feeds the product `anchor`, and `after` follows it.
  bool
  isLongEpilogue(llvm::ArrayRef<mlir::Operation *> ops, mlir::Operation *anchor,
                 const llvm::SmallPtrSetImpl<mlir::Operation *> &before,
                 const llvm::SmallPtrSetImpl<mlir::Operation *> &after) const;
  /// Whether an operation gives each matrix of a batch by its number, for a
  /// product that many threads share: an instance reads one of them, where a
  /// kernel before would copy all.
  bool selectsMatrices(mlir::Operation *op, mlir::Operation *anchor) const;
  /// Whether the newcomer rounds what a product gives to fewer bits, and the
  /// product cannot join the group: it is better the end of the product, which
  /// then writes fewer bytes.
  bool endsProduct(llvm::ArrayRef<mlir::Operation *> ops);
  bool reductionsAllow(const schedule::GroupPlan &plan,
                       llvm::ArrayRef<mlir::Operation *> ops);
  /// Whether the kernel of a scatter, the root, may compute what the newcomer
  /// gives.
  bool scatterAllows(prim::ScatterOp scatter, mlir::Operation *newcomer);

  target::TargetAttr description;
};

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_LEGALITY_H
