// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds prims in the midst of a rewrite.
#include "PrimBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace kiln::prim;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// All dimensions below `rank` that are not among `dims`.
static SmallVector<int64_t> otherDims(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(dims, i))
      others.push_back(i);
  return others;
}

FloatType PrimBuilder::computeType(Type element) {
  if (element.isF64())
    return cast<FloatType>(element);
  return Float32Type::get(element.getContext());
}

RankedTensorType PrimBuilder::reducedType(Value operand,
                                          ArrayRef<int64_t> dims) {
  RankedTensorType type = typeOf(operand);
  SmallVector<int64_t> shape;
  for (int64_t dim : otherDims(type.getRank(), dims))
    shape.push_back(type.getDimSize(dim));
  return RankedTensorType::get(shape, type.getElementType());
}

Value PrimBuilder::splatLike(Value like, double value) {
  RankedTensorType type = typeOf(like);
  TypedAttr attribute;
  if (auto element = dyn_cast<FloatType>(type.getElementType()))
    attribute = FloatAttr::get(element, value);
  else
    attribute =
        IntegerAttr::get(type.getElementType(), static_cast<int64_t>(value));
  if (type.hasStaticShape())
    return ConstantOp::create(
        builder, loc, type,
        DenseElementsAttr::get(type, ArrayRef<Attribute>(attribute)));
  return FullOp::create(builder, loc, type,
                        dynamicSizes(builder, loc, type, sizes(like)),
                        attribute);
}

Value PrimBuilder::convert(Value operand, Type element) {
  RankedTensorType type = typeOf(operand);
  if (type.getElementType() == element)
    return operand;
  return ConvertElementTypeOp::create(builder, loc, type.clone(element),
                                      operand, UnitAttr(), UnitAttr(),
                                      UnitAttr());
}

Value PrimBuilder::broadcastTo(Value operand, Value like,
                               ArrayRef<int64_t> dims) {
  RankedTensorType type = typeOf(like).clone(typeOf(operand).getElementType());
  return BroadcastInDimOp::create(builder, loc, type, operand,
                                  dynamicSizes(builder, loc, type, sizes(like)),
                                  dims);
}

Value PrimBuilder::broadcastReduced(Value reduced, Value like,
                                    ArrayRef<int64_t> dims) {
  return broadcastTo(reduced, like, otherDims(typeOf(like).getRank(), dims));
}

Value PrimBuilder::countLike(Value reduced, Value like,
                             ArrayRef<int64_t> dims) {
  RankedTensorType type = typeOf(like);
  std::optional<int64_t> count = 1;
  for (int64_t dim : dims) {
    if (!count)
      break;
    count = type.isDynamicDim(dim)
                ? std::nullopt
                : llvm::checkedMul(*count, type.getDimSize(dim));
  }
  if (count)
    return splatLike(reduced, static_cast<double>(*count));
  // Sizes that are known only at run time are counted by adding ones.
  return convert(reduce<SumOp>(splatLike(like, 1.0), dims),
                 typeOf(reduced).getElementType());
}

Value PrimBuilder::transpose(Value operand, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return operand;
  RankedTensorType type = typeOf(operand);
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  return TransposeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()),
      operand, permutation);
}

Value PrimBuilder::reshape(Value operand, ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> constant = getConstantIntValue(size)) {
      shape.push_back(*constant);
    } else {
      shape.push_back(ShapedType::kDynamic);
      dynamic.push_back(cast<Value>(size));
    }
  }
  auto type = RankedTensorType::get(shape, typeOf(operand).getElementType());
  if (type == operand.getType() && type.getNumDynamicDims() < 2)
    return operand;
  return ReshapeOp::create(builder, loc, type, operand, dynamic);
}

Value PrimBuilder::reshape(Value operand, RankedTensorType type,
                           ArrayRef<OpFoldResult> sizes) {
  if (type == operand.getType() && type.getNumDynamicDims() < 2)
    return operand;
  return ReshapeOp::create(builder, loc, type, operand,
                           dynamicSizes(builder, loc, type, sizes));
}

OpFoldResult PrimBuilder::product(ArrayRef<OpFoldResult> sizes) {
  int64_t constant = 1;
  Value value;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      constant *= *known;
    else if (!value)
      value = cast<Value>(size);
    else
      value = arith::MulIOp::create(builder, loc, value, cast<Value>(size));
  }
  if (!value)
    return builder.getIndexAttr(constant);
  if (constant == 1)
    return value;
  Value factor = arith::ConstantIndexOp::create(builder, loc, constant);
  return arith::MulIOp::create(builder, loc, value, factor).getResult();
}
