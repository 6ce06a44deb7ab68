//===- EmitMemory.cpp - Loads, stores and indices of tiles ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Schedule/TileBuilder.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

Buffer TileBuilder::viewOf(const Buffer &buffer, const AccessMap &map,
                           SmallVectorImpl<ViewDim> &viewDims) {
  index::Math &math = kernel.host.math;
  SmallVector<Extent> strides(kernel.dims.size(), 0);
  llvm::SmallBitVector bounded(kernel.dims.size());
  Buffer view;
  view.base = buffer.base;
  view.offset = buffer.offset;
  for (auto [expr, stride] : llvm::zip(map.index, buffer.strides)) {
    view.offset = math.add(view.offset, math.mul(expr.offset(), stride));
    for (int dim : expr.dims()) {
      strides[dim] =
          math.add(strides[dim], math.mul(expr.coefficient(dim), stride));
      if (kernel.dims[dim].outside || map.rangeOf(dim))
        bounded.set(dim);
    }
  }
  for (auto [dim, stride] : llvm::enumerate(strides)) {
    // All places of a dimension of stride 0 are one element, but those outside
    // of it are padding.
    if ((stride.is(0) && !bounded.test(dim)) || kernel.dims[dim].into >= 0)
      continue;
    ViewDim v{static_cast<int>(dim), kernel.dims[dim].size, stride, 0,
              axisOf(dim)};
    if (const IndexRange *range = map.rangeOf(dim)) {
      v.lo = range->lo;
      v.size = math.max(math.sub(range->hi, range->lo), 0);
      view.offset = math.add(view.offset, math.mul(range->lo, stride));
    }
    viewDims.push_back(v);
  }
  llvm::sort(viewDims, [](const ViewDim &a, const ViewDim &b) {
    return std::pair(a.axis, a.dim) < std::pair(b.axis, b.dim);
  });
  for (const ViewDim &v : viewDims) {
    view.sizes.push_back(v.size);
    view.strides.push_back(v.stride);
  }
  return view;
}

bool TileBuilder::coordinates(ArrayRef<ViewDim> viewDims,
                              SmallVectorImpl<Value> &coords,
                              DenseI64ArrayAttr &step) {
  bool elements = false, steps = false;
  SmallVector<int64_t> list;
  for (const ViewDim &v : viewDims) {
    const KernelDim &d = kernel.dims[v.dim];
    elements |= !d.coord || !v.lo.is(0);
    steps |= d.step != 1 && d.block > 1;
    list.push_back(d.block > 1 ? d.step : 1);
  }
  elements |= steps;
  for (const ViewDim &v : viewDims) {
    const KernelDim &d = kernel.dims[v.dim];
    coords.push_back(elements ? kernel.sub(d.offset, kernel.index(v.lo))
                              : d.coord);
  }
  if (steps)
    step = kernel.b.getDenseI64ArrayAttr(list);
  return elements;
}

TileBuilder::ViewAccess TileBuilder::accessOf(const Buffer &buffer,
                                              const AccessMap &map) {
  ViewAccess access;
  SmallVector<ViewDim> viewDims;
  access.view = viewOf(buffer, map, viewDims);
  access.elements = coordinates(viewDims, access.coords, access.step);
  access.full.assign(space.axes.size(), 1);
  for (const ViewDim &v : viewDims)
    if (v.axis >= 0) {
      access.shape.push_back(kernel.dims[v.dim].block);
      access.full[v.axis] = access.shape.back();
    }
  // A view must have a dimension to have a tile of rank 1. A buffer without
  // elements has strides of 0, so that none of its dimensions is in the view.
  if (viewDims.empty()) {
    bool isEmpty =
        llvm::any_of(buffer.sizes, [](Extent size) { return size.is(0); });
    access.view.sizes.push_back(isEmpty ? 0 : 1);
    access.view.strides.push_back(1);
    access.coords.push_back(kernel.constant(0));
  }
  if (access.shape.empty())
    access.shape.push_back(1);
  return access;
}

TileBuilder::ListedAccess TileBuilder::listedAccessOf(const Buffer &buffer,
                                                      const AccessMap &map) {
  ListedAccess access;
  if (llvm::none_of(kernel.dims, [](const KernelDim &d) { return d.places; }))
    return access;
  SmallVector<ViewDim> viewDims;
  access.view = viewOf(buffer, map, viewDims);
  access.full.assign(space.axes.size(), 1);
  for (auto [number, v] : llvm::enumerate(viewDims)) {
    const KernelDim &d = kernel.dims[v.dim];
    access.shape.push_back(v.axis >= 0 ? d.block : 1);
    if (v.axis >= 0)
      access.full[v.axis] = d.block;
    if (d.places && v.axis >= 0) {
      assert(!access.places && "at most one dimension has listed places");
      access.places = d.places;
      access.dim = number;
      if (v.lo.is(0))
        continue;
      // Places before the range become negative, which is outside.
      auto type = cast<RankedTensorType>(d.places.getType());
      Value low = arith::IndexCastOp::create(
          kernel.b, kernel.loc, type.getElementType(), kernel.index(v.lo));
      access.places = arith::SubIOp::create(
          kernel.b, kernel.loc, d.places,
          tile::SplatOp::create(kernel.b, kernel.loc, type, low));
    } else {
      assert(d.offset && "a dimension of the view has a place");
      access.offsets.push_back(kernel.sub(d.offset, kernel.index(v.lo)));
    }
  }
  return access;
}

Value TileBuilder::load(const Buffer &buffer, const AccessMap &map,
                        TypedAttr pad) {
  OpBuilder &b = kernel.b;
  Value padValue;
  tile::Padding padding = tile::Padding::zero;
  if (pad && pad != zeroOf(pad.getType())) {
    padding = tile::Padding::value;
    padValue = arith::ConstantOp::create(b, kernel.loc, pad);
  }
  if (ListedAccess listed = listedAccessOf(buffer, map); listed.places) {
    auto type = RankedTensorType::get(listed.shape, buffer.elementType());
    Value param = kernel.view(listed.view, /*write=*/false);
    Value tile = tile::LoadGatherOp::create(b, kernel.loc, type, param,
                                            listed.offsets, listed.places,
                                            padValue, listed.dim, padding);
    return reshape(tile, listed.full);
  }
  ViewAccess access = accessOf(buffer, map);
  Value param = kernel.view(access.view, /*write=*/false);
  Value tile = tile::LoadOp::create(
      b, kernel.loc, RankedTensorType::get(access.shape, buffer.elementType()),
      param, access.coords, padValue, access.elements, padding, access.step);
  return reshape(tile, access.full);
}

void TileBuilder::store(Value tile, const Buffer &buffer,
                        const AccessMap &map) {
  if (ListedAccess listed = listedAccessOf(buffer, map); listed.places) {
    tile = reshape(broadcast(tile, listed.full), listed.shape);
    Value param = kernel.view(listed.view, /*write=*/true);
    tile::StoreScatterOp::create(kernel.b, kernel.loc, tile, param,
                                 listed.offsets, listed.places, listed.dim,
                                 tile::Combine::assign);
    return;
  }
  ViewAccess access = accessOf(buffer, map);
  tile = reshape(broadcast(tile, access.full), access.shape);
  Value param = kernel.view(access.view, /*write=*/true);
  tile::StoreOp::create(kernel.b, kernel.loc, tile, param, access.coords,
                        access.elements, tile::Combine::assign, access.step);
}

Value TileBuilder::indexTile(const IndexExpr &expr, Type type) {
  OpBuilder &b = kernel.b;
  SmallVector<int64_t> unit(space.axes.size(), 1);
  Value base = kernel.index(expr.offset());
  Value result;
  for (int dim : expr.dims()) {
    const KernelDim &d = kernel.dims[dim];
    Value coef = kernel.index(expr.coefficient(dim));
    base = kernel.add(base, kernel.mul(d.offset, coef));
    int axis = axisOf(dim);
    if (axis < 0 || d.block == 1)
      continue;
    SmallVector<int64_t> shape = unit;
    shape[axis] = d.block;
    auto tileType = RankedTensorType::get(shape, type);
    Value tile = tile::IotaOp::create(b, kernel.loc, tileType,
                                      static_cast<uint64_t>(axis));
    if (!expr.coefficient(dim).is(1) || d.step != 1) {
      Value scale = arith::IndexCastOp::create(
          b, kernel.loc, type, kernel.mul(coef, kernel.constant(d.step)));
      tile = arith::MulIOp::create(
          b, kernel.loc, tile,
          tile::SplatOp::create(b, kernel.loc, tileType, scale));
    }
    if (!result) {
      result = tile;
      continue;
    }
    auto have = cast<RankedTensorType>(result.getType()).getShape();
    for (auto [s, h] : llvm::zip(shape, have))
      s = std::max(s, h);
    result = arith::AddIOp::create(b, kernel.loc, broadcast(result, shape),
                                   broadcast(tile, shape));
  }
  Value start = arith::IndexCastOp::create(b, kernel.loc, type, base);
  if (!result)
    return tile::SplatOp::create(b, kernel.loc,
                                 RankedTensorType::get(unit, type), start);
  start = tile::SplatOp::create(b, kernel.loc, result.getType(), start);
  return arith::AddIOp::create(b, kernel.loc, result, start);
}

Value TileBuilder::emitIota(prim::IotaOp op, const AccessMap &map) {
  OpBuilder &b = kernel.b;
  Type element =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  Type wide = element.isInteger(64) ? b.getI64Type() : b.getI32Type();
  if (isa<FloatType>(element))
    wide = b.getI64Type();
  Value tile = indexTile(map.index[op.getDim()], wide);
  auto type = cast<RankedTensorType>(tile.getType()).clone(element);
  if (isa<FloatType>(element))
    return arith::SIToFPOp::create(b, kernel.loc, type, tile);
  if (wide == element)
    return tile;
  return arith::TruncIOp::create(b, kernel.loc, type, tile);
}

Value TileBuilder::emitFromIndex(prim::FromIndexOp op, const AccessMap &) {
  if (!kernel.host.hasIndex(op.getValue()))
    return fail("an index that the host does not know");
  Type element = op.getType().getElementType();
  Value index =
      kernel.index(kernel.host.math.of(kernel.host.index(op.getValue())));
  Value scalar =
      arith::IndexCastOp::create(kernel.b, kernel.loc, element, index);
  SmallVector<int64_t> unit(space.axes.size(), 1);
  return tile::SplatOp::create(kernel.b, kernel.loc,
                               RankedTensorType::get(unit, element), scalar);
}

Value TileBuilder::emitTable(prim::TableOp op, const AccessMap &map) {
  OpBuilder &b = kernel.b;
  Location loc = kernel.loc;
  Value source = emit(op.getOperand(), map);
  if (!source)
    return {};
  if (!kernel.host.hasBuffer(op.getTable()))
    return fail("a table must be in memory");
  Value table = kernel.view(kernel.host.buffer(op.getTable()), false);
  auto type = cast<RankedTensorType>(source.getType());
  auto wide = type.clone(b.getI32Type());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(wide, b.getI32IntegerAttr(value)));
  };
  auto read = [&](Value index) -> Value {
    Type element =
        cast<RankedTensorType>(op.getTable().getType()).getElementType();
    return tile::LoadGatherOp::create(b, loc, type.clone(element), table,
                                      ValueRange(), index, Value(), 0,
                                      tile::Padding::zero);
  };
  Value index = arith::ExtSIOp::create(b, loc, wide, source);
  if (type.getElementType().isInteger(8))
    return read(arith::AddIOp::create(b, loc, index, constant(128)));
  // i16: interpolate between two neighbours with 7 bits of fraction.
  index = arith::AddIOp::create(b, loc, index, constant(32768));
  Value slot = arith::ShRSIOp::create(b, loc, index, constant(7));
  Value fraction = arith::AndIOp::create(b, loc, index, constant(127));
  Value low = arith::ExtSIOp::create(b, loc, wide, read(slot));
  Value high = arith::ExtSIOp::create(
      b, loc, wide, read(arith::AddIOp::create(b, loc, slot, constant(1))));
  Value slope = arith::SubIOp::create(b, loc, high, low);
  Value rise = arith::MulIOp::create(b, loc, slope, fraction);
  return arith::AddIOp::create(
      b, loc, arith::ShLIOp::create(b, loc, low, constant(7)), rise);
}

Value TileBuilder::emitRescale(prim::RescaleOp op, const AccessMap &map) {
  OpBuilder &b = kernel.b;
  Value source = emit(op.getOperand(), map);
  if (!source)
    return {};
  auto type = cast<RankedTensorType>(source.getType());
  Type i64 = b.getI64Type();
  if (op.getMultiplier().size() == 1) {
    auto constant = [&](int64_t value) {
      return splat(b.getI64IntegerAttr(value), type.getShape());
    };
    return emitRescaleTile(op, source, constant(op.getMultiplier()[0]),
                           constant(op.getShift()[0]), b);
  }
  // One factor per channel, read like an operand of one dimension.
  AccessMap channel;
  channel.index.push_back(map.index.back());
  channel.ranges = map.ranges;
  auto read = [&](Type element, ArrayRef<int64_t> values) -> Value {
    auto tensor =
        RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
    SmallVector<APInt> numbers;
    for (int64_t value : values)
      numbers.push_back(APInt(element.getIntOrFloatBitWidth(), value, true));
    Value tile =
        load(kernel.host.constant(DenseIntElementsAttr::get(tensor, numbers)),
             channel);
    auto wide = cast<RankedTensorType>(tile.getType()).clone(i64);
    return arith::ExtSIOp::create(b, kernel.loc, wide, tile);
  };
  SmallVector<int64_t> multipliers(op.getMultiplier()), shifts;
  for (int8_t shift : op.getShift())
    shifts.push_back(shift);
  Value multiplier = read(b.getI32Type(), multipliers);
  Value shift = read(b.getIntegerType(8), shifts);
  SmallVector<int64_t> shape(type.getShape());
  for (auto [s, m] : llvm::zip(
           shape, cast<RankedTensorType>(multiplier.getType()).getShape()))
    s = std::max(s, m);
  return emitRescaleTile(op, broadcast(source, shape),
                         broadcast(multiplier, shape), broadcast(shift, shape),
                         b);
}
