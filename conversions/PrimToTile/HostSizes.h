//===- HostSizes.h - Sizes and checks at the entry of a program -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_HOSTSIZES_H
#define KILN_CONVERSIONS_PRIMTOTILE_HOSTSIZES_H

#include "kiln/Schedule/HostProgramBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln {

/// Computes index values of `func` on the host and checks, once, that the sizes
/// that must agree do.
class HostSizes {
public:
  HostSizes(mlir::func::FuncOp func, schedule::HostProgramBuilder &host)
      : func(func), host(host) {}

  /// All of the function.
  mlir::LogicalResult run();
  /// One operation.
  mlir::LogicalResult visit(mlir::Operation *op);

private:
  void checkOperands(mlir::Operation *op);
  void checkDims(mlir::Value a, unsigned i, mlir::Value b, unsigned j);
  void check(schedule::Extent a, schedule::Extent b);
  std::string describe(const schedule::Extent &extent);
  /// Lets what was checked to be equal be the same from now on.
  void unify();
  schedule::Extent representative(schedule::Extent extent);

  mlir::func::FuncOp func;
  schedule::HostProgramBuilder &host;
  llvm::SmallVector<std::pair<schedule::Extent, schedule::Extent>> checked;
  /// What a symbol was checked to be equal to.
  llvm::DenseMap<unsigned, schedule::Extent> equal;
};

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_HOSTSIZES_H
