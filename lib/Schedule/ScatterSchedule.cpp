//===- ScatterSchedule.cpp - Windows at computed places -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operand is copied unless it is where the result goes. Then each instance
// updates a part of the result that is its own: a block along a dimension that
// no index moves, for all places one after the other. Where windows do not
// overlap, places are spread over the grid, too.
//
//===----------------------------------------------------------------------===//

#include "kiln/Schedule/Schedules.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

namespace {

/// A dimension of the windows.
struct WindowDim {
  Extent size, whole; ///< of windows and of the operand
  Extent stride, updateStride;
  int64_t coordinate = -1; ///< which of the coordinates moves it
  int dim = -1;            ///< of the kernel
  /// What of it is read and written at once.
  Value offset;
};

/// A dimension of the places, matched ones first.
struct PlaceDim {
  Extent size, indexStride, updateStride, stride;
  int dim = -1; ///< of the kernel; -1: a loop
  Value offset;
};

class ScatterBuilder {
public:
  ScatterBuilder(prim::ScatterOp op, ScheduleContext &ctx, Buffer out)
      : op(op), host(ctx.host), kernel(ctx.host, op.getLoc(), ctx.kernelName),
        b(kernel.b), loc(op.getLoc()), out(std::move(out)) {}

  void run(int64_t widest);

private:
  void describe();
  void mergeWindows();
  /// Which dimension is read as a tile, and how much of it at once.
  void chooseAxis(int64_t widest);
  void placeDims();
  /// Loops over what the grid does not cover, `update` inside of all.
  void loopPlaces(size_t number);
  void loopWindow(size_t number);
  void update();
  void updateBlock();
  void updateIndirect();
  Value coordinate(int64_t number, bool asTile);
  Value combine(Value before, Value after);
  /// The view of a buffer's memory as a line.
  Value line();
  Value tileOf(Value scalar);
  Value add(Value a, Value c);

  prim::ScatterOp op;
  HostProgramBuilder &host;
  KernelBuilder kernel;
  OpBuilder &b;
  Location loc;
  Buffer out, indices, updates;
  SmallVector<WindowDim, 2> windows;
  SmallVector<PlaceDim, 2> places;
  unsigned batch = 0;
  int axisWindow = -1, axisPlace = -1;
  int64_t block = 1;
};

} // namespace

void ScatterBuilder::describe() {
  batch = op.getBatchDims();
  indices = host.buffer(op.getIndices());
  updates = host.buffer(op.getUpdates());
  unsigned count = indices.rank() - 1;
  for (unsigned d = 0; d < count; ++d) {
    PlaceDim place;
    place.size = indices.sizes[d];
    place.indexStride = indices.strides[d];
    place.updateStride = updates.strides[d];
    if (d < batch)
      place.stride = out.strides[d];
    else
      place.stride = 0;
    places.push_back(place);
  }
  for (unsigned d = batch; d < out.rank(); ++d) {
    WindowDim window;
    window.size = updates.sizes[count + d - batch];
    window.whole = out.sizes[d];
    window.stride = out.strides[d];
    window.updateStride = updates.strides[count + d - batch];
    for (auto [k, dim] : llvm::enumerate(op.getDims()))
      if (dim == d)
        window.coordinate = k;
    windows.push_back(window);
  }
}

/// Neighbours that lie one after the other everywhere are one.
void ScatterBuilder::mergeWindows() {
  index::Math &math = host.math;
  SmallVector<WindowDim, 2> merged;
  for (const WindowDim &next : windows) {
    if (!merged.empty()) {
      WindowDim &last = merged.back();
      if (last.coordinate < 0 && next.coordinate < 0 &&
          next.size.same(next.whole) &&
          last.stride.same(math.mul(next.stride, next.whole)) &&
          last.updateStride.same(math.mul(next.updateStride, next.size))) {
        last.size = math.mul(last.size, next.size);
        last.whole = math.mul(last.whole, next.whole);
        last.stride = next.stride;
        last.updateStride = next.updateStride;
        continue;
      }
    }
    merged.push_back(next);
  }
  windows = std::move(merged);
}

void ScatterBuilder::chooseAxis(int64_t widest) {
  auto blockOf = [&](Extent size) {
    if (!size.isStatic())
      return widest;
    return std::min<int64_t>(widest, llvm::PowerOf2Ceil(size.get()));
  };
  // What no index moves, and lies together.
  for (auto [number, window] : llvm::enumerate(windows))
    if (window.coordinate < 0 && !window.size.is(1) && window.stride.is(1))
      axisWindow = number;
  for (auto [number, window] : llvm::enumerate(windows))
    if (axisWindow < 0 && !window.size.is(1) && window.stride.is(1))
      axisWindow = number;
  if (axisWindow >= 0) {
    block = blockOf(windows[axisWindow].size);
    return;
  }
  // Else several places at once, if they have nothing to do with each other.
  if (op.getUnique() && places.size() > batch)
    axisPlace = places.size() - 1;
  if (axisPlace >= 0)
    block = blockOf(places[axisPlace].size);
}

void ScatterBuilder::placeDims() {
  auto addDim = [&](Extent size, int64_t elements) {
    KernelDim dim;
    dim.size = size;
    dim.block = elements;
    kernel.dims.push_back(dim);
    return static_cast<int>(kernel.dims.size() - 1);
  };
  for (auto [number, window] : llvm::enumerate(windows)) {
    bool isAxis = static_cast<int>(number) == axisWindow;
    // Windows at several places may overlap along what an index moves.
    if (window.coordinate < 0 || op.getUnique())
      window.dim = addDim(window.size, isAxis ? block : 1);
  }
  for (auto [number, place] : llvm::enumerate(places)) {
    bool isAxis = static_cast<int>(number) == axisPlace;
    if (number < batch || op.getUnique())
      place.dim = addDim(place.size, isAxis ? block : 1);
  }
  for (int dim = static_cast<int>(kernel.dims.size()) - 1; dim >= 0; --dim)
    kernel.addGridDim(dim);
  kernel.placeGrid();
  for (WindowDim &window : windows)
    if (window.dim >= 0)
      window.offset = kernel.dims[window.dim].offset;
  for (PlaceDim &place : places)
    if (place.dim >= 0)
      place.offset = kernel.dims[place.dim].offset;
}

Value ScatterBuilder::add(Value a, Value c) { return kernel.add(a, c); }

Value ScatterBuilder::tileOf(Value scalar) {
  auto type = RankedTensorType::get({block}, b.getI64Type());
  scalar = arith::IndexCastOp::create(b, loc, b.getI64Type(), scalar);
  return tile::SplatOp::create(b, loc, type, scalar);
}

/// A coordinate of the place, or of all places along the axis.
Value ScatterBuilder::coordinate(int64_t number, bool asTile) {
  Buffer view;
  view.base = indices.base;
  view.offset = indices.offset;
  SmallVector<Value> coords;
  // The axis of the tile comes last.
  int last = asTile ? axisPlace : -1;
  for (auto [d, place] : llvm::enumerate(places))
    if (static_cast<int>(d) != last) {
      view.sizes.push_back(place.size);
      view.strides.push_back(place.indexStride);
      coords.push_back(place.offset);
    }
  view.sizes.push_back(indices.sizes.back());
  view.strides.push_back(indices.strides.back());
  coords.push_back(kernel.constant(number));
  if (last >= 0) {
    view.sizes.push_back(places[last].size);
    view.strides.push_back(places[last].indexStride);
    coords.push_back(places[last].offset);
  }
  Value tile = tile::LoadOp::create(
      b, loc,
      RankedTensorType::get({asTile ? block : 1}, indices.elementType()),
      kernel.view(view, /*write=*/false), coords, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
  if (asTile) {
    auto wide = RankedTensorType::get({block}, b.getI64Type());
    return wide == tile.getType()
               ? tile
               : arith::ExtSIOp::create(b, loc, wide, tile).getResult();
  }
  Value scalar =
      tensor::ExtractOp::create(b, loc, tile, ValueRange(kernel.constant(0)));
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), scalar);
}

Value ScatterBuilder::combine(Value before, Value after) {
  Type element = getElementTypeOrSelf(before.getType());
  bool isFloat = isa<FloatType>(element), isTruth = element.isInteger(1);
  auto make = [&](auto floats, auto ints) -> Value {
    if (isFloat)
      return decltype(floats)::create(b, loc, before, after);
    return decltype(ints)::create(b, loc, before, after);
  };
  using Kind = prim::ScatterKind;
  Kind kind = op.getCombine();
  if (isTruth) {
    bool isAny = kind == Kind::add || kind == Kind::max || kind == Kind::umax;
    bool isAll = kind == Kind::mul || kind == Kind::min || kind == Kind::umin;
    kind = isAny ? Kind::or_ : isAll ? Kind::and_ : kind;
  }
  switch (kind) {
  case Kind::set:
    return after;
  case Kind::add:
    return make(arith::AddFOp(), arith::AddIOp());
  case Kind::mul:
    return make(arith::MulFOp(), arith::MulIOp());
  case Kind::min:
    return make(arith::MinimumFOp(), arith::MinSIOp());
  case Kind::max:
    return make(arith::MaximumFOp(), arith::MaxSIOp());
  case Kind::umin:
    return arith::MinUIOp::create(b, loc, before, after);
  case Kind::umax:
    return arith::MaxUIOp::create(b, loc, before, after);
  case Kind::and_:
    return arith::AndIOp::create(b, loc, before, after);
  case Kind::or_:
    return arith::OrIOp::create(b, loc, before, after);
  case Kind::xor_:
    return arith::XOrIOp::create(b, loc, before, after);
  }
  return after;
}

void ScatterBuilder::loopPlaces(size_t number) {
  while (number < places.size() && places[number].offset)
    ++number;
  if (number == places.size())
    return loopWindow(0);
  auto loop =
      scf::ForOp::create(b, loc, kernel.constant(0),
                         kernel.index(places[number].size), kernel.constant(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  places[number].offset = loop.getInductionVar();
  loopPlaces(number + 1);
  places[number].offset = Value();
}

void ScatterBuilder::loopWindow(size_t number) {
  while (number < windows.size() && windows[number].offset)
    ++number;
  if (number == windows.size())
    return update();
  bool isAxis = static_cast<int>(number) == axisWindow;
  auto loop = scf::ForOp::create(b, loc, kernel.constant(0),
                                 kernel.index(windows[number].size),
                                 kernel.constant(isAxis ? block : 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  windows[number].offset = loop.getInductionVar();
  loopWindow(number + 1);
  windows[number].offset = Value();
}

void ScatterBuilder::update() {
  bool isMoved = axisWindow >= 0 && windows[axisWindow].coordinate >= 0;
  if (axisPlace >= 0 || isMoved)
    updateIndirect();
  else
    updateBlock();
}

/// Along a dimension that no index moves, or a single element.
void ScatterBuilder::updateBlock() {
  Buffer to, from;
  to.base = out.base;
  to.offset = out.offset;
  from.base = updates.base;
  from.offset = updates.offset;
  SmallVector<Value> toCoords, fromCoords;
  auto addDim = [&](Buffer &buffer, SmallVectorImpl<Value> &coords, Extent size,
                    Extent stride, Value offset) {
    buffer.sizes.push_back(size);
    buffer.strides.push_back(stride);
    coords.push_back(offset);
  };
  for (auto [d, place] : llvm::enumerate(places)) {
    addDim(from, fromCoords, place.size, place.updateStride, place.offset);
    if (d < batch)
      addDim(to, toCoords, place.size, place.stride, place.offset);
  }
  auto addWindow = [&](const WindowDim &window) {
    addDim(from, fromCoords, window.size, window.updateStride, window.offset);
    if (window.coordinate < 0)
      // The window may be smaller than the operand.
      addDim(to, toCoords, window.size, window.stride, window.offset);
    else
      addDim(to, toCoords, window.whole, window.stride,
             add(coordinate(window.coordinate, false), window.offset));
  };
  for (auto [number, window] : llvm::enumerate(windows))
    if (static_cast<int>(number) != axisWindow)
      addWindow(window);
  if (axisWindow >= 0)
    addWindow(windows[axisWindow]);
  for (auto *pair : {&to, &from})
    if (pair->sizes.empty()) {
      pair->sizes.push_back(1);
      pair->strides.push_back(1);
      (pair == &to ? toCoords : fromCoords).push_back(kernel.constant(0));
    }
  auto type = RankedTensorType::get({block}, out.elementType());
  Value tile = tile::LoadOp::create(
      b, loc, type, kernel.view(from, /*write=*/false), fromCoords, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
  Value view = kernel.view(to, /*write=*/true);
  if (op.getCombine() != prim::ScatterKind::set) {
    Value before = tile::LoadOp::create(
        b, loc, type, view, toCoords, Value(), /*element_offsets=*/true,
        tile::Padding::zero, DenseI64ArrayAttr());
    tile = combine(before, tile);
  }
  tile::StoreOp::create(b, loc, tile, view, toCoords, /*element_offsets=*/true,
                        tile::Combine::assign, DenseI64ArrayAttr());
}

Value ScatterBuilder::line() {
  Buffer whole;
  whole.base = out.base;
  whole.sizes.push_back(host.elementsOf(out.base));
  whole.strides.push_back(1);
  return kernel.view(whole, /*write=*/true);
}

/// Elements whose places are computed one by one.
void ScatterBuilder::updateIndirect() {
  auto type = RankedTensorType::get({block}, b.getI64Type());
  Value steps = tile::IotaOp::create(b, loc, type, uint64_t(0));
  Value place = tileOf(kernel.index(out.offset)), inside;
  auto both = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    Value holds = arith::CmpIOp::create(b, loc, predicate, x, y);
    inside = inside ? arith::AndIOp::create(b, loc, inside, holds).getResult()
                    : holds;
  };
  auto advance = [&](Value coord, Extent stride) {
    Value scaled =
        arith::MulIOp::create(b, loc, coord, tileOf(kernel.index(stride)));
    place = arith::AddIOp::create(b, loc, place, scaled);
  };
  Buffer from;
  from.base = updates.base;
  from.offset = updates.offset;
  SmallVector<Value> fromCoords;
  auto addFrom = [&](Extent size, Extent stride, Value offset) {
    from.sizes.push_back(size);
    from.strides.push_back(stride);
    fromCoords.push_back(offset);
  };
  for (auto [d, dim] : llvm::enumerate(places)) {
    if (d < batch)
      advance(tileOf(dim.offset), dim.stride);
    if (static_cast<int>(d) != axisPlace)
      addFrom(dim.size, dim.updateStride, dim.offset);
  }
  for (auto [number, window] : llvm::enumerate(windows)) {
    bool isAxis = static_cast<int>(number) == axisWindow;
    Value coord = tileOf(window.offset);
    if (isAxis) {
      coord = arith::AddIOp::create(b, loc, coord, steps);
      both(arith::CmpIPredicate::slt, coord, tileOf(kernel.index(window.size)));
    } else {
      addFrom(window.size, window.updateStride, window.offset);
    }
    if (window.coordinate >= 0) {
      Value start = axisPlace >= 0
                        ? coordinate(window.coordinate, true)
                        : tileOf(coordinate(window.coordinate, false));
      coord = arith::AddIOp::create(b, loc, coord, start);
    }
    both(arith::CmpIPredicate::sge, coord, tileOf(kernel.constant(0)));
    both(arith::CmpIPredicate::slt, coord, tileOf(kernel.index(window.whole)));
    advance(coord, window.stride);
  }
  if (axisPlace >= 0) {
    const PlaceDim &axis = places[axisPlace];
    Value number = arith::AddIOp::create(b, loc, tileOf(axis.offset), steps);
    both(arith::CmpIPredicate::slt, number, tileOf(kernel.index(axis.size)));
    addFrom(axis.size, axis.updateStride, axis.offset);
  } else {
    const WindowDim &axis = windows[axisWindow];
    addFrom(axis.size, axis.updateStride, axis.offset);
  }
  // What is nowhere is not written.
  place = arith::SelectOp::create(b, loc, inside, place,
                                  tileOf(kernel.constant(-1)));
  auto tileType = type.clone(out.elementType());
  Value tile = tile::LoadOp::create(
      b, loc, tileType, kernel.view(from, /*write=*/false), fromCoords, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
  Value view = line();
  if (op.getCombine() != prim::ScatterKind::set) {
    Value before =
        tile::LoadGatherOp::create(b, loc, tileType, view, ValueRange(), place,
                                   Value(), 0, tile::Padding::zero);
    tile = combine(before, tile);
  }
  tile::StoreScatterOp::create(b, loc, tile, view, ValueRange(), place,
                               uint64_t(0));
}

void ScatterBuilder::run(int64_t widest) {
  describe();
  mergeWindows();
  chooseAxis(widest);
  placeDims();
  loopPlaces(0);
  kernel.finish("generic.scatter");
}

LogicalResult
kiln::schedule::scheduleScatter(Operation *group,
                                target::LoweringContext &context) {
  auto *ctx = context.as<ScheduleContext>();
  if (!ctx)
    return context.decline(group, "needs the context of convert-prim-to-tile");
  auto fusion = cast<prim::FusionOp>(group);
  Block &body = fusion.getBody().front();
  auto op =
      body.getTerminator()->getOperand(0).getDefiningOp<prim::ScatterOp>();
  if (!op || &body.front() != op)
    return ctx->decline(group, "the group is not a single scatter");
  HostProgramBuilder &host = ctx->host;
  for (Value operand : op->getOperands())
    if (!host.hasBuffer(operand))
      return ctx->decline(group, "an operand of a scatter must be in memory");
  Buffer out = host.destination(fusion.getResult(0));
  const Buffer &operand = host.buffer(op.getOperand());
  if (!operand.same(out))
    program::CopyOp::create(host.builder, op.getLoc(), host.memref(operand),
                            host.memref(out));
  host.setBuffer(fusion.getResult(0), out);
  // Without updates the operand is all there is.
  if (llvm::is_contained(op.getUpdates().getType().getShape(), 0))
    return success();
  constexpr int64_t kWidest = 256;
  ScatterBuilder(op, *ctx, out).run(kWidest);
  return success();
}
