//===- LineKernel.cpp - Kernels along one dimension -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LineKernel.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

LineKernel::LineKernel(ScheduleContext &ctx, Location loc, StringRef name,
                       ArrayRef<Extent> sizes, unsigned dim, int across,
                       int64_t block, bool spread)
    : kernel(ctx.host, loc, name), b(kernel.b), loc(loc), dim(dim),
      across(across), block(block) {
  for (auto [d, size] : llvm::enumerate(sizes)) {
    dims.push_back(-1);
    if (d == dim && !spread)
      continue;
    KernelDim next;
    next.size = size;
    if (static_cast<int>(d) == across || d == dim)
      next.block = block;
    dims.back() = kernel.dims.size();
    kernel.dims.push_back(next);
  }
  for (int d = static_cast<int>(kernel.dims.size()) - 1; d >= 0; --d)
    kernel.addGridDim(d);
  kernel.placeGrid();
  if (spread)
    start = kernel.dims[dims[dim]].offset;
}

Buffer LineKernel::view(const Buffer &buffer, Value at,
                        SmallVectorImpl<Value> &coords) {
  Buffer result;
  result.base = buffer.base;
  result.offset = buffer.offset;
  unsigned last = across >= 0 ? across : dim;
  auto add = [&](unsigned d) {
    result.sizes.push_back(buffer.sizes[d]);
    result.strides.push_back(buffer.strides[d]);
    if (d != dim)
      coords.push_back(kernel.dims[dims[d]].offset);
    else if (at)
      coords.push_back(at);
  };
  for (unsigned d = 0; d < buffer.rank(); ++d)
    if (d != last)
      add(d);
  add(last);
  return result;
}

Value LineKernel::load(const Buffer &buffer, Value at, TypedAttr outside) {
  SmallVector<Value> coords;
  Buffer from = view(buffer, at, coords);
  Value pad;
  if (outside)
    pad = arith::ConstantOp::create(b, loc, outside);
  return tile::LoadOp::create(b, loc, tileType(buffer.elementType()),
                              kernel.view(from, /*write=*/false), coords, pad,
                              /*element_offsets=*/true,
                              pad ? tile::Padding::value : tile::Padding::zero,
                              DenseI64ArrayAttr());
}

void LineKernel::store(Value tile, const Buffer &buffer, Value at) {
  SmallVector<Value> coords;
  Buffer to = view(buffer, at, coords);
  tile::StoreOp::create(b, loc, tile, kernel.view(to, /*write=*/true), coords,
                        /*element_offsets=*/true, tile::Combine::assign,
                        DenseI64ArrayAttr());
}

Value LineKernel::gather(const Buffer &buffer, Value indices, bool written) {
  SmallVector<Value> coords;
  Buffer from = view(buffer, Value(), coords);
  // One element of every dimension but the last.
  SmallVector<int64_t> shape(from.rank(), 1);
  shape.back() = block;
  Value tile = tile::LoadGatherOp::create(
      b, loc, RankedTensorType::get(shape, buffer.elementType()),
      kernel.view(from, written), coords, indices, Value(), from.rank() - 1,
      tile::Padding::zero);
  if (from.rank() == 1)
    return tile;
  return tile::ReshapeOp::create(b, loc, tileType(buffer.elementType()), tile);
}

void LineKernel::scatter(Value tile, const Buffer &buffer, Value indices) {
  SmallVector<Value> coords;
  Buffer to = view(buffer, Value(), coords);
  SmallVector<int64_t> shape(to.rank(), 1);
  shape.back() = block;
  if (to.rank() > 1)
    tile = tile::ReshapeOp::create(
        b, loc, RankedTensorType::get(shape, buffer.elementType()), tile);
  tile::StoreScatterOp::create(b, loc, tile, kernel.view(to, /*write=*/true),
                               coords, indices, uint64_t(to.rank() - 1));
}

Value LineKernel::steps(Type element) {
  return tile::IotaOp::create(b, loc, tileType(element), uint64_t(0));
}

Value LineKernel::splat(Value index, Type element) {
  Value scalar = arith::IndexCastOp::create(b, loc, element, index);
  return tile::SplatOp::create(b, loc, tileType(element), scalar);
}

Value LineKernel::constant(TypedAttr value) {
  return arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(tileType(value.getType()),
                             static_cast<Attribute>(value)));
}
