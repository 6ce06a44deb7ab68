//===- ExpandInstances.cpp - Numbers of instances as coordinates ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/ExternOps.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/TileInterfaces.h"
#include "kiln/Transforms/Tile/GridPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kiln::tile {
#define GEN_PASS_DEF_TILEEXPANDINSTANCES
#include "kiln/Transforms/Tile/GridPasses.h.inc"
} // namespace kiln::tile

using namespace mlir;
using namespace kiln::tile;

namespace {
/// Replaces the operations of one kernel.
class Expander {
public:
  explicit Expander(KernelOp kernel)
      : kernel(kernel), b(OpBuilder::atBlockBegin(&kernel.getBody().front())) {}

  LogicalResult run() {
    SmallVector<Operation *> found;
    Operation *output = nullptr;
    kernel.walk([&](Operation *op) {
      if (isa<InstanceIdOp, NumInstancesOp, GridCoordinatesOp>(op))
        found.push_back(op);
      if (isa<LaunchOutputOpInterface>(op) && coordinatesBefore(op))
        output = op;
    });
    if (output)
      return output->emitError("unsupported: output that names the place of "
                               "'tile.grid_coordinates'");
    if (found.empty())
      return success();
    SmallVector<Type> types(3, b.getIndexType());
    Location loc = kernel.getLoc();
    grid = NumProgramsOp::create(b, loc, types).getCounts();
    ids = ProgramIdOp::create(b, loc, types).getIds();
    for (Operation *op : found) {
      OpBuilder at(op);
      op->replaceAllUsesWith(expand(op, at));
      op->erase();
    }
    return success();
  }

private:
  Value mul(Value x, Value y, OpBuilder &at, Location loc) {
    return arith::MulIOp::create(at, loc, x, y);
  }

  SmallVector<Value> expand(Operation *op, OpBuilder &at) {
    Location loc = op->getLoc();
    if (auto point = dyn_cast<GridCoordinatesOp>(op)) {
      std::array<Value, 3> result =
          buildCoordinates(at, loc, getBands(point), point.getNumber(),
                           point.getOperands().drop_front());
      return {result.begin(), result.end()};
    }
    if (isa<NumInstancesOp>(op))
      return {mul(mul(grid[0], grid[1], at, loc), grid[2], at, loc)};
    Value rows =
        arith::AddIOp::create(at, loc, ids[1], mul(grid[1], ids[2], at, loc));
    return {
        arith::AddIOp::create(at, loc, ids[0], mul(grid[0], rows, at, loc))};
  }

  KernelOp kernel;
  OpBuilder b;
  ValueRange grid, ids;
};

struct TileExpandInstances
    : kiln::tile::impl::TileExpandInstancesBase<TileExpandInstances> {
  void runOnOperation() override {
    if (!getOperation().isExternal() && failed(Expander(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
