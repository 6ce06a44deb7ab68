//===- Grid.cpp - Where an instance is in the grid ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Grid.h"
#include "KernelWalk.h"
#include "kiln/Dialect/Tile/GridOps.h"

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

bool simt::emitGridOp(KernelWalk &w, Operation *op) {
  if (isa<tile::InstanceIdOp>(op)) {
    w.define(op->getResult(0), w.widen(instanceId(w)));
  } else if (isa<tile::NumInstancesOp>(op)) {
    w.define(op->getResult(0), w.widen(countInstances(w)));
  } else if (auto point = dyn_cast<tile::GridCoordinatesOp>(op)) {
    // Divisions of 32 bits are faster, and hold the number of points.
    SmallVector<Value> narrow;
    for (Value operand : op->getOperands())
      narrow.push_back(w.narrow(w.scalar(operand)));
    for (auto [result, id] : llvm::zip(
             op->getResults(),
             tile::buildCoordinates(w.b, w.loc, tile::getBands(point),
                                    narrow[0], ArrayRef(narrow).drop_front())))
      w.define(result, w.widen(id));
  } else {
    return false;
  }
  return true;
}

SmallVector<Value> simt::printedIds(KernelWalk &w, Operation *op,
                                    ArrayRef<Value> programIds) {
  tile::GridCoordinatesOp at = tile::coordinatesBefore(op);
  SmallVector<Value> ids(programIds);
  for (unsigned d = 0; at && d < 3; ++d)
    ids[d] = w.scalar(at->getResult(d));
  return ids;
}
