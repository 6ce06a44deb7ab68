//===- EmitReduction.cpp - Tiles of reductions, and their loops -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Combiners.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Dialect/Tile/ReduceOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Dialect/Tile/TileDialect.h"
#include "kiln/Schedule/TileBuilder.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

TypedAttr kiln::schedule::zeroOf(Type type) {
  return cast<TypedAttr>(Builder(type.getContext()).getZeroAttr(type));
}

Value kiln::schedule::constantLike(OpBuilder &b, Location loc, Value like,
                                   TypedAttr element) {
  if (auto type = dyn_cast<RankedTensorType>(like.getType()))
    element = DenseElementsAttr::get(type, static_cast<Attribute>(element));
  return arith::ConstantOp::create(b, loc, element);
}

Type kiln::schedule::sumType(Type type) {
  if (type.isF16() || type.isBF16())
    return Float32Type::get(type.getContext());
  return type;
}

Combiner kiln::schedule::combinerOf(Operation *reduction) {
  using prim::ReductionFunction;
  auto window = dyn_cast<prim::WindowOpInterface>(reduction);
  switch (window ? window.getWindowFunction()
                 : cast<prim::TensorReductionOpInterface>(reduction)
                       .getReductionFunction()) {
  case ReductionFunction::Sum:
    return Combiner::Sum;
  case ReductionFunction::Product:
    return Combiner::Product;
  case ReductionFunction::Maximum:
  case ReductionFunction::PlaceOfMaximum:
    return Combiner::Largest;
  case ReductionFunction::Minimum:
    return Combiner::Smallest;
  }
  llvm_unreachable("every function has a combiner");
}

Type kiln::schedule::partialType(Operation *reduction, Type element) {
  Combiner combiner = combinerOf(reduction);
  return combiner == Combiner::Sum || combiner == Combiner::Product
             ? sumType(element)
             : element;
}

TypedAttr kiln::schedule::neutralValue(Operation *reduction, Type type) {
  Builder b(type.getContext());
  Combiner combiner = combinerOf(reduction);
  if (combiner == Combiner::Sum)
    return zeroOf(type);
  if (combiner == Combiner::Product)
    return cast<TypedAttr>(b.getOneAttr(type));
  bool smallest = combiner == Combiner::Largest;
  if (auto floats = dyn_cast<FloatType>(type))
    return FloatAttr::get(
        type, APFloat::getInf(floats.getFloatSemantics(), smallest));
  unsigned width = type.getIntOrFloatBitWidth();
  // For i1 the largest is any and the smallest is all.
  if (width == 1)
    return IntegerAttr::get(type, smallest ? 0 : 1);
  return IntegerAttr::get(type, smallest ? APInt::getSignedMinValue(width)
                                         : APInt::getSignedMaxValue(width));
}

Value kiln::schedule::combine(Operation *reduction, Value a, Value c,
                              OpBuilder &b) {
  Location loc = reduction->getLoc();
  Type element = getElementTypeOrSelf(a.getType());
  bool isFloat = isa<FloatType>(element);
  Combiner combiner = combinerOf(reduction);
  if (combiner == Combiner::Sum)
    return isFloat ? arith::AddFOp::create(b, loc, a, c).getResult()
                   : arith::AddIOp::create(b, loc, a, c).getResult();
  if (combiner == Combiner::Product)
    return isFloat ? arith::MulFOp::create(b, loc, a, c).getResult()
                   : arith::MulIOp::create(b, loc, a, c).getResult();
  bool max = combiner == Combiner::Largest;
  if (element.isInteger(1))
    return max ? arith::OrIOp::create(b, loc, a, c).getResult()
               : arith::AndIOp::create(b, loc, a, c).getResult();
  if (isFloat)
    return max ? arith::MaximumFOp::create(b, loc, a, c).getResult()
               : arith::MinimumFOp::create(b, loc, a, c).getResult();
  return max ? arith::MaxSIOp::create(b, loc, a, c).getResult()
             : arith::MinSIOp::create(b, loc, a, c).getResult();
}

SmallVector<Value>
TileBuilder::loop(ArrayRef<int> dims, ValueRange inits,
                  llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
  if (dims.empty())
    return body(inits);
  int dim = dims.front();
  OpBuilder &b = kernel.b;
  Value part = kernel.dims[dim].part;
  Value first = part ? part : kernel.dims[dim].first;
  if (!first)
    first = kernel.constant(0);
  Value step = kernel.constant(kernel.dims[dim].parts);
  Value count = kernel.dims[dim].last;
  if (!count)
    count = kernel.index(kernel.numBlocks(dim));
  auto loopOp = scf::ForOp::create(b, kernel.loc, first, count, step, inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loopOp.getBody());
  // The dimension may be that of an outer loop, whose place comes back after.
  KernelDim before = kernel.dims[dim];
  kernel.place(dim, loopOp.getInductionVar());
  scopes.emplace_back();
  scopes.back().dim = dim;
  SmallVector<Value> results =
      loop(dims.drop_front(), loopOp.getRegionIterArgs(), body);
  scopes.pop_back();
  kernel.dims[dim].offset = before.offset;
  kernel.dims[dim].coord = before.coord;
  // Without carried values the loop has its terminator already.
  if (!inits.empty() && results.size() == inits.size())
    scf::YieldOp::create(b, kernel.loc, results);
  return SmallVector<Value>(loopOp.getResults());
}

LogicalResult TileBuilder::reductionMap(Operation *op, const AccessMap &map,
                                        AccessMap &operandMap,
                                        SmallVectorImpl<int> &dims) {
  SmallVector<int64_t> reduced = reducedDims(op);
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  operandMap.ranges = map.ranges;
  unsigned next = 0, r = 0;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (r < reduced.size() && reduced[r] == d) {
      operandMap.index.push_back(plan.reducedIndex(op, r++));
      for (int part : operandMap.index.back().dims())
        if (int dim = physical(part);
            !llvm::is_contained(dims, dim) && !llvm::is_contained(later, dim))
          dims.push_back(dim);
    } else {
      operandMap.index.push_back(map.index[next++]);
    }
  }
  return success();
}

LogicalResult TileBuilder::hoistReductions(Value root, const AccessMap &rootMap,
                                           ArrayRef<int> dims) {
  // A value that is used twice at each of many steps is reached by more paths
  // than there is time for: each is visited once for each map.
  llvm::DenseMap<Value, SmallVector<AccessMap>> seen;
  std::function<LogicalResult(Value, const AccessMap &)> visit =
      [&](Value value, const AccessMap &map) -> LogicalResult {
    if (llvm::is_contained(seen[value], map) || lookup(value, map))
      return success();
    seen[value].push_back(map);
    Operation *op = value.getDefiningOp();
    if (!op || !inGroup(op) || isa<prim::CreationOpInterface>(op))
      return success();
    if (isReduction(op)) {
      AccessMap inner;
      SmallVector<int> reduced;
      if (failed(reductionMap(op, map, inner, reduced)))
        return failure();
      llvm::SmallBitVector support = map.support(plan.sizes.size());
      // Not what depends on a loop that is yet to come.
      for (int dim : support.set_bits())
        if (llvm::is_contained(dims, physical(dim)) ||
            !kernel.dims[physical(dim)].offset)
          return visit(op->getOperand(0), inner);
      return success(static_cast<bool>(emit(value, map)));
    }
    if (auto gather = dyn_cast<prim::GatherOp>(op)) {
      AccessMap data, indices;
      gatherMaps(gather, map, data, indices);
      return visit(gather.getIndices(), indices);
    }
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()) ||
          (isa<prim::TableOp>(op) && operand.getOperandNumber() == 1))
        continue;
      AccessMap inner = map;
      if (isMovement(op)) {
        MapContext ctx = plan.context();
        if (failed(moveMap(op, operand.getOperandNumber(), map, ctx, inner))) {
          fail("no affine access through " + op->getName().getStringRef());
          return failure();
        }
      }
      if (failed(visit(operand.get(), inner)))
        return failure();
    }
    return success();
  };
  return visit(root, rootMap);
}

SmallVector<Value> kiln::schedule::reduceAxis(
    OpBuilder &b, Location loc, ValueRange sources, int axis,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange)>
        combiner) {
  SmallVector<Type> types, elements, kept;
  for (Value source : sources) {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = 1;
    kept.push_back(type.clone(shape));
    shape.erase(shape.begin() + axis);
    types.push_back(type.clone(shape));
    elements.push_back(type.getElementType());
  }
  auto reduce = tile::ReduceOp::create(b, loc, types, sources,
                                       static_cast<uint64_t>(axis), false);
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&reduce.getCombiner());
  for (unsigned side = 0; side < 2; ++side)
    for (Type element : elements)
      block->addArgument(element, loc);
  unsigned n = elements.size();
  SmallVector<Value> result = combiner(b, block->getArguments().take_front(n),
                                       block->getArguments().drop_front(n));
  tile::YieldOp::create(b, loc, result);
  b.setInsertionPointAfter(reduce);
  SmallVector<Value> results;
  for (auto [value, type] : llvm::zip(reduce.getResults(), kept))
    results.push_back(tile::ReshapeOp::create(b, loc, type, value));
  return results;
}

Value TileBuilder::emitReduction(Operation *op, const AccessMap &map) {
  if (cast<prim::TensorReductionOpInterface>(op).givesPlaces())
    return emitPlaces(op, map);
  Value result = emitWideReduction(op, map);
  return result ? narrowReduction(op, result) : Value();
}

Value TileBuilder::narrowReduction(Operation *op, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType())
                  .clone(getElementTypeOrSelf(op->getResult(0).getType()));
  return type == tile.getType()
             ? tile
             : arith::TruncFOp::create(kernel.b, kernel.loc, type, tile)
                   .getResult();
}

/// The dimensions of a reduction that loops go through.
LogicalResult TileBuilder::reductionLoops(Operation *op, const AccessMap &map,
                                          AccessMap &inner,
                                          SmallVectorImpl<int> &dims,
                                          SmallVectorImpl<int> &loops) {
  if (failed(reductionMap(op, map, inner, dims)))
    return failure();
  for (int dim : dims)
    if (!kernel.numBlocks(dim).is(1) && !kernel.hasBlockOfEachPart(dim))
      loops.push_back(dim);
  return loops.empty() ? success()
                       : hoistReductions(op->getOperand(0), inner, loops);
}

Value TileBuilder::emitWideReduction(Operation *op, const AccessMap &map) {
  OpBuilder &b = kernel.b;
  Value operand = op->getOperand(0);
  AccessMap inner;
  SmallVector<int> dims, loops;
  if (failed(reductionLoops(op, map, inner, dims, loops)))
    return {};
  Type element =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  Type wide = partialType(op, element);
  TypedAttr neutral = neutralValue(op, wide);
  SmallVector<int64_t> shape = shapeOf(inner);
  // One block of the operand.
  auto block = [&]() -> Value {
    Value tile = emit(operand, inner);
    if (!tile)
      return {};
    tile = broadcast(tile, shape);
    if (wide != element)
      tile = arith::ExtFOp::create(b, kernel.loc,
                                   RankedTensorType::get(shape, wide), tile);
    return maskPartial(tile, dims, neutral);
  };
  if (loops.empty()) {
    Value tile = block();
    return tile ? reduceTile(op, tile, dims) : Value();
  }
  SmallVector<int64_t> kept = shape;
  if (!reducesLast)
    for (int dim : dims)
      if (int axis = axisOf(dim); axis >= 0)
        kept[axis] = 1;
  Value init = splat(neutral, kept);
  bool ok = true;
  Value result = loop(loops, init, [&](ValueRange carried) {
    Value tile = block();
    ok &= static_cast<bool>(tile);
    if (tile && !reducesLast)
      tile = reduceTile(op, tile, dims);
    return SmallVector<Value>{tile ? combine(op, carried[0], tile, b)
                                   : carried[0]};
  })[0];
  if (!ok)
    return {};
  return reducesLast ? reduceTile(op, result, dims) : result;
}

Value TileBuilder::reduceTile(Operation *op, Value tile, ArrayRef<int> dims) {
  SmallVector<int64_t> axes;
  for (int dim : dims)
    if (int axis = axisOf(dim); axis >= 0)
      axes.push_back(axis);
  SmallVector<int64_t> kept(cast<RankedTensorType>(tile.getType()).getShape());
  // Threads that share a tile exchange sums once where neighbouring axes are
  // one.
  bool isJoined = reducesLast && axes.size() > 1;
  if (isJoined) {
    llvm::sort(axes);
    isJoined = axes.back() - axes.front() + 1 == int64_t(axes.size());
  }
  if (isJoined) {
    SmallVector<int64_t> joined(kept);
    for (int64_t axis : ArrayRef(axes).drop_front()) {
      joined[axes.front()] *= kept[axis];
      kept[axis] = 1;
    }
    kept[axes.front()] = 1;
    joined.erase(joined.begin() + axes[1], joined.begin() + axes.back() + 1);
    tile = reshape(tile, joined);
    axes.truncate(1);
  }
  for (int64_t axis : axes)
    tile =
        reduceAxis(kernel.b, kernel.loc, tile, int(axis),
                   [&](OpBuilder &inside, ValueRange x, ValueRange y) {
                     return SmallVector<Value>{combine(op, x[0], y[0], inside)};
                   })[0];
  return isJoined ? reshape(tile, kept) : tile;
}

/// Takes the second of two (value, index) pairs if it is larger, or equal and
/// earlier. NaN is larger than all else.
static SmallVector<Value> laterMax(OpBuilder &b, Location loc, ValueRange x,
                                   ValueRange y) {
  Type element = getElementTypeOrSelf(x[0].getType());
  Value better, same;
  using P = arith::CmpFPredicate;
  if (isa<FloatType>(element)) {
    Value xReal = arith::CmpFOp::create(b, loc, P::ORD, x[0], x[0]);
    Value xNan = arith::CmpFOp::create(b, loc, P::UNO, x[0], x[0]);
    Value yNan = arith::CmpFOp::create(b, loc, P::UNO, y[0], y[0]);
    // Holds if y is NaN, which wins against all that is not.
    Value larger = arith::CmpFOp::create(b, loc, P::UGT, y[0], x[0]);
    Value equal = arith::CmpFOp::create(b, loc, P::OEQ, y[0], x[0]);
    better = arith::AndIOp::create(b, loc, larger, xReal);
    same = arith::OrIOp::create(b, loc, equal,
                                arith::AndIOp::create(b, loc, xNan, yNan));
  } else {
    better =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, y[0], x[0]);
    same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, y[0], x[0]);
  }
  Value earlier =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, y[1], x[1]);
  Value take = arith::OrIOp::create(
      b, loc, better, arith::AndIOp::create(b, loc, same, earlier));
  return {arith::SelectOp::create(b, loc, take, y[0], x[0]),
          arith::SelectOp::create(b, loc, take, y[1], x[1])};
}

Value TileBuilder::emitPlaces(Operation *op, const AccessMap &map) {
  OpBuilder &b = kernel.b;
  Location loc = kernel.loc;
  Value operand = op->getOperand(0);
  AccessMap inner;
  SmallVector<int> dims, loops;
  if (failed(reductionLoops(op, map, inner, dims, loops)))
    return {};
  Type element = cast<RankedTensorType>(operand.getType()).getElementType();
  Type indexType = getElementTypeOrSelf(op->getResult(0).getType());
  TypedAttr lowest = neutralValue(op, element);
  TypedAttr last = IntegerAttr::get(
      indexType, APInt::getSignedMaxValue(indexType.getIntOrFloatBitWidth()));
  SmallVector<int64_t> shape = shapeOf(inner);
  const IndexExpr &along = inner.index[reducedDims(op).front()];
  SmallVector<int64_t> kept = shape;
  if (!reducesLast)
    for (int dim : dims)
      if (int axis = axisOf(dim); axis >= 0)
        kept[axis] = 1;
  bool ignoresNan = cast<prim::TensorReductionOpInterface>(op).ignoresNan();
  auto block = [&]() -> SmallVector<Value> {
    Value tile = emit(operand, inner);
    if (!tile)
      return {};
    tile = broadcast(tile, shape);
    if (ignoresNan && isa<FloatType>(element)) {
      Value ordered =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, tile, tile);
      tile = select(ordered, tile, lowest);
    }
    tile = maskPartial(tile, dims, lowest);
    Value index = broadcast(indexTile(along, indexType), shape);
    index = maskPartial(index, dims, last);
    return {tile, index};
  };
  auto reduce = [&](SmallVector<Value> pair) {
    for (int dim : dims)
      if (int axis = axisOf(dim); axis >= 0)
        pair = reduceAxis(b, loc, pair, axis,
                          [&](OpBuilder &inside, ValueRange x, ValueRange y) {
                            return laterMax(inside, loc, x, y);
                          });
    return pair;
  };
  SmallVector<Value> pair;
  if (loops.empty()) {
    pair = block();
    if (!pair.empty())
      pair = reduce(std::move(pair));
  } else {
    bool ok = true;
    SmallVector<Value> inits = {splat(lowest, kept), splat(last, kept)};
    pair = loop(loops, inits, [&](ValueRange carried) -> SmallVector<Value> {
      SmallVector<Value> mine = block();
      ok &= !mine.empty();
      if (mine.empty())
        return SmallVector<Value>(carried);
      if (!reducesLast)
        mine = reduce(std::move(mine));
      return laterMax(b, loc, carried, mine);
    });
    if (!ok)
      return {};
    if (reducesLast)
      pair = reduce(std::move(pair));
  }
  return pair.empty() ? Value() : pair[1];
}
