// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LoopLength.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <algorithm>

using namespace mlir;
using namespace kiln;

/// With the loops in it.
static constexpr int64_t mostNested = 2 * tensor_to_prim::mostOperations;

int64_t tensor_to_prim::stepsOf(int64_t low, int64_t high, int64_t by) {
  return high > low ? (high - low - 1) / by + 1 : 0;
}

/// How many operations a body is once the loops in it are unrolled, where that
/// can be seen; no more than `mostNested` and one.
static int64_t unrolledLength(Region &body) {
  int64_t length = 0;
  for (Operation &op : body.getOps()) {
    int64_t inner = 0, steps = 1;
    for (Region &region : op.getRegions())
      inner += unrolledLength(region);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      auto low = getConstantIntValue(loop.getLowerBound()),
           high = getConstantIntValue(loop.getUpperBound()),
           by = getConstantIntValue(loop.getStep());
      if (low && high && by && *by > 0)
        steps = std::min(tensor_to_prim::stepsOf(*low, *high, *by), mostNested);
    }
    length = std::min(length + 1 + steps * inner, mostNested + 1);
  }
  return length;
}

bool tensor_to_prim::isShort(int64_t steps, Region &body) {
  int64_t length = 0;
  body.walk([&](Operation *) { ++length; });
  return steps <= mostSteps && steps * length <= mostOperations &&
         steps * unrolledLength(body) <= mostNested;
}
