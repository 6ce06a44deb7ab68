//===- ScatterUpdate.cpp - One update of a scatter ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScatterBuilder.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

Value ScatterBuilder::tileOf(Value scalar) {
  auto type = RankedTensorType::get({block}, b.getI64Type());
  scalar = arith::IndexCastOp::create(b, loc, b.getI64Type(), scalar);
  return tile::SplatOp::create(b, loc, type, scalar);
}

/// A coordinate of the place, or of all places along the axis.
Value ScatterBuilder::coordinate(int64_t number, bool asTile) {
  if (!known.empty())
    return known[number];
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

Value kiln::schedule::combineUpdate(prim::ScatterOp op, Value before,
                                    Value after, OpBuilder &b) {
  Location loc = op.getLoc();
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

static void addDim(Buffer &buffer, SmallVectorImpl<Value> &coords, Extent size,
                   Extent stride, Value offset) {
  buffer.sizes.push_back(size);
  buffer.strides.push_back(stride);
  coords.push_back(offset);
}

/// A single element has one dimension, too.
static void completeRank(KernelBuilder &kernel, Buffer &buffer,
                         SmallVectorImpl<Value> &coords) {
  if (buffer.sizes.empty())
    addDim(buffer, coords, 1, 1, kernel.constant(0));
}

/// The axis of a tile is the last one of its view.
SmallVector<const WindowDim *> ScatterBuilder::axisLast() const {
  SmallVector<const WindowDim *> all;
  for (auto [number, window] : llvm::enumerate(windows))
    if (static_cast<int>(number) != axisWindow)
      all.push_back(&window);
  if (axisWindow >= 0)
    all.push_back(&windows[axisWindow]);
  return all;
}

Value ScatterBuilder::loadUpdate() {
  Buffer from;
  from.base = updates.base;
  from.offset = updates.offset;
  SmallVector<Value> coords;
  for (const PlaceDim &place : places)
    addDim(from, coords, place.size, place.updateStride, place.offset);
  for (const WindowDim *window : axisLast())
    addDim(from, coords, window->size, window->updateStride, window->offset);
  completeRank(kernel, from, coords);
  return tile::LoadOp::create(
      b, loc, RankedTensorType::get({block}, out.elementType()),
      kernel.view(from, /*write=*/false), coords, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
}

/// Along a dimension that no index moves, or a single element.
void ScatterBuilder::updateBlock() {
  Value tile = loaded ? loaded : loadUpdate();
  Buffer to;
  to.base = out.base;
  to.offset = out.offset;
  SmallVector<Value> coords;
  for (const PlaceDim &place : ArrayRef(places).take_front(batch))
    addDim(to, coords, place.size, place.stride, place.offset);
  for (const WindowDim *window : axisLast()) {
    if (window->coordinate < 0) {
      // The window may be smaller than the operand.
      addDim(to, coords, window->size, window->stride, window->offset);
      continue;
    }
    Value at = add(coordinate(window->coordinate, false), window->offset);
    // A place that is not there is outside, where stores do nothing.
    if (validPlace)
      at = arith::SelectOp::create(b, loc, validPlace, at, kernel.constant(-1));
    addDim(to, coords, window->whole, window->stride, at);
  }
  completeRank(kernel, to, coords);
  Value view = kernel.view(to, /*write=*/true);
  if (!combining && op.getCombine() != prim::ScatterKind::set) {
    Value before = tile::LoadOp::create(
        b, loc, cast<RankedTensorType>(tile.getType()), view, coords, Value(),
        /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
    tile = combineUpdate(op, before, tile, b);
  }
  tile::StoreOp::create(b, loc, tile, view, coords, /*element_offsets=*/true,
                        combining.value_or(tile::Combine::assign),
                        DenseI64ArrayAttr());
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
  for (auto [d, dim] : llvm::enumerate(places)) {
    bool isAxis = static_cast<int>(d) == axisPlace;
    if (d < batch) {
      Value at = tileOf(dim.offset);
      if (isAxis)
        at = arith::AddIOp::create(b, loc, at, steps);
      advance(at, dim.stride);
    }
    if (!isAxis)
      addDim(from, fromCoords, dim.size, dim.updateStride, dim.offset);
  }
  for (auto [number, window] : llvm::enumerate(windows)) {
    bool isAxis = static_cast<int>(number) == axisWindow;
    Value coord = tileOf(window.offset);
    if (isAxis) {
      coord = arith::AddIOp::create(b, loc, coord, steps);
      both(arith::CmpIPredicate::slt, coord, tileOf(kernel.index(window.size)));
    } else {
      addDim(from, fromCoords, window.size, window.updateStride, window.offset);
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
    addDim(from, fromCoords, axis.size, axis.updateStride, axis.offset);
  } else {
    const WindowDim &axis = windows[axisWindow];
    addDim(from, fromCoords, axis.size, axis.updateStride, axis.offset);
  }
  // What is nowhere is not written.
  place = arith::SelectOp::create(b, loc, inside, place,
                                  tileOf(kernel.constant(-1)));
  auto tileType = type.clone(out.elementType());
  Value tile = tile::LoadOp::create(
      b, loc, tileType, kernel.view(from, /*write=*/false), fromCoords, Value(),
      /*element_offsets=*/true, tile::Padding::zero, DenseI64ArrayAttr());
  Value view = line();
  if (!combining && op.getCombine() != prim::ScatterKind::set) {
    Value before =
        tile::LoadGatherOp::create(b, loc, tileType, view, ValueRange(), place,
                                   Value(), 0, tile::Padding::zero);
    tile = combineUpdate(op, before, tile, b);
  }
  tile::StoreScatterOp::create(b, loc, tile, view, ValueRange(), place,
                               uint64_t(0),
                               combining.value_or(tile::Combine::assign));
}
