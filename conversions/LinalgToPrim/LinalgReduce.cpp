// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of reductions: their forms, and those that are no plain sum.
#include "Linalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

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
      Value value = materialize(op, operandValue(operand->get(), e),
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

bool readsOuts(linalg::LinalgOp op, Value value) {
  return llvm::any_of(sliceOf(value, *op.getBlock()->getParent()).arguments,
                      [&](BlockArgument argument) {
                        return argument.getArgNumber() >= op.getNumDpsInputs();
                      });
}

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
  if (auto chosen = reduceBySelection(loops, e))
    return *chosen;
  return reduceInOrder(loops, e);
}

} // namespace kiln::tensor_to_prim
