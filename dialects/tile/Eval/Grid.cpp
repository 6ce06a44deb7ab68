// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where an instance is in the grid and in its cluster.
#include "Families.h"
#include "GridState.h"
#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace kiln::eval {

namespace {

template <typename OpTy>
LogicalResult setTriple(OpTy op, Frame &frame,
                        std::array<int64_t, 3> Instance::*member) {
  if (!frame.instance)
    return op.emitOpError("expected to run in a kernel");
  for (auto [d, result] : llvm::enumerate(op->getResults()))
    (void)frame.set(result, Value::ofIndex((frame.instance->*member)[d]));
  return success();
}

LogicalResult instanceId(tile::InstanceIdOp op, Frame &frame) {
  if (!frame.instance)
    return op.emitOpError("expected to run in a kernel");
  return frame.set(op.getId(), Value::ofIndex(frame.instance->number));
}

LogicalResult numInstances(tile::NumInstancesOp op, Frame &frame) {
  if (!frame.instance)
    return op.emitOpError("expected to run in a kernel");
  return frame.set(op.getCount(),
                   Value::ofIndex(frame.instance->state<GridState>().count));
}

LogicalResult coordinates(tile::GridCoordinatesOp op, Frame &frame) {
  std::array<int64_t, 3> grid, at = {0, 0, 0};
  bool isThere = llvm::none_of(op->getOperands(), [&](mlir::Value operand) {
    return frame.get(operand).hasPoison();
  });
  int64_t points = 1;
  for (unsigned d = 0; isThere && d < 3; ++d) {
    grid[d] = frame.getInt(op->getOperand(1 + d));
    isThere = grid[d] > 0 && !llvm::MulOverflow(points, grid[d], points);
  }
  int64_t number = isThere ? frame.getInt(op.getNumber()) : -1;
  isThere &= number >= 0 && number < points;
  if (isThere)
    at = tile::coordinatesOf(tile::getBands(op), number, grid);
  for (auto [result, coordinate] : llvm::zip(op->getResults(), at)) {
    Value value = Value::ofIndex(coordinate);
    if (!isThere)
      *value.makePoison() = 1;
    (void)frame.set(result, std::move(value));
  }
  return success();
}

LogicalResult clusterBarrier(tile::ClusterBarrierOp op, Frame &frame) {
  if (!frame.instance || !frame.instance->state<GridState>().meet)
    return op.emitOpError("expected to run in a kernel");
  for (auto &[id, state] : frame.instance->states)
    if (failed(state->meetCluster(op)))
      return failure();
  return frame.instance->state<GridState>().meet(op);
}

} // namespace

void addTileKernel(EvaluationInterface &table) {
  table.add<tile::ProgramIdOp>([](tile::ProgramIdOp op, Frame &frame) {
    return setTriple(op, frame, &Instance::id);
  });
  table.add<tile::NumProgramsOp>([](tile::NumProgramsOp op, Frame &frame) {
    return setTriple(op, frame, &Instance::grid);
  });
  table.add<tile::InstanceIdOp>(instanceId);
  table.add<tile::NumInstancesOp>(numInstances);
  table.add<tile::GridCoordinatesOp>(coordinates);
  table.add<tile::ClusterBarrierOp>(clusterBarrier);
}

} // namespace kiln::eval
