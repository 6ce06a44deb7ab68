//===- GridOps.h - Instances, their order, and clusters ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_TILE_GRIDOPS_H
#define KILN_DIALECT_TILE_GRIDOPS_H

#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Index/IndexInterfaces.h"
#include <array>

namespace kiln::tile {

/// The results of an operation differ between the instances of a launch.
template <typename Op>
class InstanceValue : public mlir::OpTrait::TraitBase<Op, InstanceValue> {};

/// The order of the points of a grid (tile.grid_coordinates): bands of `group`
/// coordinates along axis `along`; without a group the first axis runs fastest.
struct Bands {
  int64_t group = 0;
  int64_t along = 0;
  explicit operator bool() const { return group > 0; }
  friend bool operator==(const Bands &x, const Bands &y) {
    return x.group == y.group && x.along == y.along;
  }
};

} // namespace kiln::tile

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/GridOps.h.inc"

namespace kiln::tile {

/// Returns the bands of the grid that `op` states.
Bands getBands(GridCoordinatesOp op);

/// Creates the coordinates of `number` in the grid of the kernel.
GridCoordinatesOp createCoordinates(mlir::OpBuilder &builder,
                                    mlir::Location loc, mlir::Value number,
                                    mlir::ValueRange grid, Bands bands);

/// Returns the coordinates of point `number` of a grid, in [0, number of
/// points).
std::array<int64_t, 3> coordinatesOf(Bands bands, int64_t number,
                                     std::array<int64_t, 3> grid);

/// Builds the same as operations of `arith`. `number` and the three extents of
/// the grid have one integer type, or index; nothing overflows if it holds the
/// number of points.
std::array<mlir::Value, 3> buildCoordinates(mlir::OpBuilder &builder,
                                            mlir::Location loc, Bands bands,
                                            mlir::Value number,
                                            mlir::ValueRange grid);

/// Returns the tile.grid_coordinates that `op` names in what it prints, null if
/// there is none in front of it.
GridCoordinatesOp coordinatesBefore(mlir::Operation *op);

/// Whether a launch may start fewer instances than the grid has points.
bool isPersistent(KernelOp kernel);

/// The extents of the kernel's clusters; empty if it has none.
llvm::ArrayRef<int64_t> getCluster(KernelOp kernel);

} // namespace kiln::tile

#endif // KILN_DIALECT_TILE_GRIDOPS_H
