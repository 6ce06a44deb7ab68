//===- OrderValues.cpp - Code that needs fewer registers ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OrderValues.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// Bits of registers that a value takes. Conditions are in registers of their
/// own, and the parts of a structure in the registers of its elements.
static int64_t bitsOf(const Value *value, const DataLayout &layout) {
  Type *type = value->getType();
  if (isa<Constant>(value) || !type->isSized() || type->isStructTy() ||
      type->isIntegerTy(1))
    return 0;
  return layout.getTypeSizeInBits(type).getFixedValue();
}

/// Whether an instruction only computes.
static bool mayMove(const Instruction *op) {
  if (isa<PHINode>(op) || op->isTerminator() || op->isEHPad() ||
      isa<AllocaInst>(op) || op->mayReadOrWriteMemory() ||
      op->mayHaveSideEffects())
    return false;
  auto *call = dyn_cast<CallBase>(op);
  return !call || !call->isConvergent();
}

/// Whether an instruction loads what it loads anywhere between two writes.
static bool isOrdinaryLoad(const Instruction *op) {
  auto *load = dyn_cast<LoadInst>(op);
  return load && load->isSimple();
}

/// Whether no instruction may pass this one.
static bool isBoundary(const Instruction &op) {
  if (isa<PHINode>(op) || op.isTerminator())
    return true;
  auto *call = dyn_cast<CallBase>(&op);
  auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return text && text->hasSideEffects();
}

namespace {
/// A run of instructions of a block.
class Run {
public:
  Run(ArrayRef<Instruction *> ops, const DataLayout &layout)
      : ops(ops), layout(layout), inside(ops.begin(), ops.end()) {
    countUses();
  }

  /// The new order of all of them.
  SmallVector<Instruction *> order();

private:
  using Uses = SmallMapVector<Value *, int64_t, 4>;
  static Uses usesOf(Instruction *op) {
    Uses uses;
    for (Value *operand : op->operands())
      if (!isa<Constant>(operand))
        ++uses[operand];
    return uses;
  }
  /// The instruction of the run that makes a value and is not placed; or null.
  Instruction *findMissing(Value *value) const {
    auto *made = dyn_cast<Instruction>(value);
    return made && inside.contains(made) && !placed.contains(made) ? made
                                                                   : nullptr;
  }
  bool isReady(Instruction *op) const {
    return none_of(op->operands(),
                   [&](Value *operand) { return findMissing(operand); });
  }
  void countUses();
  int64_t grownBits(Instruction *op) const;
  void placeLoadsBefore(Instruction *op);
  void place(Instruction *op);
  void placeReady(Instruction *op);

  ArrayRef<Instruction *> ops;
  const DataLayout &layout;
  DenseSet<Instruction *> inside, placed;
  DenseMap<Value *, int64_t> left;  ///< uses that are not placed
  SmallVector<Instruction *> loads; ///< that may still move, last first
  SmallVector<Instruction *> result;
};
} // namespace

/// Counts how often values are used in the run. Those that are used elsewhere,
/// too, count one use that never ends.
void Run::countUses() {
  for (Instruction *op : ops)
    for (auto [value, count] : usesOf(op))
      left[value] += count;
  for (auto &[value, count] : left)
    if (any_of(value->users(), [&](User *user) {
          auto *op = dyn_cast<Instruction>(user);
          return !op || !inside.contains(op);
        }))
      ++count;
}

int64_t Run::grownBits(Instruction *op) const {
  // Elements of structures are in registers already.
  if (isa<ExtractValueInst>(op))
    return 0;
  int64_t grown = bitsOf(op, layout);
  for (auto [value, count] : usesOf(op))
    if (left.lookup(value) == count)
      grown -= bitsOf(value, layout);
  return grown;
}

/// Places what an instruction needs and then it. Without recursion, as chains
/// are as long as the code.
void Run::place(Instruction *op) {
  SmallVector<Instruction *> open = {op};
  while (!open.empty()) {
    Instruction *next = open.back();
    size_t before = open.size();
    if (!placed.contains(next))
      for (Use &use : reverse(next->operands()))
        if (Instruction *made = findMissing(use.get()))
          open.push_back(made);
    if (open.size() != before)
      continue;
    open.pop_back();
    placeReady(next);
  }
}

/// Places an instruction that is ready, and then those that became so and do
/// not make more bits than they end.
void Run::placeReady(Instruction *op) {
  SmallVector<Instruction *> ready = {op};
  while (!ready.empty()) {
    Instruction *next = ready.pop_back_val();
    if (!placed.insert(next).second)
      continue;
    result.push_back(next);
    Uses uses = usesOf(next);
    for (auto [value, count] : uses)
      left[value] -= count;
    auto offer = [&](Value *value) {
      for (User *user : value->users())
        if (Instruction *reader = findMissing(user);
            reader && mayMove(reader) && isReady(reader) &&
            grownBits(reader) <= 0)
          ready.push_back(reader);
    };
    offer(next);
    for (auto [value, count] : uses)
      if (left[value] > 0 && left[value] <= 1)
        offer(value);
  }
}

/// Loads do not pass what writes memory or waits for other threads.
void Run::placeLoadsBefore(Instruction *op) {
  for (; !loads.empty() && loads.back()->comesBefore(op); loads.pop_back())
    place(loads.back());
}

SmallVector<Instruction *> Run::order() {
  for (Instruction *op : reverse(ops))
    if (isOrdinaryLoad(op))
      loads.push_back(op);
  for (Instruction *op : ops) {
    if (mayMove(op) || isOrdinaryLoad(op))
      continue;
    placeLoadsBefore(op);
    place(op);
  }
  // What only instructions behind the run use.
  for (Instruction *op : ops)
    place(op);
  return result;
}

bool kiln::nvidia::orderValues(Function &function) {
  const DataLayout &layout = function.getParent()->getDataLayout();
  bool changed = false;
  for (BasicBlock &block : function) {
    SmallVector<Instruction *> run;
    for (Instruction &op : make_early_inc_range(block)) {
      if (!isBoundary(op)) {
        run.push_back(&op);
        continue;
      }
      SmallVector<Instruction *> order = Run(run, layout).order();
      changed |= order != run;
      for (Instruction *one : order)
        one->moveBefore(op.getIterator());
      run.clear();
    }
  }
  return changed;
}
