//===- TransferPlanes.cpp - Boxes as two-dimensional transfers ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Staging/Scratchpad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::staging;

namespace {
/// Index arithmetic that folds.
class Indices {
public:
  Indices(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value constant(int64_t value) {
    return b.createOrFold<arith::ConstantIndexOp>(loc, value);
  }
  Value add(Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  }
  Value sub(Value x, Value y) {
    return b.createOrFold<arith::SubIOp>(loc, x, y);
  }
  Value scaled(Value x, int64_t by) {
    return b.createOrFold<arith::MulIOp>(loc, x, constant(by));
  }
  Value least(Value x, Value y) {
    return b.createOrFold<arith::MinSIOp>(loc, x, y);
  }
  Value most(Value x, Value y) {
    return b.createOrFold<arith::MaxSIOp>(loc, x, y);
  }
  Value both(Value x, Value y) {
    return b.createOrFold<arith::AndIOp>(loc, x, y);
  }
  Value isLess(Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y);
  }
  Value isAtMost(Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return b.createOrFold<arith::SelectOp>(loc, condition, x, y);
  }
  Value sizeOf(Value view, int64_t dim) {
    int64_t size = cast<tile::ViewType>(view.getType()).getShape()[dim];
    return ShapedType::isDynamic(size)
               ? tile::DimOp::create(b, loc, view, dim).getResult()
               : constant(size);
  }

private:
  OpBuilder &b;
  Location loc;
};

/// The part of a dimension that is inside of the view.
struct Clipped {
  Value skipped; ///< elements of the box before it
  Value first, count;
};
} // namespace

static Clipped clip(Indices &index, const TransferBox &box, int64_t dim) {
  Value zero = index.constant(0), offset = box.offsets[dim];
  Value end = index.least(index.add(offset, index.constant(box.counts[dim])),
                          index.sizeOf(box.view, dim));
  Clipped range;
  range.first = index.most(offset, zero);
  range.skipped = index.sub(range.first, offset);
  range.count = index.most(index.sub(end, range.first), zero);
  return range;
}

SmallVector<TransferPlane> kiln::staging::planesOf(OpBuilder &b, Location loc,
                                                   const TransferBox &box) {
  Indices index(b, loc);
  int64_t rank = box.counts.size();
  TransferPlane plane;
  plane.view = box.view;
  plane.offsets = box.offsets;
  // Columns are the last dimension that has more than one element, rows the one
  // before; where there are none, whichever are left.
  auto choose = [&](int64_t before) {
    for (int64_t d = before - 1; d >= 0; --d)
      if (box.counts[d] > 1)
        return d;
    return before - 1;
  };
  plane.columnDim = choose(rank);
  plane.rowDim = plane.columnDim > 0 ? choose(plane.columnDim) : -1;
  plane.rows = plane.columns = index.constant(1);
  plane.address = box.address;
  auto clipTo = [&](int64_t dim, Value &count, int64_t &stride) {
    if (dim < 0)
      return;
    Clipped range = clip(index, box, dim);
    stride = box.strides[dim];
    count = range.count;
    plane.offsets[dim] = range.first;
    plane.address =
        index.add(plane.address, index.scaled(range.skipped, stride));
  };
  clipTo(plane.rowDim, plane.rows, plane.rowStride);
  clipTo(plane.columnDim, plane.columns, plane.columnStride);
  // One for each step of the other dimensions.
  SmallVector<int64_t> steps(box.counts.begin(), box.counts.end());
  SmallVector<int64_t> ones(rank, 1);
  for (int64_t dim : {plane.rowDim, plane.columnDim})
    if (dim >= 0)
      steps[dim] = 1;
  if (rank == 0)
    return {plane};
  SmallVector<TransferPlane> planes;
  for (SmallVector<int64_t> at : StaticTileOffsetRange(steps, ones)) {
    TransferPlane one = plane;
    for (int64_t d = 0; d < rank; ++d) {
      if (d == plane.rowDim || d == plane.columnDim)
        continue;
      Value coord = index.add(box.offsets[d], index.constant(at[d]));
      Value isThere =
          index.both(index.isAtMost(index.constant(0), coord),
                     index.isLess(coord, index.sizeOf(box.view, d)));
      one.offsets[d] = coord;
      one.columns = index.select(isThere, one.columns, index.constant(0));
      one.address =
          index.add(one.address, index.constant(at[d] * box.strides[d]));
    }
    planes.push_back(std::move(one));
  }
  return planes;
}

Value kiln::staging::isInside(OpBuilder &b, Location loc,
                              const TransferBox &box) {
  Indices index(b, loc);
  Value all = b.createOrFold<arith::ConstantIntOp>(loc, 1, 1);
  for (int64_t d = 0, rank = box.counts.size(); d < rank; ++d) {
    Value end = index.add(box.offsets[d], index.constant(box.counts[d]));
    all = index.both(all, index.isAtMost(index.constant(0), box.offsets[d]));
    all = index.both(all, index.isAtMost(end, index.sizeOf(box.view, d)));
  }
  return all;
}
