// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that keep one of two candidates: the largest element and where it
// is.
#include "Linalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// What an operation keeps of two candidates.
struct Extremum {
  bool isMax = false, isUnsigned = false;
};

std::optional<Extremum> extremumOf(Operation *op) {
  bool isMax = isa<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(op);
  if (!isMax && !isa<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(op))
    return std::nullopt;
  return Extremum{isMax, isa<arith::MaxUIOp, arith::MinUIOp>(op)};
}

/// A body that keeps one of two candidates: all of its results are taken from
/// the element or from what was kept, by one comparison.
struct Selection {
  SmallVector<Value> lifted; // the candidate of an element, by result
  bool dropsNan = false;     // a NaN is never taken
  bool isMax = false;
  bool isStrict = false; // of equals the first is kept
  bool isUnsigned = false;
  unsigned key = 0; // the result that is compared
};

std::optional<Selection> matchSelection(linalg::LinalgOp op) {
  Block *block = op.getBlock();
  Operation *terminator = block->getTerminator();
  unsigned count = terminator->getNumOperands();
  Selection selection;
  Value condition;
  std::optional<unsigned> key;
  std::optional<Extremum> extremum; // the operation of the key, if any
  auto out = [&](unsigned i) -> Value {
    return block->getArgument(op.getNumDpsInputs() + i);
  };
  bool takesElement = true;
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
    } else if (extremumOf(last) && !key) {
      unsigned at = last->getOperand(0) == out(i) ? 1 : 0;
      if (last->getOperand(1 - at) != out(i))
        return std::nullopt;
      selection.lifted.push_back(last->getOperand(at));
      key = i;
      extremum = extremumOf(last);
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
  selection.key = *compared;
  // The operation keeps the candidate that the comparison takes.
  auto agrees = [&] {
    return !extremum || (extremum->isMax == selection.isMax &&
                         extremum->isUnsigned == selection.isUnsigned);
  };
  if (auto cmp = dyn_cast<arith::CmpIOp>(compare)) {
    using I = arith::CmpIPredicate;
    I predicate = cmp.getPredicate();
    if (predicate == I::eq || predicate == I::ne)
      return std::nullopt;
    bool isGreater = predicate == I::sgt || predicate == I::ugt ||
                     predicate == I::sge || predicate == I::uge;
    selection.isUnsigned = predicate == I::ugt || predicate == I::ult ||
                           predicate == I::uge || predicate == I::ule;
    selection.isStrict =
        takesElement && (predicate == I::sgt || predicate == I::slt ||
                         predicate == I::ugt || predicate == I::ult);
    selection.isMax = (isGreater != swapped) == takesElement;
    return agrees() ? std::optional(selection) : std::nullopt;
  }
  // Only strict order that a NaN fails keeps the first of equals in any
  // grouping; with a maximum beside it a NaN ends the search.
  using P = arith::CmpFPredicate;
  P predicate = cast<arith::CmpFOp>(compare).getPredicate();
  bool strict = takesElement && (predicate == P::OGT || predicate == P::OLT);
  if (!strict)
    return std::nullopt;
  selection.isStrict = true;
  selection.isMax = (predicate == P::OGT) != swapped;
  selection.dropsNan = !extremum;
  return agrees() ? std::optional(selection) : std::nullopt;
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

/// The candidates of all elements, result by result.
FailureOr<SmallVector<Value>> evaluateCandidates(const Loops &loops,
                                                 const Selection &selection,
                                                 Translator &e) {
  linalg::LinalgOp op = loops.op;
  Region &region = *op.getBlock()->getParent();
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
  return candidates;
}

/// Makes keys that are never taken the least ones: each NaN or, with a maximum
/// beside the comparison, which a NaN turns into a NaN, all from the first NaN
/// on. Returns where there is one in the second case.
Value dropNans(const Loops &loops, const Selection &selection,
               SmallVector<Value> &candidates, Translator &e) {
  Value key = candidates[selection.key];
  if (!isa<FloatType>(e.elementOf(key)))
    return {};
  Value out = e.isNan(key), hasNan;
  if (!selection.dropsNan) {
    Type i64 = e.b.getI64Type();
    Sizes sizes = e.sizesOf(key);
    Value steps;
    for (int64_t dim : loops.reduced) {
      Value along = prim::IotaOp::create(e.b, e.typeFor(sizes, i64),
                                         e.dynamicSizes(sizes), dim);
      if (steps)
        steps =
            e.mul(steps, e.broadcastInDim(e.sizeTensor(sizes[dim]), {}, sizes));
      steps = steps ? e.add(steps, along) : along;
    }
    Sizes kept;
    for (int64_t dim : loops.kept)
      kept.push_back(sizes[dim]);
    int64_t never = std::numeric_limits<int64_t>::max();
    Value first = prim::AminOp::create(
        e.b, e.typeFor(kept, i64), e.where(out, steps, e.integer(never, steps)),
        loops.reduced);
    hasNan = e.compare<prim::NeOp>(first, e.integer(never, first));
    out = e.compare<prim::GeOp>(steps,
                                e.broadcastInDim(first, loops.kept, sizes));
  }
  double infinity = std::numeric_limits<double>::infinity();
  Value least =
      e.where(out, e.number(selection.isMax ? -infinity : infinity, key), key);
  for (auto [i, lifted] : llvm::enumerate(selection.lifted))
    if (lifted == selection.lifted[selection.key])
      candidates[i] = least;
  return hasNan;
}

/// What remains of candidates and of what was there before; a NaN where there
/// was one that a maximum keeps.
FailureOr<SmallVector<Value>> finish(const Loops &loops,
                                     const Selection &selection,
                                     ArrayRef<Value> candidates, Value hasNan,
                                     Translator &e) {
  Sizes sizes = keptSizes(loops);
  SmallVector<Value> starts;
  for (unsigned i = 0; i < candidates.size(); ++i) {
    starts.push_back(startOf(loops, i, sizes, e));
    if (!starts.back())
      return failure();
  }
  auto chosen = choose(loops, selection, starts, candidates, e);
  if (succeeded(chosen) && hasNan) {
    Value &result = (*chosen)[selection.key];
    result = e.where(e.reshape(hasNan, sizes),
                     e.number(std::numeric_limits<double>::quiet_NaN(), result),
                     result);
  }
  return chosen;
}

/// The greatest, or the least, key of a dimension whose size is not known, and
/// what belongs to the first that has it.
FailureOr<SmallVector<Value>>
selectByIndex(const Loops &loops, const Selection &selection, Translator &e) {
  auto lifted = evaluateCandidates(loops, selection, e);
  if (failed(lifted))
    return failure();
  SmallVector<Value> candidates = *lifted;
  int64_t dim = loops.reduced.front();
  Value key = candidates[selection.key];
  Type element = e.elementOf(key), i64 = e.b.getI64Type();
  SmallVector<int64_t> shape(e.typeOf(key).getShape());
  double infinity = std::numeric_limits<double>::infinity();
  shape.erase(shape.begin() + dim);
  Value hasNan = dropNans(loops, selection, candidates, e);
  key = candidates[selection.key];
  // The order of a minimum is that of a maximum, turned round.
  Value ranks = key;
  if (selection.isUnsigned)
    ranks = e.binary<prim::BitwiseXorOp>(
        ranks,
        e.integer(int64_t(1) << (element.getIntOrFloatBitWidth() - 1), ranks));
  if (!selection.isMax)
    ranks = isa<FloatType>(element) ? e.unary<prim::NegOp>(ranks)
                                    : e.unary<prim::BitwiseNotOp>(ranks);
  Value position = prim::ArgmaxOp::create(
      e.b, RankedTensorType::get(shape, i64), ranks, dim, false);
  Sizes space = e.sizesOf(key), sizes = keptSizes(loops);
  Value steps = prim::IotaOp::create(e.b, e.typeFor(space, i64),
                                     e.dynamicSizes(space), dim);
  Value taken = e.compare<prim::EqOp>(
      steps, e.broadcastInDim(position, loops.kept, space));
  for (Value &value : candidates) {
    // The one element that is taken, as the largest of what is there.
    Type kind = e.elementOf(value);
    Value rest =
        isa<FloatType>(kind)
            ? e.number(-infinity, value)
            : e.full(IntegerAttr::get(kind,
                                      kind.isInteger(1)
                                          ? APInt(1, 0)
                                          : APInt::getSignedMinValue(
                                                kind.getIntOrFloatBitWidth())),
                     e.sizesOf(value));
    value = e.reshape(prim::AmaxOp::create(
                          e.b, RankedTensorType::get(shape, kind),
                          e.where(taken, value, rest), ArrayRef<int64_t>{dim}),
                      sizes);
  }
  return finish(loops, selection, candidates, hasNan, e);
}

/// Neighbours are compared until one candidate remains: the order of the
/// elements stays, as which of equals is kept depends on it.
FailureOr<SmallVector<Value>>
selectByPairs(const Loops &loops, const Selection &selection, Translator &e) {
  linalg::LinalgOp op = loops.op;
  unsigned count = selection.lifted.size();
  auto lifted = evaluateCandidates(loops, selection, e);
  if (failed(lifted))
    return failure();
  SmallVector<Value> candidates = *lifted;
  Value hasNan = dropNans(loops, selection, candidates, e);
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
  for (Value &value : candidates)
    value = e.reshape(value, sizes);
  return finish(loops, selection, candidates, hasNan, e);
}

} // namespace

std::optional<FailureOr<SmallVector<Value>>>
reduceBySelection(const Loops &loops, Translator &e) {
  auto selection = matchSelection(loops.op);
  if (!selection)
    return std::nullopt;
  bool isOpen = loops.reduced.size() == 1 && selection->isStrict &&
                !getConstantIntValue(loops.sizes[loops.reduced.front()]);
  return isOpen ? selectByIndex(loops, *selection, e)
                : selectByPairs(loops, *selection, e);
}

} // namespace kiln::tensor_to_prim
