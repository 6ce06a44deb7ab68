//===- ThreadProducts.h - Products by single threads ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What no matrix instruction takes is computed by multiply-adds of threads,
// with both operands in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_THREADPRODUCTS_H
#define KILN_LIB_GPU_THREADPRODUCTS_H

#include "ScratchNeeds.h"
#include "ThreadWriter.h"

namespace kiln::simt {

/// How threads share the sums of such a product: each has a block of about as
/// many rows as columns, so that it reads few elements for many multiply-adds.
/// Columns that follow each other go together, as far as one access reaches;
/// neighbouring lanes have neighbouring rows and groups of columns.
LayoutAttr threadProductLayout(mlir::RankedTensorType type, int64_t lanes,
                               int64_t warps);

/// Whether threads have both factors.
bool hasFragments(stage::ProductOp op);

/// The code of a product that no instruction computes; threads have its
/// operands.
mlir::LogicalResult emitThreadProduct(ThreadWriter &w, stage::ProductOp op);

/// The shared memory that the operands take.
ScratchNeeds threadProductNeeds(stage::ProductOp op);

/// The bytes that operands, which are tiles, take there. Rows that are padded
/// are a vector longer than they have elements.
int64_t threadProductBytes(mlir::Value lhs, mlir::Value rhs, bool isPadded);

/// Whether there is room for padded rows behind `taken` bytes of storage.
bool hasRoomForPadding(mlir::Value lhs, mlir::Value rhs,
                       target::TargetAttr description, int64_t taken = 0);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_THREADPRODUCTS_H
