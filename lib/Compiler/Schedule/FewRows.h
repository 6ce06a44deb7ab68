//===- FewRows.h - Skinny matmuls, GEMV -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A skinny matmul (GEMV) waits for its right operand. Where cores compute from
// caches, that operand is read without packing: by long pieces of its rows, or,
// where it is contiguous along the depth, by columns, whose elements are
// multiplied and summed up.
//
//===----------------------------------------------------------------------===//
#ifndef KILN_LIB_SCHEDULE_FEWROWS_H
#define KILN_LIB_SCHEDULE_FEWROWS_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Of these two dimensions of a kernel for a product, the one that neighbours
/// in the memory of the right factor differ in; -1 where rows are not known to
/// be few enough, the machine computes otherwise, or the factor is no one
/// memory's.
int alongFactor(Group &group, const KernelBuilder &kernel, const Extent &rows,
                int column, int depth);

/// `sums` (columns x depth) with the products of `x` (1 x depth) and `y` (depth
/// x columns) added, element by element: what threads that share out tiles do
/// with the pieces of a row.
mlir::Value addProducts(mlir::Value x, mlir::Value y, mlir::Value sums,
                        TileBuilder &emitter);
/// The row (1 x columns) of the sums of those along the depth.
mlir::Value sumAlongRow(mlir::Value sums, TileBuilder &emitter);

/// `sum` (rows x columns) with the products of `x` (rows x depth) and `y`
/// (depth x columns) added, in the type of the sum.
mlir::Value sumProducts(mlir::Value x, mlir::Value y, mlir::Value sum,
                        TileBuilder &emitter);

} // namespace kiln::schedule

#endif
