//===- ScanGrid.cpp - Where the kernels of a scan are ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScanGrid.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

ScanGrid::ScanGrid(HostProgramBuilder &host, Location loc, StringRef name,
                   ArrayRef<Extent> sizes, unsigned dim,
                   const ScanBlocks &blocks, int64_t parts, bool reverse)
    : kernel(host, loc, name), b(kernel.b), loc(loc), blocks(blocks), dim(dim),
      reverse(reverse), count(host.math.ceilDiv(sizes[dim], blocks.along)) {
  for (auto [d, size] : llvm::enumerate(sizes)) {
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

RankedTensorType ScanGrid::tileType(Type element, int64_t along) const {
  SmallVector<int64_t> shape = {along};
  if (blocks.beside >= 0)
    shape.insert(blocks.isLast ? shape.begin() : shape.end(), blocks.across);
  return RankedTensorType::get(shape, element);
}

Value ScanGrid::view(const Buffer &buffer, Value at, bool write,
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

Value ScanGrid::broadcast(Value tile) {
  RankedTensorType type =
      tileType(getElementTypeOrSelf(tile.getType()), blocks.along);
  return type == tile.getType()
             ? tile
             : tile::BroadcastOp::create(b, loc, type, tile).getResult();
}

Value ScanGrid::placeOf(Value number) {
  if (reverse)
    number =
        kernel.sub(kernel.sub(kernel.index(count), kernel.constant(1)), number);
  return kernel.mul(number, kernel.constant(blocks.along));
}

std::pair<Value, Value> ScanGrid::ownBlocks() {
  if (!part)
    return {kernel.constant(0), kernel.index(count)};
  int64_t all = count.get(), each = llvm::divideCeil(all, blocks.parts);
  Value from = kernel.mul(part, kernel.constant(each));
  Value to = kernel.add(from, kernel.constant(each));
  if (all % each)
    to = arith::MinSIOp::create(b, loc, to, kernel.constant(all));
  return {from, to};
}
