//===- Wrap.h - Groups of operations as prim.fusion -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_WRAP_H
#define KILN_CONVERSIONS_PRIMTOTILE_WRAP_H

#include "kiln/Schedule/GroupPlan.h"

#include <functional>

namespace kiln {

/// Operations that cost nothing and are copied into every group that uses them:
/// `full`, `iota`, constants with one value, and views of these.
bool isClonable(mlir::Operation *op);

/// True for operands that must be in memory: tables and what is gathered from.
bool readsMemory(mlir::OpOperand &operand);

/// Prims that a group may hold.
bool isFusible(mlir::Operation *op);

/// Prims that are a group on their own, and read and write memory.
bool standsAlone(mlir::Operation *op);

/// What takes a known number of the elements of a permutation along its
/// dimension, if nothing else reads the permutation: a slice of neighbouring
/// ones, or a gather that lists places for each line, along the last dimension.
/// Null: there is none.
mlir::Operation *partOf(prim::ArgsortOp op);

/// The kind of a group with these operations.
prim::GroupKind kindOf(llvm::ArrayRef<mlir::Operation *> ops);

/// Operations that have left the program and are not freed yet: where values
/// are keys of maps, no new one may get the address of one that is gone.
class Retired {
public:
  Retired() = default;
  Retired(const Retired &) = delete;
  ~Retired();
  void add(mlir::Operation *op);
  /// Puts `now` in the place of `before`, a result of an operation that
  /// retires.
  void replace(mlir::Value before, mlir::Value now);
  /// Told what stands for a value from now on: maps may lead to the old one.
  std::function<void(mlir::Value before, mlir::Value now)> replaced;

private:
  llvm::SmallVector<mlir::Operation *> ops;
};

/// Moves `ops` (in program order, the last one is the root) into a prim.fusion
/// in the place of the root. What is left of them is erased, or retired.
prim::FusionOp wrapOps(llvm::ArrayRef<mlir::Operation *> ops,
                       Retired *retired = nullptr);

/// A group that copies `value`.
prim::FusionOp wrapCopy(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value);

/// Puts the operations of a group back in its place, which is retired; returns
/// the first.
mlir::Operation *unwrap(prim::FusionOp fusion, Retired &retired);

/// The operand of the scatter in a group of that kind, as the group is given
/// it.
mlir::OpOperand &operandOfScatter(prim::FusionOp fusion);

/// Takes what a group computes for a scatter out of it: groups for operands,
/// and one of the scatter alone, in the place of the group, which is retired.
/// Returns the first of them.
mlir::Operation *splitScatter(prim::FusionOp fusion, Retired &retired);

/// Whether a claim has one operation, whose kernel writes a result in any order
/// of its dimensions, provided that threads share tiles. Callers whose result
/// depends on that ask the machine model.
bool writesInAnyOrder(prim::ClaimOp claim);

/// A word for the name of a group's kernel.
std::string nameOf(prim::FusionOp fusion);

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_WRAP_H
