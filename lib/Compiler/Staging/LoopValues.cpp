//===- LoopValues.cpp - Where an iteration's values come from -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Staging/LoopValues.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

Operation *kiln::staging::definitionIn(scf::ForOp loop, Value value) {
  // Loops may hand a carried value on to another one.
  llvm::SmallPtrSet<Value, 4> seen;
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() || !seen.insert(value).second ||
        argument.getArgNumber() < loop.getNumInductionVars())
      return nullptr;
    value = loop.getYieldedValues()[argument.getArgNumber() -
                                    loop.getNumInductionVars()];
  }
  Operation *op = value.getDefiningOp();
  return op->getBlock() == loop.getBody() ? op : nullptr;
}
