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
#include "ScanBlocks.h"
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
class ScanKernel {
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
  RankedTensorType tileType(Type element, int64_t along) const;
  Value constant(Type element, int64_t along);
  Value broadcast(Value tile);
  /// The view with the dimensions of tiles last, and where a tile begins that
  /// begins at `at` along the scanned one.
  Value view(const Buffer &buffer, Value at, bool write,
             SmallVectorImpl<Value> &coords);
  /// A widened tile; what lies outside changes nothing.
  Value load(const Buffer &buffer, Value at);
  void store(Value tile, const Buffer &buffer, Value at);
  Value merge(OpBuilder &inside, Value x, Value y) {
    return combine(inside, kernel.loc, x, y)[0];
  }
  /// Everything of a tile along the scanned dimension.
  Value reduce(Value tile);
  Value scanTile(Value tile);
  /// The first element of the block with that number in the order of the scan.
  Value placeOf(Value number);
  /// What the parts before this one combine to.
  Value before(const Buffer &totals);
  /// A loop that carries one value.
  Value loop(Value from, Value to, Value init,
             llvm::function_ref<Value(Value, Value)> body);
  /// The blocks of this instance's part, without the last.
  std::pair<Value, Value> ownBlocks();
  int axis() const { return blocks.beside >= 0 && blocks.isLast ? 1 : 0; }

  KernelBuilder kernel;
  OpBuilder &b;
  const ScanCombiner &combine;
  const ScanBlocks &blocks;
  const Buffer &in;
  unsigned dim;
  bool exclusive;
  SmallVector<int> dims; ///< of the kernel, for each of the tensor
  Value part;            ///< null: there is one
  Extent count;          ///< of blocks
};

} // namespace

ScanKernel::ScanKernel(prim::ScanOp op, ScheduleContext &ctx,
                       const ScanCombiner &combine, const ScanBlocks &blocks,
                       const Buffer &in, int64_t parts, StringRef name)
    : kernel(ctx.host, op.getLoc(), name), b(kernel.b), combine(combine),
      blocks(blocks), in(in), dim(op.getDim()), exclusive(op.getExclusive()),
      count(ctx.host.math.ceilDiv(in.sizes[dim], blocks.along)) {
  for (auto [d, size] : llvm::enumerate(in.sizes)) {
    dims.push_back(kernel.dims.size());
    KernelDim next;
    next.size = d == dim ? Extent(parts) : size;
    if (static_cast<int>(d) == blocks.beside)
      next.block = blocks.across;
    kernel.dims.push_back(next);
  }
  // Parts are the slowest: neighbours beside each other run together.
  for (int d = static_cast<int>(dims.size()) - 1; d >= 0; --d)
    if (d != static_cast<int>(dim))
      kernel.addGridDim(dims[d]);
  kernel.addGridDim(dims[dim]);
  kernel.placeGrid();
  if (blocks.parts > 1)
    part = kernel.dims[dims[dim]].coord;
}

RankedTensorType ScanKernel::tileType(Type element, int64_t along) const {
  SmallVector<int64_t> shape = {along};
  if (blocks.beside >= 0)
    shape.insert(blocks.isLast ? shape.begin() : shape.end(), blocks.across);
  return RankedTensorType::get(shape, element);
}

Value ScanKernel::constant(Type element, int64_t along) {
  Attribute neutral = combine.neutral(element);
  return arith::ConstantOp::create(
      b, kernel.loc, DenseElementsAttr::get(tileType(element, along), neutral));
}

Value ScanKernel::broadcast(Value tile) {
  RankedTensorType type =
      tileType(getElementTypeOrSelf(tile.getType()), blocks.along);
  return type == tile.getType()
             ? tile
             : tile::BroadcastOp::create(b, kernel.loc, type, tile).getResult();
}

Value ScanKernel::view(const Buffer &buffer, Value at, bool write,
                       SmallVectorImpl<Value> &coords) {
  Buffer result;
  result.base = buffer.base;
  result.offset = buffer.offset;
  auto add = [&](unsigned d) {
    result.sizes.push_back(buffer.sizes[d]);
    result.strides.push_back(buffer.strides[d]);
    coords.push_back(d == dim ? at : kernel.dims[dims[d]].offset);
  };
  for (unsigned d = 0; d < buffer.rank(); ++d)
    if (d != dim && static_cast<int>(d) != blocks.beside)
      add(d);
  if (!blocks.isLast)
    add(dim);
  if (blocks.beside >= 0)
    add(blocks.beside);
  if (blocks.isLast)
    add(dim);
  return kernel.view(result, write);
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

Value ScanKernel::placeOf(Value number) {
  if (combine.reverse)
    number =
        kernel.sub(kernel.sub(kernel.index(count), kernel.constant(1)), number);
  return kernel.mul(number, kernel.constant(blocks.along));
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

std::pair<Value, Value> ScanKernel::ownBlocks() {
  if (!part)
    return {kernel.constant(0), kernel.index(count)};
  int64_t all = count.get(), each = llvm::divideCeil(all, blocks.parts);
  Value from = kernel.mul(part, kernel.constant(each));
  Value to = kernel.add(from, kernel.constant(each));
  if (all % each)
    to = arith::MinSIOp::create(b, kernel.loc, to, kernel.constant(all));
  return {from, to};
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
