// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that a program computes. Private to the conversion.
#ifndef KILN_CONVERSIONS_STABLEHLOTOPRIM_COMPUTEDSIZES_H
#define KILN_CONVERSIONS_STABLEHLOTOPRIM_COMPUTEDSIZES_H

#include "Rules.h"

namespace kiln::stablehlo_to_prim {

/// Element `number` of a tensor of integers as a size, or as a number that
/// sizes are computed from. What was computed from sizes of tensors is computed
/// on index values again, so that the host knows it before anything runs; what
/// else there is it reads from memory.
mlir::OpFoldResult sizeAt(mlir::Value list, int64_t number, Translator &e);

/// The elements of a list of `count`; `what` it is is said where it is none.
llvm::FailureOr<Sizes> sizesIn(mlir::Operation *op, mlir::Value source,
                               llvm::StringRef what, int64_t count,
                               Translator &e);

/// A number as a tensor of rank 0 of i64.
mlir::Value numberOf(mlir::OpFoldResult size, Translator &e);

/// Checks a condition of sizes before what depends on them, as a call of the
/// source says it.
llvm::LogicalResult checkSizes(stablehlo::CustomCallOp op, Translator &e);

/// Sizes a type leaves open, as `sizes` has them.
Sizes withKnown(llvm::ArrayRef<mlir::OpFoldResult> sizes,
                mlir::RankedTensorType type, Translator &e);

/// a - b, if that does not depend on the sizes that both are computed from.
std::optional<int64_t> differenceOf(mlir::OpFoldResult a, mlir::OpFoldResult b,
                                    Translator &e);
bool isSameSize(mlir::OpFoldResult a, mlir::OpFoldResult b, Translator &e);

/// Pads by numbers that are computed.
mlir::Value padComputed(mlir::Value x, mlir::Value value,
                        llvm::ArrayRef<mlir::OpFoldResult> low,
                        llvm::ArrayRef<mlir::OpFoldResult> high,
                        llvm::ArrayRef<mlir::OpFoldResult> interior,
                        Translator &e);

/// Elements first, first + step, ... of a dimension, `count` of them.
mlir::Value every(mlir::Value x, int64_t dim, mlir::OpFoldResult first,
                  mlir::OpFoldResult step, mlir::OpFoldResult count,
                  Translator &e);

} // namespace kiln::stablehlo_to_prim

#endif // KILN_CONVERSIONS_STABLEHLOTOPRIM_COMPUTEDSIZES_H
