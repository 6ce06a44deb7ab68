//===- PeelLast.cpp - Ends of a pipelined loop ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PeelLast.h"
#include "kiln/Index/Analysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;

bool staging::hasIterations(scf::ForOp loop) {
  if (std::optional<APInt> count = loop.getStaticTripCount())
    return !count->isZero();
  index::Analysis facts;
  std::optional<int64_t> end = facts.of(loop.getUpperBound()).range.low,
                         begin = facts.of(loop.getLowerBound()).range.high;
  return end && begin && *end > *begin;
}

/// Whether a value is `end - step`.
static bool isStepBefore(Value value, scf::ForOp loop, Value end) {
  auto before = value.getDefiningOp<arith::SubIOp>();
  if (!before || before.getLhs() != end)
    return false;
  if (before.getRhs() == loop.getStep())
    return true;
  auto distance = before.getRhs().getDefiningOp<arith::MulIOp>();
  return distance && distance.getLhs() == loop.getStep() &&
         matchPattern(distance.getRhs(), m_One());
}

/// All iterations that are left have a successor: what the loop chooses by that
/// is known.
static void foldNext(scf::ForOp loop, Value end) {
  SmallVector<arith::CmpIOp> known;
  for (auto compare : loop.getBody()->getOps<arith::CmpIOp>())
    if (compare.getPredicate() == arith::CmpIPredicate::slt &&
        compare.getLhs() == loop.getInductionVar() &&
        isStepBefore(compare.getRhs(), loop, end))
      known.push_back(compare);
  for (arith::CmpIOp compare : known)
    for (Operation *user : llvm::make_early_inc_range(compare->getUsers())) {
      auto choice = dyn_cast<arith::SelectOp>(user);
      if (!choice || choice.getCondition() != compare.getResult())
        continue;
      choice.replaceAllUsesWith(choice.getTrueValue());
      choice.erase();
    }
}

/// What a comparison of integers gives; none where that is not known.
static std::optional<bool> resultOf(arith::CmpIOp compare,
                                    index::Analysis &facts) {
  auto lhs = facts.of(compare.getLhs()).range,
       rhs = facts.of(compare.getRhs()).range;
  bool isLess = lhs.high && rhs.low && *lhs.high < *rhs.low,
       isAtMost = lhs.high && rhs.low && *lhs.high <= *rhs.low,
       isMore = rhs.high && lhs.low && *rhs.high < *lhs.low,
       isAtLeast = rhs.high && lhs.low && *rhs.high <= *lhs.low;
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
  case arith::CmpIPredicate::ne:
    if (!isLess && !isMore && !(isAtMost && isAtLeast))
      return std::nullopt;
    return (isLess || isMore) ==
           (compare.getPredicate() == arith::CmpIPredicate::ne);
  case arith::CmpIPredicate::slt:
    return isLess      ? std::optional(true)
           : isAtLeast ? std::optional(false)
                       : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Erases what nothing uses any longer, from an operation back.
static void eraseUnused(Operation *last) {
  SetVector<Operation *> unused;
  unused.insert(last);
  while (!unused.empty()) {
    Operation *op = unused.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp())
        unused.insert(source);
    op->erase();
  }
}

void staging::foldChoices(Block &block) {
  index::Analysis facts;
  SmallVector<std::pair<Operation *, bool>> known;
  block.walk([&](Operation *op) {
    auto choice = dyn_cast<arith::SelectOp>(op);
    auto guard = dyn_cast<scf::IfOp>(op);
    if (!(choice && isa<RankedTensorType>(choice.getType())) &&
        !(guard && !guard.getNumResults() && !guard.elseBlock()))
      return;
    auto compare = op->getOperand(0).getDefiningOp<arith::CmpIOp>();
    if (std::optional<bool> is =
            compare ? resultOf(compare, facts) : std::nullopt)
      known.push_back({op, *is});
  });
  for (auto [op, is] : known) {
    if (auto choice = dyn_cast<arith::SelectOp>(op)) {
      choice.replaceAllUsesWith(is ? choice.getTrueValue()
                                   : choice.getFalseValue());
      eraseUnused(choice);
    } else if (is) {
      Block *inside = cast<scf::IfOp>(op).thenBlock();
      inside->getTerminator()->erase();
      op->getBlock()->getOperations().splice(op->getIterator(),
                                             inside->getOperations());
      op->erase();
    }
  }
}

/// Copies an operation of a loop behind it, with what the loop computes of the
/// iteration's number for it.
static void copyLast(OpBuilder &b, Operation *op, scf::ForOp loop,
                     IRMapping &mapping,
                     llvm::SmallPtrSetImpl<Operation *> &made) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *source = operand.getDefiningOp();
          source && source->getBlock() == loop.getBody() &&
          !mapping.contains(operand))
        copyLast(b, source, loop, mapping, made);
  });
  Operation *copied = b.clone(*op, mapping);
  copied->removeAttr(staging::kOfLastStep);
  made.insert(copied);
}

void staging::markNumbers(scf::ForOp loop,
                          const llvm::SmallPtrSetImpl<Operation *> &given) {
  for (Operation *user : loop.getInductionVar().getUsers()) {
    auto later = dyn_cast<arith::AddIOp>(user);
    auto steps =
        later ? later.getRhs().getDefiningOp<arith::MulIOp>() : arith::MulIOp();
    if (steps && later->getBlock() == loop.getBody() &&
        !given.contains(later) && steps.getLhs() == loop.getStep() &&
        getConstantIntValue(steps.getRhs()))
      later.setOverflowFlags(later.getOverflowFlags() |
                             arith::IntegerOverflowFlags::nsw);
  }
}

void staging::peelLast(scf::ForOp loop) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value end = loop.getUpperBound();
  Value last = b.createOrFold<arith::SubIOp>(loc, end, loop.getStep());
  // Where the step is not one, the last iteration may begin later.
  if (!matchPattern(loop.getStep(), m_One())) {
    Value length = arith::SubIOp::create(b, loc, last, loop.getLowerBound());
    Value rest = arith::RemSIOp::create(
        b, loc, arith::AddIOp::create(b, loc, length, loop.getStep()),
        loop.getStep());
    Value isWhole = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::eq, rest,
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(rest.getType(), 0)));
    last = arith::SelectOp::create(b, loc, isWhole, last,
                                   arith::SubIOp::create(b, loc, end, rest));
  }
  loop.setUpperBound(last);
  foldNext(loop, end);
  b.setInsertionPointAfter(loop);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), last);
  for (auto [argument, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
    mapping.map(argument, result);
  llvm::SmallPtrSet<Operation *, 16> made;
  SmallVector<Operation *> marked;
  for (Operation &op : *loop.getBody())
    if (op.hasAttr(kOfLastStep))
      marked.push_back(&op);
  for (Operation *op : marked)
    copyLast(b, op, loop, mapping, made);
  // What the last iteration yields; nothing for values of early steps, which
  // the shortened loop has computed. An argument may become another result of
  // the loop: the uses are found before any of them changes.
  SmallVector<std::pair<OpOperand *, Value>> replaced;
  for (auto [result, yielded] :
       llvm::zip_equal(loop.getResults(), loop.getYieldedValues())) {
    Operation *source = yielded.getDefiningOp();
    if (source && source->getBlock() == loop.getBody() &&
        !llvm::is_contained(marked, source))
      continue;
    for (OpOperand &use : result.getUses())
      if (!made.contains(
              loop->getBlock()->findAncestorOpInBlock(*use.getOwner())))
        replaced.push_back({&use, mapping.lookupOrDefault(yielded)});
  }
  for (auto [use, value] : replaced)
    use->set(value);
  for (Operation *op : marked)
    op->removeAttr(kOfLastStep);
}
