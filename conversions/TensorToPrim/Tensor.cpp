// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of the tensor dialect that stand among TOSA.
#include "Translator.h"

#include "kiln/Dialect/Prim/Shape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

/// Sizes of the source, in the terms of the result.
Sizes translateSizes(ArrayRef<OpFoldResult> sizes, Translator &e) {
  Sizes result;
  for (OpFoldResult size : sizes) {
    auto value = dyn_cast<Value>(size);
    result.push_back(value ? e.getSizes(value).front() : size);
  }
  return result;
}

/// Nobody may depend on what is in an empty tensor: zeros, if it is read.
LogicalResult empty(Operation *op, Sizes sizes, Translator &e) {
  RankedTensorType type = e.tensorType(op->getResult(0).getType());
  if (!type)
    return e.unsupported(op,
                         "has type " + Twine(text(op->getResult(0).getType())));
  return e.set(op->getResult(0),
               e.full(numberAttr(type.getElementType(), 0), sizes));
}

LogicalResult tensorEmpty(tensor::EmptyOp op, Translator &e) {
  return empty(op, translateSizes(op.getMixedSizes(), e), e);
}

/// A cast only forgets or learns sizes; to an unranked type it prepares for
/// printing.
LogicalResult cast_(tensor::CastOp op, Translator &e) {
  Value x = e.get(op.getSource());
  if (isa<RankedTensorType>(op.getType()))
    return e.set(op, x);
  e.unranked.push_back(x);
  e.alias(op, x);
  return success();
}

/// Each size of the result, of which those of a group multiply to one size of
/// the operand.
LogicalResult expand(tensor::ExpandShapeOp op, Translator &e) {
  return e.set(op, e.reshape(e.get(op.getSrc()),
                             translateSizes(op.getMixedOutputShape(), e)));
}

LogicalResult collapse(tensor::CollapseShapeOp op, Translator &e) {
  Value x = e.get(op.getSrc());
  Sizes from = e.sizesOf(x), to;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    OpFoldResult size = e.size(1);
    for (int64_t dim : group)
      size = e.sizeMath().mul(size, from[dim]);
    to.push_back(size);
  }
  return e.set(op, e.reshape(x, to));
}

LogicalResult reshape(tensor::ReshapeOp op, Translator &e) {
  RankedTensorType type = e.tensorType(op.getType());
  if (!type)
    return e.unsupported(op, "has type " + Twine(text(op.getType())));
  auto sizes = e.integersOf(e.get(op.getShape()));
  if (!sizes && !type.hasStaticShape())
    return e.unsupported(op, "to a shape that is not a constant");
  return e.set(op,
               e.reshape(e.get(op.getSource()),
                         sizes ? ArrayRef<int64_t>(*sizes) : type.getShape()));
}

LogicalResult splat(tensor::SplatOp op, Translator &e) {
  RankedTensorType type = e.tensorType(op.getType());
  if (!type)
    return e.unsupported(op, "has type " + Twine(text(op.getType())));
  Sizes sizes = e.sizesOfType(type, op.getDynamicSizes());
  return e.set(op, e.broadcastInDim(e.get(op.getInput()), {}, sizes));
}

LogicalResult concat(tensor::ConcatOp op, Translator &e) {
  SmallVector<Value> values;
  for (Value operand : op.getInputs())
    values.push_back(e.get(operand));
  return e.set(op, e.concat(values, op.getDim()));
}

LogicalResult dim(tensor::DimOp op, Translator &e) {
  return e.setDim(op, op.getSource(), op.getIndex());
}

LogicalResult rank(tensor::RankOp op, Translator &e) {
  e.setSizes(op, {e.size(e.typeOf(e.get(op.getTensor())).getRank())});
  return success();
}

LogicalResult fromElements(tensor::FromElementsOp op, Translator &e) {
  RankedTensorType type = e.tensorType(op.getType());
  if (!type)
    return e.unsupported(op, "has type " + Twine(text(op.getType())));
  SmallVector<Value> values;
  for (Value element : op.getElements()) {
    Value value = e.get(element);
    if (!value)
      return failure();
    values.push_back(e.reshape(value, ArrayRef<int64_t>{1}));
  }
  if (values.empty())
    return empty(op,
                 e.typeFor({}, type.getElementType()).getRank() ==
                         type.getRank()
                     ? Sizes()
                     : getAsIndexOpFoldResult(op.getContext(), type.getShape()),
                 e);
  return e.set(op, e.reshape(e.concat(values, 0), type.getShape()));
}

/// An element: at constants a slice, else a gather.
LogicalResult extract(tensor::ExtractOp op, Translator &e) {
  return element(op, op.getTensor(), op.getIndices(), e);
}

/// A scalar in place of one element.
LogicalResult insert(tensor::InsertOp op, Translator &e) {
  if (e.body)
    return e.unsupported(op, "inside of a body");
  SmallVector<Value> indices;
  for (Value index : op.getIndices())
    indices.push_back(e.get(index));
  return e.set(
      op, writeElement(e.get(op.getDest()), indices, e.get(op.getScalar()), e));
}

LogicalResult allocTensor(bufferization::AllocTensorOp op, Translator &e) {
  if (op.getCopy())
    return e.set(op, e.get(op.getCopy()));
  Sizes sizes;
  for (int64_t dim = 0; dim < op.getType().getRank(); ++dim)
    sizes.push_back(op.isDynamicDim(dim)
                        ? e.getSizes(op.getDynamicSize(e.b, dim)).front()
                        : e.size(op.getStaticSize(dim)));
  return empty(op, sizes, e);
}

} // namespace

void addTensorRules(Rules &rules) {
  rules.add<tensor::EmptyOp>(tensorEmpty);
  rules.add<tensor::CastOp>(cast_);
  rules.add<tensor::ExpandShapeOp>(expand);
  rules.add<tensor::CollapseShapeOp>(collapse);
  rules.add<tensor::ReshapeOp>(reshape);
  rules.add<tensor::SplatOp>(splat);
  rules.add<tensor::ConcatOp>(concat);
  rules.add<tensor::DimOp>(dim);
  rules.add<tensor::RankOp>(rank);
  rules.add<tensor::FromElementsOp>(fromElements);
  rules.add<tensor::ExtractOp>(extract);
  rules.add<tensor::InsertOp>(insert);
  rules.add<bufferization::AllocTensorOp>(allocTensor);
}

} // namespace kiln::tensor_to_prim
