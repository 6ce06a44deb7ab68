//===- Scan.h - Scans and sorts where elements are --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_GPU_SCAN_H
#define KILN_LIB_GPU_SCAN_H

#include "ScratchNeeds.h"
#include "ThreadWriter.h"

namespace kiln::tile {
class ScanOp;
} // namespace kiln::tile

namespace kiln::simt {

/// Which bit of a thread's numbers is a bit of a coordinate.
struct AxisBit {
  enum Level { Register, Lane, Warp } level;
  unsigned bit; ///< of the number on that level
};
/// The bits of the coordinate along `axis`, from the lowest one; none if the
/// layout mixes them with each other or with other dimensions.
std::optional<llvm::SmallVector<AxisBit>>
getAxisBits(LayoutAttr layout, int64_t axis, int64_t size, unsigned laneBits,
            unsigned warpBits);
inline std::optional<llvm::SmallVector<AxisBit>>
getAxisBits(ThreadWriter &w, LayoutAttr layout, int64_t axis, int64_t size) {
  return getAxisBits(layout, axis, size, w.laneBits(), w.warpBits());
}

/// The bits of the axis of a scan by levels; none where the layout, or the
/// size, does not allow that.
std::optional<llvm::SmallVector<AxisBit>>
bitsOfScan(tile::ScanOp op, unsigned laneBits, unsigned warpBits);
/// What a scan by levels borrows.
ScratchNeeds needsByLevels(tile::ScanOp op, llvm::ArrayRef<AxisBit> bits,
                           const BlockShape &block);

/// A scan by the levels that its axis goes through; false if the layout, or the
/// size, does not allow it.
mlir::FailureOr<bool> scanByLevels(ThreadWriter &w, tile::ScanOp op);

} // namespace kiln::simt

#endif // KILN_LIB_GPU_SCAN_H
