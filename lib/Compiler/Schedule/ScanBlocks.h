//===- ScanBlocks.h - The tiles of scans ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_SCANBLOCKS_H
#define KILN_LIB_SCHEDULE_SCANBLOCKS_H

#include "kiln/Schedule/HostProgramBuilder.h"
#include "kiln/Tiling/Tiling.h"

namespace kiln::schedule {

/// The tiles of one scan.
struct ScanBlocks {
  int beside = -1;    ///< the other dimension of tiles; -1: none
  bool isLast = true; ///< the scanned dimension is the last one of tiles
  int64_t along = 1, across = 1; ///< elements of a tile
  int64_t parts = 1;             ///< of the scanned dimension
};

/// Returns tiles of what the threads of an instance hold, lines of them as wide
/// as their accesses. `bits`: of all that is scanned together, of one element.
ScanBlocks chooseScanBlocks(const Buffer &in, unsigned dim, int64_t bits,
                            int64_t threads, int64_t access);

/// Returns tiles for machines whose instances go along the dimension alone:
/// neighbours across it, or along it where the dimension is contiguous.
ScanBlocks chooseLineBlocks(const Buffer &in, unsigned dim);

/// Sets how many instances share the dimension, by the target's model.
void chooseScanParts(const Buffer &in, unsigned dim, ScanBlocks &blocks,
                     tiling::Chooser &tiling);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SCANBLOCKS_H
