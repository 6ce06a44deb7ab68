//===- AssociativeScan.cpp - Scans with any function ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance scans tiles one behind the other, and passes on what all elements
// before a tile combine to. A function has no neutral element, so that the
// first tile has nothing in front of it. If several instances share the
// dimension, a first kernel combines each part, a second one scans what the
// parts combine to, and a third one begins each part with that.
//
//===----------------------------------------------------------------------===//

#include "AssociativeScan.h"
#include "BlockThreads.h"
#include "ScanFunction.h"
#include "ScanGrid.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Schedule/TileBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

/// What a scan is between buffers.
struct Scanned {
  unsigned dim = 0;
  bool reverse = false, addsZero = false, sharesTiles = false;
  SmallVector<Buffer, 4> ins;
  SmallVector<std::pair<Buffer, unsigned>, 4> outs; ///< with their components
};

/// One of the kernels of a scan.
class AssociativeKernel : ScanGrid {
public:
  /// `parts`: how many of the parts have an instance.
  AssociativeKernel(const Scanned &scan, ScanFunction &function,
                    const ScanBlocks &blocks, ScheduleContext &ctx,
                    Location loc, int64_t parts, StringRef name);

  /// Scans, from `before` each part on where there are several.
  LogicalResult scan(ArrayRef<Buffer> before);
  /// What each part combines to goes to `totals`.
  LogicalResult combineParts(ArrayRef<Buffer> totals);

private:
  using Tiles = SmallVector<Value>;
  Value load(const Buffer &buffer, Value at, int64_t along, Type to);
  Tiles load(Value at);
  void store(Value tile, const Buffer &buffer, Value at);
  /// Index values and comparisons with them, along the scanned dimension.
  Value splat(Value index, int64_t along);
  Value steps();
  Tiles broadcast(ValueRange tiles);
  Tiles merge(OpBuilder &inside, ValueRange x, ValueRange y);
  /// The tiles scanned, the ones that begin at `at`. Where `mayBePartial`, what
  /// is outside of the tensor may be in front of other elements.
  Tiles scanTiles(ValueRange tiles, Value at, bool mayBePartial);
  /// The last elements of scanned tiles in the order of the scan.
  Tiles lastOf(ValueRange tiles);
  /// Goes over the blocks of this instance; returns what all combine to.
  Tiles run(ArrayRef<Buffer> before, bool stores);
  Tiles step(Value number, ValueRange carried, Value isFirst, bool stores);
  LogicalResult finish();

  const Scanned &scanned;
  ScanFunction &function;
};

} // namespace

AssociativeKernel::AssociativeKernel(const Scanned &scan,
                                     ScanFunction &function,
                                     const ScanBlocks &blocks,
                                     ScheduleContext &ctx, Location loc,
                                     int64_t parts, StringRef name)
    : ScanGrid(ctx.host, loc, name, scan.ins[0].sizes, scan.dim, blocks, parts,
               scan.reverse),
      scanned(scan), function(function) {}

Value AssociativeKernel::load(const Buffer &buffer, Value at, int64_t along,
                              Type to) {
  SmallVector<Value> coords;
  Value from = view(buffer, at, /*write=*/false, coords);
  Value tile = tile::LoadOp::create(
      b, loc, tileType(buffer.elementType(), along), from, coords, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
  return function.widen(b, loc, tile, to);
}

AssociativeKernel::Tiles AssociativeKernel::load(Value at) {
  Tiles tiles;
  for (auto [number, buffer] : llvm::enumerate(scanned.ins))
    tiles.push_back(
        load(buffer, at, blocks.along, function.carriedType(number)));
  return tiles;
}

void AssociativeKernel::store(Value tile, const Buffer &buffer, Value at) {
  tile = function.widen(b, loc, tile, buffer.elementType());
  SmallVector<Value> coords;
  Value to = view(buffer, at, /*write=*/true, coords);
  tile::StoreOp::create(b, loc, tile, to, coords, /*element_offsets=*/true,
                        tile::Combine::assign, DenseI64ArrayAttr());
}

Value AssociativeKernel::splat(Value index, int64_t along) {
  Type i64 = b.getI64Type();
  Value scalar = arith::IndexCastOp::create(b, loc, i64, index);
  return tile::SplatOp::create(b, loc, tileType(i64, along), scalar);
}

Value AssociativeKernel::steps() {
  return tile::IotaOp::create(b, loc, tileType(b.getI64Type(), blocks.along),
                              uint64_t(axis()));
}

AssociativeKernel::Tiles AssociativeKernel::broadcast(ValueRange tiles) {
  return llvm::map_to_vector<6>(
      tiles, [&](Value tile) { return ScanGrid::broadcast(tile); });
}

/// The function, or its first operands if it has no expansion: the kernel is
/// abandoned then.
AssociativeKernel::Tiles AssociativeKernel::merge(OpBuilder &inside,
                                                  ValueRange x, ValueRange y) {
  Tiles results = function.combine(inside, loc, x, y);
  return results.empty() ? Tiles(x.begin(), x.end()) : results;
}

AssociativeKernel::Tiles
AssociativeKernel::scanTiles(ValueRange tiles, Value at, bool mayBePartial) {
  if (blocks.along == 1)
    return Tiles(tiles.begin(), tiles.end());
  Tiles sources(tiles.begin(), tiles.end());
  if (mayBePartial) {
    Value index =
        arith::AddIOp::create(b, loc, splat(at, blocks.along), steps());
    Value end = splat(kernel.index(scanned.ins[0].sizes[dim]), blocks.along);
    Value inside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, end);
    sources.push_back(arith::ExtUIOp::create(
        b, loc, tileType(b.getI32Type(), blocks.along), inside));
  }
  auto scan = tile::ScanOp::create(b, loc, ValueRange(sources).getTypes(),
                                   sources, uint64_t(axis()), reverse);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&scan.getCombiner());
  for (unsigned side = 0; side < 2; ++side)
    for (Value source : sources)
      block->addArgument(getElementTypeOrSelf(source.getType()), loc);
  ValueRange x = block->getArguments().take_front(sources.size());
  ValueRange y = block->getArguments().drop_front(sources.size());
  Tiles next = merge(b, x.take_front(tiles.size()), y.take_front(tiles.size()));
  if (mayBePartial) {
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    Value isThere =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x.back(), zero);
    for (auto [value, other] : llvm::zip(next, y))
      value = arith::SelectOp::create(b, loc, isThere, value, other);
    next.push_back(arith::OrIOp::create(b, loc, x.back(), y.back()));
  }
  tile::YieldOp::create(b, loc, next);
  return Tiles(scan.getResults().take_front(tiles.size()));
}

AssociativeKernel::Tiles AssociativeKernel::lastOf(ValueRange tiles) {
  if (blocks.along == 1)
    return Tiles(tiles.begin(), tiles.end());
  if (!scanned.sharesTiles && blocks.beside < 0) {
    Value last = kernel.constant(reverse ? 0 : blocks.along - 1);
    Tiles results;
    for (Value tile : tiles) {
      Value scalar = tensor::ExtractOp::create(b, loc, tile, ValueRange(last));
      results.push_back(
          tile::SplatOp::create(b, loc, tileType(scalar.getType(), 1), scalar));
    }
    return results;
  }
  Tiles sources(tiles.begin(), tiles.end());
  sources.push_back(tile::IotaOp::create(
      b, loc, tileType(b.getI32Type(), blocks.along), uint64_t(axis())));
  auto predicate =
      reverse ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sgt;
  Tiles results = reduceAxis(
      b, loc, sources, axis(), [&](OpBuilder &in, ValueRange x, ValueRange y) {
        Value isLater =
            arith::CmpIOp::create(in, loc, predicate, y.back(), x.back());
        Tiles chosen;
        for (auto [a, c] : llvm::zip(x, y))
          chosen.push_back(arith::SelectOp::create(in, loc, isLater, c, a));
        return chosen;
      });
  results.pop_back();
  return results;
}

/// One block: it is stored, and what ends with it goes on. `carried` is in
/// front of it, unless it is empty or `isFirst` holds.
AssociativeKernel::Tiles AssociativeKernel::step(Value number,
                                                 ValueRange carried,
                                                 Value isFirst, bool stores) {
  Value at = placeOf(number);
  const Extent &size = scanned.ins[0].sizes[dim];
  bool isWhole = size.isStatic() && size.get() % blocks.along == 0;
  bool mayBeEnd = carried.empty() || isFirst;
  Tiles next = scanTiles(load(at), at, reverse && !isWhole && mayBeEnd);
  if (!carried.empty()) {
    Tiles merged = merge(b, broadcast(carried), next);
    for (auto [value, alone] : llvm::zip(merged, next))
      if (isFirst)
        value = arith::SelectOp::create(b, loc, isFirst, alone, value);
    next = std::move(merged);
  }
  if (stores)
    for (auto &[buffer, component] : scanned.outs) {
      Value tile = next[component];
      if (scanned.addsZero && isa<FloatType>(buffer.elementType()))
        tile = arith::AddFOp::create(
            b, loc, tile,
            constantLike(b, loc, tile,
                         b.getZeroAttr(getElementTypeOrSelf(tile.getType()))));
      store(tile, buffer, at);
    }
  return lastOf(next);
}

AssociativeKernel::Tiles AssociativeKernel::run(ArrayRef<Buffer> before,
                                                bool stores) {
  auto [from, to] = ownBlocks();
  Tiles carried;
  Value isFirst;
  if (!before.empty()) {
    Value one = kernel.constant(1), zero = kernel.constant(0);
    Value place = arith::MaxSIOp::create(b, loc, kernel.sub(part, one), zero);
    if (reverse)
      place = kernel.sub(kernel.constant(blocks.parts - 2), place);
    for (auto [number, buffer] : llvm::enumerate(before))
      carried.push_back(load(buffer, place, 1, function.carriedType(number)));
    Value scalar =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part, zero);
    isFirst = tile::SplatOp::create(
        b, loc, tileType(b.getI1Type(), blocks.along), scalar);
  }
  Tiles next = step(from, carried, isFirst, stores);
  if (count.is(1))
    return next;
  auto loop = scf::ForOp::create(b, loc, kernel.add(from, kernel.constant(1)),
                                 to, kernel.constant(1), next);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(
      b, loc,
      step(loop.getInductionVar(), loop.getRegionIterArgs(), Value(), stores));
  return Tiles(loop.getResults());
}

LogicalResult AssociativeKernel::finish() {
  if (!function.missing.empty()) {
    kernel.abandon();
    return failure();
  }
  kernel.finish("generic.associative_scan");
  return success();
}

LogicalResult AssociativeKernel::scan(ArrayRef<Buffer> before) {
  run(before, /*stores=*/true);
  return finish();
}

LogicalResult AssociativeKernel::combineParts(ArrayRef<Buffer> totals) {
  Tiles last = run({}, /*stores=*/false);
  Value place = part;
  if (reverse)
    place = kernel.sub(kernel.constant(blocks.parts - 2), place);
  for (auto [value, buffer] : llvm::zip(last, totals))
    store(value, buffer, place);
  return finish();
}

/// Emits the kernels of a scan; fails where the function has no expansion.
static LogicalResult emitScan(const Scanned &scan, ScanFunction &function,
                              ScheduleContext &ctx, Location loc,
                              StringRef name, bool isWhole) {
  const Buffer &in = scan.ins.front();
  int64_t bits = 0;
  for (unsigned i = 0; i < function.size(); ++i)
    bits += function.carriedType(i).getIntOrFloatBitWidth();
  ScanBlocks blocks;
  if (scan.sharesTiles) {
    blocks =
        chooseScanBlocks(in, scan.dim, bits, countBlockThreads(ctx.description),
                         ctx.tiling.model().accessBytes());
    if (isWhole)
      chooseScanParts(in, scan.dim, blocks, ctx.tiling);
  } else {
    blocks = chooseLineBlocks(in, scan.dim);
  }
  if (blocks.parts == 1)
    return AssociativeKernel(scan, function, blocks, ctx, loc, 1, name)
        .scan({});
  SmallVector<Extent> sizes(in.sizes.begin(), in.sizes.end());
  sizes[scan.dim] = blocks.parts - 1;
  Scanned totals = scan;
  totals.ins.clear();
  totals.outs.clear();
  totals.addsZero = false;
  SmallVector<Buffer, 4> before;
  for (unsigned i = 0; i < function.size(); ++i) {
    totals.ins.push_back(ctx.host.allocate(function.carriedType(i), sizes));
    before.push_back(ctx.host.allocate(function.carriedType(i), sizes));
    totals.outs.push_back({before.back(), i});
  }
  if (failed(AssociativeKernel(scan, function, blocks, ctx, loc,
                               blocks.parts - 1, (name + "_parts").str())
                 .combineParts(totals.ins)) ||
      failed(emitScan(totals, function, ctx, loc, (name + "_totals").str(),
                      /*isWhole=*/false)))
    return failure();
  return AssociativeKernel(scan, function, blocks, ctx, loc, blocks.parts, name)
      .scan(before);
}

/// Reads what the claim scans. Returns what is wrong with it; empty if nothing.
static StringRef readScan(prim::ClaimOp claim, Scanned &scan,
                          ScheduleContext &ctx) {
  DictionaryAttr config = claim.getConfigAttr();
  if (!config)
    return "the claim has no `config`";
  auto inputs = config.getAs<DenseI64ArrayAttr>("inputs");
  auto results = config.getAs<DenseI64ArrayAttr>("results");
  auto dim = config.getAs<IntegerAttr>("dim");
  auto reverse = config.getAs<BoolAttr>("reverse");
  auto addsZero = config.getAs<BoolAttr>("adds_zero");
  if (!inputs || inputs.empty() || !results || !dim || !reverse || !addsZero ||
      !config.getAs<DictionaryAttr>("function"))
    return "the claim does not say what it scans";
  SmallVector<RankedTensorType> types;
  for (int64_t number : inputs.asArrayRef()) {
    if (number < 0 || number >= int64_t(claim.getInputs().size()))
      return "the claim scans an operand that it does not have";
    Value input = claim.getInputs()[number];
    if (!ctx.host.hasBuffer(input))
      return "an operand must be in memory";
    scan.ins.push_back(ctx.host.buffer(input));
    types.push_back(dyn_cast<RankedTensorType>(input.getType()));
  }
  if (results.size() != int64_t(claim.getNumResults()))
    return "the claim does not say what its results are";
  for (auto [value, component] :
       llvm::zip(claim.getResults(), results.asArrayRef())) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (component < 0 || component >= inputs.size() || !type ||
        type != types[component])
      return "a result of the claim is no scan of one of its operands";
  }
  for (RankedTensorType type : types)
    if (!type || !type.getElementType().isIntOrFloat() ||
        type.getShape() != types.front().getShape())
      return "the claim scans operands of different shapes or without numbers";
  APInt along = dim.getValue();
  if (along.isNegative() || along.uge(types.front().getRank()))
    return "the claim scans a dimension that its operands do not have";
  scan.dim = along.getZExtValue();
  scan.reverse = reverse.getValue();
  scan.addsZero = addsZero.getValue();
  return "";
}

LogicalResult kiln::schedule::scheduleAssociativeScan(prim::ClaimOp claim,
                                                      ScheduleContext &ctx) {
  Scanned scan;
  if (StringRef reason = readScan(claim, scan, ctx); !reason.empty())
    return ctx.decline(claim, reason);
  scan.sharesTiles = ctx.tiling.model().sharesTiles();
  DictionaryAttr config = claim.getConfigAttr();
  SmallVector<Type> elements;
  for (const Buffer &in : scan.ins)
    elements.push_back(in.elementType());
  ScanFunction function(config.getAs<DictionaryAttr>("function"), elements);
  if (!function.isValid)
    return ctx.decline(claim, "the claim does not say how it combines");
  for (auto [value, component] :
       llvm::zip(claim.getResults(),
                 config.getAs<DenseI64ArrayAttr>("results").asArrayRef()))
    scan.outs.push_back({ctx.host.destination(value), unsigned(component)});
  if (failed(emitScan(scan, function, ctx, claim.getLoc(), ctx.kernelName,
                      /*isWhole=*/true)))
    return ctx.decline(claim, "no expansion of " + function.missing);
  for (auto [value, out] : llvm::zip(claim.getResults(), scan.outs))
    ctx.host.setBuffer(value, out.first);
  return success();
}
