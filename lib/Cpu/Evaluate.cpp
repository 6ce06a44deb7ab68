//===- Evaluate.cpp - The elements of a tile at given coordinates ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

KernelEmitter::Level::Key KernelEmitter::key(const void *what,
                                             const Point &point) {
  Level::Key key{what, {}};
  key.second.push_back(point.lanes);
  for (const Coord &c : point.coords) {
    key.second.push_back(
        reinterpret_cast<intptr_t>(c.index.getAsOpaquePointer()));
    key.second.push_back(c.constant);
    key.second.push_back(c.lane);
  }
  return key;
}

/// Where the only tile operand of a shape operation is evaluated.
Point KernelEmitter::sourcePoint(Operation *op, const Point &point) {
  auto shape = cast<ShapedType>(op->getOperand(0).getType()).getShape();
  Point source;
  source.lanes = point.lanes;
  source.coords.resize(shape.size());
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    for (size_t d = 0; d < shape.size(); ++d)
      source.coords[d] = point.coords[d < size_t(expand.getAxis()) ? d : d + 1];
  } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    for (auto [d, from] : llvm::enumerate(transpose.getPermutation()))
      source.coords[from] = point.coords[d];
  } else if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    auto map =
        unitReshapeMap(shape, cast<ShapedType>(reshape.getType()).getShape());
    for (size_t d = 0; d < map->size(); ++d)
      if ((*map)[d] >= 0)
        source.coords[(*map)[d]] = point.coords[d];
  } else if (auto extract = dyn_cast<tile::ExtractOp>(op)) {
    auto result = cast<ShapedType>(extract.getType()).getShape();
    for (size_t d = 0; d < shape.size(); ++d) {
      Coord start;
      AtLevel at(*this, 0);
      start.index = mul(scalar64(extract.getCoords()[d]), c64(result[d]));
      source.coords[d] = sum(start, point.coords[d]);
    }
    return source;
  } else {
    source.coords.assign(point.coords.begin(), point.coords.end());
  }
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] == 1)
      source.coords[d] = Coord();
  return source;
}

Value KernelEmitter::evaluate(Value tile, const Point &point) {
  int level = point.level();
  Level::Key memoKey = key(tile.getAsOpaquePointer(), point);
  auto known = levels[level].memo.find(memoKey);
  if (known != levels[level].memo.end())
    return known->second;

  Value result;
  bool inMemory = hasBuffer(tile) && !storing.count(tile);
  Operation *op = tile.getDefiningOp();
  if (inMemory) {
    result = loadBuffer(bufferOf(tile), point);
  } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
    result = evaluateLoad(load, point);
  } else if (auto gather = dyn_cast<tile::LoadGatherOp>(op)) {
    result = evaluateGather(gather, point);
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    result = evaluateConstant(constant, point);
  } else if (auto splat = dyn_cast<tile::SplatOp>(op)) {
    result = scalar(splat.getValue());
  } else if (auto iota = dyn_cast<tile::IotaOp>(op)) {
    AtLevel at(*this, level);
    const Coord &coord = point.coords[iota.getDim()];
    Type element = cast<ShapedType>(iota.getType()).getElementType();
    Value first = coordValue(coord);
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    Type integer = b.getIntegerType(bits);
    if (bits < 64)
      first = arith::TruncIOp::create(b, loc, integer, first);
    if (coord.lane && point.lanes > 1) {
      Value ids = laneIds(integer, point.lanes);
      if (coord.lane != 1)
        ids = arith::MulIOp::create(
            b, loc, ids,
            broadcastLanes(
                constantOf(integer, b.getIntegerAttr(integer, coord.lane)),
                point.lanes));
      first = arith::AddIOp::create(b, loc, broadcastLanes(first, point.lanes),
                                    ids);
    }
    if (element.isIndex()) {
      auto vector = dyn_cast<VectorType>(first.getType());
      first = arith::IndexCastOp::create(
          b, loc, vector ? Type(vector.clone(element)) : element, first);
    }
    result = first;
  } else if (isElementwise(op)) {
    SmallVector<Value> operands;
    bool vector = false;
    for (Value operand : op->getOperands()) {
      operands.push_back(isTile(operand.getType()) ? evaluate(operand, point)
                                                   : scalar(operand));
      vector |= isa<VectorType>(operands.back().getType());
    }
    AtLevel at(*this, level);
    if (vector)
      for (auto [i, operand] : llvm::enumerate(operands)) {
        // A scalar condition of a select may stay one.
        if (i == 0 && isa<arith::SelectOp>(op) &&
            !isa<VectorType>(operand.getType()))
          continue;
        operand = broadcastLanes(operand, point.lanes);
      }
    result = emitElementwise(op, operands);
  } else {
    result = evaluate(op->getOperand(0), sourcePoint(op, point));
  }
  levels[level].memo[memoKey] = result;
  if (auto it = storing.find(tile); it != storing.end()) {
    const TileBuffer &buffer = it->second;
    bool contiguous = llvm::all_of(
        llvm::zip_equal(point.coords, buffer.strides), [](auto pair) {
          return !std::get<0>(pair).lane || std::get<1>(pair) == 1;
        });
    storeBuffer(result, buffer, point, contiguous ? Value() : tailCount);
  }
  return result;
}

Value KernelEmitter::evaluateConstant(arith::ConstantOp op,
                                      const Point &point) {
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  auto attr = cast<DenseElementsAttr>(op.getValue());
  if (attr.isSplat()) {
    AtLevel at(*this, point.level());
    return constantOf(element, attr.getSplatValue<Attribute>());
  }
  // A table in the object's read-only data.
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string name;
  if (auto known = op->getAttrOfType<StringAttr>("cpu.table")) {
    name = known.str();
  } else {
    name = (kernel.getSymName() + "_table" + Twine(tableCount++)).str();
    Type stored = storageType(element);
    SmallVector<Attribute> values;
    for (Attribute value : attr.getValues<Attribute>()) {
      if (auto number = dyn_cast<FloatAttr>(value); number && stored != element)
        value = b.getIntegerAttr(stored, number.getValue().bitcastToAPInt());
      else if (stored != element)
        value = b.getIntegerAttr(
            stored, cast<IntegerAttr>(value).getValue().zextOrTrunc(
                        stored.getIntOrFloatBitWidth()));
      values.push_back(value);
    }
    // Whole panels may be read past the end.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    values.append(1024 / storageBytes(element), b.getZeroAttr(stored));
    int64_t padded = values.size();
    LLVM::GlobalOp::create(
        b, loc, LLVM::LLVMArrayType::get(stored, padded), /*isConstant=*/true,
        LLVM::Linkage::Internal, name,
        DenseElementsAttr::get(RankedTensorType::get({padded}, stored), values),
        /*alignment=*/64);
    op->setAttr("cpu.table", b.getStringAttr(name));
  }
  TileBuffer buffer;
  {
    AtLevel at(*this, 0);
    buffer.base = LLVM::AddressOfOp::create(
        b, loc, LLVM::LLVMPointerType::get(b.getContext()), name);
  }
  buffer.elementType = element;
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  buffer.strides.resize(buffer.shape.size());
  int64_t stride = 1;
  for (int64_t d = buffer.shape.size() - 1; d >= 0; --d) {
    buffer.strides[d] = stride;
    stride *= buffer.shape[d];
  }
  return loadBuffer(buffer, point);
}
