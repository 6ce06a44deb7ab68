//===- Evaluate.cpp - The elements of a tile at given coordinates ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NestBuilder.h"
#include "kiln/Interfaces/ViewAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::cpu;

NestBuilder::Level::Key NestBuilder::key(const void *what, const Point &point) {
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

Value NestBuilder::evaluateIndex(AffineExpr expr, ArrayRef<Value> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return c64(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return scalar64(symbols[symbol.getPosition()]);
  auto pair = cast<AffineBinaryOpExpr>(expr);
  Value lhs = evaluateIndex(pair.getLHS(), symbols);
  Value rhs = evaluateIndex(pair.getRHS(), symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return add(lhs, rhs);
  case AffineExprKind::Mul:
    return mul(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(b, loc, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return arith::CeilDivSIOp::create(b, loc, lhs, rhs);
  default: // Mod is never negative
    return sub(lhs, mul(arith::FloorDivSIOp::create(b, loc, lhs, rhs), rhs));
  }
}

/// The parts of a sum that depend on no dimension; null if there are none.
static AffineExpr freePart(AffineExpr expr) {
  if (isa<AffineDimExpr>(expr))
    return {};
  std::optional<int> dim = getMovedDim(expr);
  if (dim && *dim < 0)
    return expr;
  auto sum = cast<AffineBinaryOpExpr>(expr);
  AffineExpr lhs = freePart(sum.getLHS()), rhs = freePart(sum.getRHS());
  return lhs && rhs ? lhs + rhs : lhs ? lhs : rhs;
}

Point NestBuilder::sourcePoint(OpOperand &operand, const Point &point) {
  auto shape = cast<ShapedType>(operand.get().getType()).getShape();
  AffineMap map = readOf(operand);
  Point source;
  source.lanes = point.lanes;
  source.coords.resize(shape.size());
  SmallVector<Value> symbols;
  if (map.getNumSymbols())
    cast<IndexMapOpInterface>(operand.getOwner()).getIndexSymbols(symbols);
  for (auto [coord, expr, size] :
       llvm::zip(source.coords, map.getResults(), shape)) {
    if (size == 1)
      continue;
    int dim = *getMovedDim(expr);
    if (dim >= 0)
      coord = point.coords[dim];
    AffineExpr rest = freePart(expr);
    if (!rest)
      continue;
    Coord start;
    if (auto constant = dyn_cast<AffineConstantExpr>(rest)) {
      start.constant = constant.getValue();
    } else {
      AtLevel at(*this, 0);
      start.index = evaluateIndex(rest, symbols);
    }
    coord = sum(start, coord);
  }
  return source;
}

Value NestBuilder::evaluateCount(Type element, unsigned dim,
                                 const Point &point) {
  AtLevel at(*this, point.level());
  const Coord &coord = point.coords[dim];
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
    first =
        arith::AddIOp::create(b, loc, broadcastLanes(first, point.lanes), ids);
  }
  if (element.isIndex()) {
    auto vector = dyn_cast<VectorType>(first.getType());
    first = arith::IndexCastOp::create(
        b, loc, vector ? Type(vector.clone(element)) : element, first);
  }
  return first;
}

Value NestBuilder::evaluate(Value tile, const Point &point) {
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
  } else if (auto access = dyn_cast<ViewAccessOpInterface>(op)) {
    result = indirectAxis(access.getAxes()) < 0 ? evaluateLoad(access, point)
                                                : evaluateGather(access, point);
  } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    result = evaluateConstant(constant, point);
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
  } else if (mapping.contains(tile)) {
    result = mapping.lookup(tile); // an element that a reduction has left
  } else if (Value fill = getFillValue(op)) {
    result = scalar(fill);
  } else if (std::optional<unsigned> counted = getCountedDim(op)) {
    Type element = cast<ShapedType>(tile.getType()).getElementType();
    result = evaluateCount(element, *counted, point);
  } else {
    OpOperand &moved = *llvm::find_if(op->getOpOperands(), [](OpOperand &use) {
      return isTile(use.get().getType());
    });
    bool isMoved = llvm::all_of(readOf(moved).getResults(), [](AffineExpr e) {
      return getMovedDim(e).has_value();
    });
    result = isMoved ? evaluate(moved.get(), sourcePoint(moved, point))
                     : evaluateReshaped(moved, point);
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

Value NestBuilder::tableOf(DenseElementsAttr elements) {
  Type element = elements.getElementType();
  auto module = kernel->getParentOfType<ModuleOp>();
  std::string &name = tables[elements];
  if (name.empty()) {
    name = (kernel.getSymName() + "_table" + Twine(tableCount++)).str();
    Type stored = storageType(element);
    SmallVector<Attribute> values;
    for (Attribute value : elements.getValues<Attribute>()) {
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
  }
  AtLevel at(*this, 0);
  return LLVM::AddressOfOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), name);
}

Value NestBuilder::evaluateConstant(arith::ConstantOp op, const Point &point) {
  auto type = cast<RankedTensorType>(op.getType());
  Type element = type.getElementType();
  auto attr = cast<DenseElementsAttr>(op.getValue());
  if (attr.isSplat()) {
    AtLevel at(*this, point.level());
    return constantOf(element, attr.getSplatValue<Attribute>());
  }
  TileBuffer buffer;
  buffer.base = tableOf(attr);
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
