// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms.
#include "kiln/Dialect/Prim/FourierOps.h"
#include "kiln/Dialect/Prim/MovementOps.h"
#include "kiln/Dialect/Prim/Shape.h"
#include "kiln/Interfaces/Fourier.h"

#include "Verify.h"

using namespace mlir;
using namespace kiln::prim;

#define GET_OP_CLASSES
#include "kiln/Dialect/Prim/FourierOps.cpp.inc"

LogicalResult FourierOp::verify() {
  // C1 to C5
  std::string why =
      kiln::whyNoFourier(getOperands().getTypes(), getResults().getTypes(),
                         static_cast<int64_t>(getDim()));
  if (!why.empty())
    return emitOpError(why);
  // C6
  if (ShapedType::isDynamic(
          kiln::fourierLength(getOperands().getTypes(), getResults().getTypes(),
                              static_cast<int64_t>(getDim()))))
    return emitOpError("expected a size of 'dim' that is known");
  return success();
}

kiln::Accumulation FourierOp::getAccumulation() {
  return kiln::Accumulation::sumOver(
      {kiln::fourierLength(getOperands().getTypes(), getResults().getTypes(),
                           static_cast<int64_t>(getDim()))},
      4);
}

Value kiln::prim::resizeLines(OpBuilder &b, Location loc, Value x, int64_t dim,
                              int64_t size) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t have = type.getDimSize(dim), rank = type.getRank();
  if (have == size)
    return x;
  SmallVector<int64_t> shape(type.getShape()), none(rank, 0);
  shape[dim] = size;
  RankedTensorType made = type.clone(shape);
  if (have < size) {
    SmallVector<int64_t> high(rank, 0);
    high[dim] = size - have;
    return PadOp::create(b, loc, made, x, none, high,
                         b.getFloatAttr(type.getElementType(), 0));
  }
  SmallVector<int64_t> limits, strides(rank, 1);
  for (int64_t limit : shape)
    limits.push_back(ShapedType::isDynamic(limit) ? -1 : limit);
  return SliceOp::create(b, loc, made, x, none, limits, strides);
}
