// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Remainders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kiln::amd;

PreservedAnalyses Remainders::run(Function &function,
                                  FunctionAnalysisManager &analyses) {
  bool changed = false;
  for (Instruction &one : make_early_inc_range(instructions(function))) {
    Type *type = one.getType();
    if (one.getOpcode() != Instruction::FRem ||
        !type->getScalarType()->isBFloatTy())
      continue;
    IRBuilder<> builder(&one);
    Type *wide = type->getWithNewType(builder.getFloatTy());
    Value *rest =
        builder.CreateFRem(builder.CreateFPExt(one.getOperand(0), wide),
                           builder.CreateFPExt(one.getOperand(1), wide));
    one.replaceAllUsesWith(builder.CreateFPTrunc(rest, type));
    one.eraseFromParent();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
