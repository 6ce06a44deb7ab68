//===- Siblings.cpp - Groups of one shape that read the same --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two elementwise groups whose results have one shape and that read a tensor in
// common become one group with several results: one kernel, which reads that
// tensor once. Rotary embeddings are an example: both halves of a row of the
// result read both halves of a row of the operand. So do two sums over the same
// dimensions, as the gradient of a norm has them.
//
// A chain, of which each group alone reads the one before, becomes one group as
// well. So do groups of few elements that share no operand: a kernel of its own
// costs more than what they compute.
//
//===----------------------------------------------------------------------===//

#include "Siblings.h"
#include "Wrap.h"
#include "kiln/Dialect/Prim/CollectiveOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include <algorithm>

using namespace mlir;
using namespace kiln;

namespace {

/// Pointers of a kernel, and tiles in its registers, are bounded.
constexpr unsigned kMostResults = 4, kMostInputs = 12, kMostOps = 64;
/// The same of groups of few elements, each of which a thread has one of.
constexpr unsigned kMostSmall = 16;

/// Whether an operation only adds or drops dimensions of size 1.
bool keepsDimensions(Operation *op) {
  auto reshape = dyn_cast<prim::ReshapeOp>(op);
  if (!reshape || !reshape.getType().hasStaticShape() ||
      !reshape.getOperand().getType().hasStaticShape())
    return false;
  auto isLarge = [](int64_t size) { return size != 1; };
  return llvm::equal(
      llvm::make_filter_range(reshape.getType().getShape(), isLarge),
      llvm::make_filter_range(reshape.getOperand().getType().getShape(),
                              isLarge));
}

/// The shape of what a group gives.
ArrayRef<int64_t> shapeOf(prim::FusionOp fusion) {
  return cast<RankedTensorType>(fusion.getResult(0).getType()).getShape();
}

size_t opsOf(prim::FusionOp fusion) {
  return fusion.getBody().front().getOperations().size();
}

/// Whether a group can be a part of one with several results. Tiles of a kernel
/// have one order of dimensions, so that nothing inside may change it.
bool isCandidate(prim::FusionOp fusion, unsigned mostResults = kMostResults) {
  return fusion.getKind() == prim::GroupKind::elementwise &&
         cast<RankedTensorType>(fusion.getResult(0).getType())
             .hasStaticShape() &&
         fusion.getNumResults() < mostResults &&
         llvm::all_of(
             fusion.getBody().front().without_terminator(),
             [](Operation &op) {
               return schedule::isElementwisePrim(&op) || isClonable(&op) ||
                      isa<prim::BroadcastInDimOp>(op) || keepsDimensions(&op);
             });
}

/// Whether both read a tensor that has as many elements as their results, and
/// neither alone reads one in another order of dimensions.
bool readTheSame(prim::FusionOp first, prim::FusionOp second) {
  int64_t size =
      cast<RankedTensorType>(first.getResult(0).getType()).getNumElements();
  bool isShared = false;
  auto look = [&](prim::FusionOp one, prim::FusionOp other) {
    return llvm::all_of(one.getInputs(), [&](Value input) {
      auto type = dyn_cast<RankedTensorType>(input.getType());
      bool isLarge =
          type && type.hasStaticShape() && type.getNumElements() >= size;
      bool isBoth = llvm::is_contained(other.getInputs(), input);
      isShared |= isLarge && isBoth;
      Operation *source = input.getDefiningOp();
      return !isLarge || isBoth || !source ||
             !isa<prim::TransposeOp, prim::ReshapeOp, prim::SliceOp>(source);
    });
  };
  return look(first, second) && look(second, first) && isShared;
}

/// Where one group can stand for both: in the place of the first if the second
/// reads nothing that is computed behind it but results of the first, in that
/// of the second if nothing before it reads the first. Null if neither holds.
Operation *placeOf(prim::FusionOp first, prim::FusionOp second) {
  Block *block = first->getBlock();
  bool isEarly = llvm::all_of(second.getInputs(), [&](Value input) {
    Operation *source = input.getDefiningOp();
    return !source || source == first || source->getBlock() != block ||
           source->isBeforeInBlock(first);
  });
  if (isEarly)
    return first;
  bool isLate = llvm::all_of(first->getUsers(), [&](Operation *user) {
    Operation *at = block->findAncestorOpInBlock(*user);
    return at && at != second && second->isBeforeInBlock(at);
  });
  return isLate ? second : nullptr;
}

/// Whether both groups read what other devices send, or neither does. A group
/// that needs none of it runs before that is there.
bool waitAlike(prim::FusionOp first, prim::FusionOp second) {
  auto waits = [](prim::FusionOp group) {
    return llvm::any_of(group.getInputs(), [](Value input) {
      Operation *source = input.getDefiningOp();
      return source && prim::isCollective(source);
    });
  };
  return waits(first) == waits(second);
}

/// Whether one group reads a value, and nothing else does.
bool isReadBy(Value value, prim::FusionOp group) {
  return llvm::all_of(value.getUsers(),
                      [&](Operation *user) { return user == group; });
}

/// Erases operations of a group that nothing uses, and then its inputs that
/// nothing reads. Returns the operations that remain.
SmallVector<Operation *> eraseUnused(prim::FusionOp fusion) {
  Block &body = fusion.getBody().front();
  SmallVector<Operation *> all, remaining;
  for (Operation &op : body.without_terminator())
    all.push_back(&op);
  for (Operation *op : llvm::reverse(all))
    if (isOpTriviallyDead(op))
      op->erase();
    else
      remaining.push_back(op);
  std::reverse(remaining.begin(), remaining.end());
  for (unsigned i = body.getNumArguments(); i-- > 0;)
    if (body.getArgument(i).use_empty()) {
      body.eraseArgument(i);
      fusion.getInputsMutable().erase(i);
    }
  return remaining;
}

/// Makes one group of both. Results of the first that only the second reads
/// stay inside of it, and what nothing reads is left out.
prim::FusionOp merge(prim::FusionOp first, prim::FusionOp second,
                     Operation *place,
                     prim::GroupKind kind = prim::GroupKind::elementwise) {
  llvm::SetVector<Value> inputs, left;
  for (prim::FusionOp part : {first, second}) {
    for (Value input : part.getInputs())
      if (input.getDefiningOp() != first)
        inputs.insert(input);
    for (Value result : part.getResults())
      if (part == second || !isReadBy(result, second))
        left.insert(result);
  }
  SmallVector<Type> types(
      llvm::map_range(left, [](Value result) { return result.getType(); }));
  OpBuilder builder(place);
  auto merged =
      prim::FusionOp::create(builder, place->getLoc(), types,
                             inputs.getArrayRef(), kind, StringAttr());
  Block *body = builder.createBlock(&merged.getBody());
  for (Value input : inputs)
    body->addArgument(input.getType(), input.getLoc());
  // What a group reads and gives, as the body of the new one has it.
  IRMapping inside;
  for (auto [input, argument] : llvm::zip(inputs, body->getArguments()))
    inside.map(input, argument);
  for (prim::FusionOp part : {first, second}) {
    IRMapping mapping;
    Block &from = part.getBody().front();
    for (auto [argument, input] :
         llvm::zip(from.getArguments(), part.getInputs()))
      mapping.map(argument, inside.lookup(input));
    for (Operation &op : from.without_terminator())
      builder.clone(op, mapping);
    for (auto [result, value] :
         llvm::zip(part.getResults(), from.getTerminator()->getOperands()))
      inside.map(result, mapping.lookup(value));
  }
  SmallVector<Value> results(
      llvm::map_range(left, [&](Value of) { return inside.lookup(of); }));
  prim::YieldOp::create(builder, place->getLoc(), results);
  for (auto [result, made] : llvm::zip(left, merged.getResults()))
    Value(result).replaceAllUsesWith(made);
  second->erase();
  first->erase();
  eraseUnused(merged);
  return merged;
}

/// A group that `fusion` can be one group with, behind it.
prim::FusionOp findSibling(prim::FusionOp fusion) {
  // Only readers of its inputs are looked at.
  prim::FusionOp found;
  for (Value input : fusion.getInputs())
    for (Operation *user : input.getUsers()) {
      auto other = dyn_cast<prim::FusionOp>(user);
      if (!other || other == fusion ||
          other->getBlock() != fusion->getBlock() ||
          !fusion->isBeforeInBlock(other) || !isCandidate(other) ||
          shapeOf(other) != shapeOf(fusion) ||
          widestOf(other) != widestOf(fusion) ||
          fusion.getNumResults() + other.getNumResults() > kMostResults ||
          fusion.getInputs().size() + other.getInputs().size() > kMostInputs ||
          opsOf(fusion) + opsOf(other) > kMostOps ||
          (found && found->isBeforeInBlock(other)) ||
          !readTheSame(fusion, other) || !placeOf(fusion, other))
        continue;
      found = other;
    }
  return found;
}

} // namespace

unsigned kiln::widestOf(prim::FusionOp fusion) {
  unsigned widest = 0;
  for (Operation &op : fusion.getBody().front().without_terminator())
    for (Type type : op.getResultTypes())
      if (Type element = getElementTypeOrSelf(type); element.isIntOrFloat())
        widest = std::max(widest, element.getIntOrFloatBitWidth());
  return widest;
}

void kiln::mergeSiblings(Block &block) {
  for (Operation *op = block.empty() ? nullptr : &block.front(); op;) {
    Operation *next = op->getNextNode();
    auto fusion = dyn_cast<prim::FusionOp>(op);
    if (fusion && isCandidate(fusion))
      if (prim::FusionOp other = findSibling(fusion)) {
        if (next == other)
          next = other->getNextNode();
        Operation *place = placeOf(fusion, other);
        prim::FusionOp merged = merge(fusion, other, place);
        // It may have further ones.
        op = merged;
        continue;
      }
    op = next;
  }
}

/// The group of one shape before `fusion` whose results it alone reads, if both
/// can be one; null if there is none.
static prim::FusionOp findSource(prim::FusionOp fusion) {
  constexpr unsigned kMostChained = 256;
  for (Value input : fusion.getInputs()) {
    auto source = input.getDefiningOp<prim::FusionOp>();
    if (source && source->getBlock() == fusion->getBlock() &&
        isCandidate(source) && shapeOf(source) == shapeOf(fusion) &&
        widestOf(source) == widestOf(fusion) &&
        source.getInputs().size() + fusion.getInputs().size() <= kMostInputs &&
        opsOf(source) + opsOf(fusion) <= kMostChained &&
        waitAlike(source, fusion) &&
        llvm::all_of(source.getResults(),
                     [&](Value result) { return isReadBy(result, fusion); }))
      return source;
  }
  return {};
}

void kiln::mergeChains(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto fusion = dyn_cast<prim::FusionOp>(op);
    if (!fusion || !isCandidate(fusion, kMostResults + 1))
      continue;
    while (prim::FusionOp source = findSource(fusion))
      fusion = merge(source, fusion, fusion);
  }
}

/// Whether two groups of few elements become one, the second behind the first.
static bool isSmallPair(prim::FusionOp first, prim::FusionOp second) {
  constexpr unsigned kMostSmallInputs = 48, kMostSmallOps = 256;
  // What all machines compute, or what both need.
  constexpr unsigned kUsual = 32;
  unsigned x = widestOf(first), y = widestOf(second);
  return (x == y || std::max(x, y) <= kUsual) &&
         first.getNumResults() + second.getNumResults() <= kMostSmall &&
         first.getInputs().size() + second.getInputs().size() <=
             kMostSmallInputs &&
         opsOf(first) + opsOf(second) <= kMostSmallOps &&
         waitAlike(first, second) && placeOf(first, second);
}

void kiln::mergeSmall(Block &block) {
  constexpr int64_t kFew = 1 << 12;
  // The last group of each shape.
  DenseMap<Type, prim::FusionOp> last;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto fusion = dyn_cast<prim::FusionOp>(op);
    if (!fusion || !isCandidate(fusion, kMostSmall))
      continue;
    auto type = cast<RankedTensorType>(fusion.getResult(0).getType());
    if (type.getNumElements() > kFew)
      continue;
    prim::FusionOp &known =
        last[type.clone(IntegerType::get(type.getContext(), 1))];
    if (known && isSmallPair(known, fusion))
      known = merge(known, fusion, placeOf(known, fusion));
    else
      known = fusion;
  }
}

/// The only reduction of a group of one result, if it is a sum of floats of
/// known sizes.
static prim::SumOp sumOf(prim::FusionOp fusion) {
  if (fusion.getKind() != prim::GroupKind::reduction ||
      fusion.getNumResults() != 1)
    return {};
  prim::SumOp found;
  for (Operation &op : fusion.getBody().front().without_terminator()) {
    if (!schedule::isReduction(&op))
      continue;
    auto sum = dyn_cast<prim::SumOp>(op);
    if (!sum || found)
      return {};
    found = sum;
  }
  bool isOf = found && found.getOperand().getType().hasStaticShape() &&
              isa<FloatType>(getElementTypeOrSelf(found.getType()));
  return isOf ? found : prim::SumOp();
}

/// Whether two groups sum over the same dimensions of tensors of one shape, of
/// which they read one in common, and neither is computed from the other.
static bool isPair(prim::FusionOp first, prim::FusionOp second) {
  prim::SumOp x = sumOf(first), y = second == first ? nullptr : sumOf(second);
  if (!x || !y || first->getBlock() != second->getBlock() ||
      x.getOperand().getType().getShape() !=
          y.getOperand().getType().getShape() ||
      schedule::reducedDims(x) != schedule::reducedDims(y) ||
      first.getResult(0).getType() != second.getResult(0).getType() ||
      widestOf(first) != widestOf(second) ||
      first.getInputs().size() + second.getInputs().size() > kMostInputs)
    return false;
  int64_t size = x.getOperand().getType().getNumElements();
  return llvm::any_of(first.getInputs(),
                      [&](Value input) {
                        auto type = dyn_cast<RankedTensorType>(input.getType());
                        return type && type.hasStaticShape() &&
                               type.getNumElements() >= size &&
                               llvm::is_contained(second.getInputs(), input);
                      }) &&
         !llvm::is_contained(second.getInputs(), first.getResult(0)) &&
         placeOf(first, second);
}

void kiln::mergeSumPairs(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto second = dyn_cast<prim::FusionOp>(op);
    if (!second || !sumOf(second))
      continue;
    // Only readers of its inputs are looked at.
    prim::FusionOp first;
    for (Value input : second.getInputs())
      for (Operation *user : input.getUsers())
        if (auto other = dyn_cast<prim::FusionOp>(user);
            other && other->getBlock() == &block &&
            other->isBeforeInBlock(second) && isPair(other, second) &&
            (!first || first->isBeforeInBlock(other)))
          first = other;
    if (first)
      merge(first, second, placeOf(first, second), prim::GroupKind::reduction);
  }
}

/// The group of one result, from what is outside and from the results before
/// it, `known`.
static prim::FusionOp splitOff(prim::FusionOp fusion, unsigned number,
                               ArrayRef<std::pair<Value, Value>> known) {
  SmallVector<Value> inputs(fusion.getInputs());
  for (auto [inside, outside] : known)
    inputs.push_back(outside);
  OpBuilder builder(fusion);
  Operation *yield = fusion.getBody().front().getTerminator();
  Location loc = yield->getOperand(number).getLoc();
  auto part = prim::FusionOp::create(
      builder, loc, fusion.getResult(number).getType(), inputs,
      prim::GroupKind::elementwise, StringAttr());
  Block *body = builder.createBlock(&part.getBody());
  IRMapping mapping;
  Block &from = fusion.getBody().front();
  for (Value input : inputs)
    body->addArgument(input.getType(), input.getLoc());
  for (auto [argument, made] :
       llvm::zip(from.getArguments(), body->getArguments()))
    mapping.map(argument, made);
  for (auto [pair, made] : llvm::zip(
           known, body->getArguments().drop_front(from.getNumArguments())))
    mapping.map(pair.first, made);
  for (Operation &op : from.without_terminator())
    if (op.getNumResults() != 1 || !mapping.contains(op.getResult(0)))
      builder.clone(op, mapping);
  prim::YieldOp::create(builder, loc,
                        mapping.lookup(yield->getOperand(number)));
  part.setKind(kindOf(eraseUnused(part)));
  return part;
}

Operation *kiln::splitSiblings(prim::FusionOp fusion, Retired &retired) {
  Operation *yield = fusion.getBody().front().getTerminator();
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(fusion.getNumResults()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    Operation *x = yield->getOperand(a).getDefiningOp();
    Operation *y = yield->getOperand(b).getDefiningOp();
    if (!x || !y || x == y)
      return (x ? 1u : 0u) == (y ? 1u : 0u) ? a < b : !x;
    return x->isBeforeInBlock(y);
  });
  SmallVector<std::pair<Value, Value>> known;
  Operation *first = nullptr;
  for (unsigned number : order) {
    prim::FusionOp part = splitOff(fusion, number, known);
    known.push_back({yield->getOperand(number), part.getResult(0)});
    retired.replace(fusion.getResult(number), part.getResult(0));
    if (!first)
      first = part;
  }
  retired.add(fusion);
  return first;
}
