// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single elements of tensors and of buffers.
#include "Translator.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tensor_to_prim {

Value readElements(Value x, ArrayRef<Value> indices, Translator &e) {
  RankedTensorType type = e.typeOf(x);
  if (indices.empty())
    return e.reshape(x, ArrayRef<int64_t>());
  // The row-major position, then one gather of a flat tensor. The sizes of the
  // first dimension do not count for it.
  Value position;
  Sizes sizes = e.sizesOf(indices.front()), own = e.sizesOf(x);
  OpFoldResult count = e.size(1);
  for (auto [dim, index] : llvm::enumerate(indices)) {
    e.limitIndices(index, type.getDimSize(dim));
    Value inside = e.keepInside(index, own[dim]);
    count = e.sizeMath().mul(count, own[dim]);
    if (!position) {
      position = inside;
      continue;
    }
    Value extent = e.sizeTensor(own[dim]);
    if (!e.body)
      extent = e.broadcastInDim(extent, {}, sizes);
    position = e.add(e.mul(position, extent), inside);
  }
  Value flat = e.reshape(x, {count});
  return prim::GatherOp::create(e.b, e.typeFor(sizes, type.getElementType()),
                                flat, position, 0, 0);
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
