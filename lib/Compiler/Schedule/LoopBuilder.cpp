//===- LoopBuilder.cpp - Loops and conditions of single elements ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is read before anything is written in an iteration: the elements
// of what is yielded and of all updates are computed first, then the updates of
// carried tensors in memory are stored.
//
//===----------------------------------------------------------------------===//

#include "LoopSchedule.h"
#include "ScatterBuilder.h"
#include "kiln/Dialect/Prim/TensorInterfaces.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Tensors of more elements are not held in registers.
static constexpr int64_t kMostScalars = 64;
/// Tensors of so few elements are, even where they could be written in place.
static constexpr int64_t kFewScalars = 8;

bool LoopBuilder::findUpdates(Value value, BlockArgument argument,
                              SmallVectorImpl<prim::ScatterOp> &updates) const {
  value = resolve(value);
  if (value == argument)
    return true;
  auto scatter = value.getDefiningOp<prim::ScatterOp>();
  auto isStatic = [](Type type) {
    return cast<ShapedType>(type).hasStaticShape();
  };
  if (!scatter || !llvm::all_of(scatter->getOperandTypes(), isStatic) ||
      !findUpdates(scatter.getOperand(), argument, updates))
    return false;
  updates.push_back(scatter);
  return true;
}

std::optional<SmallVector<LoopState>> LoopBuilder::classify(prim::WhileOp op) {
  Block &body = op.getBody().front();
  SmallVector<LoopState> states;
  for (auto [yielded, argument] : llvm::zip_equal(
           body.getTerminator()->getOperands(), body.getArguments())) {
    auto type = cast<RankedTensorType>(argument.getType());
    SmallVector<prim::ScatterOp> updates;
    if (resolve(yielded) == argument) {
      states.push_back(LoopState::invariant);
    } else if (!type.hasStaticShape()) {
      fail("a tensor has a size that only a launch knows");
      return std::nullopt;
    } else if (op == outer && type.getNumElements() > kFewScalars &&
               findUpdates(yielded, argument, updates)) {
      int64_t written = 0;
      for (prim::ScatterOp update : updates)
        written += numElements(update.getUpdates());
      // Accesses of single elements take long to compile where there are many.
      if (written > kMostScalars) {
        fail("more than " + Twine(kMostScalars) +
             " elements are written in each iteration");
        return std::nullopt;
      }
      states.push_back(LoopState::memory);
    } else if (type.getNumElements() <= kMostScalars) {
      states.push_back(LoopState::scalars);
    } else {
      fail("a tensor of more than " + Twine(kMostScalars) +
           " elements is replaced in each iteration");
      return std::nullopt;
    }
  }
  return states;
}

/// Loads what is small and does not change before the loop.
LogicalResult LoopBuilder::loadSmall(prim::WhileOp op) {
  auto load = [&](Operation *inner) -> WalkResult {
    if (isa<prim::GroupOpInterface>(inner))
      return WalkResult::advance();
    for (Value operand : inner->getOperands()) {
      Value value = resolve(operand);
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !type.hasStaticShape() || isa<prim::GatherOp>(inner) ||
          type.getNumElements() > kMostScalars ||
          op->isAncestor(value.getParentRegion()->getParentOp()) ||
          !kernel.host.hasBuffer(value))
        continue;
      if (failed(elements(value)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  };
  return failure(op.walk(load).wasInterrupted());
}

LogicalResult LoopBuilder::addStores(prim::ScatterOp op, unsigned state,
                                     SmallVectorImpl<ElementStore> &stores) {
  ArrayRef<int64_t> whole = shapeOf(op.getOperand());
  auto addStore = [&](ArrayRef<Coord> at) -> LogicalResult {
    FailureOr<SmallVector<Coord>> place = placeOfUpdate(op, at);
    if (failed(place))
      return failure();
    ElementStore store;
    store.state = state;
    store.op = op;
    store.at = std::move(*place);
    for (auto [coord, size] : llvm::zip_equal(store.at, whole))
      store.condition = both(store.condition, isInside(coord, size));
    store.value = element(op.getUpdates(), at);
    if (!store.value || failed(count()))
      return failure();
    stores.push_back(std::move(store));
    return success();
  };
  return forEachElement(shapeOf(op.getUpdates()), b, addStore);
}

void LoopBuilder::emitStore(ElementStore &store, const Buffer &buffer) {
  OpBuilder::InsertionGuard guard(b);
  if (store.condition) {
    auto choice = scf::IfOp::create(b, loc, store.condition,
                                    /*withElseRegion=*/false);
    b.setInsertionPointToStart(choice.thenBlock());
  }
  Value value = store.value;
  if (store.op.getCombine() != prim::ScatterKind::set) {
    Value before = load(buffer, store.at, /*isWritten=*/true);
    if (!before)
      return;
    value = combineUpdate(store.op, before, value, b);
  }
  this->store(value, buffer, store.at);
}

LogicalResult LoopBuilder::emitBody(prim::WhileOp op,
                                    ArrayRef<LoopState> states,
                                    ArrayRef<Buffer> memories) {
  Block &body = op.getBody().front();
  SmallVector<Value> next;
  SmallVector<ElementStore> stores;
  for (auto [number, state] : llvm::enumerate(states)) {
    Value yielded = body.getTerminator()->getOperand(number);
    if (state == LoopState::scalars) {
      FailureOr<SmallVector<Value>> all = elements(yielded);
      if (failed(all))
        return failure();
      llvm::append_range(next, *all);
    } else if (state == LoopState::memory) {
      SmallVector<prim::ScatterOp> updates;
      findUpdates(yielded, body.getArgument(number), updates);
      for (prim::ScatterOp update : updates)
        if (failed(addStores(update, number, stores)))
          return failure();
    }
  }
  for (ElementStore &one : stores)
    emitStore(one, memories[one.state]);
  scf::YieldOp::create(b, loc, next);
  return success(reason.empty());
}

LogicalResult LoopBuilder::emitLoop(prim::WhileOp op,
                                    ArrayRef<LoopState> states,
                                    ArrayRef<Buffer> memories) {
  SmallVector<Value> inits;
  SmallVector<size_t> begins;
  for (auto [number, state] : llvm::enumerate(states)) {
    Value init = op.getInits()[number];
    begins.push_back(inits.size());
    if (state == LoopState::invariant) {
      for (Region &region : op->getRegions())
        alias(region.getArgument(number), init);
      alias(op.getResult(number), init);
    } else if (state == LoopState::memory) {
      for (Region &region : op->getRegions())
        bindMemory(region.getArgument(number), memories[number]);
    } else {
      FailureOr<SmallVector<Value>> all = elements(init);
      if (failed(all))
        return failure();
      llvm::append_range(inits, *all);
    }
  }
  begins.push_back(inits.size());
  if (op == outer && failed(loadSmall(op)))
    return failure();
  auto part = [&](ValueRange all, size_t number) {
    return all.slice(begins[number], begins[number + 1] - begins[number]);
  };
  TypeRange types = ValueRange(inits).getTypes();
  auto loop = scf::WhileOp::create(b, loc, types, inits);
  auto enter = [&](Region &region, Region &from) {
    SmallVector<Location> locations(types.size(), loc);
    Block *block = b.createBlock(&region, region.end(), types, locations);
    pushScope();
    for (auto [number, state] : llvm::enumerate(states))
      if (state == LoopState::scalars)
        bind(from.getArgument(number), part(block->getArguments(), number));
    return block;
  };
  {
    OpBuilder::InsertionGuard guard(b);
    Block *before = enter(loop.getBefore(), op.getCondition());
    Value condition =
        element(op.getCondition().front().getTerminator()->getOperand(0), {});
    if (!condition)
      return failure();
    scf::ConditionOp::create(b, loc, condition, before->getArguments());
    popScope();
    enter(loop.getAfter(), op.getBody());
    if (failed(emitBody(op, states, memories)))
      return failure();
    popScope();
  }
  for (auto [number, state] : llvm::enumerate(states))
    if (state == LoopState::scalars)
      bind(op.getResult(number), part(loop.getResults(), number));
  return success();
}

LogicalResult LoopBuilder::emitRegions(Operation *op) {
  if (auto condition = dyn_cast<prim::IfOp>(op))
    return emitIf(condition);
  auto loop = cast<prim::WhileOp>(op);
  std::optional<SmallVector<LoopState>> states = classify(loop);
  return states ? emitLoop(loop, *states, {}) : failure();
}

LogicalResult LoopBuilder::emitIf(prim::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    if (!type.hasStaticShape() || type.getNumElements() > kMostScalars) {
      fail("a condition gives a tensor of more than " + Twine(kMostScalars) +
           " elements");
      return failure();
    }
    types.append(type.getNumElements(), type.getElementType());
  }
  Value condition = element(op.getCondition(), {});
  if (!condition)
    return failure();
  auto choice = scf::IfOp::create(b, loc, types, condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (unsigned side = 0; side < 2; ++side) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&choice->getRegion(side).front());
    pushScope();
    SmallVector<Value> all;
    for (Value value :
         op->getRegion(side).front().getTerminator()->getOperands()) {
      FailureOr<SmallVector<Value>> some = elements(value);
      if (failed(some))
        return failure();
      llvm::append_range(all, *some);
    }
    popScope();
    scf::YieldOp::create(b, loc, all);
  }
  ValueRange rest = choice.getResults();
  for (Value result : op.getResults()) {
    bind(result, rest.take_front(numElements(result)));
    rest = rest.drop_front(numElements(result));
  }
  return success();
}
