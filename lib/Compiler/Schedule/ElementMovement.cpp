//===- ElementMovement.cpp - Where an element comes from ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementBuilder.h"
#include "ScatterBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

Value ElementBuilder::transposed(prim::TransposeOp op, ArrayRef<Coord> at) {
  SmallVector<Coord> from(at.size());
  for (auto [d, source] : llvm::enumerate(op.getPermutation()))
    from[source] = at[d];
  return element(op.getOperand(), from);
}

Value ElementBuilder::repeated(prim::BroadcastInDimOp op, ArrayRef<Coord> at) {
  SmallVector<Coord> from;
  for (auto [size, d] : llvm::zip_equal(shapeOf(op.getOperand()), op.getDims()))
    from.push_back(size == 1 ? number(0) : at[d]);
  return element(op.getOperand(), from);
}

Value ElementBuilder::sliced(prim::SliceOp op, ArrayRef<Coord> at) {
  SmallVector<Coord> from;
  for (auto [coord, start, stride] :
       llvm::zip_equal(at, op.getStarts(), op.getStrides()))
    from.push_back(add(mul(coord, stride), number(start)));
  return element(op.getOperand(), from);
}

Value ElementBuilder::reversed(prim::RevOp op, ArrayRef<Coord> at) {
  SmallVector<Coord> from(at);
  for (int64_t d : op.getDims())
    from[d] = add(mul(at[d], -1), number(shapeOf(op.getOperand())[d] - 1));
  return element(op.getOperand(), from);
}

/// A shape without its dimensions of size 1.
static SmallVector<int64_t> withoutOnes(ArrayRef<int64_t> shape) {
  return llvm::to_vector(
      llvm::make_filter_range(shape, [](int64_t size) { return size != 1; }));
}

Value ElementBuilder::reshaped(prim::ReshapeOp op, ArrayRef<Coord> at) {
  ArrayRef<int64_t> to = shapeOf(op.getResult()),
                    from = shapeOf(op.getOperand());
  SmallVector<Coord> source(from.size(), number(0));
  if (withoutOnes(to) == withoutOnes(from)) {
    size_t d = 0;
    for (auto [coord, size] : llvm::zip_equal(at, to)) {
      if (size == 1)
        continue;
      while (from[d] == 1)
        ++d;
      source[d++] = coord;
    }
    return element(op.getOperand(), source);
  }
  Coord place = number(0);
  for (auto [coord, size] : llvm::zip_equal(at, to))
    place = add(mul(place, size), coord);
  for (size_t d = from.size(); d-- > 0;) {
    source[d] = d == 0 ? place : rem(place, from[d]);
    place = div(place, from[d]);
  }
  return element(op.getOperand(), source);
}

Value ElementBuilder::joined(prim::CatOp op, ArrayRef<Coord> at) {
  unsigned dim = op.getDim();
  int64_t begin = 0;
  Value made;
  for (Value operand : op.getOperands()) {
    int64_t size = shapeOf(operand)[dim];
    if (size == 0)
      continue;
    SmallVector<Coord> from(at);
    from[dim] = add(at[dim], number(-begin));
    begin += size;
    Value inside = isInside(from[dim], size);
    if (getConstantIntValue(from[dim])) {
      if (!inside)
        return element(operand, from);
      continue;
    }
    from[dim] = clamp(from[dim], size);
    Value here = element(operand, from);
    if (!here)
      return {};
    made = made ? select(inside, here, made) : here;
  }
  return made ? made : fail("no element in prim.cat");
}

Value ElementBuilder::padded(prim::PadOp op, ArrayRef<Coord> at) {
  SmallVector<Coord> from;
  Value inside;
  if (numElements(op.getOperand()) == 0)
    return fail("padding around nothing");
  for (auto [coord, low, size] :
       llvm::zip_equal(at, op.getLow(), shapeOf(op.getOperand()))) {
    Coord moved = add(coord, number(-low));
    inside = both(inside, isInside(moved, size));
    from.push_back(clamp(moved, size));
  }
  Value own = element(op.getOperand(), from);
  if (!own || !inside)
    return own;
  return select(
      inside, own,
      arith::ConstantOp::create(b, loc, cast<TypedAttr>(op.getValueAttr())));
}

Value ElementBuilder::gathered(prim::GatherOp op, ArrayRef<Coord> at) {
  size_t dim = op.getDim(), batch = op.getBatchDims();
  size_t own = shapeOf(op.getIndices()).size() - batch;
  int64_t size = shapeOf(op.getOperand())[dim];
  if (size == 0)
    return fail("a gather out of nothing");
  SmallVector<Coord> which(at.take_front(batch));
  llvm::append_range(which, at.slice(dim, own));
  Value index = element(op.getIndices(), which);
  if (!index)
    return {};
  Coord place = coordOf(index);
  SmallVector<Coord> from(at.take_front(dim));
  from.push_back(clamp(place, size));
  llvm::append_range(from, at.drop_front(dim + own));
  Value inside = isInside(place, size);
  Value made = element(op.getOperand(), from);
  if (!made || !inside)
    return made;
  Value zero = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(made.getType())));
  return select(inside, made, zero);
}

FailureOr<SmallVector<Coord>>
ElementBuilder::placeOfUpdate(prim::ScatterOp op, ArrayRef<Coord> update) {
  size_t places = shapeOf(op.getIndices()).size() - 1;
  SmallVector<Coord> at(update.take_front(op.getBatchDims()));
  llvm::append_range(at, update.drop_front(places));
  for (auto [coordinate, dim] : llvm::enumerate(op.getDims())) {
    SmallVector<Coord> which(update.take_front(places));
    which.push_back(number(coordinate));
    Value start = element(op.getIndices(), which);
    if (!start)
      return failure();
    at[dim] = add(coordOf(start), at[dim]);
  }
  return at;
}

/// Every update may be that of the element.
Value ElementBuilder::scattered(prim::ScatterOp op, ArrayRef<Coord> at) {
  Value made = element(op.getOperand(), at);
  if (!made)
    return {};
  auto addUpdate = [&](ArrayRef<Coord> update) -> LogicalResult {
    FailureOr<SmallVector<Coord>> place = placeOfUpdate(op, update);
    Value value = element(op.getUpdates(), update);
    if (failed(place) || !value || failed(count()))
      return failure();
    Value here;
    for (auto [mine, its] : llvm::zip_equal(at, *place))
      here = both(here, isSame(mine, its));
    Value combined = combineUpdate(op, made, value, b);
    made = here ? select(here, combined, made) : combined;
    return success();
  };
  return succeeded(forEachElement(shapeOf(op.getUpdates()), b, addUpdate))
             ? made
             : Value();
}
