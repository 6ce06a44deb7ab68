//===- GridPasses.h - Passes on the order of instances ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_TILE_GRIDPASSES_H
#define KILN_TRANSFORMS_TILE_GRIDPASSES_H

#include "kiln/Dialect/Tile/GridOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include <memory>
#include <optional>

namespace kiln::tile {

#define GEN_PASS_DECL
#include "kiln/Transforms/Tile/GridPasses.h.inc"

/// Lets the instances of a kernel take the points of the grid in bands, by
/// their numbers. Its `tile.program_id` are gone afterwards.
void applyBands(KernelOp kernel, Bands bands);

/// Returns why an instance of a kernel cannot do the work of several points of
/// the grid; empty if it can.
std::string whyNotPersistent(KernelOp kernel);

/// Returns what the hints of a kernel say for the module's target, as
/// `persistent`; nothing where they say nothing.
std::optional<bool> asksPersistent(KernelOp kernel);
/// Sets that hint to false.
void keepSingle(KernelOp kernel);

/// Says in the report (`--explain`) why a pass left a kernel with one instance
/// for each point.
void reportSingle(KernelOp kernel, llvm::StringRef pass,
                  llvm::StringRef reason);

/// Whether a kernel holds operations that print or assert.
bool printsOrAsserts(KernelOp kernel);

/// Makes a kernel persistent (`tile-make-persistent`): its body becomes that of
/// a loop over points of the grid, which is returned. Operations of the body
/// for which `isOfLaunch` holds, such as those that make storage, stay before
/// the loop; they may have no operands. `isUneven`: points may differ in what
/// there is to do, so every second round takes them backwards.
mlir::scf::ForOp
makePersistent(KernelOp kernel,
               llvm::function_ref<bool(mlir::Operation *)> isOfLaunch = nullptr,
               bool isUneven = false);

/// Registers every pass of this header.
void registerTileGridPasses();

} // namespace kiln::tile

#endif // KILN_TRANSFORMS_TILE_GRIDPASSES_H
