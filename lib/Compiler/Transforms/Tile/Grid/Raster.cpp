//===- Raster.cpp - Coordinates in bands of the grid ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Transforms/Tile/GridPasses.h"
#include "mlir/IR/Builders.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILERASTER
#include "kiln/Transforms/Tile/GridPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "kiln/Transforms/Tile/GridPasses.h.inc"

void registerTileGridPasses() { registerKilnTileGridPasses(); }
} // namespace kiln::tile

using namespace mlir;
using namespace kiln::tile;

void kiln::tile::applyBands(KernelOp kernel, Bands bands) {
  SmallVector<ProgramIdOp> ids;
  bool isNumbered = !getCluster(kernel).empty();
  kernel.walk([&](Operation *op) {
    if (auto id = dyn_cast<ProgramIdOp>(op))
      ids.push_back(id);
    isNumbered |= isa<InstanceIdOp>(op);
  });
  if (ids.empty() || isNumbered)
    return;
  auto b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  Location loc = ids.front().getLoc();
  SmallVector<Type> types(3, b.getIndexType());
  Value number = InstanceIdOp::create(b, loc, b.getIndexType());
  ValueRange grid = NumProgramsOp::create(b, loc, types).getCounts();
  auto point = createCoordinates(b, loc, number, grid, bands);
  for (ProgramIdOp op : ids) {
    op->replaceAllUsesWith(point->getResults().take_front(op.getNumResults()));
    op.erase();
  }
}

namespace {
struct TileRaster : kiln::tile::impl::TileRasterBase<TileRaster> {
  using TileRasterBase::TileRasterBase;

  void runOnOperation() override {
    if (group < 1 || (along != 0 && along != 1)) {
      getOperation().emitError("expected bands of at least 1 coordinate along "
                               "axis 0 or 1, found ")
          << group.getValue() << " along " << along.getValue();
      return signalPassFailure();
    }
    if (!getOperation().isExternal())
      applyBands(getOperation(), {group.getValue(), along.getValue()});
  }
};
} // namespace
