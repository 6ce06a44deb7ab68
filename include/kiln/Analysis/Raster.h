//===- Raster.h - Program ids that stand for coordinates --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Kernels written for a one-dimensional grid compute their block coordinates
// from the linear id: with division and remainder, or in groups of rows that
// share cached blocks. This recovers the coordinates ("digits").
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ANALYSIS_RASTER_H
#define KILN_ANALYSIS_RASTER_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace kiln::tile {

/// One coordinate computed from a linear id.
struct RasterDigit {
  mlir::Value index;
  /// How many values the coordinate takes; null for the topmost coordinate,
  /// when the kernel does not mention its number.
  mlir::Value extent;
  /// Where the kernel uses the extent to compute coordinates.
  llvm::SmallVector<mlir::OpOperand *> extentUses;
};

/// The coordinates in a linear id, the topmost first, and the operations that
/// compute them.
struct Raster {
  llvm::SmallVector<RasterDigit> digits;
  llvm::DenseSet<mlir::Operation *> operations;
};

/// The raster computed from `id`, or nothing when `id` is a plain coordinate or
/// its use is not understood.
std::optional<Raster> matchRaster(mlir::Value id);

} // namespace kiln::tile

#endif // KILN_ANALYSIS_RASTER_H
