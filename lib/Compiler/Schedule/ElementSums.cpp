//===- ElementSums.cpp - Sums of single elements --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Combiners.h"
#include "ElementBuilder.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Combines values pairwise, so that few wait for each other.
static Value combined(ArrayRef<Value> all,
                      llvm::function_ref<Value(Value, Value)> combine) {
  SmallVector<Value> level(all);
  while (level.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(combine(level[i], level[i + 1]));
    if (level.size() % 2)
      next.push_back(level.back());
    level = std::move(next);
  }
  return level.front();
}

Value ElementBuilder::wide(Value scalar, Type type) {
  if (scalar.getType() == type)
    return scalar;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(b, loc, type, scalar);
  return arith::ExtSIOp::create(b, loc, type, scalar);
}

Value ElementBuilder::narrow(Value scalar, Type type) {
  if (scalar.getType() == type)
    return scalar;
  return arith::TruncFOp::create(b, loc, type, scalar);
}

Value ElementBuilder::reduced(Operation *op, ArrayRef<Coord> at) {
  Value operand = op->getOperand(0);
  ArrayRef<int64_t> shape = shapeOf(operand);
  SmallVector<int64_t> dims = reducedDims(op), inner;
  for (int64_t d : dims)
    inner.push_back(shape[d]);
  Type type = getElementTypeOrSelf(operand);
  Type sum = partialType(op, type);
  SmallVector<Value> all;
  auto add = [&](ArrayRef<Coord> place) -> LogicalResult {
    SmallVector<Coord> from;
    size_t next = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t *found = llvm::find(dims, static_cast<int64_t>(d));
      from.push_back(found == dims.end() ? at[next++]
                                         : place[found - dims.begin()]);
    }
    Value one = element(operand, from);
    if (!one || failed(count()))
      return failure();
    all.push_back(wide(one, sum));
    return success();
  };
  if (failed(forEachElement(inner, b, add)))
    return {};
  if (all.empty())
    return arith::ConstantOp::create(b, loc, neutralValue(op, type));
  Value made = combined(
      all, [&](Value x, Value y) { return schedule::combine(op, x, y, b); });
  return narrow(made, type);
}

Value ElementBuilder::product(prim::DotGeneralOp op, ArrayRef<Coord> at) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  SmallVector<Coord> from[2] = {SmallVector<Coord>(lhs.size()),
                                SmallVector<Coord>(rhs.size())};
  ArrayRef<int64_t> batch[2] = {op.getLhsBatch(), op.getRhsBatch()};
  ArrayRef<int64_t> contract[2] = {op.getLhsContract(), op.getRhsContract()};
  size_t next = batch[0].size();
  for (unsigned side = 0; side < 2; ++side) {
    for (auto [i, d] : llvm::enumerate(batch[side]))
      from[side][d] = at[i];
    for (size_t d = 0; d < from[side].size(); ++d)
      if (!llvm::is_contained(batch[side], static_cast<int64_t>(d)) &&
          !llvm::is_contained(contract[side], static_cast<int64_t>(d)))
        from[side][d] = at[next++];
  }
  SmallVector<int64_t> inner;
  for (int64_t d : contract[0])
    inner.push_back(lhs[d]);
  Type type = getElementTypeOrSelf(op.getResult());
  Type sum = sumType(type);
  if (isa<FloatType>(sum) && sum.getIntOrFloatBitWidth() < 32)
    return fail("a product of narrow floats");
  SmallVector<Value> all;
  auto add = [&](ArrayRef<Coord> place) -> LogicalResult {
    for (unsigned side = 0; side < 2; ++side)
      for (auto [coord, d] : llvm::zip_equal(place, contract[side]))
        from[side][d] = coord;
    Value x = element(op.getLhs(), from[0]), y = element(op.getRhs(), from[1]);
    if (!x || !y || failed(count()))
      return failure();
    x = wide(x, sum);
    y = wide(y, sum);
    all.push_back(isa<FloatType>(sum)
                      ? arith::MulFOp::create(b, loc, x, y).getResult()
                      : arith::MulIOp::create(b, loc, x, y).getResult());
    return success();
  };
  if (failed(forEachElement(inner, b, add)))
    return {};
  if (all.empty())
    return arith::ConstantOp::create(b, loc, zeroOf(type));
  Value made =
      combined(all, [&](Value x, Value y) { return schedule::added(x, y, b); });
  return narrow(made, type);
}
