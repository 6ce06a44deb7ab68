//===- ScanTiles.cpp - Scans by instances that share tiles ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile lies along the scanned dimension and one beside it. Where memory is
// contiguous beside it, lines are as wide as what all threads access at once:
// then each thread scans its own registers. Between tiles, and between parts of
// the dimension, only what all elements before combine to is passed on.
//
//===----------------------------------------------------------------------===//

#include "ScanTiles.h"
#include "BlockThreads.h"
#include "ScanGrid.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Schedule/TileBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

/// One of the kernels of a scan.
class ScanKernel : ScanGrid {
public:
  /// `parts`: how many of the parts have an instance.
  ScanKernel(prim::ScanOp op, ScheduleContext &ctx, const ScanCombiner &combine,
             const ScanBlocks &blocks, const Buffer &in, int64_t parts,
             StringRef name);

  /// What each part combines to goes to memory, in the order of the scan.
  void combineParts(const Buffer &totals);
  /// The scan itself; `totals` is that of the parts, null where there is one.
  void scan(const Buffer &out, const Buffer *totals);

private:
  Type wide() const { return combine.wideType(in.elementType()); }
  Value constant(Type element, int64_t along);
  /// A widened tile; what lies outside changes nothing.
  Value load(const Buffer &buffer, Value at);
  void store(Value tile, const Buffer &buffer, Value at);
  Value merge(OpBuilder &inside, Value x, Value y) {
    return combine(inside, kernel.loc, x, y)[0];
  }
  /// Everything of a tile along the scanned dimension.
  Value reduce(Value tile);
  Value scanTile(Value tile);
  /// What the parts before this one combine to.
  Value before(const Buffer &totals);
  /// A loop that carries one value.
  Value loop(Value from, Value to, Value init,
             llvm::function_ref<Value(Value, Value)> body);

  const ScanCombiner &combine;
  const Buffer &in;
  bool exclusive;
};

} // namespace

ScanKernel::ScanKernel(prim::ScanOp op, ScheduleContext &ctx,
                       const ScanCombiner &combine, const ScanBlocks &blocks,
                       const Buffer &in, int64_t parts, StringRef name)
    : ScanGrid(ctx.host, op.getLoc(), name, in.sizes, op.getDim(), blocks,
               parts, combine.reverse),
      combine(combine), in(in), exclusive(op.getExclusive()) {}

Value ScanKernel::constant(Type element, int64_t along) {
  Attribute neutral = combine.neutral(element);
  return arith::ConstantOp::create(
      b, kernel.loc, DenseElementsAttr::get(tileType(element, along), neutral));
}

Value ScanKernel::load(const Buffer &buffer, Value at) {
  Location loc = kernel.loc;
  Type element = buffer.elementType();
  SmallVector<Value> coords;
  Value from = view(buffer, at, /*write=*/false, coords);
  Value pad = arith::ConstantOp::create(b, loc, combine.neutral(element));
  Value tile = tile::LoadOp::create(
      b, loc, tileType(element, blocks.along), from, coords, pad,
      /*element_offsets=*/true, tile::Padding::value, DenseI64ArrayAttr());
  if (element == wide())
    return tile;
  return arith::ExtFOp::create(b, loc, tileType(wide(), blocks.along), tile);
}

void ScanKernel::store(Value tile, const Buffer &buffer, Value at) {
  Location loc = kernel.loc;
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getElementType() != buffer.elementType())
    tile =
        arith::TruncFOp::create(b, loc, type.clone(buffer.elementType()), tile);
  SmallVector<Value> coords;
  Value to = view(buffer, at, /*write=*/true, coords);
  tile::StoreOp::create(b, loc, tile, to, coords, /*element_offsets=*/true,
                        tile::Combine::assign, DenseI64ArrayAttr());
}

Value ScanKernel::reduce(Value tile) {
  return reduceAxis(b, kernel.loc, tile, axis(),
                    [&](OpBuilder &inside, ValueRange x, ValueRange y) {
                      return SmallVector<Value>{merge(inside, x[0], y[0])};
                    })[0];
}

Value ScanKernel::scanTile(Value tile) {
  auto scan = tile::ScanOp::create(b, kernel.loc, tile.getType(), tile,
                                   uint64_t(axis()), combine.reverse);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&scan.getCombiner());
  Type element = getElementTypeOrSelf(tile.getType());
  Value x = block->addArgument(element, kernel.loc);
  Value y = block->addArgument(element, kernel.loc);
  tile::YieldOp::create(b, kernel.loc, merge(b, x, y));
  return scan.getResult(0);
}

Value ScanKernel::loop(Value from, Value to, Value init,
                       llvm::function_ref<Value(Value, Value)> body) {
  auto loop =
      scf::ForOp::create(b, kernel.loc, from, to, kernel.constant(1), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value next = body(loop.getInductionVar(), loop.getRegionIterArgs()[0]);
  scf::YieldOp::create(b, kernel.loc, next);
  return loop.getResult(0);
}

void ScanKernel::combineParts(const Buffer &totals) {
  auto [from, to] = ownBlocks();
  Value sum = loop(from, to, constant(wide(), blocks.along),
                   [&](Value number, Value sum) {
                     return merge(b, sum, load(in, placeOf(number)));
                   });
  store(reduce(sum), totals, part);
  kernel.finish("generic.scan");
}

Value ScanKernel::before(const Buffer &totals) {
  Location loc = kernel.loc;
  Type i64 = b.getI64Type();
  RankedTensorType type = tileType(i64, blocks.along);
  auto splat = [&](Value index) -> Value {
    Value scalar = arith::IndexCastOp::create(b, loc, i64, index);
    return tile::SplatOp::create(b, loc, type, scalar);
  };
  Value steps = tile::IotaOp::create(b, loc, type, uint64_t(axis()));
  Value none = constant(wide(), blocks.along), own = splat(part);
  // Rounded up.
  Value size = kernel.constant(blocks.along);
  Value to = arith::DivUIOp::create(
      b, loc, kernel.add(part, kernel.constant(blocks.along - 1)), size);
  Value sum = loop(kernel.constant(0), to, none, [&](Value number, Value sum) {
    Value at = kernel.mul(number, size);
    Value index = arith::AddIOp::create(b, loc, splat(at), steps);
    Value isBefore =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, own);
    Value tile =
        arith::SelectOp::create(b, loc, isBefore, load(totals, at), none);
    return merge(b, sum, tile);
  });
  return reduce(sum);
}

void ScanKernel::scan(const Buffer &out, const Buffer *totals) {
  Value shift = kernel.constant(0);
  if (exclusive) {
    // Everything is one step further, and in front is what changes nothing.
    shift = kernel.constant(combine.reverse ? -1 : 1);
    Value first = kernel.constant(0);
    if (combine.reverse)
      first = kernel.sub(kernel.index(in.sizes[dim]), kernel.constant(1));
    store(constant(wide(), 1), out, first);
  }
  auto step = [&](Value number, Value carried) -> Value {
    Value at = placeOf(number), tile = load(in, at), next = scanTile(tile);
    if (carried)
      next = merge(b, broadcast(carried), next);
    store(next, out, exclusive ? kernel.add(at, shift) : at);
    return carried ? merge(b, carried, reduce(tile)) : Value();
  };
  auto [from, to] = ownBlocks();
  if (!part && count.is(1))
    step(from, {});
  else
    loop(from, to, totals ? before(*totals) : constant(wide(), 1), step);
  kernel.finish("generic.scan");
}

void kiln::schedule::scanTiles(prim::ScanOp op, ScheduleContext &ctx,
                               const Buffer &in, const Buffer &out,
                               ScanCombiner combine) {
  Type wide = combine.wideType(in.elementType());
  unsigned dim = op.getDim();
  ScanBlocks blocks = chooseScanBlocks(in, dim, wide.getIntOrFloatBitWidth(),
                                       countBlockThreads(ctx.description),
                                       ctx.tiling.model().accessBytes());
  chooseScanParts(in, dim, blocks, ctx.tiling);
  if (blocks.parts == 1)
    return ScanKernel(op, ctx, combine, blocks, in, 1, ctx.kernelName)
        .scan(out, nullptr);
  SmallVector<Extent> sizes(in.sizes.begin(), in.sizes.end());
  sizes[dim] = blocks.parts - 1;
  Buffer totals = ctx.host.allocate(wide, sizes);
  ScanKernel(op, ctx, combine, blocks, in, blocks.parts - 1,
             ctx.kernelName + "_parts")
      .combineParts(totals);
  ScanKernel(op, ctx, combine, blocks, in, blocks.parts, ctx.kernelName)
      .scan(out, &totals);
}
