//===- ProductOrder.cpp - Products stay in front of branches --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProductOrder.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace kiln::amd;

static bool isProduct(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return false;
  StringRef name = call->getCalledFunction()->getName();
  return name.starts_with("llvm.amdgcn.wmma") ||
         name.starts_with("llvm.amdgcn.swmmac") ||
         name.starts_with("llvm.amdgcn.mfma.scale");
}

/// Whether something else keeps a value, which is a product or elements of one,
/// in its block: a product that adds to it there, or a loop that carries it to
/// its next iteration.
static bool stays(const Instruction &value, const LoopInfo &loops) {
  return any_of(value.users(), [&](const User *user) {
    auto *reader = cast<Instruction>(user);
    if (isa<PHINode>(reader)) {
      const Loop *loop = loops.getLoopFor(reader->getParent());
      return loop && loop->getHeader() == reader->getParent() &&
             loop->contains(&value);
    }
    if (reader->getParent() != value.getParent())
      return false;
    return isProduct(*reader) ||
           (isa<ExtractElementInst>(reader) && stays(*reader, loops));
  });
}

PreservedAnalyses ProductOrder::run(Function &function,
                                    FunctionAnalysisManager &analyses) {
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  SmallVector<Instruction *> products;
  for (Instruction &instruction : instructions(function))
    if (isProduct(instruction) && !stays(instruction, loops))
      products.push_back(&instruction);
  if (products.empty())
    return PreservedAnalyses::all();
  constexpr unsigned kWordBits = 32;
  for (Instruction *product : products) {
    IRBuilder<> b(product->getNextNode());
    Type *type = product->getType();
    auto *words = FixedVectorType::get(
        b.getInt32Ty(), type->getPrimitiveSizeInBits() / kWordBits);
    auto *code = FunctionType::get(words, {words}, /*isVarArg=*/false);
    InlineAsm *order =
        InlineAsm::get(code, "", "=v,0", /*hasSideEffects=*/true);
    // A result of words is taken as it is.
    Value *taken = b.CreateBitCast(product, words);
    CallInst *call = b.CreateCall(order, {taken});
    Value *kept = b.CreateBitCast(call, type);
    product->replaceUsesWithIf(kept, [&](Use &use) {
      return use.getUser() != taken && use.getUser() != call;
    });
  }
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
