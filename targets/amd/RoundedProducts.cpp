//===- RoundedProducts.cpp - Signs of zeros that are rounded --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RoundedProducts.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace kiln::amd;

PreservedAnalyses RoundedProducts::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  bool changed = false;
  for (Instruction &instruction : instructions(function)) {
    auto *rounded = dyn_cast<FPTruncInst>(&instruction);
    if (!rounded || !rounded->getType()->isHalfTy() ||
        !rounded->getOperand(0)->getType()->isFloatTy())
      continue;
    auto *product = dyn_cast<BinaryOperator>(rounded->getOperand(0));
    if (!product || product->getOpcode() != Instruction::FMul ||
        product->hasNoSignedZeros())
      continue;
    IRBuilder<> builder(rounded);
    Value *sum = builder.CreateIntrinsic(
        Intrinsic::fma, {product->getType()},
        {product->getOperand(0), product->getOperand(1),
         ConstantFP::getNegativeZero(product->getType())},
        product);
    rounded->setOperand(0, sum);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
