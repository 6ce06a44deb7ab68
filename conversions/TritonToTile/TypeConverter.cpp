// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the conversion.
#include "Patterns.h"

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Dialect/Triton/Triton.h"

using namespace mlir;

namespace kiln::triton_to_tile {

Type getStoredType(RankedTensorType block) {
  Type element = block.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(block.getContext(), integer.getWidth());
  return element;
}

/// The pointer to a block's elements.
static tile::PtrType getElementPointer(RankedTensorType block) {
  return tile::PtrType::get(block.getContext(), getStoredType(block));
}

TypeConverter::TypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](tt::PointerType type) -> std::optional<Type> {
    if (isa<RankedTensorType>(type.getPointeeType()))
      return std::nullopt; // a block pointer
    Type pointee = type.getPointeeType();
    if (auto inner = dyn_cast<tt::PointerType>(pointee))
      pointee = IntegerType::get(type.getContext(), 64);
    return tile::PtrType::get(type.getContext(), pointee);
  });
  addConversion([this](RankedTensorType type) -> std::optional<Type> {
    Type element = convertType(type.getElementType());
    if (!element)
      return std::nullopt;
    return RankedTensorType::get(type.getShape(), element);
  });
  // Base, then sizes, strides and offsets of every dimension.
  addConversion(
      [](tt::PointerType type,
         SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        auto block = dyn_cast<RankedTensorType>(type.getPointeeType());
        if (!block)
          return std::nullopt;
        types.push_back(getElementPointer(block));
        types.append(3 * block.getRank(), IndexType::get(type.getContext()));
        return success();
      });
  addConversion(
      [](tt::TensorDescType type,
         SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        RankedTensorType block = type.getBlockType();
        types.push_back(getElementPointer(block));
        types.append(2 * block.getRank(), IndexType::get(type.getContext()));
        return success();
      });
  auto materialize = [](OpBuilder &builder, Type type, ValueRange inputs,
                        Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs)
        .getResult(0);
  };
  addSourceMaterialization(materialize);
  addTargetMaterialization(materialize);
}

Value toIndex(OpBuilder &builder, Location loc, Value value) {
  if (isa<IndexType>(value.getType()))
    return value;
  // Constants stay constants: sizes and strides become parts of types.
  return builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(),
                                                  value);
}

} // namespace kiln::triton_to_tile
