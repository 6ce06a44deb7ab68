//===- Clusters.cpp - Instances that wait for each other ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Target/Clusters.h"
#include <algorithm>

using namespace mlir;
using namespace kiln;
using namespace kiln::target;

int64_t kiln::target::countClusterInstances(TargetAttr description) {
  DictionaryAttr extra = description ? description.getExtra() : nullptr;
  auto most = extra ? extra.getAs<IntegerAttr>("cluster") : IntegerAttr();
  return most ? std::max<int64_t>(most.getInt(), 1) : 1;
}
