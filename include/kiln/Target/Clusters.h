//===- Clusters.h - Instances that wait for each other ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_CLUSTERS_H
#define KILN_TARGET_CLUSTERS_H

#include "kiln/Dialect/Kiln/Description.h"

namespace kiln::target {

/// Returns how many neighbouring instances a machine runs at the same time at
/// most, so that they can wait for each other (tile.cluster_barrier): `cluster`
/// in `extra` of its description, 1 if that states none.
int64_t countClusterInstances(TargetAttr description);

/// The shape of a cluster of two instances that copy blocks for each other.
inline constexpr int64_t kPair[] = {2, 1, 1};

/// Where two instances of a matmul gain by copying blocks for each other:
/// `pair_lines` and `pair_products` in `extra`, 0 without them.
struct PairGain {
  int64_t lines = 0;    ///< the fewest lines that an instance fetches
  int64_t products = 0; ///< the most multiply-adds for each of them
};
PairGain pairGainOf(TargetAttr description);

/// Returns how many instances that share the depth of a matmul add up their
/// sums as a cluster at most: `part_cluster` in `extra`, where it is at most
/// countClusterInstances; 1, so that a second kernel adds them up, if the
/// description states none.
int64_t countPartInstances(TargetAttr description);

} // namespace kiln::target

#endif // KILN_TARGET_CLUSTERS_H
