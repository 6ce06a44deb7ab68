//===- PartCosts.h - What it costs to add up partial sums -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TILING_PARTCOSTS_H
#define KILN_LIB_TILING_PARTCOSTS_H

#include "kiln/Tiling/MatmulCosts.h"
#include <cstdint>

namespace kiln::tiling {

/// The sums of a product whose depth several instances share out (split-K).
struct PartWork {
  double results = 0;            ///< elements of the product
  double instances = 0;          ///< of the launch, all parts
  int64_t parts = 1;             ///< instances that share a block
  int64_t rows = 1, columns = 1; ///< of a block
  bool isSingleRow = false;      ///< of the product
  int64_t bits = 32;             ///< of a sum
};

/// Cycles from the end of the products on until all sums are added up: in
/// clusters of at most `cluster` instances (addsInCluster), or by a second
/// kernel. Memory moves `memoryBytes` for each core in a cycle.
double cyclesOfParts(const PartWork &work, const MatmulCosts::Parts &costs,
                     int64_t cores, int64_t cluster, double memoryBytes);

} // namespace kiln::tiling

#endif // KILN_LIB_TILING_PARTCOSTS_H
