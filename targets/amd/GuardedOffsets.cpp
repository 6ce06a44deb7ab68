//===- GuardedOffsets.cpp - Masks that offsets carry ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GuardedOffsets.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kiln::amd;

/// The range of a number of 64 bits that is another one plus a constant, by the
/// bits that its sign takes.
static ConstantRange rangeOf(Value *value, const DataLayout &layout) {
  unsigned bits = value->getType()->getIntegerBitWidth();
  const APInt *shift = nullptr;
  Value *rest = value;
  if (!match(value, m_Add(m_Value(rest), m_APInt(shift))))
    shift = nullptr;
  unsigned signs = ComputeNumSignBits(rest, layout);
  if (signs < 2)
    return ConstantRange::getFull(bits);
  APInt end = APInt::getOneBitSet(bits, bits - signs);
  ConstantRange range(-end, end);
  return shift ? range.add(ConstantRange(*shift)) : range;
}

/// Bits of an address. A bound beyond them is none: what reaches it is no
/// address, and only elements that are masked are outside.
constexpr unsigned kAddressBits = 57;

/// Uses the offset itself where a branch on the mask was taken.
static void useBehind(SelectInst *select, const DominatorTree &tree) {
  for (User *user : select->getCondition()->users()) {
    auto *branch = dyn_cast<BranchInst>(user);
    if (!branch || !branch->isConditional())
      continue;
    BasicBlockEdge taken(branch->getParent(), branch->getSuccessor(0));
    select->replaceUsesWithIf(select->getTrueValue(), [&](Use &use) {
      return tree.dominates(taken, use);
    });
  }
}

/// Bits of a constant that no buffer has as an offset.
constexpr unsigned kFewestBiasBits = 40;

/// A constant that one of the terms of a sum adds, if no buffer is that large.
static const APInt *biasOf(Value *sum, unsigned depth = 0) {
  constexpr unsigned kDeepest = 6;
  const APInt *bias = nullptr;
  Value *lhs = nullptr, *rhs = nullptr;
  if (depth > kDeepest || !match(sum, m_Add(m_Value(lhs), m_Value(rhs))))
    return nullptr;
  if (match(rhs, m_APInt(bias)))
    return bias->getSignificantBits() < kFewestBiasBits ? nullptr : bias;
  const APInt *found = biasOf(lhs, depth + 1);
  return found ? found : biasOf(rhs, depth + 1);
}

/// The sum without what biasOf finds.
static Value *withoutBias(Value *sum, IRBuilder<> &builder) {
  auto *add = cast<BinaryOperator>(sum);
  Value *lhs = add->getOperand(0), *rhs = add->getOperand(1);
  if (isa<ConstantInt>(rhs))
    return lhs;
  (biasOf(lhs) ? lhs : rhs) = withoutBias(biasOf(lhs) ? lhs : rhs, builder);
  return builder.CreateAdd(lhs, rhs);
}

/// base - bias + (offset + bias), where the bias is one that no buffer has:
/// base + offset.
static bool dropBias(GetElementPtrInst *address, const DataLayout &layout) {
  const APInt *bias =
      address->getNumIndices() == 1 ? biasOf(address->getOperand(1)) : nullptr;
  if (!bias)
    return false;
  uint64_t size = layout.getTypeAllocSize(address->getSourceElementType());
  SmallVector<GetElementPtrInst *> between;
  auto *base = dyn_cast<GetElementPtrInst>(address->getPointerOperand());
  for (; base; base = dyn_cast<GetElementPtrInst>(base->getPointerOperand())) {
    APInt constant(64, 0);
    if (base->accumulateConstantOffset(layout, constant) &&
        constant == -(*bias * size))
      break;
    between.push_back(base);
  }
  if (!base)
    return false;
  IRBuilder<> builder(address);
  Value *found = base->getPointerOperand();
  for (GetElementPtrInst *step : reverse(between)) {
    SmallVector<Value *> indices(step->indices());
    found = builder.CreateGEP(step->getSourceElementType(), found, indices);
  }
  address->replaceAllUsesWith(
      builder.CreateGEP(address->getSourceElementType(), found,
                        {withoutBias(address->getOperand(1), builder)}));
  return true;
}

/// A step forth behind steps that begin with the same step back, which LLVM has
/// put apart: without either.
static bool dropReturn(GetElementPtrInst *address, const DataLayout &layout) {
  auto constantOf = [&](GetElementPtrInst *step) -> std::optional<APInt> {
    APInt constant(64, 0);
    if (!step->accumulateConstantOffset(layout, constant) ||
        constant.abs().getActiveBits() < kFewestBiasBits)
      return std::nullopt;
    return constant;
  };
  std::optional<APInt> forth = constantOf(address);
  SmallVector<GetElementPtrInst *> between;
  auto *step = dyn_cast<GetElementPtrInst>(address->getPointerOperand());
  for (; forth && step;
       step = dyn_cast<GetElementPtrInst>(step->getPointerOperand())) {
    std::optional<APInt> back = constantOf(step);
    if (back && *back == -*forth)
      break;
    between.push_back(step);
  }
  if (!forth || !step)
    return false;
  IRBuilder<> builder(address);
  Value *found = step->getPointerOperand();
  for (GetElementPtrInst *one : reverse(between)) {
    SmallVector<Value *> indices(one->indices());
    found = builder.CreateGEP(one->getSourceElementType(), found, indices);
  }
  address->replaceAllUsesWith(found);
  return true;
}

PreservedAnalyses GuardedOffsets::run(Function &function,
                                      FunctionAnalysisManager &analyses) {
  const DataLayout &layout = function.getDataLayout();
  const auto &tree = analyses.getResult<DominatorTreeAnalysis>(function);
  SmallVector<SelectInst *> found;
  for (Instruction &instruction : instructions(function)) {
    auto *comparison = dyn_cast<ICmpInst>(&instruction);
    const APInt *bound = nullptr, *outside = nullptr;
    if (!comparison || comparison->getPredicate() != ICmpInst::ICMP_ULT ||
        !match(comparison->getOperand(1), m_APInt(bound)))
      continue;
    auto *select = dyn_cast<SelectInst>(comparison->getOperand(0));
    if (!select || !select->getType()->isIntegerTy(64) ||
        !match(select->getFalseValue(), m_APInt(outside)) ||
        outside->ult(*bound) ||
        (bound->getActiveBits() <= kAddressBits &&
         !rangeOf(select->getTrueValue(), layout)
              .icmp(CmpInst::ICMP_ULT, ConstantRange(*bound))))
      continue;
    comparison->replaceAllUsesWith(select->getCondition());
    if (!is_contained(found, select))
      found.push_back(select);
  }
  for (SelectInst *select : found)
    useBehind(select, tree);
  bool changed = !found.empty();
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
      changed |= dropBias(address, layout) || dropReturn(address, layout);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
