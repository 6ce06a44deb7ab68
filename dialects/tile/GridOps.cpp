//===- GridOps.cpp - Instances, their order, and clusters -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/GridOps.h"
#include "kiln/Dialect/Tile/KernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace kiln;
using namespace kiln::tile;

#define GET_OP_CLASSES
#include "kiln/Dialect/Tile/GridOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

index::Facts InstanceIdOp::getResultFacts(unsigned,
                                          function_ref<index::Facts(Value)>) {
  return {index::Interval::between(0, llvm::maxIntN(32) - 1), 1};
}

index::Facts NumInstancesOp::getResultFacts(unsigned,
                                            function_ref<index::Facts(Value)>) {
  return {index::Interval::between(1, llvm::maxIntN(32)), 1};
}

LogicalResult NumInstancesOp::verify() {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  // (C1) Persistent instances have no single place.
  bool hasPlace = false;
  kernel.walk([&](ProgramIdOp) { hasPlace = true; });
  if (hasPlace)
    return emitOpError() << "expected 'tile.instance_id' and "
                            "'tile.grid_coordinates' in a persistent kernel, "
                            "found 'tile.program_id'";
  // (C2) Those that have not started cannot be waited for.
  if (kernel.getProgress() == Progress::concurrent)
    return emitOpError() << "expected a kernel whose instances do not wait for "
                            "each other, found 'progress' concurrent";
  return success();
}

index::Facts
GridCoordinatesOp::getResultFacts(unsigned axis,
                                  function_ref<index::Facts(Value)> of) {
  index::Facts extent = of(getOperand(1 + axis));
  int64_t most = llvm::maxIntN(32);
  if (index::Integer known = extent.range.high)
    most = std::min(most, *known);
  return {index::Interval::between(0, std::max<int64_t>(most, 1) - 1), 1};
}

LogicalResult GridCoordinatesOp::verify() {
  // (C1) A band has a width and an axis.
  if (getGroup().has_value() != getAlong().has_value())
    return emitOpError() << "expected 'group' together with 'along'";
  if (getGroup() && *getGroup() < 1)
    return emitOpError() << "expected bands of at least 1 coordinate, found "
                         << *getGroup();
  if (getAlong() && *getAlong() != 0 && *getAlong() != 1)
    return emitOpError() << "expected bands along axis 0 or 1, found "
                         << *getAlong();
  return success();
}

LogicalResult ClusterBarrierOp::verify() {
  // (C1) A cluster is a box, the same everywhere.
  ArrayRef<int64_t> shape = getShape();
  if (shape.size() != 3 ||
      llvm::any_of(shape, [](int64_t extent) { return extent < 1; }))
    return emitOpError() << "expected three extents of at least 1, found "
                         << getShapeAttr();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (!kernel)
    return success();
  if (kiln::tile::getCluster(kernel) != shape)
    return emitOpError() << "expected the cluster of the kernel's first "
                            "barrier, found another one";
  // (C2) Its instances run at the same time.
  if (isPersistent(kernel) || kernel.getProgress() == Progress::concurrent)
    return emitOpError() << "expected a kernel that is not persistent, without "
                            "'progress' concurrent";
  return success();
}

bool kiln::tile::isPersistent(KernelOp kernel) {
  return kernel.walk([](NumInstancesOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

ArrayRef<int64_t> kiln::tile::getCluster(KernelOp kernel) {
  ArrayRef<int64_t> shape;
  kernel.walk([&](ClusterBarrierOp barrier) {
    shape = barrier.getShape();
    return WalkResult::interrupt();
  });
  return shape;
}

//===----------------------------------------------------------------------===//
// The order of points
//===----------------------------------------------------------------------===//

Bands kiln::tile::getBands(GridCoordinatesOp op) {
  return {op.getGroup() ? int64_t(*op.getGroup()) : 0,
          op.getAlong() ? int64_t(*op.getAlong()) : 0};
}

GridCoordinatesOp kiln::tile::createCoordinates(OpBuilder &builder,
                                                Location loc, Value number,
                                                ValueRange grid, Bands bands) {
  SmallVector<Type> types(3, builder.getIndexType());
  IntegerAttr group, along;
  if (bands) {
    group = builder.getI64IntegerAttr(bands.group);
    along = builder.getI64IntegerAttr(bands.along);
  }
  return GridCoordinatesOp::create(builder, loc, types, number, grid[0],
                                   grid[1], grid[2], group, along);
}

std::array<int64_t, 3> kiln::tile::coordinatesOf(Bands bands, int64_t number,
                                                 std::array<int64_t, 3> grid) {
  if (!bands)
    return {number % grid[0], number / grid[0] % grid[1],
            number / (grid[0] * grid[1])};
  int64_t along = bands.along, other = 1 - along;
  int64_t plane = grid[0] * grid[1], place = number % plane;
  int64_t group = std::min(bands.group, grid[along]);
  int64_t band = place / (group * grid[other]);
  int64_t rest = place % (group * grid[other]);
  int64_t width = std::min(grid[along] - band * group, group);
  std::array<int64_t, 3> result;
  result[along] = band * group + rest % width;
  result[other] = rest / width;
  result[2] = number / plane;
  return result;
}

namespace {
/// Arithmetic on one type, unsigned.
struct Numbers {
  OpBuilder &b;
  Location loc;

  Value div(Value x, Value y) { return arith::DivUIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value min(Value x, Value y) { return arith::MinUIOp::create(b, loc, x, y); }
  /// Quotient and remainder by one division.
  std::pair<Value, Value> divide(Value x, Value y) {
    Value quotient = div(x, y);
    return {quotient, sub(x, mul(quotient, y))};
  }
};
} // namespace

std::array<Value, 3> kiln::tile::buildCoordinates(OpBuilder &builder,
                                                  Location loc, Bands bands,
                                                  Value number,
                                                  ValueRange grid) {
  Numbers math{builder, loc};
  if (!bands) {
    auto [rows, x] = math.divide(number, grid[0]);
    auto [z, y] = math.divide(rows, grid[1]);
    return {x, y, z};
  }
  int64_t along = bands.along, other = 1 - along;
  Value most = arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(
          number.getType(), std::min<int64_t>(bands.group, llvm::maxIntN(32))));
  auto [z, place] = math.divide(number, math.mul(grid[0], grid[1]));
  Value group = math.min(grid[along], most);
  auto [band, rest] = math.divide(place, math.mul(group, grid[other]));
  Value first = math.mul(band, group);
  Value width = math.min(math.sub(grid[along], first), group);
  auto [across, down] = math.divide(rest, width);
  std::array<Value, 3> result;
  result[along] = math.add(first, down);
  result[other] = across;
  result[2] = z;
  return result;
}

GridCoordinatesOp kiln::tile::coordinatesBefore(Operation *op) {
  for (; op && !isa<KernelOp>(op); op = op->getParentOp())
    for (Operation *before = op->getPrevNode(); before;
         before = before->getPrevNode())
      if (auto coordinates = dyn_cast<GridCoordinatesOp>(before))
        return coordinates;
  return {};
}
