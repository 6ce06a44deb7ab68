//===- Kernel.h - Kernels as functions --------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_KERNEL_H
#define KILN_DIALECT_TILE_KERNEL_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace kiln::tile {

/// A `tile.kernel` as far as it is a function: its name, its parameters and
/// its body. Code that asks for nothing else takes this class, so that it does
/// not depend on the definition of the operation (KernelOps.h).
class Kernel : public mlir::FunctionOpInterface {
public:
  using FunctionOpInterface::FunctionOpInterface;

  static constexpr llvm::StringLiteral getOperationName() {
    return llvm::StringLiteral("tile.kernel");
  }
  static bool classof(mlir::Operation *op) {
    return op->getName().getStringRef() == getOperationName();
  }

  mlir::Region &getBody() { return getFunctionBody(); }
  llvm::StringRef getSymName() { return getName(); }
};

} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_KERNEL_H
