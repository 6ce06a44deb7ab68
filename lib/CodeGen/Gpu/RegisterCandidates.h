//===- RegisterCandidates.h - Who lowers a tile in registers ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowerings of one operation in the order in which they are asked. Those of
// plug-ins decline while barriers are placed, by `kiln.reported` on the
// operation: the first one that has not takes it when its code is written.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_REGISTERCANDIDATES_H
#define KILN_LIB_GPU_REGISTERCANDIDATES_H

#include "ScratchNeeds.h"

namespace kiln::simt {

/// The lowerings that may take an operation.
llvm::ArrayRef<RegisterCandidate> candidatesFor(mlir::Operation *op,
                                                const BlockShape &block);

/// The first one that has not declined; null: none.
const RegisterCandidate *findLowering(mlir::Operation *op,
                                      const BlockShape &block);

/// Whether a plug-in takes an operation, now that each may decline. Fails where
/// one of them goes wrong, which was reported.
mlir::FailureOr<bool> isTakenByPlugIn(mlir::Operation *op,
                                      const BlockShape &block);

/// Has plug-ins say whether they take the operations of a kernel. Fails where
/// one of them goes wrong, which was reported.
mlir::LogicalResult askPlugIns(tile::Kernel kernel, const BlockShape &block);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_REGISTERCANDIDATES_H
