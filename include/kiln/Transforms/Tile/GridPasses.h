//===- GridPasses.h - Passes on the order of instances ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_TILE_GRIDPASSES_H
#define KILN_TRANSFORMS_TILE_GRIDPASSES_H

#include "kiln/Dialect/Tile/GridOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace kiln::tile {

#define GEN_PASS_DECL
#include "kiln/Transforms/Tile/GridPasses.h.inc"

/// Lets the instances of a kernel take the points of the grid in bands, by
/// their numbers. Its `tile.program_id` are gone afterwards.
void applyBands(KernelOp kernel, Bands bands);

/// Registers every pass of this header.
void registerTileGridPasses();

} // namespace kiln::tile

#endif // KILN_TRANSFORMS_TILE_GRIDPASSES_H
