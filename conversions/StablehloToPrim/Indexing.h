// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What gathers and scatters share. Private to the conversion.
#ifndef KILN_CONVERSIONS_STABLEHLOTOPRIM_INDEXING_H
#define KILN_CONVERSIONS_STABLEHLOTOPRIM_INDEXING_H

#include "Rules.h"

namespace kiln::stablehlo_to_prim {

/// `dropsWindows`: windows that are partly outside are dropped whole.
void addScatterRules(Rules &rules, bool dropsWindows);

/// Indices as signed numbers that mean the same places.
mlir::Value signedIndices(mlir::Value source, Translator &e);

/// Places in the form of prim: batching dimensions, the others, coordinates.
struct Places {
  mlir::Value indices;
  /// Which dimension of the places of the source (without that of the
  /// coordinates) each one is.
  llvm::SmallVector<int64_t> order;
};
llvm::FailureOr<Places> placesOf(mlir::Operation *op, mlir::Value source,
                                 int64_t vectorDim,
                                 llvm::ArrayRef<int64_t> batching,
                                 int64_t coordinates, Translator &e);

/// The dimensions of an operand with the batching ones in front.
struct Layout {
  llvm::SmallVector<int64_t> order; // which dimension comes where
  llvm::SmallVector<int64_t> place; // where each one goes
};
Layout batchesFirst(llvm::ArrayRef<int64_t> batching, int64_t rank);
llvm::SmallVector<int64_t> invert(llvm::ArrayRef<int64_t> order);

/// One scatter in the terms of prim.
struct ScatterForm {
  Layout layout;
  Places places;
  int64_t batches = 0;
  llvm::SmallVector<int64_t> dims;  // that the coordinates are along
  llvm::SmallVector<int64_t> order; // of the dimensions of the updates
  Sizes updateSizes;                // with the inserted dimensions
};

/// Combines element by element, by whatever function.
llvm::LogicalResult scatterLoop(stablehlo::ScatterOp op,
                                const ScatterForm &form, Translator &e);

} // namespace kiln::stablehlo_to_prim

#endif // KILN_CONVERSIONS_STABLEHLOTOPRIM_INDEXING_H
