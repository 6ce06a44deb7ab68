//===- Grid.cpp - Where an instance is in the grid ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Grid.h"
#include "LoweringTable.h"
#include "OwnLowerings.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Target/Clusters.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;
using ::mlir::gpu::Dimension;

/// A number of blocks or of a block, below 2^31.
template <typename Op>
static Value numberOf(ThreadBuilder &w, Dimension dimension) {
  return arith::IndexCastUIOp::create(
      w.b, w.loc, w.b.getI32Type(),
      Op::create(w.b, w.loc, w.b.getIndexType(), dimension));
}

/// The blocks that were started count, whatever the form of their grid.
static Value instanceId(ThreadBuilder &w) {
  auto id = [&](Dimension d) { return numberOf<::mlir::gpu::BlockIdOp>(w, d); };
  auto count = [&](Dimension d) {
    return numberOf<::mlir::gpu::GridDimOp>(w, d);
  };
  Value rows =
      w.add(id(Dimension::y), w.mul(count(Dimension::y), id(Dimension::z)));
  return w.add(id(Dimension::x), w.mul(count(Dimension::x), rows));
}

static Value countInstances(ThreadBuilder &w) {
  Value count;
  for (Dimension d : {Dimension::x, Dimension::y, Dimension::z}) {
    Value along = numberOf<::mlir::gpu::GridDimOp>(w, d);
    count = count ? w.mul(count, along) : along;
  }
  return count;
}

static LogicalResult lowerProgramId(tile::ProgramIdOp op, ThreadWriter &w) {
  for (auto [result, id] : llvm::zip(op.getIds(), w.programIds))
    w.define(result, id);
  return success();
}

static LogicalResult lowerNumPrograms(tile::NumProgramsOp op, ThreadWriter &w) {
  for (auto [result, count] : llvm::zip(op.getCounts(), w.programCounts))
    w.define(result, count);
  return success();
}

static LogicalResult lowerInstanceId(tile::InstanceIdOp op, ThreadWriter &w) {
  w.define(op->getResult(0), w.widen(instanceId(w)));
  return success();
}

static LogicalResult lowerNumInstances(tile::NumInstancesOp op,
                                       ThreadWriter &w) {
  w.define(op->getResult(0), w.widen(countInstances(w)));
  return success();
}

static LogicalResult lowerGridCoordinates(tile::GridCoordinatesOp op,
                                          ThreadWriter &w) {
  // Divisions of 32 bits are faster, and hold the number of points.
  SmallVector<Value> narrow;
  for (Value operand : op->getOperands())
    narrow.push_back(w.narrow(w.scalar(operand)));
  for (auto [result, id] : llvm::zip(
           op->getResults(),
           tile::buildCoordinates(w.b, w.loc, tile::getBands(op), narrow[0],
                                  ArrayRef(narrow).drop_front())))
    w.define(result, w.widen(id));
  return success();
}

/// Blocks that wait for each other: thread code has the same operation, which
/// the target lowers.
static LogicalResult lowerClusterBarrier(tile::ClusterBarrierOp op,
                                         ThreadWriter &w) {
  int64_t blocks = 1;
  for (int64_t extent : op.getShape())
    blocks *= extent;
  if (blocks > target::countClusterInstances(w.description))
    return w.decline(op, "tile.cluster_barrier");
  tile::ClusterBarrierOp::create(w.b, w.loc, op.getShape());
  return success();
}

static LogicalResult lowerMakeView(tile::MakeViewOp op, ThreadWriter &w) {
  (void)w.viewOf(op.getResult());
  return success();
}

static LogicalResult lowerDim(tile::DimOp op, ThreadWriter &w) {
  w.define(op.getResult(), w.viewOf(op.getView()).sizes[op.getDim()]);
  return success();
}

static LogicalResult lowerNumBlocks(tile::NumBlocksOp op, ThreadWriter &w) {
  Value size = w.viewOf(op.getView()).sizes[op.getDim()];
  w.define(op.getResult(), w.b.createOrFold<arith::CeilDivSIOp>(
                               w.loc, size, w.c64(op.getBlock())));
  return success();
}

SmallVector<Value> simt::printedIds(ThreadWriter &w, Operation *op,
                                    ArrayRef<Value> programIds) {
  tile::GridCoordinatesOp at = tile::coordinatesBefore(op);
  SmallVector<Value> ids(programIds);
  for (unsigned d = 0; at && d < 3; ++d)
    ids[d] = w.scalar(at->getResult(d));
  return ids;
}

void simt::addGridLowerings(LoweringTable &table) {
  table.add<tile::ProgramIdOp>(lowerProgramId);
  table.add<tile::NumProgramsOp>(lowerNumPrograms);
  table.add<tile::InstanceIdOp>(lowerInstanceId);
  table.add<tile::NumInstancesOp>(lowerNumInstances);
  table.add<tile::GridCoordinatesOp>(lowerGridCoordinates);
  table.add<tile::ClusterBarrierOp>(lowerClusterBarrier);
  table.add<tile::MakeViewOp>(lowerMakeView);
  table.add<tile::DimOp>(lowerDim);
  table.add<tile::NumBlocksOp>(lowerNumBlocks);
}
