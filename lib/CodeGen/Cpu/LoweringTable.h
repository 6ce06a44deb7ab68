//===- LoweringTable.h - Where the family's lowerings register --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_LOWERINGTABLE_H
#define KILN_LIB_CPU_LOWERINGTABLE_H

#include "KernelEmitter.h"
#include "kiln/Cpu/Lowering.h"
#include "kiln/Interfaces/Names.h"
#include "kiln/Target/TargetRegistry.h"

namespace kiln::cpu {

/// Registers lowerings of the tile level.
class LLVM_LIBRARY_VISIBILITY LoweringTable {
public:
  /// What a lowering of the family is.
  template <typename OpT>
  using Lower = mlir::LogicalResult (*)(OpT, KernelEmitter &);

  explicit LoweringTable(target::TargetRegistry &registry)
      : registry(registry) {}

  /// For operations of a name or a kind, whose class is OpT.
  template <typename OpT>
  void add(llvm::StringRef name, llvm::StringRef op, Lower<OpT> lower) {
    addAny(name, op, [lower](mlir::Operation *op, KernelEmitter &e) {
      return lower(llvm::cast<OpT>(op), e);
    });
  }
  template <typename OpT> void add(Lower<OpT> lower) {
    llvm::StringRef op = OpT::getOperationName();
    add<OpT>(("cpu." + op.split('.').second).str(), op, lower);
  }

private:
  void
  addAny(llvm::StringRef name, llvm::StringRef op,
         std::function<mlir::LogicalResult(mlir::Operation *, KernelEmitter &)>
             lower);

  target::TargetRegistry &registry;
};

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_LOWERINGTABLE_H
