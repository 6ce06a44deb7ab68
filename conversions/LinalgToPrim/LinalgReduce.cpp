// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of reductions: their forms, and those that are no plain sum.
#include "Linalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// Whether a value of a body depends on what it combines with.
bool readsOuts(linalg::LinalgOp op, Value value) {
  return llvm::any_of(sliceOf(value, *op.getBlock()->getParent()).arguments,
                      [&](BlockArgument argument) {
                        return argument.getArgNumber() >= op.getNumDpsInputs();
                      });
}

/// Conversions that keep all that a sum of integers depends on.
bool isConversion(Operation *op) {
  return isa_and_nonnull<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp,
                         arith::ExtUIOp, arith::TruncIOp>(op);
}

/// The number x for which combining with x changes nothing, or null.
TypedAttr neutralOf(Operation *combine) {
  Type type = combine->getResult(0).getType();
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    if (isa<arith::AddFOp>(combine))
      return FloatAttr::get(real, APFloat::getZero(semantics, true));
    if (isa<arith::MulFOp>(combine))
      return FloatAttr::get(real, 1.0);
    if (isa<arith::MaximumFOp, arith::MaxNumFOp>(combine))
      return FloatAttr::get(real, APFloat::getInf(semantics, true));
    if (isa<arith::MinimumFOp, arith::MinNumFOp>(combine))
      return FloatAttr::get(real, APFloat::getInf(semantics));
    return {};
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return {};
  unsigned width = integer.getWidth();
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(combine))
    return IntegerAttr::get(type, APInt::getZero(width));
  if (isa<arith::MulIOp>(combine))
    return IntegerAttr::get(type, APInt(width, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(combine))
    return IntegerAttr::get(type, APInt::getAllOnes(width));
  if (isa<arith::MaxSIOp>(combine))
    return IntegerAttr::get(type, APInt::getSignedMinValue(width));
  if (isa<arith::MinSIOp>(combine))
    return IntegerAttr::get(type, APInt::getSignedMaxValue(width));
  return {};
}

bool isAssociative(Operation *op) {
  return op && op->getNumOperands() == 2 && op->getNumResults() == 1 &&
         neutralOf(op);
}

/// One step towards `combine(out, value)`; false if nothing changed.
bool simplifyOnce(linalg::LinalgOp op, unsigned result) {
  Block *block = op.getBlock();
  Operation *terminator = block->getTerminator();
  Value out = block->getArgument(op.getNumDpsInputs() + result);
  Operation *last = terminator->getOperand(result).getDefiningOp();
  if (!last || last->getBlock() != block)
    return false;
  OpBuilder b(terminator);
  Location loc = last->getLoc();
  auto yield = [&](Value value) {
    terminator->setOperand(result, value);
    if (last->use_empty())
      last->erase();
    return true;
  };
  // out - x
  if (isa<arith::SubFOp, arith::SubIOp>(last) &&
      !readsOuts(op, last->getOperand(1))) {
    Value lhs = last->getOperand(0), rhs = last->getOperand(1);
    if (isa<arith::SubFOp>(last))
      return yield(arith::AddFOp::create(b, loc, lhs,
                                         arith::NegFOp::create(b, loc, rhs)));
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(rhs.getType()));
    return yield(arith::AddIOp::create(
        b, loc, lhs, arith::SubIOp::create(b, loc, zero, rhs)));
  }
  if (!last->hasOneUse())
    return false;
  // (out + x) + y
  if (isAssociative(last))
    for (unsigned side : {0u, 1u}) {
      Value inner = last->getOperand(side), y = last->getOperand(1 - side);
      Operation *first = inner.getDefiningOp();
      if (inner == out || readsOuts(op, y) || !first ||
          first->getBlock() != block || !inner.hasOneUse())
        continue;
      if (isa<arith::SubFOp, arith::SubIOp>(first) &&
          isa<arith::AddFOp, arith::AddIOp>(last) &&
          !readsOuts(op, first->getOperand(1))) {
        // (out - x) + y
        Value difference =
            isa<arith::SubFOp>(first)
                ? Value(arith::SubFOp::create(b, loc, y, first->getOperand(1)))
                : Value(arith::SubIOp::create(b, loc, y, first->getOperand(1)));
        Operation *sum = b.clone(*last);
        sum->setOperands({first->getOperand(0), difference});
        yield(sum->getResult(0));
        first->erase();
        return true;
      }
      if (first->getName() != last->getName())
        continue;
      for (unsigned at : {0u, 1u}) {
        Value x = first->getOperand(at), rest = first->getOperand(1 - at);
        if (readsOuts(op, x))
          continue;
        Operation *joined = b.clone(*last);
        joined->setOperands({x, y});
        Operation *sum = b.clone(*last);
        sum->setOperands({rest, joined->getResult(0)});
        yield(sum->getResult(0));
        first->erase();
        return true;
      }
    }
  // select(c, out + x, out), in either order
  if (auto select = dyn_cast<arith::SelectOp>(last)) {
    Value sides[2] = {select.getTrueValue(), select.getFalseValue()};
    for (unsigned side : {0u, 1u}) {
      Operation *combine = sides[side].getDefiningOp();
      if (sides[1 - side] != out || !isAssociative(combine) ||
          combine->getBlock() != block || !sides[side].hasOneUse() ||
          readsOuts(op, select.getCondition()))
        continue;
      for (unsigned at : {0u, 1u}) {
        Value x = combine->getOperand(at);
        if (combine->getOperand(1 - at) != out || readsOuts(op, x))
          continue;
        Value neutral = arith::ConstantOp::create(b, loc, neutralOf(combine));
        Value chosen = arith::SelectOp::create(b, loc, select.getCondition(),
                                               side == 0 ? x : neutral,
                                               side == 0 ? neutral : x);
        Operation *sum = b.clone(*combine);
        sum->setOperands({out, chosen});
        yield(sum->getResult(0));
        combine->erase();
        return true;
      }
    }
  }
  return false;
}

/// A body that keeps one of two candidates: all of its results are taken from
/// the element or from what was kept, by one comparison.
struct Selection {
  SmallVector<Value> lifted; // the candidate of an element, by result
  bool dropsNan = false;     // a NaN is never taken
  bool isMax = false;
};

std::optional<Selection> matchSelection(linalg::LinalgOp op) {
  Block *block = op.getBlock();
  Operation *terminator = block->getTerminator();
  unsigned count = terminator->getNumOperands();
  Selection selection;
  Value condition;
  std::optional<unsigned> key;
  auto out = [&](unsigned i) -> Value {
    return block->getArgument(op.getNumDpsInputs() + i);
  };
  bool keyIsExtremum = false, takesElement = true;
  for (unsigned i = 0; i < count; ++i) {
    Operation *last = terminator->getOperand(i).getDefiningOp();
    if (!last || last->getBlock() != block)
      return std::nullopt;
    if (auto select = dyn_cast<arith::SelectOp>(last)) {
      bool first = select.getFalseValue() == out(i);
      if (!first && select.getTrueValue() != out(i))
        return std::nullopt;
      if (condition &&
          (condition != select.getCondition() || takesElement != first))
        return std::nullopt;
      condition = select.getCondition();
      takesElement = first;
      selection.lifted.push_back(first ? select.getTrueValue()
                                       : select.getFalseValue());
    } else if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
                   arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(last) &&
               !key) {
      unsigned at = last->getOperand(0) == out(i) ? 1 : 0;
      if (last->getOperand(1 - at) != out(i))
        return std::nullopt;
      selection.lifted.push_back(last->getOperand(at));
      key = i;
      keyIsExtremum = true;
    } else {
      return std::nullopt;
    }
    if (readsOuts(op, selection.lifted.back()) ||
        selection.lifted.back().getParentBlock() != block)
      return std::nullopt;
  }
  Operation *compare = condition ? condition.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::CmpFOp, arith::CmpIOp>(compare))
    return std::nullopt;
  // The comparison is of the candidates of one result.
  bool swapped = false;
  std::optional<unsigned> compared;
  for (unsigned i = 0; i < count; ++i)
    for (bool turn : {false, true})
      if (compare->getOperand(turn) == selection.lifted[i] &&
          compare->getOperand(!turn) == out(i)) {
        compared = i;
        swapped = turn;
      }
  if (!compared || (key && *key != *compared))
    return std::nullopt;
  if (auto cmp = dyn_cast<arith::CmpIOp>(compare))
    return cmp.getPredicate() != arith::CmpIPredicate::eq &&
                   cmp.getPredicate() != arith::CmpIPredicate::ne
               ? std::optional(selection)
               : std::nullopt;
  // Only strict order that a NaN fails keeps the first of equals in any
  // grouping; with a maximum beside it a NaN ends the search.
  using P = arith::CmpFPredicate;
  P predicate = cast<arith::CmpFOp>(compare).getPredicate();
  bool strict = takesElement && (predicate == P::OGT || predicate == P::OLT);
  if (!strict)
    return std::nullopt;
  selection.isMax = (predicate == P::OGT) != swapped;
  selection.dropsNan = !keyIsExtremum;
  return selection;
}

/// What the body gives for candidates that are kept and others, result by
/// result.
FailureOr<SmallVector<Value>> choose(const Loops &loops,
                                     const Selection &selection,
                                     ArrayRef<Value> kept,
                                     ArrayRef<Value> others, Translator &e) {
  linalg::LinalgOp op = loops.op;
  Block *block = op.getBlock();
  BodyScope scope(e, *block->getParent(), e.sizesOf(kept.front()));
  for (auto [i, value] : llvm::enumerate(kept)) {
    scope.bind(block->getArgument(op.getNumDpsInputs() + i), value);
    scope.bind(selection.lifted[i], others[i]);
  }
  SmallVector<Value> results;
  for (Value yielded : block->getTerminator()->getOperands()) {
    auto value = scope.evaluate(yielded);
    if (failed(value))
      return failure();
    results.push_back(*value);
  }
  return results;
}

/// Every second element along a dimension, from `first` on.
Value everySecond(Value x, int64_t dim, int64_t first, int64_t count,
                  Translator &e) {
  RankedTensorType type = e.typeOf(x);
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1),
      limits(type.getShape()), shape(type.getShape());
  starts[dim] = first;
  strides[dim] = 2;
  limits[dim] = first + 2 * (count - 1) + 1;
  shape[dim] = count;
  for (int64_t &limit : limits)
    limit = ShapedType::isDynamic(limit) ? -1 : limit;
  return prim::SliceOp::create(e.b, type.clone(shape), x, starts, limits,
                               strides);
}

/// The init of a result over the dimensions that remain.
Value startOf(const Loops &loops, unsigned result, ArrayRef<OpFoldResult> sizes,
              Translator &e) {
  linalg::LinalgOp op = loops.op;
  OpOperand *init = op.getDpsInitOperand(result);
  return materialize(op, e.get(init->get()), op.getMatchingIndexingMap(init),
                     loops.kept, sizes, e);
}

Sizes keptSizes(const Loops &loops) {
  Sizes sizes;
  for (int64_t dim : loops.kept)
    sizes.push_back(loops.sizes[dim]);
  return sizes;
}

/// Neighbours are compared until one candidate remains: the order of the
/// elements stays, as which of equals is kept depends on it.
FailureOr<SmallVector<Value>>
selectByPairs(const Loops &loops, const Selection &selection, Translator &e) {
  linalg::LinalgOp op = loops.op;
  Region &region = *op.getBlock()->getParent();
  unsigned count = selection.lifted.size();
  SmallVector<Value> candidates;
  for (Value lifted : selection.lifted) {
    BodyScope scope(e, region, loops.sizes);
    if (failed(
            bindOperands(loops, scope, sliceOf(lifted, region).arguments, e)))
      return failure();
    auto value = scope.evaluate(lifted);
    if (failed(value))
      return failure();
    candidates.push_back(*value);
  }
  if (selection.dropsNan) {
    double infinity = std::numeric_limits<double>::infinity();
    for (Value &value : candidates)
      if (isa<FloatType>(e.elementOf(value)))
        value = e.where(e.isNan(value),
                        e.number(selection.isMax ? -infinity : infinity, value),
                        value);
  }
  // Later dimensions vary faster: they are compared first.
  for (int64_t dim : llvm::reverse(loops.reduced)) {
    int64_t size = e.typeOf(candidates.front()).getDimSize(dim);
    if (ShapedType::isDynamic(size) || size < 1)
      return e.unsupported(op,
                           "reduces a dimension of a size that is not known");
    while (size > 1) {
      SmallVector<Value> even, odd;
      for (Value value : candidates) {
        even.push_back(everySecond(value, dim, 0, size / 2, e));
        odd.push_back(everySecond(value, dim, 1, size / 2, e));
      }
      auto chosen = choose(loops, selection, even, odd, e);
      if (failed(chosen))
        return failure();
      for (unsigned i = 0; i < count; ++i)
        candidates[i] =
            size % 2 ? e.concat({(*chosen)[i], e.sliceDim(candidates[i], dim,
                                                          size - 1, size)},
                                dim)
                     : (*chosen)[i];
      size -= size / 2;
    }
  }
  Sizes sizes = keptSizes(loops);
  SmallVector<Value> starts;
  for (auto [i, value] : llvm::enumerate(candidates)) {
    value = e.reshape(value, sizes);
    starts.push_back(startOf(loops, i, sizes, e));
    if (!starts.back())
      return failure();
  }
  return choose(loops, selection, starts, candidates, e);
}

/// One iteration after the other.
FailureOr<SmallVector<Value>> reduceInOrder(const Loops &loops, Translator &e) {
  linalg::LinalgOp op = loops.op;
  Block *block = op.getBlock();
  Region &region = *block->getParent();
  constexpr int64_t most = 4096;
  int64_t steps = 1, length = llvm::range_size(block->without_terminator()) + 1;
  for (int64_t dim : loops.reduced) {
    auto size = getConstantIntValue(loops.sizes[dim]);
    if (!size)
      return e.unsupported(op, "reduces a dimension of a size that is not "
                               "known with a body that is not associative");
    steps *= std::max<int64_t>(*size, 0);
    if (steps * length > most)
      return e.unsupported(
          op, "has a reduction over many elements whose body is not a sum, a "
              "product, a minimum, a maximum or a choice of one element");
  }
  Sizes kept = keptSizes(loops), space = loops.sizes;
  for (int64_t dim : loops.reduced)
    space[dim] = e.size(1);
  SmallVector<Value> state;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    Value start = startOf(loops, i, kept, e);
    if (!start)
      return failure();
    state.push_back(e.reshape(start, space));
  }
  // Operands that do not move with the reduction need no slices.
  SmallVector<std::pair<BlockArgument, Value>> inputs;
  {
    BodyScope scope(e, region, loops.sizes);
    for (OpOperand *operand : op.getDpsInputOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(operand);
      if (argument.use_empty())
        continue;
      Value value = materialize(op, e.get(operand->get()),
                                op.getMatchingIndexingMap(operand), loops.all,
                                loops.sizes, e);
      if (!value)
        return failure();
      inputs.push_back({argument, value});
    }
  }
  for (int64_t step = 0; step < steps; ++step) {
    BodyScope scope(e, region, space);
    int64_t rest = step;
    SmallVector<int64_t> at(loops.sizes.size(), 0);
    for (int64_t dim : llvm::reverse(loops.reduced)) {
      int64_t size = *getConstantIntValue(loops.sizes[dim]);
      at[dim] = rest % size;
      rest /= size;
      scope.startAt(dim, at[dim]);
    }
    for (auto [argument, value] : inputs) {
      for (int64_t dim : loops.reduced)
        value = e.sliceDim(value, dim, at[dim], at[dim] + 1);
      scope.bind(argument, value);
    }
    for (auto [i, value] : llvm::enumerate(state))
      scope.bind(block->getArgument(op.getNumDpsInputs() + i), value);
    SmallVector<Value> next;
    for (Value yielded : block->getTerminator()->getOperands()) {
      auto value = scope.evaluate(yielded);
      if (failed(value))
        return failure();
      next.push_back(*value);
    }
    state = next;
  }
  for (Value &value : state)
    value = e.reshape(value, kept);
  return state;
}

} // namespace

std::optional<Combine> matchCombine(linalg::LinalgOp op, unsigned result) {
  Block *block = op.getBlock();
  Value out = block->getArgument(op.getNumDpsInputs() + result);
  Combine combine;
  combine.yielded = block->getTerminator()->getOperand(result);
  Operation *last = combine.yielded.getDefiningOp();
  while (isConversion(last) && last->getBlock() == block &&
         last->getResult(0).hasOneUse())
    last = last->getOperand(0).getDefiningOp();
  // A conversion before the sum needs one after it.
  bool converted = last && last->getNumResults() == 1 &&
                   last->getResult(0) != combine.yielded;
  if (converted && isa<IntegerType>(last->getResult(0).getType()) &&
      !isa<arith::AddIOp, arith::MulIOp, arith::AndIOp, arith::OrIOp,
           arith::XOrIOp>(last))
    return std::nullopt; // each step would lose bits
  if (converted)
    while (out.hasOneUse() && isConversion(*out.getUsers().begin()))
      out = (*out.getUsers().begin())->getResult(0);
  if (!last || last->getBlock() != block || last->getNumOperands() != 2 ||
      !out.hasOneUse() || *out.getUsers().begin() != last)
    return std::nullopt;
  combine.op = last;
  combine.value = last->getOperand(last->getOperand(0) == out ? 1 : 0);
  if (readsOuts(op, combine.value))
    return std::nullopt;
  return combine;
}

void simplifyCombine(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
    while (simplifyOnce(op, i))
      ;
}

FailureOr<SmallVector<Value>> reduceTogether(const Loops &loops,
                                             Translator &e) {
  if (auto selection = matchSelection(loops.op))
    return selectByPairs(loops, *selection, e);
  return reduceInOrder(loops, e);
}

} // namespace kiln::tensor_to_prim
