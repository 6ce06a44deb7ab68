//===- WideLoop.cpp - Loops over whole tensors as one kernel --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WideLoop.h"
#include "Combiners.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "kiln/Dialect/Tile/MemoryOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"
#include "kiln/Interfaces/Movement.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

std::optional<SmallVector<LoopState>> WideLoopBuilder::classify() {
  Operation *yield = op.getBody().front().getTerminator();
  SmallVector<LoopState> states;
  for (auto [yielded, argument] :
       llvm::zip_equal(yield->getOperands(), op.getBody().getArguments())) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (!type.hasStaticShape()) {
      fail("a tensor has a size that only a launch knows");
      return std::nullopt;
    }
    states.push_back(resolve(yielded) == argument ? LoopState::invariant
                                                  : LoopState::scalars);
    if (type.getNumElements() != 1 && states.back() != LoopState::invariant) {
      if (size && size != type.getNumElements()) {
        fail("tensors of different sizes are replaced in each iteration");
        return std::nullopt;
      }
      size = type.getNumElements();
    }
  }
  if (isWorthTiles(size))
    return states;
  fail("tensors of " + Twine(size) + " elements are no tiles");
  return std::nullopt;
}

std::optional<Buffer> WideLoopBuilder::lineOf(const Buffer &buffer) {
  int64_t expected = 1;
  for (size_t d = buffer.sizes.size(); d-- > 0;) {
    Extent extent = buffer.sizes[d], stride = buffer.strides[d];
    if (!extent.isStatic() || !stride.isStatic() ||
        (extent.get() != 1 && stride.get() != expected))
      return std::nullopt;
    expected *= extent.get();
  }
  Buffer line;
  line.base = buffer.base;
  line.offset = buffer.offset;
  line.sizes = {expected};
  line.strides = {1};
  return line;
}

std::optional<SmallVector<int64_t>>
WideLoopBuilder::tileShape(Value value) const {
  if (numElements(value) != size)
    return std::nullopt;
  return SmallVector<int64_t>{size};
}

Value WideLoopBuilder::read(Value value) {
  if (!kernel.host.hasBuffer(value))
    return fail("a tensor from outside of the loop lies nowhere");
  if (isWide(value))
    return readTile(kernel.host.buffer(value), value);
  SmallVector<Coord> first(shapeOf(value).size(), number(0));
  return load(kernel.host.buffer(value), first, /*isWritten=*/false);
}

Value WideLoopBuilder::readTile(const Buffer &buffer, Value) {
  std::optional<Buffer> line = lineOf(buffer);
  if (!line)
    return fail("elements of a tensor do not follow each other");
  return tile::LoadOp::create(
      b, loc, RankedTensorType::get({size}, line->elementType()),
      kernel.view(*line, /*write=*/false), kernel.constant(0), Value(),
      /*element_offsets=*/true, tile::Padding::any, DenseI64ArrayAttr());
}

Value WideLoopBuilder::tile(Value value) {
  value = resolve(value);
  for (const auto &scope : llvm::reverse(known))
    if (auto found = scope.find(value); found != scope.end())
      return found->second;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return fail("a tensor has a size that only a launch knows");
  std::optional<SmallVector<int64_t>> shape = tileShape(value);
  if (isWide(value) && !shape)
    return fail("a tensor has neither one element nor those of the others");
  Operation *inner = value.getDefiningOp();
  bool isInside = op->isAncestor(value.getParentRegion()->getParentOp());
  Value made;
  if (TypedAttr splat = inner ? splatValue(inner) : TypedAttr())
    made = arith::ConstantOp::create(
        b, loc,
        isWide(value) ? cast<TypedAttr>(DenseElementsAttr::get(
                            RankedTensorType::get(*shape, splat.getType()),
                            static_cast<Attribute>(splat)))
                      : splat);
  else if (!isInside)
    made = read(value);
  else
    made = inner ? compute(inner) : fail("an argument of another region");
  if (made)
    known.back()[value] = made;
  return made;
}

Value WideLoopBuilder::compute(Operation *inner) {
  if (inner->getNumResults() != 1 || failed(count()))
    return fail("an operation of several results");
  Value result = inner->getResult(0);
  if (auto reduction = dyn_cast<prim::TensorReductionOpInterface>(inner);
      reduction && !reduction.givesPlaces())
    return reduceAll(inner);
  if (!isa<ReshapeOpInterface, RepeatOpInterface>(inner))
    return elementwise(inner);
  Value source = inner->getOperand(0), from = tile(source);
  if (!from || isWide(source) == isWide(result))
    return from;
  return isWide(source)
             ? refuse(inner)
             : tile::SplatOp::create(
                   b, loc, RankedTensorType::get({size}, from.getType()), from);
}

Value WideLoopBuilder::elementwise(Operation *inner) {
  if (!isElementwisePrim(inner) || !inner->hasTrait<OpTrait::Elementwise>())
    return refuse(inner);
  SmallVector<Value> operands;
  for (Value operand : inner->getOperands()) {
    operands.push_back(tile(operand));
    if (!operands.back())
      return {};
  }
  Value made = emitElementwiseTile(inner, operands, b);
  return made ? made : refuse(inner);
}

Value WideLoopBuilder::widen(Value from, Type element) {
  Type type = from.getType();
  if (getElementTypeOrSelf(type) == element)
    return from;
  Type wide = element;
  if (auto tile = dyn_cast<RankedTensorType>(type))
    wide = tile.clone(element);
  return isa<FloatType>(element)
             ? arith::ExtFOp::create(b, loc, wide, from).getResult()
             : arith::ExtSIOp::create(b, loc, wide, from).getResult();
}

Value WideLoopBuilder::narrowed(Value from, Type element) {
  Type type = from.getType();
  if (getElementTypeOrSelf(type) == element)
    return from;
  Type narrow = element;
  if (auto tile = dyn_cast<RankedTensorType>(type))
    narrow = tile.clone(element);
  return isa<FloatType>(element)
             ? arith::TruncFOp::create(b, loc, narrow, from).getResult()
             : arith::TruncIOp::create(b, loc, narrow, from).getResult();
}

Value WideLoopBuilder::reduceAll(Operation *inner) {
  Value operand = inner->getOperand(0), from = tile(operand);
  if (!from || !isWide(operand))
    return from;
  if (isWide(inner->getResult(0)))
    return fail("a reduction that leaves several elements");
  Type type = getElementTypeOrSelf(operand);
  from = widen(from, partialType(inner, type));
  Value all = reduceAxis(
      b, loc, from, 0, [&](OpBuilder &inside, ValueRange x, ValueRange y) {
        return SmallVector<Value>{combine(inner, x[0], y[0], inside)};
      })[0];
  return narrowed(tensor::ExtractOp::create(b, loc, all, kernel.constant(0)),
                  type);
}

/// Reads once, before the loop, what comes from outside of it.
LogicalResult WideLoopBuilder::readFromOutside() {
  auto visit = [&](Operation *inner) -> WalkResult {
    for (Value operand : inner->getOperands()) {
      Value value = resolve(operand);
      Operation *source = value.getDefiningOp();
      if (op->isAncestor(value.getParentRegion()->getParentOp()) ||
          (source && splatValue(source)) ||
          !isa<RankedTensorType>(value.getType()) || !isReadOnce(value))
        continue;
      if (!tile(value))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  };
  for (Region &region : op->getRegions())
    if (region.walk(visit).wasInterrupted())
      return failure();
  return success();
}

LogicalResult WideLoopBuilder::emitLoop(ArrayRef<LoopState> states,
                                        ArrayRef<Buffer> memories) {
  SmallVector<unsigned> carried;
  SmallVector<Value> inits;
  for (auto [number, state] : llvm::enumerate(states)) {
    Value init = op.getInits()[number];
    if (state == LoopState::invariant) {
      for (Region &region : op->getRegions())
        alias(region.getArgument(number), init);
      alias(op.getResult(number), init);
      continue;
    }
    if (state == LoopState::memory) {
      for (Region &region : op->getRegions())
        bindMemory(region.getArgument(number), memories[number]);
      continue;
    }
    carried.push_back(number);
    inits.push_back(tile(init));
    if (!inits.back())
      return failure();
  }
  if (failed(readFromOutside()))
    return failure();
  TypeRange types = ValueRange(inits).getTypes();
  auto loop = scf::WhileOp::create(b, loc, types, inits);
  auto enter = [&](Region &region, Region &from) {
    SmallVector<Location> locations(types.size(), loc);
    Block *block = b.createBlock(&region, region.end(), types, locations);
    known.emplace_back();
    for (auto [argument, number] : llvm::zip(block->getArguments(), carried))
      known.back()[from.getArgument(number)] = argument;
    return block;
  };
  {
    OpBuilder::InsertionGuard guard(b);
    Block *before = enter(loop.getBefore(), op.getCondition());
    Value condition =
        tile(op.getCondition().front().getTerminator()->getOperand(0));
    if (!condition)
      return failure();
    scf::ConditionOp::create(b, loc, condition, before->getArguments());
    known.pop_back();
    enter(loop.getAfter(), op.getBody());
    SmallVector<Value> next;
    for (unsigned number : carried) {
      next.push_back(
          tile(op.getBody().front().getTerminator()->getOperand(number)));
      if (!next.back())
        return failure();
    }
    if (failed(emitUpdates(states, memories)))
      return failure();
    scf::YieldOp::create(b, loc, next);
    known.pop_back();
  }
  for (auto [result, number] : llvm::zip(loop.getResults(), carried))
    known.back()[op.getResult(number)] = result;
  return success(reason.empty());
}

LogicalResult WideLoopBuilder::storeResult(unsigned number,
                                           const Buffer &buffer) {
  Value result = op.getResult(number), made = tile(result);
  if (!made)
    return failure();
  if (isWide(result)) {
    writeTile(made, buffer);
  } else {
    SmallVector<Coord> first(shapeOf(result).size(), this->number(0));
    store(made, buffer, first);
  }
  return success(reason.empty());
}

void WideLoopBuilder::writeTile(Value made, const Buffer &buffer) {
  std::optional<Buffer> line = lineOf(buffer);
  if (!line) {
    fail("elements of a result do not follow each other");
    return;
  }
  tile::StoreOp::create(b, loc, made, kernel.view(*line, /*write=*/true),
                        kernel.constant(0), /*element_offsets=*/true,
                        tile::Combine::assign, DenseI64ArrayAttr());
}
