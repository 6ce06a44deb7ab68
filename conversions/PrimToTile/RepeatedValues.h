//===- RepeatedValues.h - Values in any order of dimensions -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CONVERSIONS_PRIMTOTILE_REPEATEDVALUES_H
#define KILN_CONVERSIONS_PRIMTOTILE_REPEATEDVALUES_H

#include "mlir/IR/Builders.h"

namespace kiln {

/// Numbers for dimensions, one for each, before a transposition by
/// `permutation`.
llvm::SmallVector<int64_t> beforeTranspose(llvm::ArrayRef<int64_t> permutation,
                                           llvm::ArrayRef<int64_t> numbers);

/// The same of the sizes of those dimensions of a type that are not known.
llvm::SmallVector<mlir::Value>
beforeTranspose(llvm::ArrayRef<int64_t> permutation,
                mlir::RankedTensorType type, mlir::ValueRange sizes);

/// Whether a value is a splat, repeats elements, or is computed from such
/// values alone, element by element and by a few operations: it can be had with
/// its dimensions in any order.
bool isRepeated(mlir::Value value);

/// The value whose transposition by `permutation` is such a value.
mlir::Value repeatBefore(mlir::OpBuilder &builder,
                         llvm::ArrayRef<int64_t> permutation,
                         mlir::Value value);

} // namespace kiln

#endif // KILN_CONVERSIONS_PRIMTOTILE_REPEATEDVALUES_H
