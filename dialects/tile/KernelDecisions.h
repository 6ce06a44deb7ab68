//===- KernelDecisions.h - What passes decide about a kernel ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECTS_TILE_KERNELDECISIONS_H
#define KILN_DIALECTS_TILE_KERNELDECISIONS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/IR/Operation.h"

namespace kiln::tile {

/// Gives attributes of a kernel that older versions had otherwise the names
/// that they have now.
void renameKernelAttributes(mlir::NamedAttrList &attributes);

/// The same for all kernels under `top`, which come from bytecode.
mlir::LogicalResult upgradeKernels(mlir::Operation *top);

/// Whether a file of bytecode is of a version before 0.`minor`, in which
/// operations may have fewer properties.
bool isOlder(mlir::DialectBytecodeReader &reader, uint64_t minor);

/// Whether it is of version 0.1.
inline bool isOfFirstVersion(mlir::DialectBytecodeReader &reader) {
  return isOlder(reader, 2);
}

/// What passes set on operations under `top` beside their definitions in
/// version 0.1 becomes properties (ExternBytecode.cpp).
mlir::LogicalResult upgradeExternOps(mlir::Operation *top);

/// How matmuls under `top` are split becomes a property, which versions before
/// 0.5 had beside the definition (DotOps.cpp).
mlir::LogicalResult upgradeProductSplits(mlir::Operation *top);

/// Checks what passes have decided: (C6) and (C7) of `tile.kernel`.
mlir::LogicalResult verifyKernelDecisions(KernelOp kernel);

} // namespace kiln::tile

#endif // KILN_DIALECTS_TILE_KERNELDECISIONS_H
