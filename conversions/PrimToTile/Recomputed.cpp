//===- Recomputed.cpp - What groups compute again -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Recomputed.h"
#include "Legality.h"
#include "Wrap.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

int64_t kiln::elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : -1;
}

/// Bits of a value in memory, or -1 where they are not known.
static int64_t bitsOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  int64_t elements = elementsOf(value);
  return elements < 0 || !element.isIntOrFloat()
             ? -1
             : elements * element.getIntOrFloatBitWidth();
}

/// A conversion to more bits, movements of what one gives, or a few functions
/// of its elements alone: what they are computed from is shorter than they are,
/// so that computing them again takes less time than to write and read them.
static bool isWidenedView(Operation *op) {
  constexpr int kMostOps = 8, kMostFunctions = 1;
  int functions = 0;
  for (int count = 0; op && count < kMostOps; ++count) {
    if (isWidening(op))
      return true;
    Value next;
    if (isViewMovement(op)) {
      next = op->getOperand(0);
    } else if (schedule::isElementwisePrim(op) && op->getNumResults() == 1) {
      for (Value operand : op->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (source && schedule::splatValue(source))
          continue;
        if (next && next != operand)
          return false;
        next = operand;
      }
      // Others are a few instructions each.
      functions += !isa<prim::AddOp, prim::SubOp, prim::MulOp, prim::NegOp>(op);
    }
    if (!next || functions > kMostFunctions)
      return false;
    op = next.getDefiningOp();
  }
  return false;
}

/// A few sums and products of what is in memory anyway and has no more bits
/// there than the value has: the normalised elements of a layer norm, from
/// elements and two numbers for each row. To compute the value again reads no
/// more than to read it, and saves writing it. Values that are a fraction of
/// its size do not count, functions of them neither.
static bool readsNoMore(Operation *op) {
  constexpr int kMostOps = 16;
  constexpr int64_t kFraction = 8;
  if (op->getNumResults() != 1)
    return false;
  int64_t all = elementsOf(op->getResult(0)), left = bitsOf(op->getResult(0));
  if (all <= 0 || left <= 0)
    return false;
  // Operations, and whether what others compute comes through them, too.
  SmallVector<std::pair<Operation *, bool>> work = {{op, false}};
  SmallPtrSet<Value, 8> seen;
  for (int count = 0; !work.empty(); ++count) {
    auto [next, isShared] = work.pop_back_val();
    if (count == kMostOps)
      return false;
    for (Value operand : next->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (elementsOf(operand) < 0)
        return false;
      if (elementsOf(operand) <= all / kFraction ||
          (source && schedule::splatValue(source)) ||
          !seen.insert(operand).second)
        continue;
      bool isCheap =
          source && source->getNumResults() == 1 &&
          (isViewMovement(source) ||
           (schedule::isElementwisePrim(source) && !isExpensive(source)));
      if (isCheap && (operand.hasOneUse() || isViewMovement(source) ||
                      isWidening(source))) {
        work.push_back({source, isShared || !operand.hasOneUse()});
        continue;
      }
      // What one operation alone reads is better a part of its kernel.
      if (source && operand.hasOneUse() && !isShared)
        return false;
      if ((left -= bitsOf(operand)) < 0)
        return false;
    }
  }
  return true;
}

/// Whether a value follows from the place of each element and from few numbers,
/// by a few cheap operations, whether others read these or not: counters and
/// the first steps of random numbers. To read the value takes longer than to
/// compute it again.
static bool followsFromPlaces(Operation *op) {
  constexpr unsigned kMostOps = 32;
  constexpr int64_t kFraction = 8;
  if (op->getNumResults() != 1)
    return false;
  int64_t all = elementsOf(op->getResult(0));
  if (all <= 0)
    return false;
  SmallVector<Operation *> work = {op};
  SmallPtrSet<Operation *, 16> seen = {op};
  bool isCounted = false;
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (isa<prim::IotaOp>(next)) {
      isCounted = true;
      continue;
    }
    bool isCheap = next->getNumResults() == 1 &&
                   (isViewMovement(next) || isa<prim::BroadcastInDimOp>(next) ||
                    (schedule::isElementwisePrim(next) && !isExpensive(next)));
    if (!isCheap)
      return false;
    for (Value operand : next->getOperands()) {
      Operation *source = operand.getDefiningOp();
      int64_t elements = elementsOf(operand);
      if (elements < 0)
        return false;
      if (elements <= all / kFraction ||
          (source && schedule::splatValue(source)))
        continue;
      if (!source)
        return false;
      if (seen.insert(source).second)
        work.push_back(source);
      if (seen.size() > kMostOps)
        return false;
    }
  }
  return isCounted;
}

bool kiln::isRecomputed(Operation *op,
                        const DenseMap<Operation *, int> &groupOf) {
  if (isWidenedView(op))
    return true;
  // What is in memory for another reader is read there.
  if (!llvm::all_of(op->getUses(), [&](OpOperand &use) {
        return groupOf.contains(use.getOwner()) && !readsMemory(use);
      }))
    return false;
  bool isCheap = isa<prim::BroadcastInDimOp>(op) ||
                 (schedule::isElementwisePrim(op) && !isExpensive(op));
  return (isCheap && readsNoMore(op)) || followsFromPlaces(op);
}
