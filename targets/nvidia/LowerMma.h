//===- LowerMma.h - mma.sync ------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_LOWERMMA_H
#define KILN_TARGETS_NVIDIA_LOWERMMA_H

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kiln::nvidia {

/// Replaces the results of a matrix instruction of warps.
mlir::LogicalResult lowerMma(simt::MmaOp op, mlir::OpBuilder &b);

/// Replaces the results of loads of matrices by warps.
void lowerLoadMatrix(simt::LoadMatrixOp op, mlir::OpBuilder &b);
void lowerStoreMatrix(simt::StoreMatrixOp op, mlir::OpBuilder &b);

/// What instructions of warpgroups become of, and the lowering of that.
/// `merged` are products that are part of an earlier one's assembly.
bool isOfWarpgroups(mlir::Operation *op);
mlir::LogicalResult
lowerWarpgroup(mlir::Operation *op,
               llvm::SmallPtrSetImpl<mlir::Operation *> &merged,
               mlir::OpBuilder &b);
/// A matrix descriptor but for its address.
uint64_t descriptorBits(simt::MatrixAttr matrix);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_LOWERMMA_H
