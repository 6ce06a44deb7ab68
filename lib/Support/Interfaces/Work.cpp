//===- Work.cpp - What an operation counts in reports ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Interfaces/Work.h"

using namespace mlir;
using namespace kiln;

#include "kiln/Interfaces/Work.cpp.inc"

Work kiln::getWork(Operation *op) {
  if (auto work = dyn_cast<WorkOpInterface>(op))
    return work.getWork();
  if (op->getNumResults() && op->hasTrait<OpTrait::Elementwise>())
    return {op->getResult(0), 1};
  return {};
}
