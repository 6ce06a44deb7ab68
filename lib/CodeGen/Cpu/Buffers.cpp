//===- Buffers.cpp - Tiles in scratch memory ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include "NestBuilder.h"
#include "kiln/Dialect/Stage/StorageInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

Value NestBuilder::scratchAt(int64_t offset) {
  OpBuilder::InsertionGuard guard(b);
  // All addresses in scratch are made at the entry, once each.
  Value &address = scratchAddresses[offset];
  if (!address) {
    b.setInsertionPointToStart(entry);
    address = gep(scratchBase, c64(offset), b.getI8Type());
  }
  return address;
}

Value NestBuilder::temporary(int64_t bytes) {
  constexpr int64_t kLine = 64;
  int64_t offset = llvm::alignTo(temporaryEnd, kLine);
  // Whole vectors may be written at its end.
  temporaryEnd = offset + bytes + std::max(kLine, config.vectorBits / 8);
  scratchEnd = std::max(scratchEnd, temporaryEnd);
  return scratchAt(offset);
}

TileBuffer NestBuilder::temporaryTile(RankedTensorType type, int64_t elements) {
  TileBuffer buffer;
  buffer.elementType = type.getElementType();
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  buffer.strides.assign(buffer.shape.size(), 1);
  int64_t stride = 1, bytes = storageBytes(buffer.elementType);
  bool isRow = !elements;
  for (int64_t d = int64_t(buffer.shape.size()) - 1; d >= 0; --d) {
    buffer.strides[d] = stride;
    stride *= buffer.shape[d];
    if (isRow && buffer.shape[d] != 1)
      stride = llvm::alignTo(stride, 64 / bytes);
    isRow &= buffer.shape[d] == 1;
  }
  buffer.base = temporary(std::max(stride, elements) * bytes);
  return buffer;
}

TileBuffer NestBuilder::storageAt(Value storage, ValueRange origin) {
  TileBuffer buffer = storages.at(storage);
  if (origin.empty())
    return buffer;
  AtLevel at(*this, 0);
  Value offset = c64(0);
  for (auto [stride, index] : llvm::zip_equal(buffer.strides, origin))
    offset = add(offset, mul(scalar64(index), c64(stride)));
  buffer.base = gep(buffer.base, offset, buffer.elementType);
  return buffer;
}

bool NestBuilder::hasBuffer(Value tile) const {
  return results.count(tile) ||
         tile.getDefiningOp<stage::StorageReadOpInterface>();
}

TileBuffer NestBuilder::bufferOf(Value tile) {
  if (auto it = results.find(tile); it != results.end())
    return it->second;
  auto read = tile.getDefiningOp<stage::StorageReadOpInterface>();
  TileBuffer buffer = storageAt(read.getStorage(), read.getOrigin());
  auto shape = cast<ShapedType>(tile.getType()).getShape();
  buffer.shape.assign(shape.begin(), shape.end());
  return buffer;
}

TileBuffer NestBuilder::resultBuffer(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  for (Operation *user : tile.getUsers())
    if (auto write = dyn_cast<stage::StorageWriteOpInterface>(user)) {
      TileBuffer buffer = storageAt(write.getStorage(), write.getOrigin());
      buffer.shape.assign(type.getShape().begin(), type.getShape().end());
      return buffer;
    }
  return temporaryTile(type);
}

Value NestBuilder::bufferAddress(const TileBuffer &buffer, const Point &point,
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
static Value laneAddresses(NestBuilder &e, Value base, Type element,
                           int64_t stride, int64_t lanes) {
  SmallVector<Attribute> offsets;
  for (int64_t lane = 0; lane < lanes; ++lane)
    offsets.push_back(e.b.getI64IntegerAttr(lane * stride));
  auto type = VectorType::get({lanes}, e.b.getI64Type());
  Value ids = arith::ConstantOp::create(e.b, e.loc,
                                        DenseElementsAttr::get(type, offsets));
  auto pointers = VectorType::get({lanes}, base.getType());
  return LLVM::GEPOp::create(e.b, e.loc, pointers,
                             NestBuilder::storageType(element), base,
                             ValueRange{ids});
}

static Value allLanes(NestBuilder &e, int64_t lanes) {
  return arith::ConstantOp::create(
      e.b, e.loc,
      DenseElementsAttr::get(VectorType::get({lanes}, e.b.getI1Type()), true));
}

Value NestBuilder::gatherLanes(VectorType type, Value addresses, Value mask,
                               Value through, unsigned align) {
  Value lanes = LLVM::masked_gather::create(
      b, loc, type, addresses, mask,
      through ? ValueRange(through) : ValueRange(), b.getI32IntegerAttr(align));
  // LLVM 22 merges the extension of a gather into it, and has no instruction
  // for the result if that is a part of a scalable register. It does not look
  // through a freeze.
  constexpr unsigned kNarrow = 32;
  if (type.getElementTypeBitWidth() < kNarrow && extraOf(kernel, "vscale"))
    lanes = LLVM::FreezeOp::create(b, loc, lanes);
  return lanes;
}

Value NestBuilder::loadBuffer(const TileBuffer &buffer, const Point &point) {
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
  Value lanes = gatherLanes(cast<VectorType>(type), addresses,
                            allLanes(*this, point.lanes), Value(), align);
  return fromStorage(lanes, buffer.elementType);
}

void NestBuilder::storeBuffer(Value value, const TileBuffer &buffer,
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
    storeMasked(value, address, mask, align);
    return;
  }
  if (!mask)
    mask = allLanes(*this, point.lanes);
  Value addresses = laneAddresses(*this, address, buffer.elementType,
                                  laneStride, point.lanes);
  LLVM::masked_scatter::create(b, loc, value, addresses, mask, align);
}

void NestBuilder::fill(const TileBuffer &buffer, Value tile, bool mayOverrun) {
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
  if (nest.hasFunctions)
    nest.side = sideBySide(nest);
  nest.rows = rowsTogether(nest);
  int lane = nest.laneDim;
  // A row may be overrun when the next one starts at least a vector later and
  // is written afterwards or not at all.
  if (mayOverrun && bounds.ranges.empty() && lane >= 0 &&
      buffer.strides[lane] == 1) {
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

TileBuffer NestBuilder::materialize(Value tile) {
  if (hasBuffer(tile))
    return bufferOf(tile);
  TileBuffer buffer = temporaryTile(cast<RankedTensorType>(tile.getType()));
  fill(buffer, tile);
  return buffer;
}

bool cpu::isDense(const TileBuffer &buffer) {
  int64_t dense = 1;
  for (int64_t d = int64_t(buffer.shape.size()) - 1; d >= 0; --d) {
    if (buffer.shape[d] != 1 && buffer.strides[d] != dense)
      return false;
    dense *= buffer.shape[d];
  }
  return true;
}

TileBuffer NestBuilder::materializeDense(Value tile, int64_t elements) {
  if (hasBuffer(tile))
    if (TileBuffer there = bufferOf(tile); isDense(there))
      return there;
  auto type = cast<RankedTensorType>(tile.getType());
  TileBuffer buffer = temporaryTile(type, elements);
  fill(buffer, tile, /*mayOverrun=*/false);
  return buffer;
}
