//===- CloseInductions.cpp - Closed forms of loop-carried pointers --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointerExpr.h"
#include "kiln/Dialect/Tile/PointerOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln::tile;

namespace {
/// Moves what computes a value in front of a loop where that depends on nothing
/// in it. False where it does.
bool hoist(Value value, scf::ForOp loop) {
  if (loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumRegions() || op->getParentOp() != loop || !isPure(op) ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return hoist(operand, loop); }))
    return false;
  op->moveBefore(loop);
  return true;
}

/// An offset with elements of 64 bits.
Value widen(OpBuilder &builder, Value offset) {
  Type element = getElementTypeOrSelf(offset.getType());
  if (element.isInteger(64))
    return offset;
  Type wide = builder.getI64Type();
  if (auto tile = dyn_cast<RankedTensorType>(offset.getType()))
    wide = tile.clone(wide);
  if (isa<IndexType>(element))
    return arith::IndexCastOp::create(builder, offset.getLoc(), wide, offset);
  return arith::ExtSIOp::create(builder, offset.getLoc(), wide, offset);
}

/// What one operation adds to a value, and that value; nulls for others.
std::pair<Value, Value> getAdded(Operation *op, scf::ForOp loop) {
  if (PointerOffsetOpInterface step = asPointerStep(op))
    return {step.getOffsetInElements(), step.getBasePointers()};
  auto add = dyn_cast_or_null<arith::AddIOp>(op);
  if (!add)
    return {};
  if (loop.isDefinedOutsideOfLoop(add.getLhs()))
    return {add.getLhs(), add.getRhs()};
  auto argument = dyn_cast<BlockArgument>(add.getRhs());
  if (argument && argument.getOwner() == loop.getBody())
    return {add.getLhs(), add.getRhs()};
  return {add.getRhs(), add.getLhs()};
}

/// What a loop adds to a carried value in each iteration, by one operation or
/// by several, or null.
Value getIncrement(BlockArgument carried, Value yielded, scf::ForOp loop) {
  constexpr size_t kMostParts = 16;
  SmallVector<Value> parts;
  for (Value at = yielded; at != carried;) {
    auto [part, base] = getAdded(at.getDefiningOp(), loop);
    if (!part || parts.size() == kMostParts || !hoist(part, loop))
      return Value();
    parts.push_back(part);
    at = base;
  }
  if (parts.empty())
    return Value();
  OpBuilder builder(loop);
  bool isPointer = isa<PtrType>(getElementTypeOrSelf(carried.getType()));
  Value sum;
  for (Value part : parts) {
    if (isPointer && parts.size() > 1)
      part = widen(builder, part);
    sum = sum ? arith::AddIOp::create(builder, loop.getLoc(), sum, part) : part;
  }
  return sum;
}

Value toIndex(OpBuilder &builder, Value value) {
  if (isa<IndexType>(value.getType()))
    return value;
  // Divisions by constants may move in front of loops.
  if (std::optional<int64_t> known = getConstantIntValue(value))
    return arith::ConstantIndexOp::create(builder, value.getLoc(), *known);
  return arith::IndexCastOp::create(builder, value.getLoc(),
                                    builder.getIndexType(), value);
}

/// Makes a loop whose step is known only when it runs count its iterations, so
/// that no iteration divides by the step: what it counted before is computed.
void countIterations(scf::ForOp loop) {
  if (getConstantIntValue(loop.getStep()) || loop.getUnsignedCmp())
    return;
  // Addresses of what the loop counts need its bounds, which a loop says.
  SetVector<Operation *> users;
  getForwardSlice(Value(loop.getInductionVar()), &users);
  if (llvm::any_of(users, llvm::IsaPred<PtrAddOp>))
    return;
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  Value first = toIndex(builder, loop.getLowerBound()),
        step = toIndex(builder, loop.getStep()),
        end = toIndex(builder, loop.getUpperBound());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value length = arith::SubIOp::create(builder, loc, end, first);
  // A loop that has no iteration may have no step either.
  Value divisor = arith::MaxSIOp::create(builder, loc, step, one);
  Value rest = arith::SubIOp::create(builder, loc, divisor, one);
  Value rounded = arith::AddIOp::create(builder, loc, length, rest);
  loop.setLowerBound(arith::ConstantIndexOp::create(builder, loc, 0));
  // Where there is no iteration the quotient is 0 or less.
  loop.setUpperBound(arith::DivSIOp::create(builder, loc, rounded, divisor));
  loop.setStep(one);
  BlockArgument counter = cast<BlockArgument>(loop.getInductionVar());
  Type type = counter.getType();
  counter.setType(builder.getIndexType());
  builder.setInsertionPointToStart(loop.getBody());
  Value passed = arith::MulIOp::create(builder, loc, counter, step);
  Value before = arith::AddIOp::create(builder, loc, first, passed);
  if (before.getType() != type)
    before = arith::IndexCastOp::create(builder, loc, type, before);
  counter.replaceAllUsesExcept(before, passed.getDefiningOp());
}

/// The number of iterations before this one, in the integer type `type`.
Value getIteration(OpBuilder &builder, scf::ForOp loop, Type type) {
  Location loc = loop.getLoc();
  Value difference = arith::SubIOp::create(
      builder, loc, toIndex(builder, loop.getInductionVar()),
      toIndex(builder, loop.getLowerBound()));
  Value iteration = arith::DivSIOp::create(builder, loc, difference,
                                           toIndex(builder, loop.getStep()));
  if (isa<IndexType>(type))
    return iteration;
  return arith::IndexCastOp::create(builder, loc, type, iteration);
}

/// The number of all iterations, in the integer type `type`, behind the loop.
Value countAll(OpBuilder &builder, scf::ForOp loop, Type type) {
  Location loc = loop.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0),
        step = toIndex(builder, loop.getStep());
  Value length = arith::SubIOp::create(builder, loc,
                                       toIndex(builder, loop.getUpperBound()),
                                       toIndex(builder, loop.getLowerBound()));
  Value least = arith::MaxSIOp::create(builder, loc, length, zero);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value rest = arith::SubIOp::create(builder, loc, step, one);
  Value rounded = arith::AddIOp::create(builder, loc, least, rest);
  Value count = arith::DivSIOp::create(builder, loc, rounded, step);
  if (isa<IndexType>(type))
    return count;
  return arith::IndexCastOp::create(builder, loc, type, count);
}

/// init + iterations * increment, with 64-bit offsets for pointers: what an
/// iteration finds, or what the loop ends with.
Value createClosedForm(
    OpBuilder &builder, scf::ForOp loop, Value init, Value increment,
    function_ref<Value(OpBuilder &, scf::ForOp, Type)> count) {
  Location loc = loop.getLoc();
  bool isPointer = isa<PtrType>(getElementTypeOrSelf(init.getType()));
  if (isPointer && !isa<IndexType>(getElementTypeOrSelf(increment.getType())))
    increment = widen(builder, increment);
  Type element = getElementTypeOrSelf(increment.getType());
  Value iteration = count(builder, loop, element);
  if (auto tile = dyn_cast<RankedTensorType>(increment.getType()))
    iteration = SplatOp::create(builder, loc, tile, iteration);
  Value total = arith::MulIOp::create(builder, loc, increment, iteration);
  if (isPointer)
    return PtrAddOp::create(builder, loc, init.getType(), init, total);
  return arith::AddIOp::create(builder, loc, init, total);
}
} // namespace

void kiln::tile::closeInductions(Operation *root) {
  // Inner loops first: an outer loop may carry what an inner one ends with.
  root->walk([](scf::ForOp loop) {
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    OpBuilder builder(loop.getContext());
    for (auto [index, carried] : llvm::enumerate(loop.getRegionIterArgs())) {
      Type element = getElementTypeOrSelf(carried.getType());
      if (!isa<PtrType>(element) && !element.isInteger(32) &&
          !element.isInteger(64))
        continue;
      Value result = loop.getResult(index);
      if (!result.use_empty() && loop.getUnsignedCmp())
        continue;
      Value increment = getIncrement(carried, yield.getOperand(index), loop);
      if (!increment)
        continue;
      countIterations(loop);
      Value init = loop.getInitArgs()[index];
      // Only now: what the increment is made of may have begun the body.
      builder.setInsertionPointToStart(loop.getBody());
      Value closed =
          createClosedForm(builder, loop, init, increment, getIteration);
      carried.replaceAllUsesWith(closed);
      yield.setOperand(index, carried);
      if (result.use_empty())
        continue;
      builder.setInsertionPointAfter(loop);
      result.replaceAllUsesWith(
          createClosedForm(builder, loop, init, increment, countAll));
    }
  });
}
