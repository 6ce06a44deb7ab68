//===- ThreadProducts.h - Products by single threads ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What no matrix instruction takes is computed by multiply-adds of threads,
// with both operands in shared memory: copies of what threads have, or slots of
// a ring.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_THREADPRODUCTS_H
#define KILN_LIB_GPU_THREADPRODUCTS_H

#include "ScratchNeeds.h"
#include "ThreadWriter.h"
#include "kiln/Interfaces/MatrixProduct.h"

namespace kiln::simt {

/// How threads share the sums of such a product: each has a block of about as
/// many rows as columns, so that it reads few elements for many multiply-adds.
/// Rows, and columns, that follow each other go together, as far as one access
/// reaches, where the factor has them side by side in memory. Neighbouring
/// lanes have neighbouring rows or columns.
LayoutAttr threadProductLayout(mlir::RankedTensorType type, int64_t lanes,
                               int64_t warps, bool takesRows = false,
                               bool takesColumns = true);

/// Whether threads have both factors.
bool hasFragments(stage::ProductOp op);

/// The code of a product that no instruction computes; threads have its
/// operands.
mlir::LogicalResult emitThreadProduct(ThreadWriter &w, stage::ProductOp op);

/// The shared memory that the operands take.
ScratchNeeds threadProductNeeds(stage::ProductOp op);

/// Whether threads should store the rhs of such a product by columns: they
/// have, and read, vectors of neighbouring rows of one column.
/// `simt-stage-products` asks; later passes read `kByColumnsEntry`.
bool storesRhsByColumns(stage::ProductOp op);

/// The bytes that operands, which are tiles, take there at most, whichever way
/// the rhs is stored. Rows that are padded are a vector longer than they have
/// elements.
int64_t threadProductBytes(mlir::Value lhs, mlir::Value rhs, bool isPadded);

/// Whether there is room for padded rows behind `taken` bytes of storage.
bool hasRoomForPadding(mlir::Value lhs, mlir::Value rhs,
                       target::TargetAttr description, int64_t taken = 0);

//===----------------------------------------------------------------------===//
// Products whose factors are slots of a ring, which threads read by themselves
//===----------------------------------------------------------------------===//

/// Whether threads can multiply the factors of a product as memory has them: no
/// matrix instruction computes it, and the elements have the type of the sums.
bool multipliesAsStored(MatrixProductOpInterface op);

/// The load that a factor of a product is, its dimensions exchanged at most;
/// null where it is none.
mlir::Operation *loadOfFactor(mlir::Value factor);

/// Whether both factors of such a product are loads of the loop around it, so
/// that a ring can have them.
bool multipliesLoads(MatrixProductOpInterface op);

/// Which threads read which elements of the left (0) or the right (1) factor,
/// of `depth` steps along the sum, where they have sums by `sums`.
LayoutAttr storedFactorLayout(LayoutAttr sums, int which, int64_t depth);

/// The code of a product both of whose factors are storage.
mlir::LogicalResult emitStoredProduct(ThreadWriter &w, stage::ProductOp op);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_THREADPRODUCTS_H
