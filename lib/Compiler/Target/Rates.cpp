//===- Rates.cpp - What a machine does in a time --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/Rates.h"
#include "kiln/Target/Limits.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

// What most machines with blocks of threads have, where a description says
// nothing.

/// Numbers of a description may be as large as they like; what follows from
/// them is at most a number that integers hold.
static double clamp(double value) {
  constexpr double kMost = double(int64_t(1) << 62);
  return std::min(value, kMost);
}

static double coresOf(TargetAttr description) {
  return double(std::max<int64_t>(countCores(description), 1));
}

static double frequencyOf(TargetAttr description) {
  TopologyAttr topology =
      description ? description.getTopology() : TopologyAttr();
  constexpr double kUsual = 2e9;
  return topology && topology.getFrequency() > 0
             ? double(topology.getFrequency())
             : kUsual;
}

double target::launchSeconds(TargetAttr description) {
  constexpr double kUsual = 5e-6;
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto known = extra ? extra.getAs<IntegerAttr>("launch_ns") : IntegerAttr();
  return known && known.getInt() > 0 ? double(known.getInt()) * 1e-9 : kUsual;
}

double target::memoryBytesPerSecond(TargetAttr description) {
  constexpr double kUsualOfCore = 3e10;
  double bytes = kUsualOfCore * coresOf(description);
  if (description)
    for (MemoryAttr memory : description.getMemories())
      // The last one is the farthest.
      if (memory.getScope() == MemoryScope::Device && memory.getBandwidth() > 0)
        bytes = double(memory.getBandwidth());
  return bytes;
}

double target::launchBytes(TargetAttr description) {
  return clamp(memoryBytesPerSecond(description) * launchSeconds(description));
}

double target::launchBytesOfCore(TargetAttr description) {
  return launchBytes(description) / coresOf(description);
}

double target::cycleBytesOfCore(TargetAttr description) {
  return memoryBytesPerSecond(description) / coresOf(description) /
         frequencyOf(description);
}

double target::launchWorkOfCore(TargetAttr description) {
  constexpr double kUsual = 128; // operations of a cycle
  ExecutionUnitAttr vector = description
                                 ? description.getUnitOfKind(UnitKind::Vector)
                                 : ExecutionUnitAttr();
  double ofCycle =
      vector ? double(vector.getCount()) * double(vector.getRate()) : kUsual;
  return clamp(ofCycle * frequencyOf(description) * launchSeconds(description));
}

int64_t target::blocksOfCores(TargetAttr description, double share) {
  double blocks = clamp(std::max(coresOf(description) * share, 1.0));
  return int64_t(llvm::bit_floor(uint64_t(blocks)));
}
