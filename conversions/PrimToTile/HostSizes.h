//===- HostSizes.h - Sizes and checks at the entry of a program -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_HOSTSIZES_H
#define KILN_CONVERSIONS_PRIMTOTILE_HOSTSIZES_H

#include "kiln/Schedule/HostProgramBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"

namespace kiln {

/// Computes index values of `func` on the host and checks, once, that the sizes
/// that must agree do. Those that depend on data come later, each as soon as
/// the host knows what it depends on.
class HostSizes {
public:
  HostSizes(mlir::func::FuncOp func, schedule::HostProgramBuilder &host)
      : func(func), host(host) {}

  /// All of the function that does not depend on data.
  mlir::LogicalResult run();
  /// What the host can compute now that it knows the index value `number`, too.
  mlir::LogicalResult resume(mlir::Value number);
  /// Whether sizes of the results depend on data that the host does not know
  /// yet.
  bool isLate(mlir::Operation *op) const;

  /// One operation.
  mlir::LogicalResult visit(mlir::Operation *op);

  /// Called around the conversion of a branch of a condition, whose checks
  /// concern nothing but the branch: they are made where it begins.
  void enterBranch(mlir::Region &branch);
  void leaveBranch() { entered.pop_back(); }

private:
  /// Lets what a group calls its inputs be the inputs.
  void nameInputs(mlir::Operation *op);
  /// Finds out which values are late.
  void findLate();
  /// Checks the operands of a prim, or keeps that for the branch that it is in.
  void checkPrim(mlir::Operation *op);
  void checkOperands(mlir::Operation *op);
  void checkDims(mlir::Value a, unsigned i, mlir::Value b, unsigned j);
  void check(schedule::Extent a, schedule::Extent b);
  std::string describe(const schedule::Extent &extent);
  /// Lets what was checked to be equal be the same from now on.
  void unify();
  /// Lets index values stand for the sizes that they were checked to equal.
  void useRepresentatives(llvm::ArrayRef<mlir::Value> values);
  schedule::Extent representative(schedule::Extent extent);

  mlir::func::FuncOp func;
  schedule::HostProgramBuilder &host;
  /// Index values that depend on data the host does not know yet, and tensors
  /// of such sizes.
  llvm::DenseSet<mlir::Value> late;
  /// Operations to visit once nothing that they read is late, in their order.
  llvm::SmallVector<mlir::Operation *> waiting;
  /// Index values that are known since `resume` began; empty outside of it.
  llvm::SmallVector<mlir::Value> settled;
  llvm::SmallVector<std::pair<schedule::Extent, schedule::Extent>> checked;
  /// What a symbol was checked to be equal to.
  llvm::DenseMap<unsigned, schedule::Extent> equal;
  /// Operations of branches whose conversion has not begun.
  llvm::DenseMap<mlir::Region *, llvm::SmallVector<mlir::Operation *>> inBranch;
  llvm::SmallVector<mlir::Region *> entered;
  /// What is checked holds in a branch only.
  bool isLocal = false;
};

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_HOSTSIZES_H
