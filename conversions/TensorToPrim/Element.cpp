// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single elements of tensors and of buffers.
#include "Positions.h"

#include "kiln/Dialect/Prim/Shape.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tensor_to_prim {

/// Whether indices are known to lie inside of a dimension of `x`: those that
/// count up to its size, and constants.
static bool isInside(Value index, Value x, int64_t dim, Translator &e) {
  int64_t size = e.typeOf(x).getDimSize(dim);
  while (auto spread = index.getDefiningOp<prim::BroadcastInDimOp>())
    index = spread.getOperand();
  if (auto iota = index.getDefiningOp<prim::IotaOp>()) {
    int64_t count = e.typeOf(index).getDimSize(iota.getDim());
    return (ShapedType::isStatic(count) && count <= size) ||
           prim::sameSize(index, iota.getDim(), x, dim);
  }
  auto known = e.splatOf(index);
  auto number = known ? dyn_cast<IntegerAttr>(*known) : IntegerAttr();
  return number && ShapedType::isStatic(size) && number.getInt() >= 0 &&
         number.getInt() < size;
}

Value flatPositions(Value x, int64_t first, ArrayRef<Value> indices,
                    Translator &e, bool areInside) {
  RankedTensorType type = e.typeOf(x);
  Sizes sizes = e.sizesOf(indices.front()), own = e.sizesOf(x);
  Value position, inside;
  for (auto [dim, given] : llvm::enumerate(indices)) {
    e.limitIndices(given, type.getDimSize(first + dim));
    Value index = e.keepInside(given, own[first + dim]);
    bool isJudged = indices.size() > 1 && !areInside && index == given &&
                    !isInside(index, x, first + dim, e);
    Value extent;
    if (position || isJudged) {
      extent = e.sizeTensor(own[first + dim]);
      if (!e.body)
        extent = e.broadcastInDim(extent, {}, sizes);
    }
    if (isJudged) { // what is below 0 is large without sign
      Value here = prim::LtOp::create(
          e.b, e.typeOf(index).clone(e.b.getI1Type()), index, extent,
          /*is_unsigned=*/true);
      inside = inside ? e.binary<prim::BitwiseAndOp>(inside, here) : here;
    }
    position = position ? e.add(e.mul(position, extent), index) : index;
  }
  return inside ? e.where(inside, position, e.integer(-1, position)) : position;
}

static Value read(Value x, ArrayRef<Value> indices, Translator &e,
                  bool areInside) {
  RankedTensorType type = e.typeOf(x);
  if (indices.empty())
    return e.reshape(x, ArrayRef<int64_t>());
  Value position = flatPositions(x, 0, indices, e, areInside);
  Sizes sizes = e.sizesOf(indices.front());
  OpFoldResult count = e.size(1);
  for (OpFoldResult size : e.sizesOf(x))
    count = e.sizeMath().mul(count, size);
  Value flat = e.reshape(x, {count});
  return prim::GatherOp::create(e.b, e.typeFor(sizes, type.getElementType()),
                                flat, position, 0, 0);
}

Value readElements(Value x, ArrayRef<Value> indices, Translator &e) {
  return read(x, indices, e, /*areInside=*/false);
}

Value readElementsInside(Value x, ArrayRef<Value> indices, Translator &e) {
  return read(x, indices, e, /*areInside=*/true);
}

Value writeElement(Value x, ArrayRef<Value> indices, Value element,
                   Translator &e) {
  Sizes sizes = e.sizesOf(x);
  Value here;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value iota = prim::IotaOp::create(e.b, e.typeFor(sizes, e.b.getI64Type()),
                                      e.dynamicSizes(sizes), dim);
    e.limitIndices(index, e.typeOf(x).getDimSize(dim));
    Value same =
        e.compare<prim::EqOp>(iota, e.broadcastInDim(index, {}, sizes));
    here = here ? e.binary<prim::BitwiseAndOp>(here, same) : same;
  }
  Value value = e.broadcastInDim(element, {}, sizes);
  return here ? e.where(here, value, x) : value;
}

LogicalResult element(Operation *op, Value source, ValueRange at,
                      Translator &e) {
  Value x = e.get(source);
  if (!x)
    return failure();
  SmallVector<int64_t> numbers;
  for (auto [dim, operand] : llvm::enumerate(at)) {
    auto index = e.getConstantSizes(operand);
    int64_t extent = e.typeOf(x).getDimSize(dim);
    if (e.body || !index)
      break;
    if (index->front() < 0 ||
        (ShapedType::isStatic(extent) && index->front() >= extent))
      return e.unsupported(op, "reads element " + Twine(index->front()) +
                                   " of dimension " + Twine(dim) +
                                   ", which has " + Twine(extent));
    numbers.push_back(index->front());
  }
  if (!e.body && numbers.size() == at.size()) { // a slice
    for (auto [dim, number] : llvm::enumerate(numbers))
      x = e.sliceDim(x, dim, number, number + 1);
    return e.set(op->getResult(0), e.reshape(x, ArrayRef<int64_t>()));
  }
  SmallVector<Value> indices;
  for (Value operand : at) {
    indices.push_back(e.get(operand));
    if (!indices.back())
      return failure();
  }
  Value result = readElements(x, indices, e);
  if (e.body && at.empty())
    result = e.broadcastInDim(result, {}, e.body->sizes);
  return e.set(op->getResult(0), result);
}

} // namespace kiln::tensor_to_prim
