//===- LowerBarriers.h - Barriers whose wait stands apart -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_LOWERBARRIERS_H
#define KILN_TARGETS_NVIDIA_LOWERBARRIERS_H

#include "kiln/Dialect/Tile/GridOps.h"
#include "mlir/IR/Builders.h"

namespace kiln::nvidia {

/// Whether an operation makes a split barrier, arrives or waits there.
bool isOfSplitBarriers(mlir::Operation *op);

/// Lowers such an operation to an mbarrier object (PTX ISA, "mbarrier") that
/// counts the threads of the block, which the function around `op` states.
mlir::LogicalResult lowerSplitBarrier(mlir::Operation *op, mlir::OpBuilder &b);

/// Lowers the barrier of a cluster, and has the function around it run in
/// clusters of its shape.
mlir::LogicalResult lowerClusterBarrier(tile::ClusterBarrierOp op,
                                        mlir::OpBuilder &b);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_LOWERBARRIERS_H
