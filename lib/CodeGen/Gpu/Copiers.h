//===- Copiers.h - Plug-ins that copy what a load reads --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_COPIERS_H
#define KILN_LIB_GPU_COPIERS_H

#include "ThreadWriter.h"
#include "kiln/Gpu/Copies.h"

namespace kiln::simt {

/// Asks plug-ins for each load of a kernel whether they would start its copies,
/// and records the lowering that takes it as `copier` of `simt.decided`. What
/// declines leaves its reason on the load. Fails where a lowering goes wrong,
/// which was reported.
mlir::LogicalResult decideCopiers(tile::Kernel kernel, const BlockShape &block);

/// Removes that entry from loads that no copy reads for.
void removeUnusedCopiers(tile::Kernel kernel);

/// Starts the copies of a load, by the lowering that was decided, or as
/// `simt.copy_async`.
mlir::LogicalResult startCopies(mlir::Operation *load,
                                llvm::ArrayRef<CopyPiece> pieces,
                                ThreadWriter &walk);

/// Starts a copy as the family does.
void startCopy(const CopyPiece &piece, ThreadBuilder &code);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_COPIERS_H
