//===- RepeatedValues.cpp - Values in any order of dimensions -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RepeatedValues.h"
#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Schedule/GroupPlan.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::prim;

SmallVector<int64_t> kiln::beforeTranspose(ArrayRef<int64_t> permutation,
                                           ArrayRef<int64_t> numbers) {
  SmallVector<int64_t> result(numbers.size());
  for (auto [d, from] : llvm::enumerate(permutation))
    result[from] = numbers[d];
  return result;
}

SmallVector<Value> kiln::beforeTranspose(ArrayRef<int64_t> permutation,
                                         RankedTensorType type,
                                         ValueRange sizes) {
  SmallVector<Value> of(type.getRank()), result;
  unsigned next = 0;
  for (auto [d, from] : llvm::enumerate(permutation))
    if (type.isDynamicDim(d))
      of[from] = sizes[next++];
  for (Value size : of)
    if (size)
      result.push_back(size);
  return result;
}

/// Whether an operation computes each element from those at the same place of
/// all operands, and alike everywhere. Multipliers for each channel belong to
/// the last dimension, and a table has dimensions of its own.
static bool isAlikeEverywhere(Operation *op) {
  if (auto rescale = dyn_cast<RescaleOp>(op))
    return rescale.getMultiplier().size() == 1;
  return schedule::isElementwisePrim(op) && !isa<TableOp>(op);
}

/// The same with `left` more operations.
static bool isRepeatedBy(Value value, int &left) {
  Operation *source = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(source))
    return isa<SplatElementsAttr>(constant.getValue());
  if (isa_and_nonnull<FullOp, BroadcastInDimOp>(source))
    return true;
  if (!source || source->getNumResults() != 1 || !isAlikeEverywhere(source) ||
      --left < 0)
    return false;
  ArrayRef<int64_t> shape = cast<ShapedType>(value.getType()).getShape();
  return llvm::all_of(source->getOperands(), [&](Value operand) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    return type && type.getShape() == shape && isRepeatedBy(operand, left);
  });
}

bool kiln::isRepeated(Value value) {
  constexpr int kMostOps = 8;
  int left = kMostOps;
  return isRepeatedBy(value, left);
}

static Value broadcastBefore(OpBuilder &builder, ArrayRef<int64_t> permutation,
                             BroadcastInDimOp broadcast,
                             RankedTensorType type) {
  // Dimensions of the operand by where they are before the transposition.
  SmallVector<int64_t> order, dims;
  for (int64_t d = 0, rank = broadcast.getDims().size(); d < rank; ++d)
    order.push_back(d);
  auto placeOf = [&](int64_t d) { return permutation[broadcast.getDims()[d]]; };
  llvm::sort(order,
             [&](int64_t a, int64_t b) { return placeOf(a) < placeOf(b); });
  for (int64_t d : order)
    dims.push_back(placeOf(d));
  Value operand = broadcast.getOperand();
  if (!llvm::is_sorted(order)) {
    auto from = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> shape;
    for (int64_t d : order)
      shape.push_back(from.getDimSize(d));
    operand = TransposeOp::create(builder, broadcast.getLoc(),
                                  from.clone(shape), operand, order);
  }
  return BroadcastInDimOp::create(
      builder, broadcast.getLoc(), type, operand,
      beforeTranspose(permutation, broadcast.getType(), broadcast.getSizes()),
      dims);
}

Value kiln::repeatBefore(OpBuilder &builder, ArrayRef<int64_t> permutation,
                         Value value) {
  Operation *source = value.getDefiningOp();
  auto from = cast<RankedTensorType>(value.getType());
  auto type = RankedTensorType::get(
      beforeTranspose(permutation, from.getShape()), from.getElementType());
  if (auto broadcast = dyn_cast<BroadcastInDimOp>(source))
    return broadcastBefore(builder, permutation, broadcast, type);
  if (auto full = dyn_cast<FullOp>(source))
    return FullOp::create(
        builder, full.getLoc(), type,
        beforeTranspose(permutation, full.getType(), full.getSizes()),
        full.getValue());
  if (auto constant = dyn_cast<ConstantOp>(source))
    return ConstantOp::create(
        builder, source->getLoc(), type,
        cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
  SmallVector<Value> operands;
  for (Value operand : source->getOperands())
    operands.push_back(repeatBefore(builder, permutation, operand));
  Operation *made = builder.clone(*source);
  made->setOperands(operands);
  made->getResult(0).setType(type);
  return made->getResult(0);
}
