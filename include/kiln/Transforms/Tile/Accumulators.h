//===- Accumulators.h - What products are summed in -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_TILE_ACCUMULATORS_H
#define KILN_TRANSFORMS_TILE_ACCUMULATORS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Interfaces/MatrixProduct.h"

namespace kiln::tile {

/// Sums products of matrices and reductions of 16-bit floats in f32, and rounds
/// once. Products for which `keeps` holds stay: their machine has an
/// instruction with that accumulator.
void widenAccumulators(
    KernelOp kernel,
    llvm::function_ref<bool(MatrixProductOpInterface)> keeps = nullptr);

} // namespace kiln::tile

#endif // KILN_TRANSFORMS_TILE_ACCUMULATORS_H
