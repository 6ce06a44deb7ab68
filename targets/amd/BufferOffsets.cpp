//===- BufferOffsets.cpp - Offsets that stay in range ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BufferOffsets.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Pass.h"
#include "llvm/PassRegistry.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kiln::amd;

namespace {
/// An offset as a sum, as instruction selection may see it: additions, and
/// multiplications by constants.
class OffsetSum {
public:
  OffsetSum(Value *offset, ScalarEvolution &evolution,
            const DominatorTree &tree, BasicBlock *where)
      : evolution(evolution), tree(tree), where(where) {
    collect(offset, 1, 0);
  }

  /// Whether a constant may be added last, to a sum that wraps around.
  bool mayWrap() const {
    constexpr uint64_t kAll = uint64_t(1) << 32;
    return constants && (isUnknown || greatest + constants >= kAll);
  }

private:
  static constexpr unsigned kDeepest = 8;
  /// Half of the range, which is also more than the size of any buffer.
  static constexpr uint64_t kHalf = uint64_t(1) << 31;

  void collect(Value *value, uint64_t factor, unsigned depth) {
    const APInt *number = nullptr;
    Value *lhs = nullptr, *rhs = nullptr;
    if (match(value, m_APInt(number))) {
      // Negative ones stay in the register.
      APInt low = number->trunc(32);
      if (low.isNegative())
        isUnknown = true;
      else
        constants = saturated(constants, low.getZExtValue() * factor);
      return;
    }
    if (depth < kDeepest) {
      if (match(value, m_Trunc(m_Value(lhs))) &&
          lhs->getType()->isIntegerTy(64))
        return collect(lhs, factor, depth + 1);
      if (match(value, m_AddLike(m_Value(lhs), m_Value(rhs)))) {
        collect(lhs, factor, depth + 1);
        return collect(rhs, factor, depth + 1);
      }
      if (match(value, m_Shl(m_Value(lhs), m_APInt(number))) &&
          number->ult(32)) {
        uint64_t more = factor << number->getZExtValue();
        return collect(lhs, std::min(more, kHalf), depth + 1);
      }
      if (match(value, m_Mul(m_Value(lhs), m_APInt(number))) &&
          number->isNonNegative())
        return collect(
            lhs, std::min(saturated(0, factor * number->getZExtValue()), kHalf),
            depth + 1);
    }
    uint64_t most = greatestOf(value);
    if (most >= kHalf) {
      std::optional<uint64_t> step = stepOf(value);
      isUnknown |= !step;
      greatest = saturated(greatest, kHalf + step.value_or(0) * factor);
      return;
    }
    greatest = saturated(greatest, most * factor);
  }

  static uint64_t saturated(uint64_t sum, uint64_t more) {
    return std::min(sum + more, uint64_t(1) << 40);
  }

  uint64_t greatestOf(Value *value) const {
    KnownBits bits = computeKnownBits(value, evolution.getDataLayout());
    uint64_t most = bits.getMaxValue().getZExtValue();
    if (most >= kHalf && evolution.isSCEVable(value->getType()))
      most =
          std::min(most, evolution.getUnsignedRangeMax(evolution.getSCEV(value))
                             .getZExtValue());
    return most;
  }

  /// The step of a value that begins small and that each iteration with the
  /// access increases. The access is within a buffer, so that this part of its
  /// offset is below `kHalf` then, and in the next iteration at most a step
  /// beyond.
  std::optional<uint64_t> stepOf(Value *value) const {
    auto *phi = dyn_cast<PHINode>(value);
    BinaryOperator *next = nullptr;
    Value *start = nullptr, *step = nullptr;
    const APInt *number = nullptr;
    constexpr uint64_t kLargest = 1 << 24;
    if (!phi || !matchSimpleRecurrence(phi, next, start, step) ||
        next->getOpcode() != Instruction::Add ||
        !match(step, m_APInt(number)) || number->uge(kLargest) ||
        greatestOf(start) >= kHalf)
      return std::nullopt;
    unsigned back = phi->getIncomingValue(0) == next ? 0 : 1;
    if (!tree.dominates(where, phi->getIncomingBlock(back)))
      return std::nullopt;
    return number->getZExtValue();
  }

  ScalarEvolution &evolution;
  const DominatorTree &tree;
  BasicBlock *where;
  uint64_t greatest = 0, constants = 0;
  bool isUnknown = false;
};

class BufferOffsets : public FunctionPass {
public:
  static char ID;
  BufferOffsets() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Offsets of buffers"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.addRequired<ScalarEvolutionWrapperPass>();
    usage.addRequired<DominatorTreeWrapperPass>();
    usage.setPreservesCFG();
  }

  bool runOnFunction(Function &function) override {
    auto &evolution = getAnalysis<ScalarEvolutionWrapperPass>().getSE();
    auto &tree = getAnalysis<DominatorTreeWrapperPass>().getDomTree();
    SmallVector<Use *> found;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (Use *offset = offsetOf(instruction))
          if (OffsetSum(*offset, evolution, tree, &block).mayWrap())
            found.push_back(offset);
    HiddenValues hidden;
    for (Use *offset : found)
      hide(*offset, hidden);
    return !found.empty();
  }

private:
  using HiddenValues = DenseMap<std::pair<Value *, BasicBlock *>, Value *>;

  /// The offset of a lane, of an access to a raw buffer.
  static Use *offsetOf(Instruction &instruction) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call)
      return nullptr;
    switch (call->getIntrinsicID()) {
    case Intrinsic::amdgcn_raw_ptr_buffer_load:
      return &call->getArgOperandUse(1);
    case Intrinsic::amdgcn_raw_ptr_buffer_store:
      return &call->getArgOperandUse(2);
    default:
      return nullptr;
    }
  }

  /// An empty piece of assembly: the value stays in its register. It stands
  /// where the value is computed, so that the register is that of the value
  /// alone: what loops use again and again would be copied in each iteration.
  static void hide(Use &offset, HiddenValues &hidden) {
    auto *user = cast<Instruction>(offset.getUser());
    auto *sum = dyn_cast<Instruction>(offset.get());
    BasicBlock::iterator place = user->getIterator();
    if (sum && sum->getParent() != user->getParent())
      if (auto behind = sum->getInsertionPointAfterDef())
        place = *behind;
    IRBuilder<> builder(place->getParent(), place);
    auto *type =
        FunctionType::get(offset->getType(), {offset->getType()}, false);
    InlineAsm *same =
        InlineAsm::get(type, "", "=v,0", /*hasSideEffects=*/false);
    Value *&call = hidden[{offset.get(), place->getParent()}];
    if (!call)
      call = builder.CreateCall(same, {offset.get()});
    offset.set(call);
  }
};
char BufferOffsets::ID = 0;
} // namespace

void EmitPasses::add(Pass *pass) {
  AnalysisID id = pass->getPassID();
  legacy::PassManager::add(pass);
  const PassInfo *last =
      PassRegistry::getPassRegistry()->getPassInfo(StringRef("codegenprepare"));
  if (last && last->getTypeInfo() == id)
    legacy::PassManager::add(new BufferOffsets());
}
