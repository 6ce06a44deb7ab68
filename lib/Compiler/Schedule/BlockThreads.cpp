//===- BlockThreads.cpp - How many threads share a tile -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlockThreads.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace kiln;

static target::TopologyAttr topologyOf(target::TargetAttr description) {
  return description ? description.getTopology() : target::TopologyAttr();
}

// What most machines have, where the description says nothing.

int64_t kiln::schedule::countLanes(target::TargetAttr description) {
  target::TopologyAttr topology = topologyOf(description);
  return topology && topology.getLanes() ? topology.getLanes() : 32;
}

int64_t kiln::schedule::mostBlockThreads(target::TargetAttr description) {
  target::TopologyAttr topology = topologyOf(description);
  int64_t most = topology && topology.getThreadsPerBlock()
                     ? topology.getThreadsPerBlock()
                     : 1024;
  return llvm::bit_floor(uint64_t(std::max<int64_t>(most, 1)));
}

int64_t kiln::schedule::countBlockThreads(target::TargetAttr description) {
  int64_t most = mostBlockThreads(description);
  int64_t lanes = countLanes(description);
  // Layouts share tiles among the same number of groups.
  constexpr int64_t kGroups = 4;
  return llvm::bit_floor(
      uint64_t(std::max<int64_t>(std::min(kGroups * lanes, most), 1)));
}
