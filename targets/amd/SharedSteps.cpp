//===- SharedSteps.cpp - Address steps of guarded accesses ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

  /// Joins equal steps of blocks that do not dominate each other.
  bool join(Function &function) {
    // What steps begin at, the type that they count, and the counts.
    using Key = std::pair<Type *, SmallVector<Value *, 4>>;
    std::map<Key, SmallVector<GetElementPtrInst *>> groups;
    SmallVector<SmallVector<GetElementPtrInst *> *> order;
    for (Instruction &instruction : instructions(function)) {
      auto *step = dyn_cast<GetElementPtrInst>(&instruction);
      // A constant goes into the instruction that accesses memory.
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
    // A block that is never reached has no dominator in common with others.
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
    // What a step needs dominates all of the blocks, and so this one.
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
  // Steps behind a joined one become equal.
  bool changed = false;
  while (steps.join(function))
    changed = true;
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
