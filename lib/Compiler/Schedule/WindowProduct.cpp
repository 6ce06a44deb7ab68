//===- WindowProduct.cpp - Convolutions as products of threads ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WindowProduct.h"
#include "ResultOrder.h"
#include "kiln/Dialect/Tile/DotOps.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;
using namespace kiln::target;

Value WindowProduct::splat(Value scalar) {
  OpBuilder &b = kernel.b;
  auto type = RankedTensorType::get({kernel.dims[row].block}, indexType);
  Value narrow = arith::IndexCastOp::create(b, kernel.loc, indexType, scalar);
  return tile::SplatOp::create(b, kernel.loc, type, narrow);
}

Value WindowProduct::coordinateOf(int dim) {
  if (!llvm::is_contained(merged, dim))
    return splat(kernel.dims[dim].offset);
  Value rest = index;
  for (int inner : llvm::reverse(merged)) {
    // What is beyond the last row is beyond the outermost dimension.
    if (inner == merged.front())
      break;
    Value size = splat(kernel.index(rowsAlong(inner)));
    if (inner == dim)
      return binary<arith::RemUIOp>(rest, size);
    rest = binary<arith::DivUIOp>(rest, size);
  }
  return rest;
}

void WindowProduct::placeRows() {
  OpBuilder &b = kernel.b;
  // Numbers of rows and of places have 32 bits where these are known to do.
  auto isShort = [](Extent size) {
    return size.isStatic() && size.get() < (int64_t(1) << 29);
  };
  Extent places = 1, reach = kernel.dims[row].size;
  for (const Axis &axis : axes) {
    places = places + (axis.size + axis.low) * axis.places;
    reach = reach + (axis.size + axis.low) * (axis.spread * 2);
  }
  indexType =
      isShort(places) && isShort(reach) ? b.getI32Type() : b.getI64Type();
  auto type = RankedTensorType::get({kernel.dims[row].block}, indexType);
  index = binary<arith::AddIOp>(
      tile::IotaOp::create(b, kernel.loc, type, uint64_t(0)),
      splat(kernel.dims[place].offset));
  base = splat(0);
  for (Axis &axis : axes) {
    Value at = axis.dim < 0 ? splat(0) : coordinateOf(axis.dim);
    if (axis.phase >= 0) {
      at = binary<arith::AddIOp>(at, splat(axis.start));
    } else {
      if (axis.stride != 1)
        at = binary<arith::MulIOp>(at, splat(axis.stride));
      if (axis.low)
        at = binary<arith::SubIOp>(at, splat(axis.low));
    }
    axis.start = at;
    if (!axis.isSpread() && !axis.places.is(0))
      base = binary<arith::AddIOp>(
          base, binary<arith::MulIOp>(at, splat(kernel.index(axis.places))));
  }
}

void WindowProduct::placeStep() {
  if (hasPhases())
    return placePhaseStep();
  OpBuilder &b = kernel.b;
  Value rest = kernel.dims[step].coord;
  SmallVector<int> inner = {depth};
  for (const Axis &axis : llvm::reverse(axes))
    if (axis.window >= 0)
      inner.push_back(axis.window);
  for (auto [number, dim] : llvm::enumerate(inner)) {
    Extent count = kernel.numBlocks(dim);
    if (count.is(1)) {
      kernel.place(dim, kernel.constant(0));
      continue;
    }
    bool isOutermost =
        llvm::all_of(ArrayRef(inner).drop_front(number + 1),
                     [&](int other) { return kernel.numBlocks(other).is(1); });
    Value size = kernel.index(count);
    kernel.place(dim, isOutermost
                          ? rest
                          : arith::RemUIOp::create(b, kernel.loc, rest, size));
    if (!isOutermost)
      rest = arith::DivUIOp::create(b, kernel.loc, rest, size);
  }
}

Value WindowProduct::placesOfStep() {
  OpBuilder &b = kernel.b;
  using P = arith::CmpIPredicate;
  auto compare = [&](P predicate, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, kernel.loc, predicate, x, y);
  };
  Value places = base, inside, moved = kernel.constant(0);
  auto both = [&](Value where) {
    inside = inside ? binary<arith::AndIOp>(inside, where) : where;
  };
  for (Axis &axis : axes) {
    Value by = kernel.constant(0);
    if (axis.tap)
      by = axis.tap;
    else if (axis.window >= 0)
      by = kernel.mul(kernel.dims[axis.window].offset,
                      kernel.constant(axis.dilation));
    if (!axis.isSpread() && !axis.places.is(0))
      moved = kernel.add(moved, kernel.mul(by, kernel.index(axis.places)));
    if (!axis.leaves)
      continue;
    Value at = axis.window >= 0 ? binary<arith::AddIOp>(axis.start, splat(by))
                                : axis.start;
    Value end = kernel.index(axis.size);
    if (axis.isSpread())
      end = kernel.add(kernel.mul(kernel.sub(end, kernel.constant(1)),
                                  kernel.constant(axis.spread)),
                       kernel.constant(1));
    both(compare(P::ult, at, splat(end)));
    if (!axis.isSpread())
      continue;
    Value apart = splat(axis.spread);
    both(compare(P::eq, binary<arith::RemUIOp>(at, apart), splat(0)));
    places = binary<arith::AddIOp>(
        places, binary<arith::MulIOp>(binary<arith::DivUIOp>(at, apart),
                                      splat(kernel.index(axis.places))));
  }
  places = binary<arith::AddIOp>(places, splat(moved));
  if (!inside)
    return places;
  return arith::SelectOp::create(b, kernel.loc, inside, places, splat(-1));
}

Value WindowProduct::inputTile() {
  index::Math &math = group.host.math;
  Buffer view = input;
  Extent count = 1;
  for (const Axis &axis : axes)
    count = math.add(count, math.mul(math.sub(axis.size, 1), axis.places));
  view.sizes = {count, input.sizes.back()};
  view.strides = {pitch, 1};
  // Groups have whole blocks of channels.
  Value first = kernel.dims[depth].offset;
  const IndexExpr &from = anchor.operandMaps[0].index.back();
  for (int dim : groups)
    first = kernel.add(first, kernel.mul(kernel.dims[dim].offset,
                                         kernel.index(from.coefficient(dim))));
  auto type = RankedTensorType::get(
      {kernel.dims[row].block, kernel.dims[depth].block}, element);
  return tile::LoadGatherOp::create(
      kernel.b, kernel.loc, type, kernel.view(view, /*write=*/false), first,
      placesOfStep(), Value(), 0, tile::Padding::zero);
}

LogicalResult WindowProduct::storeSums(ArrayRef<Value> sums,
                                       ArrayRef<ColumnPiece> pieces) {
  sumZeros();
  SmallVector<Value> made(sums);
  for (auto [piece, sum] : llvm::zip_equal(pieces, made)) {
    enterPiece(kernel, channel, piece);
    sum = addZeros(sum);
  }
  listRows();
  SmallVector<int> kept(others.begin(), others.end());
  kept.push_back(row);
  llvm::append_range(kept, groups);
  kept.push_back(channel);
  SmallVector<Extent> summed;
  for (int dim : anchor.reduced)
    summed.push_back(group.plan.sizes[dim]);
  return finish(made, Space{{row, channel}}, kept, "generic.window_product",
                flopsFor(summed), [&](int64_t number) {
                  enterPiece(kernel, channel, pieces[number]);
                });
}

LogicalResult WindowProduct::run() {
  if (failed(findDims()))
    return failure();
  mergeRows();
  findPhases();
  auto undo = [&] {
    filterCopy.undo();
    inputCopy.undo();
    return failure();
  };
  if (failed(findOperands()))
    return undo();
  chooseBlocks();
  SmallVector<int> grid = {channel, place};
  grid.append(groups.rbegin(), groups.rend());
  grid.append(others.rbegin(), others.rend());
  // What has the most work begins first.
  for (const Axis &axis : llvm::reverse(axes))
    if (axis.phase >= 0)
      grid.push_back(axis.phase);
  if (part >= 0)
    grid.push_back(part);
  for (int dim : grid)
    kernel.addGridDim(dim);
  kernel.placeGrid();
  placePhases();
  placeRows();
  if (part >= 0)
    limitLoop(kernel, step, part);
  TileBuilder builder(kernel, group.plan, group.inGroup(),
                      Space{{depth, channel}});
  SmallVector<ColumnPiece, 2> pieces = {{kernel.dims[channel].block,
                                         kernel.dims[channel].offset,
                                         kernel.dims[channel].coord}};
  if (takesPieces())
    pieces = findColumnPieces(kernel, row, channel);
  SmallVector<Value> zeros;
  for (const ColumnPiece &piece : pieces)
    zeros.push_back(
        builder.splat(zeroOf(acc), {kernel.dims[row].block, piece.width}));
  SmallVector<int> loops = {step};
  if (part < 0 && !hasPhases() && kernel.dims[step].size.is(1)) {
    kernel.place(step, kernel.constant(0));
    loops.clear();
  }
  SmallVector<Value> sums =
      builder.loop(loops, zeros, [&](ValueRange carried) -> SmallVector<Value> {
        placeStep();
        Value x = inputTile();
        SmallVector<Value> next;
        for (auto [piece, sum] : llvm::zip_equal(pieces, carried)) {
          enterPiece(kernel, channel, piece);
          Value y = builder.load(filter, filterMap);
          y = builder.broadcast(y, {kernel.dims[depth].block, piece.width});
          next.push_back(tile::DotOp::create(
              kernel.b, kernel.loc, sum.getType(), x, y, sum,
              inputPrecision(conv.getPrecision()), false, false));
        }
        return next;
      });
  return succeeded(storeSums(sums, pieces)) ? success() : undo();
}

LogicalResult kiln::schedule::scheduleWindowProduct(prim::FusionOp op,
                                                    ScheduleContext &ctx) {
  auto place = [](Group &group) {
    return resultByAnchor(group,
                          llvm::to_vector(llvm::seq<unsigned>(
                              group.plan.anchors.front().map.index.size())));
  };
  return scheduleOneConvolution<WindowProduct>(op, ctx, refuseUnsharedTiles,
                                               place);
}
