//===- SharedSteps.cpp - Address steps of guarded accesses ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hoists equal address computations (getelementptr with a variable index) from
// several guarded blocks to their common dominator, so that each is computed
// once. LLVM's own passes leave them, as no block dominates another.
//
//===----------------------------------------------------------------------===//

#include "SharedSteps.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include <map>

using namespace llvm;
using namespace kiln::amd;

namespace {
class Steps {
public:
  Steps(const DominatorTree &tree, const LoopInfo &loops)
      : tree(tree), loops(loops) {}

  /// Joins equal steps of blocks that do not dominate each other. Returns
  /// whether it changed the function.
  bool join(Function &function) {
    // The element type of a step, then its base and its indices.
    using Key = std::pair<Type *, SmallVector<Value *, 4>>;
    std::map<Key, SmallVector<GetElementPtrInst *>> groups;
    SmallVector<SmallVector<GetElementPtrInst *> *> order;
    for (Instruction &instruction : instructions(function)) {
      auto *step = dyn_cast<GetElementPtrInst>(&instruction);
      // Constant offsets are part of the load or store instruction.
      if (!step || step->hasAllConstantIndices())
        continue;
      auto &group = groups[{step->getSourceElementType(),
                            SmallVector<Value *, 4>(step->operands())}];
      if (group.empty())
        order.push_back(&group);
      group.push_back(step);
    }
    bool changes = false;
    for (SmallVector<GetElementPtrInst *> *group : order)
      changes |= group->size() > 1 && joinGroup(*group);
    return changes;
  }

private:
  bool joinGroup(ArrayRef<GetElementPtrInst *> group) {
    BasicBlock *block = group.front()->getParent();
    const Loop *loop = loops.getLoopFor(block);
    // An unreachable block has no common dominator with others.
    if (!all_of(group, [&](GetElementPtrInst *step) {
          return tree.isReachableFromEntry(step->getParent());
        }))
      return false;
    for (GetElementPtrInst *step : group.drop_front()) {
      block = tree.findNearestCommonDominator(block, step->getParent());
      if (loops.getLoopFor(step->getParent()) != loop)
        return false;
    }
    auto isThere = [&](GetElementPtrInst *step) {
      return step->getParent() == block;
    };
    if (loops.getLoopFor(block) != loop || any_of(group, isThere))
      return false;
    // The operands dominate all blocks of the group, and so their common
    // dominator.
    GetElementPtrInst *first = group.front();
    first->moveBefore(block->getTerminator()->getIterator());
    first->dropPoisonGeneratingFlags();
    for (GetElementPtrInst *step : group.drop_front()) {
      step->replaceAllUsesWith(first);
      step->eraseFromParent();
    }
    return true;
  }

  const DominatorTree &tree;
  const LoopInfo &loops;
};
} // namespace

PreservedAnalyses SharedSteps::run(Function &function,
                                   FunctionAnalysisManager &analyses) {
  Steps steps(analyses.getResult<DominatorTreeAnalysis>(function),
              analyses.getResult<LoopAnalysis>(function));
  // A joined step can make steps that begin at it equal: repeat.
  bool changed = false;
  while (steps.join(function))
    changed = true;
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
