//===- NarrowBounds.cpp - Extents in 32 bits ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NarrowBounds.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kiln::amd;

/// Whether a number of 64 bits is one of 32 bits with a sign.
static bool isNarrow(Value *value, const DataLayout &layout) {
  return ComputeNumSignBits(value, layout) > 32;
}

/// The difference of two such numbers; null for anything else.
static BinaryOperator *narrowDifference(Value *value,
                                        const DataLayout &layout) {
  auto *difference = dyn_cast<BinaryOperator>(value);
  if (!difference || difference->getOpcode() != Instruction::Sub ||
      !difference->getType()->isIntegerTy(64) ||
      !isNarrow(difference->getOperand(0), layout) ||
      !isNarrow(difference->getOperand(1), layout))
    return nullptr;
  return difference;
}

namespace {
/// min(max(extent - begin, 0), size) in 32 bits.
class Narrow {
public:
  Narrow(BinaryOperator *difference, Instruction *where)
      : builder(where), extent(cut(difference->getOperand(0))),
        begin(cut(difference->getOperand(1))) {}

  Value *clamp(uint64_t size, bool mayBeNegative) {
    Value *count = builder.CreateBinaryIntrinsic(
        Intrinsic::umin, builder.CreateSub(extent, begin),
        builder.getInt32(uint32_t(size)));
    return mayBeNegative
               ? builder.CreateSelect(builder.CreateICmpSGT(extent, begin),
                                      count, builder.getInt32(0))
               : count;
  }

  IRBuilder<> builder;

private:
  Value *cut(Value *value) {
    auto *extension = dyn_cast<CastInst>(value);
    if (extension && extension->getSrcTy()->isIntegerTy(32))
      return extension->getOperand(0);
    return builder.CreateTrunc(value, builder.getInt32Ty());
  }
  Value *extent, *begin;
};
} // namespace

/// max(extent - begin, 0), cut at a size below 2^31.
static bool narrowClamp(IntrinsicInst *minimum, const DataLayout &layout) {
  const APInt *size = nullptr;
  Value *inner = nullptr, *difference = nullptr;
  if (!match(minimum, m_c_UMin(m_Value(inner), m_APInt(size))) ||
      !minimum->getType()->isIntegerTy(64) || size->getActiveBits() > 31)
    return false;
  bool mayBeNegative = match(inner, m_c_SMax(m_Value(difference), m_Zero()));
  if (!mayBeNegative)
    difference = inner;
  BinaryOperator *wide = narrowDifference(difference, layout);
  // Of a difference that is not cut at 0 the sign has to be known.
  if (!wide || (!mayBeNegative &&
                !isKnownNonNegative(wide, SimplifyQuery(layout, minimum))))
    return false;
  Narrow narrow(wide, minimum);
  Value *count = narrow.clamp(size->getZExtValue(), mayBeNegative);
  minimum->replaceAllUsesWith(narrow.builder.CreateZExt(
      count, minimum->getType(), "", /*IsNonNeg=*/true));
  return true;
}

/// Whether a whole tile is inside: extent - begin > size - 1. The number of
/// elements inside is at hand as a rule.
static bool narrowComparison(ICmpInst *comparison, const DataLayout &layout) {
  const APInt *limit = nullptr;
  bool isGreater = comparison->getPredicate() == ICmpInst::ICMP_SGT;
  if ((!isGreater && comparison->getPredicate() != ICmpInst::ICMP_SLT) ||
      !match(comparison->getOperand(1), m_APInt(limit)) ||
      limit->isNegative() || limit->getActiveBits() > 30)
    return false;
  uint64_t size = limit->getZExtValue() + isGreater;
  BinaryOperator *wide = narrowDifference(comparison->getOperand(0), layout);
  if (!wide || !size)
    return false;
  Narrow narrow(wide, comparison);
  Value *count = narrow.clamp(size, /*mayBeNegative=*/true);
  comparison->replaceAllUsesWith(narrow.builder.CreateICmp(
      isGreater ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE, count,
      narrow.builder.getInt32(uint32_t(size))));
  return true;
}

PreservedAnalyses NarrowBounds::run(Function &function,
                                    FunctionAnalysisManager &analyses) {
  const DataLayout &layout = function.getDataLayout();
  bool changed = false;
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    if (auto *minimum = dyn_cast<IntrinsicInst>(&instruction))
      changed |= narrowClamp(minimum, layout);
    else if (auto *comparison = dyn_cast<ICmpInst>(&instruction))
      changed |= narrowComparison(comparison, layout);
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
