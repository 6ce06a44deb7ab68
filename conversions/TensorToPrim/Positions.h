// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of elements in tensors.
#ifndef KILN_CONVERSIONS_TENSORTOPRIM_POSITIONS_H
#define KILN_CONVERSIONS_TENSORTOPRIM_POSITIONS_H

#include "Translator.h"

namespace kiln::tensor_to_prim {

/// The row-major position in dimensions of `x`, from `first` on, of indices
/// (one for each of them, tensors of i64 of one shape); -1 where one of them is
/// outside of its dimension, unless it is known that none is.
mlir::Value flatPositions(mlir::Value x, int64_t first,
                          llvm::ArrayRef<mlir::Value> indices, Translator &e,
                          bool areInside = false);

/// As readElements, of indices none of which is outside of its dimension.
mlir::Value readElementsInside(mlir::Value x,
                               llvm::ArrayRef<mlir::Value> indices,
                               Translator &e);

/// The rules for operations on whole slices at computed coordinates.
void addCoordinateRules(Rules &rules);

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_TENSORTOPRIM_POSITIONS_H
