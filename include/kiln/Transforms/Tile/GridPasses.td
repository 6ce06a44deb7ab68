// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on which instances a launch has, and in which order they take the points of the grid.
#ifndef KILN_TRANSFORMS_TILE_GRIDPASSES_TD
#define KILN_TRANSFORMS_TILE_GRIDPASSES_TD

include "mlir/Pass/PassBase.td"

def TileRaster : Pass<"tile-raster", "::kiln::tile::KernelOp"> {
  let summary = "Swizzles the grid: instances take its points in bands";
  let description = [{
    `tile.program_id` becomes `tile.grid_coordinates` of `tile.instance_id`, in bands of `group` coordinates along
    axis `along` of the grid: machines start instances in the order of their numbers, and those that run at the same
    time share more cached blocks if they form a square. `tile-choose-raster` chooses bands by a model. Kernels that number
    their instances already, and kernels with clusters, stay as they are.

    ```mlir
    %i, %j = tile.program_id : index, index
    // becomes
    %n = tile.instance_id : index
    %nx, %ny, %nz = tile.num_programs : index, index, index
    %i, %j, %k = tile.grid_coordinates %n in (%nx, %ny, %nz) bands 8 along 1
    ```
  }];
  let options = [
    Option<"group", "group", "int64_t", "8", "coordinates of a band">,
    Option<"along", "along", "int64_t", "1", "the axis that they lie along, 0 or 1">];
}

def TileMakePersistent : Pass<"tile-make-persistent", "::kiln::tile::KernelOp"> {
  let summary = "Makes kernels persistent: each instance loops over points of the grid";
  let description = [{
    The body of a kernel becomes the body of a loop over points of the grid, which begins at `tile.instance_id` and
    steps by `tile.num_instances`, so that its launches start as many instances as the machine runs at once. Bands
    stay what they are.

    A kernel is rewritten if its `hints` have `persistent = true` for the module's target, and with `all` if they do not have
    `persistent = false`.
    It stays as it is, with the reason in the report (`--explain`) and, where its hints ask, in a warning, if

    - its instances wait for others: `progress = concurrent`, `tile.cluster_barrier`;
    - it prints or asserts, and nothing else uses its place in the grid, which the output names.

    ```mlir
    %w = tile.instance_id : index
    %count = tile.num_instances : index
    scf.for %n = %w to %points step %count {
      %i, %j, %k = tile.grid_coordinates %n in (%nx, %ny, %nz)
      ...
    }
    ```
  }];
  let options = [
    Option<"all", "all", "bool", "false", "every kernel whose hints do not say otherwise">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileExpandInstances : Pass<"tile-expand-instances", "::kiln::tile::KernelOp"> {
  let summary = "Expands instance numbers into coordinates of the grid";
  let description = [{
    For machines that have coordinates only, and start an instance for each point of the grid:
    `tile.instance_id`, `tile.num_instances` and `tile.grid_coordinates` become arithmetic on `tile.program_id` and
    `tile.num_programs`. A kernel that prints or asserts behind a `tile.grid_coordinates` is refused: `unsupported`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif
