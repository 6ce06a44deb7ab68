//===- GridTraffic.h - What the instances of a grid read --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts bytes that come from far memory as a function of the order in which
// instances take the points of a grid.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_TILING_GRIDTRAFFIC_H
#define KILN_LIB_TILING_GRIDTRAFFIC_H

#include "kiln/Analysis/IterationSpace.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include <optional>

namespace kiln::tiling {

/// What the instances of one plane of a grid move.
struct GridTraffic {
  /// Points along axes 0 and 1.
  std::array<int64_t, 2> points = {1, 1};
  /// Bytes that instances at one coordinate of an axis read, which depend on
  /// that axis alone: for a product a row of blocks of one operand, and a
  /// column of blocks of the other.
  std::array<double, 2> shared = {0, 0};
  /// Bytes that each instance reads or writes for itself.
  double own = 0;
  /// Multiply-adds of an instance.
  double work = 0;
  /// Bytes of the sums that an instance keeps.
  double sums = 0;

  /// Reads them off a kernel; nothing if its coordinates are not those of the
  /// grid. Sizes that are not known are taken to be 8192.
  static std::optional<GridTraffic> of(tile::KernelOp kernel,
                                       const tile::IterationSpace &space);
};

/// What decides how often something comes from far memory.
struct FarMemory {
  double cacheBytes = 0; ///< of the cache that all cores share
  int64_t together = 1;  ///< instances that run at the same time
  double bytesPerSecond = 0;
  double workPerSecond = 0; ///< multiply-adds of all cores; 0: not known

  /// Of a machine whose description has a shared cache, and how fast memory
  /// behind it is; nothing for any other.
  static std::optional<FarMemory> of(target::TargetAttr description,
                                     const GridTraffic &traffic);
};

/// Bytes from far memory for a whole plane, in the order of `bands` (none: the
/// first axis fastest). Instances that run at the same time go through their
/// operands at the same pace, so that each of them comes once for all of them;
/// it comes again for later ones unless less than half of the cache was filled
/// since.
double farBytes(const GridTraffic &traffic, const FarMemory &memory,
                tile::Bands bands);

/// `8`, or `8x1`: bands of so many coordinates along axis 1, or along the axis
/// named.
std::optional<tile::Bands> parseBands(llvm::StringRef text);

/// The bands with which fewest bytes come from far memory; none if they save
/// less than a tenth, or if instances take much longer to multiply than memory
/// does.
tile::Bands chooseBands(const GridTraffic &traffic, const FarMemory &memory);

} // namespace kiln::tiling

#endif // KILN_LIB_TILING_GRIDTRAFFIC_H
