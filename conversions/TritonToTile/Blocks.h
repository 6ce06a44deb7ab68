// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What block pointers and tensor descriptors have in common.
#ifndef KILN_CONVERSIONS_TRITONTOTILE_BLOCKS_H
#define KILN_CONVERSIONS_TRITONTOTILE_BLOCKS_H

#include "mlir/IR/Builders.h"

namespace kiln::triton_to_tile {

/// What a converted block pointer or descriptor consists of.
struct Block {
  mlir::Value base;
  mlir::ValueRange sizes, strides, offsets;

  /// Block pointers have offsets, descriptors have none.
  Block(mlir::ValueRange values, int64_t rank, bool hasOffsets)
      : base(values.front()), sizes(values.slice(1, rank)),
        strides(values.slice(1 + rank, rank)),
        offsets(hasOffsets ? values.slice(1 + 2 * rank, rank)
                           : mlir::ValueRange()) {}
};

/// Integers as indices.
llvm::SmallVector<mlir::Value> toIndices(mlir::OpBuilder &builder,
                                         mlir::Location loc,
                                         mlir::ValueRange values);

/// The view of a block; dimensions that are not checked have no bounds.
mlir::Value makeView(mlir::OpBuilder &builder, mlir::Location loc,
                     const Block &block,
                     llvm::function_ref<bool(int64_t)> isChecked);

} // namespace kiln::triton_to_tile

#endif // KILN_CONVERSIONS_TRITONTOTILE_BLOCKS_H
