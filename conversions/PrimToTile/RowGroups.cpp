//===- RowGroups.cpp - Groups that go through the same rows ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A norm that also gives the mean of each row, or the gradient of a norm with
// the sums over all rows that are the gradients of its weights: several groups
// that read the same tensor. One group with several results reads it once. It
// consists of
// - values of all elements, of the shape of the tensor, such as a sum with a
//   residual whose norm is wanted,
// - values of each row, from reductions of its trailing dimensions, and
// - sums over the leading dimensions.
// Groups of few elements in such rows become one group, too, if they read
// different tensors: each launch takes longer than they do.
//
//===----------------------------------------------------------------------===//

#include "RowGroups.h"
#include "Siblings.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace kiln;

namespace {

/// What a group does with rows.
struct Rows {
  ArrayRef<int64_t> shape; ///< of all elements
  int64_t outer = -1;      ///< dimensions before those that rows are reduced
                           ///< over; -1: no row is reduced
  int64_t summed = -1; ///< leading dimensions that are summed over; -1: none

  /// The group does nothing but sum over rows.
  bool isColumns() const { return outer < 0 && summed >= 0; }
};

} // namespace

static ArrayRef<int64_t> rowShapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether a shape has one element for each row, with dimensions of size 1 for
/// what was reduced or without them.
static bool isOfRows(ArrayRef<int64_t> shape, const Rows &rows) {
  int64_t outer = rows.outer;
  return static_cast<int64_t>(shape.size()) >= outer &&
         shape.take_front(outer) == rows.shape.take_front(outer) &&
         llvm::all_of(shape.drop_front(outer),
                      [](int64_t size) { return size == 1; });
}

/// Takes one reduction into account; false if it is of other rows.
static bool addReduction(Operation *op, Rows &rows) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<int64_t> dims = schedule::reducedDims(op);
  int64_t rank = type.getRank(), count = dims.size();
  if (!type.hasStaticShape() || count == 0 || count == rank ||
      (!rows.shape.empty() && rows.shape != type.getShape()))
    return false;
  auto begins = [&](int64_t first) {
    return llvm::equal(dims, llvm::seq<int64_t>(first, first + count));
  };
  bool isSum = begins(0) && isa<prim::SumOp>(op);
  int64_t found = isSum ? count : rank - count;
  int64_t &known = isSum ? rows.summed : rows.outer;
  if ((!isSum && !begins(rank - count)) || (known >= 0 && known != found))
    return false;
  known = found;
  rows.shape = type.getShape();
  return rows.outer < 0 || rows.summed < 0 || rows.outer == rows.summed;
}

/// What a group of one result or more does with rows, if it does nothing else.
static std::optional<Rows> rowsOf(prim::FusionOp fusion) {
  using prim::GroupKind;
  if (!llvm::is_contained({GroupKind::elementwise, GroupKind::reduction},
                          fusion.getKind()))
    return std::nullopt;
  Rows rows;
  for (Operation &op : fusion.getBody().front().without_terminator()) {
    if (auto reduction = dyn_cast<prim::TensorReductionOpInterface>(&op)) {
      if (reduction.givesPlaces() || !addReduction(&op, rows))
        return std::nullopt;
      continue;
    }
    if (!schedule::isElementwisePrim(&op) && !isClonable(&op) &&
        !isa<prim::BroadcastInDimOp, prim::ReshapeOp>(op))
      return std::nullopt;
  }
  for (Value result : fusion.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    if (!type.hasStaticShape())
      return std::nullopt;
    if (rows.shape.empty())
      rows.shape = type.getShape();
    bool isKnown = type.getShape() == rows.shape ||
                   (rows.outer >= 0 && isOfRows(type.getShape(), rows)) ||
                   (rows.summed >= 0 &&
                    type.getShape() == rows.shape.drop_front(rows.summed));
    if (!isKnown)
      return std::nullopt;
  }
  return rows;
}

/// The value that a view in front of a group only gives dimensions of size 1.
static Value behindView(Value value) {
  auto reshape = value.getDefiningOp<prim::ReshapeOp>();
  if (!reshape)
    return value;
  auto others = [](Value of) {
    SmallVector<int64_t> shape(rowShapeOf(of));
    llvm::erase(shape, 1);
    return shape;
  };
  bool isSame = cast<RankedTensorType>(value.getType()).hasStaticShape() &&
                others(value) == others(reshape.getOperand());
  return isSame ? Value(reshape.getOperand()) : value;
}

/// Whether there are so few elements in all rows that a launch takes longer
/// than to compute them.
static bool areFew(const Rows &rows) {
  return ShapedType::getNumElements(rows.shape) <= kElementsOfLaunch;
}

/// Whether both read a tensor of all elements, or `main` reads one that the
/// other gives. Sums over rows read no other one.
static bool readSameRows(prim::FusionOp main, prim::FusionOp other,
                         const Rows &rows) {
  auto isLarge = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getShape() == rows.shape;
  };
  bool isShared = llvm::any_of(main.getInputs(), [&](Value input) {
    return isLarge(input) && input.getDefiningOp() == other;
  });
  for (Value input : other.getInputs()) {
    if (!isLarge(input))
      continue;
    bool isRead = llvm::is_contained(main.getInputs(), input) ||
                  input.getDefiningOp() == main;
    if (!isRead && rows.isColumns())
      return false;
    isShared |= isRead;
  }
  return isShared;
}

/// Views of the results of `first` that stand before `second`.
static SmallVector<Operation *> viewsBetween(prim::FusionOp first,
                                             prim::FusionOp second) {
  SmallVector<Operation *> views;
  for (Operation *user : first->getUsers())
    if (user->getBlock() == first->getBlock() && user->getNumResults() == 1 &&
        behindView(user->getResult(0)) != user->getResult(0) &&
        user->isBeforeInBlock(second))
      views.push_back(user);
  return views;
}

/// Where one group can stand for both: in the place of the first if the second
/// reads nothing else that is computed behind it, in that of the second if
/// nothing else before it reads the first. Null if neither holds.
static Operation *placeOfRows(prim::FusionOp first, prim::FusionOp second) {
  Block *block = first->getBlock();
  bool isEarly = llvm::all_of(second.getInputs(), [&](Value input) {
    Operation *source = behindView(input).getDefiningOp();
    if (source == first)
      return true;
    source = input.getDefiningOp();
    return !source || source->getBlock() != block ||
           source->isBeforeInBlock(first);
  });
  if (isEarly)
    return first;
  SmallVector<Operation *> views = viewsBetween(first, second);
  auto isBehind = [&](Operation *user) {
    Operation *at = block->findAncestorOpInBlock(*user);
    return at && (at == second || llvm::is_contained(views, at) ||
                  second->isBeforeInBlock(at));
  };
  bool isLate = llvm::all_of(first->getUsers(), isBehind);
  for (Operation *view : views)
    isLate &= llvm::all_of(view->getUsers(), isBehind);
  return isLate ? second : nullptr;
}

/// Whether something other than `second`, and views for it, reads a result.
static bool isReadElsewhere(Value result, prim::FusionOp second,
                            ArrayRef<Operation *> views) {
  return llvm::any_of(result.getUsers(), [&](Operation *user) {
    if (!llvm::is_contained(views, user))
      return user != second;
    return llvm::any_of(user->getUsers(),
                        [&](Operation *of) { return of != second; });
  });
}

/// One group of both, of which the second may read results of the first. What
/// it alone reads is no result any more, but for those of `main`.
static prim::FusionOp mergeRows(prim::FusionOp first, prim::FusionOp second,
                                prim::FusionOp main, Operation *place) {
  SmallVector<Operation *> views = viewsBetween(first, second);
  llvm::SetVector<Value> inputs;
  inputs.insert_range(first.getInputs());
  for (Value input : second.getInputs())
    if (behindView(input).getDefiningOp() != first)
      inputs.insert(input);
  SmallVector<Value> replaced;
  SmallVector<Type> types;
  for (prim::FusionOp part : {first, second})
    for (Value result : part.getResults())
      if (part == main || part == second ||
          isReadElsewhere(result, second, views)) {
        replaced.push_back(result);
        types.push_back(result.getType());
      }
  OpBuilder builder(place);
  auto merged = prim::FusionOp::create(
      builder, place->getLoc(), types, inputs.getArrayRef(),
      prim::GroupKind::reduction, StringAttr());
  Block *body = builder.createBlock(&merged.getBody());
  for (Value input : inputs)
    body->addArgument(input.getType(), input.getLoc());
  IRMapping outside;
  for (auto [input, argument] : llvm::zip(inputs, body->getArguments()))
    outside.map(input, argument);
  for (prim::FusionOp part : {first, second}) {
    IRMapping mapping;
    Block &from = part.getBody().front();
    for (auto [argument, input] :
         llvm::zip(from.getArguments(), part.getInputs())) {
      if (!outside.contains(input))
        builder.clone(*input.getDefiningOp(), outside);
      mapping.map(argument, outside.lookup(input));
    }
    for (Operation &op : from.without_terminator())
      builder.clone(op, mapping);
    for (auto [value, result] :
         llvm::zip(from.getTerminator()->getOperands(), part.getResults()))
      outside.map(result, mapping.lookup(value));
  }
  SmallVector<Value> results;
  for (Value result : replaced)
    results.push_back(outside.lookup(result));
  prim::YieldOp::create(builder, place->getLoc(), results);
  for (auto [before, now] : llvm::zip_equal(replaced, merged.getResults()))
    before.replaceAllUsesWith(now);
  second->erase();
  for (Operation *view : llvm::reverse(views)) {
    if (view->use_empty())
      view->erase();
    else
      view->moveAfter(merged);
  }
  first->erase();
  return merged;
}

/// Whether `main`, of all elements, and `other` can be one group. With
/// `mergesFew` groups of few elements can that read different ones.
static bool canMerge(prim::FusionOp main, const Rows &mine,
                     prim::FusionOp other, bool mergesFew) {
  // Pointers of a kernel, and tiles in its registers, are bounded.
  constexpr unsigned kMostResults = 4, kMostInputs = 12, kMostOps = 96;
  auto opsOf = [](prim::FusionOp of) {
    return of.getBody().front().getOperations().size();
  };
  if (other == main || other->getBlock() != main->getBlock() ||
      main.getNumResults() + other.getNumResults() > kMostResults ||
      main.getInputs().size() + other.getInputs().size() > kMostInputs ||
      opsOf(main) + opsOf(other) > kMostOps ||
      widestOf(main) != widestOf(other))
    return false;
  std::optional<Rows> rows = rowsOf(other);
  if (!rows || rows->shape != mine.shape)
    return false;
  bool isSmall = mergesFew && !rows->isColumns() && areFew(mine);
  if (!isSmall && !readSameRows(main, other, *rows))
    return false;
  // Rows are reduced by one of them at least, and alike.
  int64_t outer = std::max(mine.outer, rows->outer);
  bool fits = rows->isColumns() ? rows->summed == mine.outer
                                : outer >= 0 && rows->summed < 0 &&
                                      (mine.outer < 0 || rows->outer < 0 ||
                                       mine.outer == rows->outer) &&
                                      (mine.summed < 0 || mine.summed == outer);
  if (!fits)
    return false;
  bool isBefore = other->isBeforeInBlock(main);
  return isBefore ? placeOfRows(other, main) : placeOfRows(main, other);
}

/// A group that `main` can be one group with: one that it reads from, one that
/// sums over the rows that it reads or gives, or, with `mergesFew`, one of few
/// elements that reads a value that it reads, too.
static prim::FusionOp findPart(prim::FusionOp main, bool mergesFew) {
  std::optional<Rows> mine = rowsOf(main);
  if (!mine || mine->isColumns() || mine->shape.size() < 2 ||
      llvm::none_of(main.getResults(), [&](Value result) {
        return rowShapeOf(result) == mine->shape;
      }))
    return {};
  for (Value input : main.getInputs())
    if (auto source = behindView(input).getDefiningOp<prim::FusionOp>())
      if (canMerge(main, *mine, source, mergesFew))
        return source;
  SmallVector<Value> large(main.getResults());
  llvm::append_range(large, main.getInputs());
  for (Value value : large) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getShape() != mine->shape)
      continue;
    for (Operation *user : value.getUsers()) {
      auto other = dyn_cast<prim::FusionOp>(user);
      std::optional<Rows> rows = other ? rowsOf(other) : std::nullopt;
      if (rows && rows->isColumns() && canMerge(main, *mine, other, mergesFew))
        return other;
    }
  }
  if (mergesFew && mine->outer >= 0 && areFew(*mine))
    for (Value input : main.getInputs())
      for (Operation *user : input.getUsers())
        if (auto other = dyn_cast<prim::FusionOp>(user);
            other && canMerge(main, *mine, other, mergesFew))
          return other;
  return {};
}

void kiln::mergeRowGroups(Block &block, bool mergesFew) {
  SmallVector<prim::FusionOp> groups(block.getOps<prim::FusionOp>());
  DenseSet<Operation *> gone;
  for (prim::FusionOp main : llvm::reverse(groups)) {
    if (gone.contains(main))
      continue;
    while (prim::FusionOp other = findPart(main, mergesFew)) {
      gone.insert(other);
      bool isBefore = other->isBeforeInBlock(main);
      prim::FusionOp first = isBefore ? other : main;
      prim::FusionOp second = isBefore ? main : other;
      main = mergeRows(first, second, main, placeOfRows(first, second));
    }
  }
}
