//===- ClusterOps.h - Blocks that copy for each other -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_SIMT_CLUSTEROPS_H
#define KILN_DIALECT_SIMT_CLUSTEROPS_H

#include "kiln/Dialect/Simt/SimtDialect.h"

#define GET_OP_CLASSES
#include "kiln/Dialect/Simt/ClusterOps.h.inc"

namespace kiln::simt {

/// On a copy into a ring (in `simt.decided`): the blocks of a cluster copy the
/// box for each other, as all of them read it (i64, their number).
inline constexpr llvm::StringLiteral kSharedCopyEntry = "shared_by";

/// How many blocks copy a box for each other by an operation that fills a slot
/// of a ring; 1: each copies for itself.
int64_t countSharers(mlir::Operation *copy);
/// The same for a ring: for the most shared copy that fills its slots.
int64_t countSharers(mlir::Value ring);

/// How many arrivals at a barrier of each block one thread makes, where all
/// blocks of a cluster execute the operation.
int64_t arrivalsOf(SlotBarrierOpInterface op);
/// Whether other blocks of the cluster take part in an operation.
bool isInCluster(mlir::Operation *op);

/// Adds the operations of this header to the dialect.
void registerClusterOps(SimtDialect &dialect);

} // namespace kiln::simt

#endif // KILN_DIALECT_SIMT_CLUSTEROPS_H
