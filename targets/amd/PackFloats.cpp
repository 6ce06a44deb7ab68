//===- PackFloats.cpp - Two numbers of f32 by one instruction -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PackFloats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace kiln::amd;

/// Whether there is an instruction for two of it.
static bool isPackable(const Instruction *op) {
  if (!op->getType()->isFloatTy())
    return false;
  auto *call = dyn_cast<IntrinsicInst>(op);
  return op->getOpcode() == Instruction::FMul ||
         op->getOpcode() == Instruction::FAdd ||
         op->getOpcode() == Instruction::FSub ||
         (call && call->getIntrinsicID() == Intrinsic::fma);
}

static unsigned countOperands(const Instruction *op) {
  return isa<IntrinsicInst>(op) ? 3 : 2;
}

/// The place in its vector of an element that is taken out; none otherwise.
static std::pair<Value *, uint64_t> elementOf(Value *value) {
  uint64_t index = 0;
  Value *vector = nullptr;
  if (match(value, m_ExtractElt(m_Value(vector), m_ConstantInt(index))))
    return {vector, index};
  return {nullptr, 0};
}

/// Whether two values lie, or can lie, in registers that follow each other.
static bool areNeighbours(Value *first, Value *second) {
  auto [vector, index] = elementOf(first);
  auto [other, next] = elementOf(second);
  if (vector)
    return vector == other && index % 2 == 0 && next == index + 1;
  auto *carried = dyn_cast<PHINode>(first), *behind = dyn_cast<PHINode>(second);
  return carried && behind && carried != behind &&
         carried->getParent() == behind->getParent();
}

/// Whether one instruction can compute both, where the later one stands.
static bool canPack(Instruction *first, Instruction *second) {
  if (first == second || first->getParent() != second->getParent() ||
      !isPackable(first) || !isPackable(second) ||
      !first->isSameOperationAs(second))
    return false;
  for (unsigned i = 0; i < countOperands(first); ++i) {
    Value *x = first->getOperand(i), *y = second->getOperand(i);
    if (x != y && !areNeighbours(x, y))
      return false;
  }
  Instruction *early = first->comesBefore(second) ? first : second,
              *late = early == first ? second : first;
  return all_of(early->users(), [&](User *user) {
    auto *reader = cast<Instruction>(user);
    return isa<PHINode>(reader) || reader->getParent() != late->getParent() ||
           late->comesBefore(reader);
  });
}

static void pack(Instruction *first, Instruction *second) {
  Instruction *late = first->comesBefore(second) ? second : first;
  IRBuilder<> builder(late);
  Type *two = FixedVectorType::get(builder.getFloatTy(), 2);
  auto both = [&](unsigned i) -> Value * {
    Value *x = first->getOperand(i), *y = second->getOperand(i);
    if (x == y)
      return builder.CreateVectorSplat(2, x);
    if (auto [vector, index] = elementOf(x); vector)
      return builder.CreateShuffleVector(vector, {int(index), int(index) + 1});
    Value *pair =
        builder.CreateInsertElement(PoisonValue::get(two), x, uint64_t(0));
    return builder.CreateInsertElement(pair, y, uint64_t(1));
  };
  SmallVector<Value *> operands;
  for (unsigned i = 0; i < countOperands(first); ++i)
    operands.push_back(both(i));
  Value *packed;
  if (isa<IntrinsicInst>(first))
    packed = builder.CreateIntrinsic(Intrinsic::fma, {two}, operands);
  else
    packed = builder.CreateBinOp(Instruction::BinaryOps(first->getOpcode()),
                                 operands[0], operands[1]);
  if (auto *op = dyn_cast<Instruction>(packed)) {
    op->copyIRFlags(first);
    op->andIRFlags(second);
  }
  // The builder stands before one of both until all is built.
  Value *elements[] = {builder.CreateExtractElement(packed, uint64_t(0)),
                       builder.CreateExtractElement(packed, uint64_t(1))};
  Instruction *ends[] = {first, second};
  for (auto [one, element] : zip_equal(ends, elements)) {
    one->replaceAllUsesWith(element);
    one->eraseFromParent();
  }
}

/// What may be packed with an instruction: that which has the neighbour of an
/// operand at the same place, or goes to the neighbour of where this one goes.
static Instruction *partnerOf(Instruction *first) {
  for (unsigned i = 0; i < countOperands(first); ++i) {
    auto [vector, index] = elementOf(first->getOperand(i));
    if (!vector || index % 2)
      continue;
    for (User *user : vector->users()) {
      if (elementOf(user) != std::pair(vector, index + 1))
        continue;
      for (User *reader : user->users())
        if (auto *second = dyn_cast<Instruction>(reader);
            second && canPack(first, second))
          return second;
    }
  }
  for (User *user : first->users()) {
    uint64_t index = 0, next = 0;
    if (!match(user, m_InsertElt(m_Value(), m_Specific(first),
                                 m_ConstantInt(index))) ||
        index % 2)
      continue;
    for (User *chain : user->users()) {
      Value *value = nullptr;
      if (!match(chain, m_InsertElt(m_Specific(user), m_Value(value),
                                    m_ConstantInt(next))) ||
          next != index + 1)
        continue;
      if (auto *second = dyn_cast<Instruction>(value);
          second && canPack(first, second))
        return second;
    }
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Sums of many
//===----------------------------------------------------------------------===//

namespace {
/// Two halves of a sum that have the same form: the sums of both are computed
/// together, from the numbers of both. Numbers that an instruction computes for
/// themselves can lie anywhere, and so side by side.
class Halves {
public:
  /// Whether it pays off: the pairs need no moves, and are enough.
  bool match(Instruction *sum) {
    constexpr unsigned kFewest = 8;
    root = sum;
    return sum->getOpcode() == Instruction::FAdd &&
           sum->getType()->isFloatTy() &&
           areAlike(sum->getOperand(0), sum->getOperand(1)) &&
           packed.size() >= kFewest;
  }

  void rewrite() {
    IRBuilder<> builder(root);
    Value *both = make(root->getOperand(0), root->getOperand(1), builder);
    root->setOperand(0, builder.CreateExtractElement(both, uint64_t(0)));
    root->setOperand(1, builder.CreateExtractElement(both, uint64_t(1)));
  }

  /// The sums that are no longer needed.
  const SmallPtrSet<Instruction *, 16> &replaced() const { return packed; }

private:
  Instruction *addOf(Value *value) const {
    auto *add = dyn_cast<Instruction>(value);
    return add && add->getOpcode() == Instruction::FAdd && add->hasOneUse() &&
                   add->getParent() == root->getParent()
               ? add
               : nullptr;
  }

  bool areAlike(Value *first, Value *second) {
    Instruction *one = addOf(first), *other = addOf(second);
    if (!one != !other)
      return false;
    if (one) {
      packed.insert({one, other});
      return areAlike(one->getOperand(0), other->getOperand(0)) &&
             areAlike(one->getOperand(1), other->getOperand(1));
    }
    auto *x = dyn_cast<IntrinsicInst>(first),
         *y = dyn_cast<IntrinsicInst>(second);
    return first != second && x && y &&
           x->getIntrinsicID() == y->getIntrinsicID() &&
           x->getParent() == root->getParent() &&
           y->getParent() == root->getParent();
  }

  Value *make(Value *first, Value *second, IRBuilder<> &builder) {
    auto *one = dyn_cast<Instruction>(first);
    auto *other = dyn_cast<Instruction>(second);
    if (packed.contains(one)) {
      Value *lhs = make(one->getOperand(0), other->getOperand(0), builder);
      Value *rhs = make(one->getOperand(1), other->getOperand(1), builder);
      Value *sum = builder.CreateFAdd(lhs, rhs);
      if (auto *add = dyn_cast<Instruction>(sum)) {
        add->copyIRFlags(one);
        add->andIRFlags(other);
      }
      return sum;
    }
    Type *two = FixedVectorType::get(builder.getFloatTy(), 2);
    Value *pair =
        builder.CreateInsertElement(PoisonValue::get(two), first, uint64_t(0));
    return builder.CreateInsertElement(pair, second, uint64_t(1));
  }

  Instruction *root = nullptr;
  SmallPtrSet<Instruction *, 16> packed;
};
} // namespace

/// Packs sums of many numbers of a function; whether there was one.
static bool packSums(Function &function) {
  SmallVector<Instruction *> sums;
  for (Instruction &op : instructions(function))
    if (op.getOpcode() == Instruction::FAdd)
      sums.push_back(&op);
  // Whole sums come last.
  SmallPtrSet<Instruction *, 32> done;
  for (Instruction *sum : reverse(sums)) {
    Halves halves;
    if (done.contains(sum) || !halves.match(sum))
      continue;
    halves.rewrite();
    done.insert_range(halves.replaced());
  }
  return !done.empty();
}

PreservedAnalyses PackFloats::run(Function &function,
                                  FunctionAnalysisManager &) {
  SmallVector<Instruction *> candidates;
  for (Instruction &op : instructions(function))
    if (isPackable(&op))
      candidates.push_back(&op);
  SmallPtrSet<Instruction *, 32> done;
  for (Instruction *first : candidates) {
    if (done.contains(first))
      continue;
    Instruction *second = partnerOf(first);
    if (!second || done.contains(second))
      continue;
    done.insert(first);
    done.insert(second);
    pack(first, second);
  }
  bool changes = packSums(function) || !done.empty();
  return changes ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
