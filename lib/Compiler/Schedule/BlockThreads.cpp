//===- BlockThreads.cpp - How many threads share a tile -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockThreads.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace kiln;

int64_t kiln::schedule::countBlockThreads(target::TargetAttr description) {
  // What most machines have, where the description says nothing.
  int64_t lanes = 32, most = 1024;
  if (target::TopologyAttr topology =
          description ? description.getTopology() : target::TopologyAttr()) {
    if (topology.getLanes())
      lanes = topology.getLanes();
    if (topology.getThreadsPerBlock())
      most = topology.getThreadsPerBlock();
  }
  // Layouts share tiles among the same number of groups.
  constexpr int64_t kGroups = 4;
  return llvm::bit_floor(
      uint64_t(std::max<int64_t>(std::min(kGroups * lanes, most), 1)));
}
