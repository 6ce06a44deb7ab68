//===- BitMaps.h - Maps that move bits of coordinates -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_BITMAPS_H
#define KILN_LIB_GPU_BITMAPS_H

#include "mlir/IR/AffineMap.h"

namespace kiln::simt {

/// Whether a map takes exclusive or of coordinates to exclusive or of results:
/// each result is made of bits of coordinates of a tile of `shape`, no two of
/// them at one place. Transposes, broadcasts, and reshapes of sizes that are
/// powers of two are such maps.
bool movesBits(mlir::AffineMap map, llvm::ArrayRef<int64_t> shape);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_BITMAPS_H
