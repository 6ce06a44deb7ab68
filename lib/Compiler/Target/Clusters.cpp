//===- Clusters.cpp - Instances that wait for each other ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/Clusters.h"
#include <algorithm>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

/// What `extra` states under `name`, at least 1.
static int64_t countOf(TargetAttr description, StringRef name) {
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto most = extra ? extra.getAs<IntegerAttr>(name) : IntegerAttr();
  return most ? std::max<int64_t>(most.getInt(), 1) : 1;
}

int64_t kiln::target::countClusterInstances(TargetAttr description) {
  return countOf(description, "cluster");
}

PairGain kiln::target::pairGainOf(TargetAttr description) {
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto numberOf = [&](StringRef name) -> int64_t {
    auto number = extra ? extra.getAs<IntegerAttr>(name) : IntegerAttr();
    return number ? number.getInt() : 0;
  };
  return {numberOf("pair_lines"), numberOf("pair_products")};
}

int64_t kiln::target::countPartInstances(TargetAttr description) {
  return std::min(countOf(description, "part_cluster"),
                  countClusterInstances(description));
}
