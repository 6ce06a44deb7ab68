//===- StoredFactors.h - Computed factors in shared memory -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix instruction may read a factor from shared memory that no copy brings
// there: threads compute it, or load it where copies cannot run ahead. Then
// threads write it.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_GPU_STOREDFACTORS_H
#define KILN_LIB_GPU_STOREDFACTORS_H

#include "MemoryProducts.h"

namespace kiln::simt {

/// Whether a tile may lie in shared memory as a row reads it, with the elements
/// along `dim` side by side; `isSummed`: that is the dimension that is summed.
bool mayLieAlong(mlir::RankedTensorType type, unsigned dim, bool isSummed,
                 SwizzleAttr swizzle);

/// Bytes of the tiles that threads write, since products read them there and no
/// copies bring them: of the left (0) and right (1) factors that `isRead` says.
int64_t
bytesToStore(mlir::Operation *within,
             llvm::function_ref<bool(MatrixProductOpInterface, int)> isRead);

/// Gives the factors of a kernel that threads have, and instructions read from
/// memory, storage, a write, and a read for each product.
void storeFactors(tile::KernelOp kernel);

/// Whether threads write what they have in registers to storage.
bool writesFragment(mlir::Operation *op);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_STOREDFACTORS_H
