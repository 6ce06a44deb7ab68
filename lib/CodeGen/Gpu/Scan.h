//===- Scan.h - Scans and sorts where elements are --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_SCAN_H
#define KILN_LIB_GPU_SCAN_H

#include "KernelWalk.h"

namespace kiln::simt {

/// Which bit of a thread's numbers is a bit of a coordinate.
struct AxisBit {
  enum Level { Register, Lane, Warp } level;
  unsigned bit; ///< of the number on that level
};
/// The bits of the coordinate along `axis`, from the lowest one; none if the
/// layout mixes them with each other or with other dimensions.
std::optional<llvm::SmallVector<AxisBit>>
getAxisBits(KernelWalk &w, LayoutAttr layout, int64_t axis, int64_t size);

/// A scan by the levels that its axis goes through; false if the layout, or the
/// size, does not allow it.
mlir::FailureOr<bool> scanByLevels(KernelWalk &w, tile::ScanOp op);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_SCAN_H
