//===- BarrierOrder.cpp - Loads stay in front of barriers -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places an empty inline assembly that clobbers memory in front of each barrier
// of a workgroup, as the back end would otherwise sink loads past it.
//
//===----------------------------------------------------------------------===//

#include "BarrierOrder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace kiln::amd;

static bool isBarrier(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::amdgcn_s_barrier:
  case Intrinsic::amdgcn_s_barrier_signal:
  case Intrinsic::amdgcn_s_barrier_wait:
    return true;
  default:
    return false;
  }
}

PreservedAnalyses BarrierOrder::run(Function &function,
                                    FunctionAnalysisManager &) {
  SmallVector<Instruction *> barriers;
  for (Instruction &instruction : instructions(function))
    if (isBarrier(instruction))
      barriers.push_back(&instruction);
  if (barriers.empty())
    return PreservedAnalyses::all();
  auto *type = FunctionType::get(Type::getVoidTy(function.getContext()),
                                 /*isVarArg=*/false);
  InlineAsm *order =
      InlineAsm::get(type, "", "~{memory}", /*hasSideEffects=*/true);
  for (Instruction *barrier : barriers)
    IRBuilder<>(barrier).CreateCall(order);
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
