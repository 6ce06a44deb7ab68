// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What block pointers and tensor descriptors have in common.
#include "Blocks.h"
#include "Patterns.h"

#include "kiln/Dialect/Tile/MemoryOps.h"

#include <limits>

using namespace mlir;
using namespace kiln;

SmallVector<Value> triton_to_tile::toIndices(OpBuilder &builder, Location loc,
                                             ValueRange values) {
  SmallVector<Value> indices;
  for (Value value : values)
    indices.push_back(toIndex(builder, loc, value));
  return indices;
}

/// A size that no offset reaches, for dimensions that are not checked.
static constexpr int64_t unbounded = std::numeric_limits<int64_t>::max() / 4;

Value triton_to_tile::makeView(OpBuilder &builder, Location loc,
                               const Block &block,
                               function_ref<bool(int64_t)> isChecked) {
  int64_t rank = block.sizes.size();
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  SmallVector<int64_t> strides(rank, ShapedType::kDynamic);
  SmallVector<Value> sizeOperands, strideOperands;
  for (int64_t d = 0; d < rank; ++d) {
    sizeOperands.push_back(
        isChecked(d) ? block.sizes[d]
                     : arith::ConstantIndexOp::create(builder, loc, unbounded));
    if (auto known = getConstantIntValue(block.strides[d]))
      strides[d] = *known;
    else
      strideOperands.push_back(block.strides[d]);
  }
  auto type = tile::ViewType::get(
      builder.getContext(), shape,
      cast<tile::PtrType>(block.base.getType()).getElementType(), strides);
  return tile::MakeViewOp::create(builder, loc, type, block.base, sizeOperands,
                                  strideOperands);
}
