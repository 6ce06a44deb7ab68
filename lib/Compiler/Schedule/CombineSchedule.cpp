//===- CombineSchedule.cpp - Reductions with any combiner -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instance combines, element by element, for a block of neighbours among
// the kept dimensions, or, where a reduced dimension is contiguous, for a block
// along that one, whose elements it combines in the end.
//
//===----------------------------------------------------------------------===//

#include "SingleOp.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ScanOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

class Combining {
public:
  Combining(prim::ReduceOp op, ScheduleContext &ctx, ArrayRef<Buffer> outs)
      : op(op), host(ctx.host), kernel(ctx.host, op.getLoc(), ctx.kernelName),
        b(kernel.b), loc(op.getLoc()), outs(outs) {}

  /// Fails, with a reason, where the region cannot be computed with tiles.
  LogicalResult run();
  std::string reason;

private:
  /// What a tile is loaded from or stored to.
  struct Place {
    Buffer view;
    SmallVector<Value> coords;
  };

  void placeDims();
  /// Where the tile at the current offsets is in a buffer, whose dimensions
  /// are those of the input.
  Place place(const Buffer &buffer, ArrayRef<unsigned> dims);
  /// The region on tiles of one shape.
  SmallVector<Value> combine(ValueRange x, ValueRange y);
  SmallVector<Value> loops(size_t number, ValueRange carried);
  SmallVector<Value> read();
  Value load(const Buffer &buffer, ArrayRef<unsigned> dims, int64_t count);
  SmallVector<Value> fold(SmallVector<Value> values);
  Value init(unsigned number, int64_t count);

  prim::ReduceOp op;
  HostProgramBuilder &host;
  KernelBuilder kernel;
  OpBuilder &b;
  Location loc;
  ArrayRef<Buffer> outs;
  SmallVector<unsigned> kept, reduced;
  SmallVector<Value> offsets; ///< of the input's dimensions
  SmallVector<Extent> sizes;
  int axis = -1;
  int64_t block = 1;
};

} // namespace

void Combining::placeDims() {
  const Buffer &input = host.buffer(op.getInputs().front());
  sizes.assign(input.sizes.begin(), input.sizes.end());
  for (unsigned d = 0; d < sizes.size(); ++d)
    (llvm::is_contained(op.getDims(), int64_t(d)) ? reduced : kept)
        .push_back(d);
  for (unsigned d = 0; d < sizes.size(); ++d)
    if (!sizes[d].is(1) && input.strides[d].is(1))
      axis = d;
  if (axis >= 0)
    block =
        sizes[axis].isStatic()
            ? std::clamp<int64_t>(llvm::PowerOf2Ceil(sizes[axis].get()), 1, 256)
            : 256;
  offsets.resize(sizes.size());
  for (unsigned d : kept) {
    KernelDim dim;
    dim.size = sizes[d];
    dim.block = static_cast<int>(d) == axis ? block : 1;
    kernel.dims.push_back(dim);
  }
  for (int d = static_cast<int>(kept.size()) - 1; d >= 0; --d)
    kernel.addGridDim(d);
  kernel.placeGrid();
  for (auto [number, d] : llvm::enumerate(kept))
    offsets[d] = kernel.dims[number].offset;
}

SmallVector<Value> Combining::combine(ValueRange x, ValueRange y) {
  auto shape = cast<RankedTensorType>(x[0].getType()).getShape();
  Block &region = op.getCombiner().front();
  IRMapping mapping;
  SmallVector<Value> both(x.begin(), x.end());
  llvm::append_range(both, y);
  for (auto [argument, value] : llvm::zip(region.getArguments(), both))
    mapping.map(argument, value);
  for (Operation &inner : region.without_terminator()) {
    Value result;
    if (TypedAttr value = splatValue(&inner)) {
      result = arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(RankedTensorType::get(shape, value.getType()),
                                 static_cast<Attribute>(value)));
    } else {
      SmallVector<Value> tiles;
      for (Value operand : inner.getOperands())
        tiles.push_back(mapping.lookup(operand));
      result = emitElementwiseTile(&inner, tiles, b);
    }
    if (!result) {
      reason = "no expansion of " + inner.getName().getStringRef().str();
      return {};
    }
    mapping.map(inner.getResult(0), result);
  }
  SmallVector<Value> results;
  for (Value value : region.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  return results;
}

/// The block dimension of tiles comes last, if it is there.
Combining::Place Combining::place(const Buffer &buffer,
                                  ArrayRef<unsigned> dims) {
  Place place;
  place.view.base = buffer.base;
  place.view.offset = buffer.offset;
  auto add = [&](unsigned d) {
    place.view.sizes.push_back(buffer.sizes[d]);
    place.view.strides.push_back(buffer.strides[d]);
    place.coords.push_back(offsets[dims[d]]);
  };
  std::optional<unsigned> last;
  for (unsigned d = 0; d < dims.size(); ++d)
    if (static_cast<int>(dims[d]) == axis)
      last = d;
    else
      add(d);
  if (last)
    add(*last);
  if (place.coords.empty()) {
    place.view.sizes.push_back(1);
    place.view.strides.push_back(1);
    place.coords.push_back(kernel.constant(0));
  }
  return place;
}

Value Combining::load(const Buffer &buffer, ArrayRef<unsigned> dims,
                      int64_t count) {
  Place from = place(buffer, dims);
  return tile::LoadOp::create(
      b, loc, RankedTensorType::get({count}, buffer.elementType()),
      kernel.view(from.view, /*write=*/false), from.coords, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
}

Value Combining::init(unsigned number, int64_t count) {
  Value one = load(host.buffer(op.getInits()[number]), {}, 1);
  auto type = cast<RankedTensorType>(one.getType()).clone({count});
  return type == one.getType()
             ? one
             : tile::BroadcastOp::create(b, loc, type, one).getResult();
}

SmallVector<Value> Combining::read() {
  SmallVector<unsigned> all;
  for (unsigned d = 0; d < sizes.size(); ++d)
    all.push_back(d);
  SmallVector<Value> values;
  for (Value input : op.getInputs())
    values.push_back(load(host.buffer(input), all, block));
  if (axis < 0 || !llvm::is_contained(reduced, unsigned(axis)) || block == 1)
    return values;
  // Behind the end there is nothing to combine.
  auto type = RankedTensorType::get({block}, b.getI64Type());
  auto splat = [&](Value index) {
    Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
    return tile::SplatOp::create(b, loc, type, wide).getResult();
  };
  Value at =
      arith::AddIOp::create(b, loc, splat(offsets[axis]),
                            tile::IotaOp::create(b, loc, type, uint64_t(0)));
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at,
                                       splat(kernel.index(sizes[axis])));
  for (auto [number, value] : llvm::enumerate(values))
    value = arith::SelectOp::create(b, loc, inside, value, init(number, block));
  return values;
}

SmallVector<Value> Combining::loops(size_t number, ValueRange carried) {
  if (number == reduced.size())
    return combine(carried, read());
  unsigned d = reduced[number];
  auto loop = scf::ForOp::create(
      b, loc, kernel.constant(0), kernel.index(sizes[d]),
      kernel.constant(static_cast<int>(d) == axis ? block : 1), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  offsets[d] = loop.getInductionVar();
  SmallVector<Value> next = loops(number + 1, loop.getRegionIterArgs());
  if (next.empty())
    return {};
  scf::YieldOp::create(b, loc, next);
  return SmallVector<Value>(loop.getResults());
}

/// One element of all of a tile: halves are combined until one is left.
SmallVector<Value> Combining::fold(SmallVector<Value> values) {
  for (int64_t count = block; count > 1 && !values.empty(); count /= 2) {
    SmallVector<Value> left, right;
    for (Value value : values) {
      Type element = getElementTypeOrSelf(value.getType());
      Value pairs = tile::ReshapeOp::create(
          b, loc, RankedTensorType::get({count / 2, 2}, element), value);
      auto half = RankedTensorType::get({count / 2}, element);
      auto split = tile::SplitOp::create(b, loc, half, half, pairs);
      left.push_back(split.getFirst());
      right.push_back(split.getSecond());
    }
    values = combine(left, right);
  }
  return values;
}

LogicalResult Combining::run() {
  placeDims();
  bool isReduced = axis >= 0 && llvm::is_contained(reduced, unsigned(axis));
  SmallVector<Value> inits;
  for (unsigned number = 0; number < op.getInits().size(); ++number)
    inits.push_back(init(number, block));
  SmallVector<Value> values = loops(0, inits);
  if (isReduced)
    values = fold(std::move(values));
  if (values.empty()) {
    kernel.abandon();
    return failure();
  }
  for (size_t number = 0; number < values.size(); ++number) {
    Place to = place(outs[number], kept);
    tile::StoreOp::create(
        b, loc, values[number], kernel.view(to.view, /*write=*/true), to.coords,
        /*element_offsets=*/true, tile::Combine::assign, DenseI64ArrayAttr());
  }
  kernel.finish("generic.combine");
  return success();
}

LogicalResult kiln::schedule::scheduleCombine(prim::FusionOp fusion,
                                              ScheduleContext &ctx) {
  auto op = findOnly<prim::ReduceOp>(fusion, ctx, "reduction with a region");
  if (!op)
    return failure();
  SmallVector<Buffer, 1> outs;
  for (Value result : fusion.getResults())
    outs.push_back(ctx.host.destination(result));
  Combining combining(op, ctx, outs);
  if (failed(combining.run()))
    return ctx.decline(fusion, combining.reason);
  for (auto [result, out] : llvm::zip(fusion.getResults(), outs))
    ctx.host.setBuffer(result, out);
  return success();
}
