//===- Copiers.h - Who starts the copies of a load -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_COPIERS_H
#define KILN_LIB_GPU_COPIERS_H

#include "KernelWalk.h"
#include "kiln/Gpu/Copies.h"

namespace kiln::simt {

/// The plug-in's lowering that copies what a load reads; null: the family does.
/// What declines leaves its reason on the load. Fails where a lowering goes
/// wrong, which was reported.
mlir::FailureOr<const target::Lowering *> copierOf(mlir::Operation *load,
                                                   const BlockShape &block);

/// Asks for all loads of a kernel. Fails where a lowering goes wrong, which was
/// reported.
mlir::LogicalResult askCopiers(tile::Kernel kernel, const BlockShape &block);

/// Starts the copies of a load, by the lowering that takes it or as
/// `simt.copy_async`.
mlir::LogicalResult startCopies(mlir::Operation *load,
                                llvm::ArrayRef<CopyPiece> pieces,
                                KernelWalk &walk);

/// Starts a copy as the family does.
void startCopy(const CopyPiece &piece, ThreadBuilder &code);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_COPIERS_H
