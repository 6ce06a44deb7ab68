//===- ScanSchedule.cpp - Combinations of everything up to each element ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instance goes along the dimension once and carries what it has combined:
// for a block of neighbours across it, or, where the dimension is contiguous,
// block by block along it. Machines whose threads share tiles have their own
// form, in ScanTiles.cpp.
//
//===----------------------------------------------------------------------===//

#include "LineKernel.h"
#include "ScanCombiner.h"
#include "ScanTiles.h"
#include "SingleOp.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

class ScanBuilder {
public:
  ScanBuilder(Operation *op, ScheduleContext &ctx, const Buffer &in,
              const Buffer &out, unsigned dim, ScanCombiner combine,
              bool exclusive)
      : op(op), ctx(ctx), in(in), out(out), dim(dim), combine(combine),
        exclusive(exclusive) {}

  void run();

private:
  void runAcross(LineKernel &line);
  void runAlong(LineKernel &line);
  /// An element or a block, widened, with its indices.
  SmallVector<Value> read(LineKernel &line, Value at, bool along);
  void write(LineKernel &line, ValueRange values, Value at);
  SmallVector<Value> neutral(LineKernel &line);
  /// Where the step `number` of `count` is.
  Value placeOf(LineKernel &line, Value number, Value count);

  Operation *op;
  ScheduleContext &ctx;
  const Buffer &in, &out;
  unsigned dim;
  ScanCombiner combine;
  bool exclusive;
};

} // namespace

Value ScanBuilder::placeOf(LineKernel &line, Value number, Value count) {
  if (!combine.reverse)
    return number;
  return line.kernel.sub(line.kernel.sub(count, line.kernel.constant(1)),
                         number);
}

SmallVector<Value> ScanBuilder::read(LineKernel &line, Value at, bool along) {
  OpBuilder &b = line.b;
  Location loc = line.loc;
  Type element = in.elementType(), wide = combine.wideType(element);
  // What lies behind the end changes nothing.
  Value tile =
      line.load(in, at, along ? combine.neutral(element) : TypedAttr());
  if (wide != element)
    tile = arith::ExtFOp::create(b, loc, line.tileType(wide), tile);
  SmallVector<Value> values = {tile};
  if (combine.withIndex) {
    Type indexType = out.elementType();
    Value index = line.splat(at, indexType);
    if (along)
      index = arith::AddIOp::create(b, loc, index, line.steps(indexType));
    values.push_back(index);
  }
  if (!along || !combine.withIndex || line.block == 1)
    return values;
  // Nor does its index.
  Type i64 = b.getI64Type();
  Value number =
      arith::AddIOp::create(b, loc, line.splat(at, i64), line.steps(i64));
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, number,
                            line.splat(line.kernel.index(in.sizes[dim]), i64));
  for (auto [value, other] : llvm::zip(values, neutral(line)))
    value = arith::SelectOp::create(b, loc, inside, value, other);
  return values;
}

SmallVector<Value> ScanBuilder::neutral(LineKernel &line) {
  Type wide = combine.wideType(in.elementType());
  SmallVector<Value> values = {line.constant(combine.neutral(wide))};
  if (combine.withIndex)
    values.push_back(line.constant(IntegerAttr::get(out.elementType(), -1)));
  return values;
}

void ScanBuilder::write(LineKernel &line, ValueRange values, Value at) {
  Value tile = values.back();
  Type element = out.elementType();
  if (getElementTypeOrSelf(tile.getType()) != element)
    tile =
        arith::TruncFOp::create(line.b, line.loc, line.tileType(element), tile);
  // Without itself: everything is one step further.
  if (exclusive)
    at = combine.reverse ? line.kernel.sub(at, line.kernel.constant(1))
                         : line.kernel.add(at, line.kernel.constant(1));
  line.store(tile, out, at);
}

void ScanBuilder::runAcross(LineKernel &line) {
  OpBuilder &b = line.b;
  Value count = line.kernel.index(in.sizes[dim]);
  SmallVector<Value> inits = neutral(line);
  if (exclusive)
    write(line, inits, placeOf(line, line.kernel.constant(-1), count));
  auto loop = scf::ForOp::create(b, line.loc, line.kernel.constant(0), count,
                                 line.kernel.constant(1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value at = placeOf(line, loop.getInductionVar(), count);
  SmallVector<Value> next = combine(b, line.loc, loop.getRegionIterArgs(),
                                    read(line, at, /*along=*/false));
  write(line, next, at);
  scf::YieldOp::create(b, line.loc, next);
}

void ScanBuilder::runAlong(LineKernel &line) {
  OpBuilder &b = line.b;
  Location loc = line.loc;
  Extent blocks = ctx.host.math.ceilDiv(in.sizes[dim], line.block);
  Value count = line.kernel.index(blocks);
  SmallVector<Value> inits = neutral(line);
  if (exclusive) {
    // Only one of them is inside of the tensor, or is overwritten.
    Value at = combine.reverse ? line.kernel.index(in.sizes[dim])
                               : line.kernel.constant(-1);
    if (combine.reverse)
      write(line, inits, at);
    else
      write(line, inits,
            line.kernel.sub(line.kernel.constant(0),
                            line.kernel.constant(line.block)));
  }
  auto loop = scf::ForOp::create(b, loc, line.kernel.constant(0), count,
                                 line.kernel.constant(1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = placeOf(line, loop.getInductionVar(), count);
  Value at = line.kernel.mul(number, line.kernel.constant(line.block));
  SmallVector<Value> values = read(line, at, /*along=*/true);
  SmallVector<Type> types;
  for (Value value : values)
    types.push_back(value.getType());
  auto scan =
      tile::ScanOp::create(b, loc, types, values, uint64_t(0), combine.reverse);
  {
    OpBuilder::InsertionGuard inner(b);
    Block *block = b.createBlock(&scan.getCombiner());
    for (unsigned side = 0; side < 2; ++side)
      for (Type type : types)
        block->addArgument(getElementTypeOrSelf(type), loc);
    unsigned n = types.size();
    tile::YieldOp::create(b, loc,
                          combine(b, loc, block->getArguments().take_front(n),
                                  block->getArguments().drop_front(n)));
  }
  SmallVector<Value> next =
      combine(b, loc, loop.getRegionIterArgs(), scan.getResults());
  write(line, next, at);
  // The last of the block goes on.
  Value last = line.kernel.constant(combine.reverse ? 0 : line.block - 1);
  SmallVector<Value> carried;
  for (Value value : next) {
    Value scalar = tensor::ExtractOp::create(b, loc, value, ValueRange(last));
    carried.push_back(tile::SplatOp::create(b, loc, value.getType(), scalar));
  }
  scf::YieldOp::create(b, loc, carried);
}

void ScanBuilder::run() {
  constexpr int64_t kWidest = 256;
  // The innermost other dimension, if it is contiguous and there is something.
  int across = -1;
  for (unsigned d = 0; d < in.rank(); ++d)
    if (d != dim && !in.sizes[d].is(1) && in.strides[d].is(1))
      across = d;
  Extent along = in.sizes[across >= 0 ? across : dim];
  int64_t block =
      along.isStatic()
          ? std::min<int64_t>(kWidest, llvm::PowerOf2Ceil(along.get()))
          : kWidest;
  LineKernel line(ctx, op->getLoc(), ctx.kernelName, in.sizes, dim, across,
                  block);
  if (across >= 0)
    runAcross(line);
  else
    runAlong(line);
  line.kernel.finish("generic.scan");
}

LogicalResult kiln::schedule::scheduleScan(prim::FusionOp fusion,
                                           ScheduleContext &ctx) {
  Operation *op =
      findSingleOp<prim::ScanOp, prim::ArgScanOp>(fusion, ctx, "scan");
  if (!op)
    return failure();
  auto scan = dyn_cast<prim::ScanOp>(op);
  auto argScan = dyn_cast<prim::ArgScanOp>(op);
  Buffer in = ctx.host.buffer(op->getOperand(0));
  Buffer out = ctx.host.destination(fusion.getResult(0));
  ScanCombiner combine{scan ? scan.getKind() : argScan.getKind(), !scan,
                       scan ? scan.getReverse() : argScan.getReverse()};
  // Ties between indices depend on the order.
  if (scan && ctx.tiling.model().sharesTiles())
    scanTiles(scan, ctx, in, out, combine);
  else
    ScanBuilder(op, ctx, in, out, scan ? scan.getDim() : argScan.getDim(),
                combine, scan && scan.getExclusive())
        .run();
  ctx.host.setBuffer(fusion.getResult(0), out);
  return success();
}
