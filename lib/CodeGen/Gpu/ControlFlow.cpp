//===- ControlFlow.cpp - Loops and conditions of kernels ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoweringTable.h"
#include "MemoryProducts.h"
#include "Order.h"
#include "OwnLowerings.h"
#include "Rings.h"
#include "ThreadWriter.h"
#include "kiln/Dialect/Stage/Slots.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

SmallVector<Value> ThreadWriter::flatten(ValueRange values) {
  SmallVector<Value> flat;
  for (Value value : values) {
    if (stage::isTileOrFuture(value.getType()))
      llvm::append_range(flat, registers(value));
    else
      flat.push_back(scalar(value));
  }
  return flat;
}

SmallVector<Type> ThreadWriter::flattenTypes(TypeRange types) {
  SmallVector<Type> flat;
  for (Type type : types) {
    LayoutAttr layout = getLayout(type);
    flat.append(layout ? layout.getNumRegisters() : 1,
                scalarType(getElementTypeOrSelf(stage::getAwaitedType(type))));
  }
  return flat;
}

void ThreadWriter::unflatten(ValueRange values, ValueRange flat) {
  for (Value value : values) {
    if (!stage::isTileOrFuture(value.getType())) {
      define(value, flat.front());
      flat = flat.drop_front();
      continue;
    }
    int64_t count = getLayout(value).getNumRegisters();
    define(value, Regs(flat.take_front(count)));
    flat = flat.drop_front(count);
  }
}

/// Carried tiles of halves that only products read, which take two in a
/// register: as two values each the loop would carry what they are rounded
/// from.
static llvm::SmallBitVector findPaired(scf::ForOp op,
                                       target::TargetAttr description) {
  llvm::SmallBitVector paired(op.getNumRegionIterArgs());
  for (BlockArgument argument : op.getRegionIterArgs()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    LayoutAttr layout = getLayout(argument.getType());
    paired[argument.getArgNumber() - op.getNumInductionVars()] =
        type && layout && layout.getNumRegisters() % 2 == 0 &&
        type.getElementType().isFloat() &&
        type.getElementTypeBitWidth() == 16 && !argument.use_empty() &&
        llvm::all_of(argument.getUsers(), [&](Operation *user) {
          return isMemoryProduct(user, description);
        });
  }
  return paired;
}

SmallVector<Value>
ThreadWriter::flattenCarried(ValueRange values,
                             const llvm::SmallBitVector &pairs) {
  SmallVector<Value> flat;
  for (auto [i, value] : llvm::enumerate(values)) {
    SmallVector<Value> own = flatten(value);
    if (!pairs[i])
      llvm::append_range(flat, own);
    else
      for (size_t first = 0; first < own.size(); first += 2)
        flat.push_back(pack(ArrayRef(own).slice(first, 2)));
  }
  return flat;
}

void ThreadWriter::unflattenCarried(ValueRange values, ValueRange flat,
                                    const llvm::SmallBitVector &pairs) {
  for (auto [i, value] : llvm::enumerate(values)) {
    size_t count = flattenTypes(value.getType()).size() / (pairs[i] ? 2 : 1);
    SmallVector<Value> own;
    for (Value one : flat.take_front(count)) {
      if (pairs[i])
        own.append({unpack(one, 0), unpack(one, 1)});
      else
        own.push_back(one);
    }
    unflatten(value, own);
    flat = flat.drop_front(count);
  }
}

/// Whether a loop writes memory, so that loads of the next iteration may have
/// to wait for it.
static bool writesMemory(scf::ForOp op) {
  return op
      ->walk([](Operation *inner) {
        auto writes = [](const Reach &reach) { return reach.writes; };
        return llvm::any_of(reachesOf(inner), writes) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What a loop counts from, to and in. Where the first thread writes memory, it
/// counts a known number of iterations with the bits of an address: assemblers
/// then know the number, and request the loads of several iterations together.
/// Loops that only load they unroll by themselves.
static std::array<Value, 3> boundsOf(scf::ForOp op, ThreadWriter &w) {
  constexpr unsigned kAddressBits = 64;
  std::array<Value, 3> bounds = {w.scalar(op.getLowerBound()),
                                 w.scalar(op.getUpperBound()),
                                 w.scalar(op.getStep())};
  auto isCount = [](Value bound) {
    llvm::APInt value;
    return matchPattern(bound, m_ConstantInt(&value)) &&
           value.getBitWidth() < kAddressBits && !value.isNegative();
  };
  if (writesMemory(op) && isInFirstThread(op) && llvm::all_of(bounds, isCount))
    for (Value &bound : bounds)
      bound = w.b.createOrFold<arith::ExtUIOp>(
          w.loc, w.b.getIntegerType(kAddressBits), bound);
  return bounds;
}

static LogicalResult lowerFor(scf::ForOp op, ThreadWriter &w) {
  bool hasRings = touchesRings(op);
  // Inner loops carry the counters of all rings, of those, too, that this one
  // does not touch.
  SmallVector<Value> rings = ringsBefore(op), counters = ringCounters(rings, w);
  llvm::SmallBitVector pairs = findPaired(op, w.description);
  SmallVector<Value> inits = w.flattenCarried(op.getInits(), pairs);
  size_t count = inits.size();
  if (hasRings)
    inits.append(counters);
  auto [from, to, step] = boundsOf(op, w);
  auto loop = scf::ForOp::create(w.b, w.loc, from, to, step, inits);
  if (Attribute hints = op->getAttr(tile::kHintsAttr))
    loop->setAttr(tile::kHintsAttr, hints);
  ValueRange arguments = loop.getRegionIterArgs(), results = loop.getResults();
  // What the loop gives is taken apart behind it.
  w.unflattenCarried(op.getResults(), results.take_front(count), pairs);
  OpBuilder::InsertionGuard guard(w.b);
  if (!inits.empty())
    w.b.setInsertionPointToEnd(loop.getBody());
  else
    w.b.setInsertionPoint(loop.getBody()->getTerminator());
  Type counted = w.scalar(op.getLowerBound()).getType();
  w.define(op.getInductionVar(),
           counted == from.getType()
               ? Value(loop.getInductionVar())
               : w.b.createOrFold<arith::TruncIOp>(w.loc, counted,
                                                   loop.getInductionVar()));
  w.unflattenCarried(op.getRegionIterArgs(), arguments.take_front(count),
                     pairs);
  if (hasRings)
    setRingCounters(rings, arguments.drop_front(count), w);
  if (failed(w.lowerBlock(op.getBody())))
    return failure();
  if (!inits.empty()) {
    SmallVector<Value> yielded = w.flattenCarried(op.getYieldedValues(), pairs);
    if (hasRings)
      yielded.append(ringCounters(rings, w));
    scf::YieldOp::create(w.b, w.loc, yielded);
  }
  setRingCounters(rings,
                  hasRings ? ValueRange(results.drop_front(count))
                           : ValueRange(counters),
                  w);
  return success();
}

static LogicalResult lowerIf(scf::IfOp op, ThreadWriter &w) {
  bool hasRings = touchesRings(op);
  SmallVector<Value> rings = ringsBefore(op), counters = ringCounters(rings, w);
  // Which copies are under way must not depend on a condition, but for the
  // filling of a slot as a whole.
  WalkResult walked = op.walk([&](Operation *inner) {
    Value ring = stage::ringTakenBy(inner);
    if (!ring && inner->getParentOp() != op)
      ring = stage::ringFilledBy(inner);
    return ring && !op->isAncestor(ring.getDefiningOp())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return w.decline(op, "a ring that is consumed under a condition");
  if (hasRings)
    if (std::optional<LogicalResult> filled = fillSlots(op, w))
      return *filled;
  SmallVector<Type> types = w.flattenTypes(op.getResultTypes());
  size_t count = types.size();
  if (hasRings)
    types.append(counters.size(), w.b.getI32Type());
  auto choice = scf::IfOp::create(
      w.b, w.loc, types, w.scalar(op.getCondition()), /*addThenBlock=*/true,
      /*addElseBlock=*/!op.getElseRegion().empty() || hasRings);
  for (auto [from, to] :
       {std::make_pair(&op.getThenRegion(), &choice.getThenRegion()),
        std::make_pair(&op.getElseRegion(), &choice.getElseRegion())}) {
    if (from->empty() && !hasRings)
      continue;
    setRingCounters(rings, counters, w);
    OpBuilder::InsertionGuard guard(w.b);
    Block *block = &to->front();
    if (!block->empty())
      block->back().erase();
    w.b.setInsertionPointToEnd(block);
    SmallVector<Value> yielded;
    if (!from->empty()) {
      if (failed(w.lowerBlock(&from->front())))
        return failure();
      yielded = w.flatten(from->front().getTerminator()->getOperands());
    }
    if (hasRings)
      yielded.append(ringCounters(rings, w));
    scf::YieldOp::create(w.b, w.loc, yielded);
  }
  ValueRange results = choice.getResults();
  w.unflatten(op.getResults(), results.take_front(count));
  setRingCounters(rings,
                  hasRings ? ValueRange(results.drop_front(count))
                           : ValueRange(counters),
                  w);
  return success();
}

static LogicalResult lowerWhile(scf::WhileOp op, ThreadWriter &w) {
  if (touchesRings(op))
    return w.decline(op, "rings in a loop without a count");
  SmallVector<Value> rings = ringsBefore(op), counters = ringCounters(rings, w);
  SmallVector<Value> inits = w.flatten(op.getInits());
  SmallVector<Type> results = w.flattenTypes(op.getResultTypes());
  auto loop = scf::WhileOp::create(w.b, w.loc, results, inits);
  auto region = [&](Block *from, Region &to, TypeRange types) {
    SmallVector<Location> locations(types.size(), w.loc);
    Block *block = w.b.createBlock(&to, to.end(), types, locations);
    w.unflatten(from->getArguments(), block->getArguments());
    return w.lowerBlock(from);
  };
  OpBuilder::InsertionGuard guard(w.b);
  Block *before = op.getBeforeBody(), *after = op.getAfterBody();
  if (failed(region(before, loop.getBefore(), ValueRange(inits).getTypes())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  scf::ConditionOp::create(w.b, w.loc, w.scalar(condition.getCondition()),
                           w.flatten(condition.getArgs()));
  if (failed(region(after, loop.getAfter(), results)))
    return failure();
  scf::YieldOp::create(w.b, w.loc,
                       w.flatten(after->getTerminator()->getOperands()));
  setRingCounters(rings, counters, w);
  w.unflatten(op.getResults(), loop.getResults());
  return success();
}

void simt::addControlFlowLowerings(LoweringTable &table) {
  table.add<scf::ForOp>(lowerFor);
  table.add<scf::IfOp>(lowerIf);
  table.add<scf::WhileOp>(lowerWhile);
}
