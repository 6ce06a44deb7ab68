//===- Buffers.cpp - Tiles in scratch memory ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

/// Strides of a tile in scratch; returns the number of elements. Rows start at
/// cache lines unless `dense`, so that whole vectors fit behind their ends.
int64_t KernelEmitter::layout(RankedTensorType type, const Padding &padding,
                              SmallVector<int64_t> &strides) {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t perLine = 64 / storageBytes(type.getElementType());
  strides.assign(shape.size(), 1);
  int64_t stride = 1;
  int position = 0; // counts dimensions larger than 1, innermost first
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
    strides[d] = stride;
    bool matrix = d + 2 >= int64_t(shape.size()) && padding.rows > 1;
    if (shape[d] == 1 && !matrix)
      continue;
    int64_t size = shape[d];
    if (!padding.dense) {
      if (matrix)
        size =
            llvm::alignTo(size, d + 1 == int64_t(shape.size()) ? padding.columns
                                                               : padding.rows);
      if (position == 0)
        size = llvm::alignTo(size, perLine);
      // Rows that are a multiple of 1 KiB apart would share few cache sets.
      if (matrix && position == 0 &&
          size * storageBytes(type.getElementType()) % 1024 == 0)
        size += perLine;
    }
    ++position;
    stride *= size;
  }
  return stride;
}

Value KernelEmitter::scratchAt(int64_t offset) {
  OpBuilder::InsertionGuard guard(b);
  // All addresses in scratch are made at the entry, once each.
  Value &address = scratchAddresses[offset];
  if (!address) {
    b.setInsertionPointToStart(entry);
    address = gep(scratchBase, c64(offset), b.getI8Type());
  }
  return address;
}

TileBuffer KernelEmitter::allocateUntil(Type tile, Operation *last,
                                        Padding padding) {
  auto type = cast<RankedTensorType>(tile);
  TileBuffer buffer;
  buffer.elementType = type.getElementType();
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  int64_t elements = layout(type, padding, buffer.strides);
  int64_t offset =
      scratch.allocate(elements * storageBytes(buffer.elementType));
  buffer.base = scratchAt(offset);
  freeAfter[last].push_back(offset);
  return buffer;
}

TileBuffer KernelEmitter::allocateFor(Value tile, Padding padding) {
  return allocateUntil(tile.getType(), plan->lastUse(tile), padding);
}

Value KernelEmitter::temporary(int64_t bytes) {
  int64_t offset = scratch.allocate(bytes);
  temporaries.push_back(offset);
  return scratchAt(offset);
}

TileBuffer KernelEmitter::resultBuffer(Value tile, Padding padding) {
  if (Value carried = plan->inPlaceOf(tile))
    if (hasBuffer(carried))
      return bufferOf(carried);
  return allocateFor(tile, padding);
}

Value KernelEmitter::bufferAddress(const TileBuffer &buffer, const Point &point,
                                   int64_t &laneStride) {
  Value address = buffer.base;
  int64_t constant = 0;
  laneStride = 0;
  int deepest = point.level();
  for (int level = 0; level <= deepest; ++level) {
    AtLevel at(*this, level);
    Value sum;
    for (auto [d, coord] : llvm::enumerate(point.coords)) {
      if (!coord.index || coord.level != level || buffer.shape[d] == 1)
        continue;
      Value term = mul(coord.index, c64(buffer.strides[d]));
      sum = sum ? add(sum, term) : term;
    }
    if (sum)
      address = gep(address, sum, buffer.elementType);
  }
  for (auto [d, coord] : llvm::enumerate(point.coords)) {
    if (buffer.shape[d] == 1)
      continue;
    constant += coord.constant * buffer.strides[d];
    laneStride += coord.lane * buffer.strides[d];
  }
  AtLevel at(*this, deepest);
  return gep(address, c64(constant), buffer.elementType);
}

/// Addresses of lanes `stride` elements apart.
static Value laneAddresses(KernelEmitter &e, Value base, Type element,
                           int64_t stride, int64_t lanes) {
  SmallVector<Attribute> offsets;
  for (int64_t lane = 0; lane < lanes; ++lane)
    offsets.push_back(e.b.getI64IntegerAttr(lane * stride));
  auto type = VectorType::get({lanes}, e.b.getI64Type());
  Value ids = arith::ConstantOp::create(e.b, e.loc,
                                        DenseElementsAttr::get(type, offsets));
  auto pointers = VectorType::get({lanes}, base.getType());
  return LLVM::GEPOp::create(e.b, e.loc, pointers,
                             KernelEmitter::storageType(element), base,
                             ValueRange{ids});
}

static Value allLanes(KernelEmitter &e, int64_t lanes) {
  return arith::ConstantOp::create(
      e.b, e.loc,
      DenseElementsAttr::get(VectorType::get({lanes}, e.b.getI1Type()), true));
}

Value KernelEmitter::loadBuffer(const TileBuffer &buffer, const Point &point) {
  int64_t laneStride;
  Value address = bufferAddress(buffer, point, laneStride);
  AtLevel at(*this, point.level());
  Type stored = storageType(buffer.elementType);
  unsigned align = storageBytes(buffer.elementType);
  if (laneStride == 0 || point.lanes == 1)
    return fromStorage(LLVM::LoadOp::create(b, loc, stored, address, align),
                       buffer.elementType);
  Type type = vectorOf(stored, point.lanes);
  if (laneStride == 1)
    return fromStorage(LLVM::LoadOp::create(b, loc, type, address, align),
                       buffer.elementType);
  Value addresses = laneAddresses(*this, address, buffer.elementType,
                                  laneStride, point.lanes);
  return fromStorage(LLVM::masked_gather::create(
                         b, loc, type, addresses, allLanes(*this, point.lanes),
                         ValueRange{}, b.getI32IntegerAttr(align)),
                     buffer.elementType);
}

void KernelEmitter::storeBuffer(Value value, const TileBuffer &buffer,
                                const Point &point, Value count) {
  int64_t laneStride;
  Value address = bufferAddress(buffer, point, laneStride);
  unsigned align = storageBytes(buffer.elementType);
  value = toStorage(value);
  if (laneStride == 0 || point.lanes == 1) {
    LLVM::StoreOp::create(b, loc, value, address, align);
    return;
  }
  value = broadcastLanes(value, point.lanes);
  Value mask = count ? laneMask(count, point.lanes) : Value();
  if (laneStride == 1 && !mask) {
    LLVM::StoreOp::create(b, loc, value, address, align);
    return;
  }
  if (laneStride == 1) {
    LLVM::MaskedStoreOp::create(b, loc, value, address, mask, align);
    return;
  }
  if (!mask)
    mask = allLanes(*this, point.lanes);
  Value addresses = laneAddresses(*this, address, buffer.elementType,
                                  laneStride, point.lanes);
  LLVM::masked_scatter::create(b, loc, value, addresses, mask, align);
}

void KernelEmitter::fill(const TileBuffer &buffer, Value tile,
                         bool mayOverrun) {
  freshLevels();
  Nest nest;
  nest.shape = buffer.shape;
  SmallVector<int> identity(llvm::to_vector(llvm::map_range(
      llvm::seq<int>(buffer.shape.size()), [](int d) { return d; })));
  for (auto [d, size] : llvm::enumerate(buffer.shape))
    if (size == 1)
      identity[d] = kZero;
  chooseLanes(nest, tile, buffer.strides);
  collect(tile, identity, nest);
  int lane = nest.laneDim;
  // A row may be overrun when the next one starts at least a vector later and
  // is written afterwards or not at all.
  if (mayOverrun && lane >= 0 && buffer.strides[lane] == 1) {
    int64_t reach = llvm::alignTo(buffer.shape[lane], nest.lanes);
    nest.overrun = true;
    for (auto [d, stride] : llvm::enumerate(buffer.strides))
      if (buffer.shape[d] != 1 && int(d) != lane && stride < reach)
        nest.overrun = false;
    if (llvm::any_of(llvm::seq<int>(buffer.shape.size()), [&](int d) {
          return d != lane && buffer.shape[d] != 1 && buffer.strides[d] == 0;
        }))
      nest.overrun = false;
  }
  runNest(nest, [&](Point point, Value count) {
    Value value = evaluate(tile, point);
    storeBuffer(value, buffer, point, nest.overrun ? Value() : count);
  });
}

TileBuffer KernelEmitter::materialize(Value tile) {
  if (hasBuffer(tile))
    return bufferOf(tile);
  auto type = cast<RankedTensorType>(tile.getType());
  TileBuffer buffer;
  buffer.elementType = type.getElementType();
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  int64_t elements = layout(type, {}, buffer.strides);
  buffer.base = temporary(elements * storageBytes(buffer.elementType));
  fill(buffer, tile);
  return buffer;
}

void KernelEmitter::assignTiles(ArrayRef<Value> tiles,
                                ArrayRef<TileBuffer> targets,
                                ArrayRef<Value> carried) {
  // A tile goes straight to its target unless evaluating it, or one that comes
  // later, would read memory that has been overwritten.
  bool conflict = false;
  auto sameMemory = [](const TileBuffer &x, const TileBuffer &y) {
    return x.base == y.base;
  };
  for (auto [i, tile] : llvm::enumerate(tiles)) {
    if (hasBuffer(tile) && sameMemory(bufferOf(tile), targets[i]))
      continue;
    for (auto [j, old] : llvm::enumerate(carried)) {
      bool identity = true;
      if (!plan->reads(tile, old, identity))
        continue;
      conflict |= j < i || (j == i && !identity);
    }
  }
  SmallVector<TileBuffer> sources(tiles.size());
  for (auto [i, tile] : llvm::enumerate(tiles)) {
    if (hasBuffer(tile) && sameMemory(bufferOf(tile), targets[i]))
      continue;
    if (!conflict) {
      fill(targets[i], tile);
      continue;
    }
    auto type = cast<RankedTensorType>(tile.getType());
    sources[i] = targets[i];
    int64_t elements = layout(type, {}, sources[i].strides);
    sources[i].base = temporary(elements * storageBytes(type.getElementType()));
    fill(sources[i], tile);
  }
  for (auto [i, source] : llvm::enumerate(sources)) {
    if (!source)
      continue;
    // Copies through a stand-in for the tile.
    std::optional<TileBuffer> known;
    if (hasBuffer(tiles[i]))
      known = bufferOf(tiles[i]);
    buffers[tiles[i]] = source;
    fill(targets[i], tiles[i]);
    if (known)
      buffers[tiles[i]] = *known;
    else
      buffers.erase(tiles[i]);
  }
}
