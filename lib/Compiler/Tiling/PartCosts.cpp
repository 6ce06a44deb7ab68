//===- PartCosts.cpp - What it costs to add up partial sums ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PartCosts.h"
#include "kiln/Tiling/Parts.h"
#include <algorithm>
#include <cmath>

using namespace kiln;
using namespace kiln::tiling;

/// Cycles of a cluster: at each barrier every instance leaves half of what it
/// has to another one, and reads as much.
static double cyclesInCluster(const PartWork &work,
                              const MatmulCosts::Parts &costs, int64_t cores) {
  double share = 1 - 1 / double(work.parts);
  double bytes = double(work.rows * work.columns * work.bits) / 8 * share;
  double beside = std::ceil(work.instances / double(cores));
  return std::log2(double(work.parts)) * costs.barrier +
         beside * bytes * (1 / costs.write + 1 / costs.read);
}

/// Cycles of a second kernel that waits for the first one and adds up the sums
/// of all parts, which go through memory. By the default share, 128 rows by
/// 4096 x 14336 in 8 parts of 256 columns take 1.1 times as long as in 4 parts
/// of 128, as was measured.
static double cyclesOfKernel(const PartWork &work,
                             const MatmulCosts::Parts &costs, int64_t cores,
                             double memoryBytes) {
  return costs.launch + work.results * double(work.parts * work.bits) / 8 /
                            (costs.share * memoryBytes * double(cores));
}

double tiling::cyclesOfParts(const PartWork &work,
                             const MatmulCosts::Parts &costs, int64_t cores,
                             int64_t cluster, double memoryBytes) {
  if (work.parts == 1)
    return 0;
  return addsInCluster(work.isSingleRow, work.columns, work.parts, cluster)
             ? cyclesInCluster(work, costs, cores)
             : cyclesOfKernel(work, costs, cores, memoryBytes);
}
