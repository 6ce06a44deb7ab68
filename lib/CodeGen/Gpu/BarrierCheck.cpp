//===- BarrierCheck.cpp - One function gone through by all threads --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BarrierCheck.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Target/Unverified.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::simt;

static bool isShared(Value pointer) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
  return type && type.getAddressSpace() == 3;
}

/// The address in the memory of the block that an operation reaches, if it
/// reaches any; of a product the first one.
static Value sharedPlace(Operation *op) {
  Value place =
      TypeSwitch<Operation *, Value>(op)
          .Case<LLVM::LoadOp, LLVM::StoreOp>(
              [](auto op) { return op.getAddr(); })
          .Case<LoadOp, StoreOp, LoadMatrixOp, StoreMatrixOp, AtomicRMWOp,
                AtomicCASOp>([](auto op) { return op.getAddress(); })
          .Case<LLVM::AtomicRMWOp, LLVM::AtomicCmpXchgOp>(
              [](auto op) { return op.getPtr(); })
          .Case<CopyAsyncOp, CopyBulkOp>([](auto op) { return op.getTarget(); })
          .Case<ExpectBytesOp, ArriveAtOp, AwaitParityOp>(
              [](auto op) { return op.getBarrier(); })
          .Case([](MmaAsyncOp op) { return op.getRhs(); })
          .Default([](Operation *) { return Value(); });
  return place && isShared(place) ? place : Value();
}

static Value maskOf(Operation *op) {
  return TypeSwitch<Operation *, Value>(op)
      .Case<LoadOp, StoreOp, CopyAsyncOp, CopyBulkOp, ExpectBytesOp, ArriveAtOp,
            AwaitParityOp>([](auto op) -> Value { return op.getMask(); })
      .Default([](Operation *) { return Value(); });
}

static bool waits(Operation *op) {
  return isa<gpu::BarrierOp, BarrierOp, WarpBarrierOp, CommitCopiesOp,
             WaitCopiesOp, CommitProductsOp, WaitProductsOp, PublishOp,
             CreateSplitBarrierOp, ArriveOp, AwaitOp, CreateBarriersOp>(op);
}

static int64_t bytesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bytesOf(vector.getElementType());
  return type.isIntOrFloat()
             ? int64_t(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8))
             : 8;
}

BarrierCheck::BarrierCheck(LLVM::LLVMFuncOp function, int64_t threads,
                           int64_t lanes, int64_t bytes, int64_t toldApart,
                           bool isTrial)
    : function(function), values(threads), accesses(threads, lanes, bytes),
      lanes(lanes), toldApart(toldApart), isTrial(isTrial) {}

InFlightDiagnostic BarrierCheck::unverified(Operation *op) {
  // An empty diagnostic is no failure.
  objects = true;
  return isTrial ? InFlightDiagnostic() : target::emitUnverified(op, function);
}

//===----------------------------------------------------------------------===//
// What has to be known
//===----------------------------------------------------------------------===//

/// Addresses, masks, and the conditions and bounds of what touches memory, with
/// all that they come from.
void BarrierCheck::findNeeded() {
  SmallVector<Value> open;
  auto need = [&](Value value) {
    if (value && (value.getType().isIntOrIndex() || isShared(value)) &&
        needed.try_emplace(value, needed.size()).second)
      open.push_back(value);
  };
  function.walk([&](Operation *op) {
    Value place = sharedPlace(op);
    if (!place && !waits(op))
      return;
    need(place);
    if (auto product = dyn_cast<MmaAsyncOp>(op)) {
      hasProducts = true;
      need(product.getLhsAddress());
    }
    if (auto copy = dyn_cast<CopyBulkOp>(op)) {
      hasProducts = hasBulkCopies = true; // they need fences, too
      need(copy.getBarrier());
    }
    if (auto wait = dyn_cast<AwaitParityOp>(op))
      need(wait.getParity());
    if (isa<CopyAsyncOp, CopyBulkOp>(op))
      for (Operation *around = op;
           around != function && copying.insert(around).second;
           around = around->getParentOp())
        ;
    need(maskOf(op));
    for (Operation *around = op;
         around != function && touching.insert(around).second;
         around = around->getParentOp()) {
      if (auto choice = dyn_cast<scf::IfOp>(around))
        need(choice.getCondition());
      if (auto loop = dyn_cast<scf::ForOp>(around))
        for (Value bound :
             {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
          need(bound);
      if (auto loop = dyn_cast<scf::WhileOp>(around))
        need(loop.getConditionOp().getCondition());
    }
  });
  while (!open.empty()) {
    Value value = open.pop_back_val();
    auto result = dyn_cast<OpResult>(value);
    Operation *op = result
                        ? result.getOwner()
                        : cast<BlockArgument>(value).getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unsigned n = result ? result.getResultNumber()
                          : cast<BlockArgument>(value).getArgNumber() - 1;
      if (result || cast<BlockArgument>(value).getArgNumber()) {
        need(loop.getInitArgs()[n]);
        need(loop.getRegionIterArg(n));
        need(loop.getBody()->getTerminator()->getOperand(n));
      }
      for (Value bound :
           {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        need(bound);
    } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
      need(choice.getCondition());
      for (Region *region : {&choice.getThenRegion(), &choice.getElseRegion()})
        if (!region->empty())
          need(region->front().getTerminator()->getOperand(
              result.getResultNumber()));
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      // Simply all that it carries.
      for (ValueRange all : {ValueRange(loop.getInits()),
                             ValueRange(loop.getConditionOp().getArgs()),
                             ValueRange(loop.getYieldOp().getOperands()),
                             ValueRange(loop.getBeforeArguments()),
                             ValueRange(loop.getAfterArguments())})
        llvm::for_each(all, need);
      need(loop.getConditionOp().getCondition());
    } else if (result && isMemoryEffectFree(op)) {
      llvm::for_each(op->getOperands(), need);
    }
  }
}

const ThreadValue *BarrierCheck::value(const BlockState &state, Value value) {
  auto place = needed.find(value);
  if (place != needed.end())
    if (const ThreadValue *known = state.values[place->second])
      return known;
  return values.unknown(value);
}

void BarrierCheck::set(BlockState &state, Value value,
                       const ThreadValue *known) {
  auto place = needed.find(value);
  if (place != needed.end())
    state.values[place->second] = known;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

LogicalResult BarrierCheck::wholeBlock(Operation *op,
                                       const ThreadValue *active) {
  for (int64_t t = 0; t < values.threads; ++t) {
    Interval is = active->of(t);
    if (is.isOne() && !is.low)
      return unverified(op) << "is a barrier that thread " << t
                            << " of the block does not reach";
  }
  return success();
}

/// What should stand between an access and the next one that meets it.
static StringRef missing(const Pending &before) {
  switch (before.stage) {
  case Pending::Stage::UnderWay:
    return before.access->isProduct ? "wait covers that product"
                                    : "wait covers that copy";
  case Pending::Stage::Unfenced:
    return "proxy fence stands between it and the barrier behind it";
  default:
    return "barrier parts the two";
  }
}

LogicalResult BarrierCheck::verifyApart(const SharedAccess *now,
                                        const BlockState &state) {
  const char *what[] = {"reads", "writes", "updates"};
  // Threads that write to one place in one step have copies of one element.
  for (const Pending &before : state.pending)
    if (auto meeting = accesses.meet(before, now)) {
      InFlightDiagnostic error =
          unverified(now->op)
          << what[size_t(now->touch)] << " byte " << meeting->byte
          << " of the block's memory in thread " << meeting->second
          << ", which thread " << meeting->first << " "
          << what[size_t(before.access->touch)] << " before, and no "
          << missing(before);
      if (!isTrial)
        error.attachNote(before.access->op->getLoc()) << "it does so here";
      return error;
    }
  return success();
}

LogicalResult BarrierCheck::touch(SharedAccess access, Value mask,
                                  BlockState &state,
                                  const ThreadValue *active) {
  access.active =
      mask ? values.choose(mask, value(state, mask), active, boolean(false))
           : active;
  const SharedAccess *now = accesses.get(access);
  if (now->spans.empty())
    return success();
  if (failed(verifyApart(now, state)))
    return failure();
  state.pending.insert({now, now->isCopy || now->isProduct
                                 ? Pending::Stage::UnderWay
                                 : Pending::Stage::Threads});
  return success();
}

void BarrierCheck::evaluate(Step &step, BlockState &state) {
  SmallVector<const ThreadValue *, 3> operands;
  for (const Step::Operand &operand : step.operands) {
    const ThreadValue *known =
        operand.place ? state.values[*operand.place] : nullptr;
    operands.push_back(known ? known : operand.otherwise);
  }
  bool isSame = ArrayRef(step.last) == ArrayRef(operands);
  for (Step::Result &result : step.results) {
    if (!isSame || !result.last)
      result.last = values.evaluate(result.value, operands);
    state.values[result.place] = result.last;
  }
  if (!isSame)
    step.last = std::move(operands);
}

/// Which threads give the addresses of a matrix's rows: of the other lanes the
/// address does not count.
const ThreadValue *BarrierCheck::ofRows(const ThreadValue *active,
                                        size_t rows) {
  const ThreadValue *&known = activeOfRows[{active, rows}];
  if (known)
    return known;
  SmallVector<Interval, 0> who;
  for (int64_t t = 0; t < values.threads; ++t)
    who.push_back(size_t(t % lanes) < rows ? active->of(t) : Interval{0, 0});
  return known = values.get({}, who);
}

LogicalResult BarrierCheck::runOp(Step &step, BlockState &state,
                                  const ThreadValue *active) {
  if (!step.results.empty())
    evaluate(step, state);
  if (step.touches && failed(runAccess(step.op, state, active)))
    return failure();
  return failure(objects);
}

/// The first thread writes what a split barrier is, and who arrives reads it.
LogicalResult BarrierCheck::touchBarrier(Operation *op, BlockState &state,
                                         const ThreadValue *active) {
  SharedAccess access;
  access.op = op;
  access.active = active;
  access.touch = Touch::Read;
  access.bytes = kSplitBarrierBytes;
  int64_t place;
  if (auto made = dyn_cast<CreateSplitBarrierOp>(op)) {
    place = made.getPlace();
    access.touch = Touch::Write;
    SmallVector<Interval, 0> who(values.threads, Interval{0, 0});
    who[0] = active->of(0);
    access.active = values.get({}, who);
  } else {
    place = cast<ArriveOp>(op).getPlace();
  }
  access.address = values.number(place);
  return touch(access, Value(), state, access.active);
}

LogicalResult BarrierCheck::runAccess(Operation *op, BlockState &state,
                                      const ThreadValue *active) {
  if (isa<gpu::BarrierOp>(op)) {
    // The thread that starts copies passes those behind a fence, outside of
    // loops and conditions.
    using ForCopies = SharedAccesses::ForCopies;
    bool isOuter = op->getParentOp() == function;
    SharedAccesses::waitForBlock(state.pending, hasProducts,
                                 !hasBulkCopies ? ForCopies::None
                                 : isOuter      ? ForCopies::Unfenced
                                                : ForCopies::All);
    return wholeBlock(op, active);
  }
  if (isa<CreateBarriersOp, ExpectBytesOp, CopyBulkOp, ArriveAtOp,
          AwaitParityOp>(op))
    return runSlotBarrier(op, state, active);
  if (isa<CreateSplitBarrierOp, ArriveOp>(op))
    if (failed(touchBarrier(op, state, active)))
      return failure();
  if (isa<ArriveOp>(op)) {
    if (!SharedAccesses::arrive(state.pending))
      return unverified(op) << "is a second arrival before the wait for the "
                            << "first one";
    return wholeBlock(op, active);
  }
  if (isa<AwaitOp>(op)) {
    SharedAccesses::await(state.pending, hasProducts);
    return wholeBlock(op, active);
  }
  if (isa<WarpBarrierOp>(op))
    SharedAccesses::waitForWarp(state.pending);
  if (isa<PublishOp>(op))
    SharedAccesses::fence(state.pending);
  if (isa<CommitCopiesOp, CommitProductsOp>(op))
    SharedAccesses::commit(state.pending, isa<CommitProductsOp>(op));
  if (auto wait = dyn_cast<WaitCopiesOp>(op))
    SharedAccesses::waitForGroups(state.pending, wait.getBut(), false);
  if (auto wait = dyn_cast<WaitProductsOp>(op))
    SharedAccesses::waitForGroups(state.pending, wait.getBut(), true);
  Value place = sharedPlace(op);
  if (!place)
    return success();
  SharedAccess access;
  access.op = op;
  if (auto product = dyn_cast<MmaAsyncOp>(op)) {
    access.active = active;
    access.touch = Touch::Read;
    access.isProduct = true;
    for (auto [factor, matrix] :
         {std::pair(product.getLhsAddress(), product.getLhsMatrixAttr()),
          std::pair(product.getRhs(), product.getRhsMatrixAttr())}) {
      if (!factor)
        continue;
      access.address = value(state, factor);
      access.bytes = matrix.getBytes();
      if (failed(touch(access, Value(), state, active)))
        return failure();
    }
    return success();
  }
  access.address = value(state, place);
  access.active = active;
  TypeSwitch<Operation *>(op)
      .Case<LLVM::LoadOp, LoadOp>([&](auto load) {
        access.touch = Touch::Read;
        access.bytes = bytesOf(load.getResult().getType());
      })
      .Case<LLVM::StoreOp, StoreOp>([&](auto store) {
        access.touch = Touch::Write;
        access.bytes = bytesOf(store.getValue().getType());
      })
      .Case([&](CopyAsyncOp copy) {
        access.touch = Touch::Write;
        access.bytes = copy.getBytes();
        access.isCopy = true;
      })
      .Case<LoadMatrixOp, StoreMatrixOp>([&](auto matrices) {
        access.touch = isa<LoadMatrixOp>(op) ? Touch::Read : Touch::Write;
        access.isOfWarp = true;
        access.bytes = matrices.getBytes();
        access.active = ofRows(active, matrices.getLanes());
      })
      .Default([&](Operation *) {
        access.bytes = bytesOf(op->getOperand(1).getType());
      });
  return touch(access, maskOf(op), state, access.active);
}

//===----------------------------------------------------------------------===//
// Ways
//===----------------------------------------------------------------------===//

Interval BlockState::boundOf(Value symbol, Value from) const {
  for (const Bound &bound : bounds) {
    if (bound.symbol == symbol && bound.from == from)
      return bound.distance;
    if (bound.symbol == from && bound.from == symbol)
      return {-bound.distance.high, -bound.distance.low};
  }
  return {-Interval::kFar, Interval::kFar};
}

void BlockState::setBound(Value symbol, Value from, Interval distance) {
  for (Bound &bound : bounds) {
    if (bound.symbol == symbol && bound.from == from) {
      bound.distance = distance;
      return;
    }
    if (bound.symbol == from && bound.from == symbol) {
      bound.distance = {-distance.high, -distance.low};
      return;
    }
  }
  bounds.push_back({symbol, from, distance});
}

void BlockState::forgetBounds(Operation *loop) {
  auto isInside = [&](Value symbol) {
    return symbol && loop->isAncestor(symbol.getParentBlock()->getParentOp());
  };
  llvm::erase_if(bounds, [&](const Bound &bound) {
    return isInside(bound.symbol) || isInside(bound.from);
  });
}

std::optional<BlockState> BarrierCheck::split(Operation *op,
                                              BlockState &state) {
  using P = arith::CmpIPredicate;
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !needed.contains(compare.getResult()))
    return std::nullopt;
  P predicate = compare.getPredicate();
  const ThreadValue *lhs = value(state, compare.getLhs()),
                    *rhs = value(state, compare.getRhs());
  if (!lhs->symbol) {
    std::swap(lhs, rhs);
    switch (predicate) {
    case P::slt:
      predicate = P::sgt;
      break;
    case P::sle:
      predicate = P::sge;
      break;
    case P::sgt:
      predicate = P::slt;
      break;
    case P::sge:
      predicate = P::sle;
      break;
    default:
      return std::nullopt;
    }
  }
  auto isSingle = [](const ThreadValue *value) {
    return value->threads.size() == 1 && value->threads[0].isOne();
  };
  if (!lhs->symbol || lhs->symbol == rhs->symbol || !isSingle(lhs) ||
      !isSingle(rhs))
    return std::nullopt;
  // The distance is at most `last` on one way, and more on the other one.
  int64_t last = rhs->threads[0].low - lhs->threads[0].low;
  bool isWithin = predicate == P::slt || predicate == P::sle;
  if (predicate == P::slt || predicate == P::sge)
    --last;
  else if (predicate != P::sle && predicate != P::sgt)
    return std::nullopt;
  Value symbol = lhs->symbol, from = rhs->symbol;
  Value result = compare.getResult();
  Interval bound = state.boundOf(symbol, from);
  std::optional<BlockState> other;
  if (bound.low <= last && bound.high > last) {
    other = state;
    other->setBound(symbol, from, {last + 1, bound.high});
    set(*other, result, boolean(!isWithin));
    state.setBound(symbol, from, {bound.low, last});
    set(state, result, boolean(isWithin));
  } else {
    set(state, result, boolean((bound.high <= last) == isWithin));
  }
  return other;
}

/// More ways than these are not followed.
bool BarrierCheck::isFull(Operation *op) {
  constexpr int64_t kMost = 20000;
  if (++rounds > kMost && !gaveUp)
    gaveUp = op;
  return gaveUp;
}

/// Ways on which the same is known go on together.
void BarrierCheck::add(States &states, BlockState state, ValueRange told) {
  for (BlockState &other : states)
    if (other.bounds == state.bounds && other.slots == state.slots &&
        llvm::all_of(told, [&](Value v) {
          return value(other, v) == value(state, v);
        })) {
      other.pending.insert(state.pending);
      return;
    }
  states.push_back(std::move(state));
}

/// The operations of a block that matter, in their order.
std::vector<BarrierCheck::Step> &BarrierCheck::stepsOf(Block &block) {
  std::unique_ptr<std::vector<Step>> &list = steps[&block];
  if (list)
    return *list;
  list = std::make_unique<std::vector<Step>>();
  for (Operation &op : block.without_terminator()) {
    Step step{&op, touching.contains(&op), {}, {}, {}};
    for (OpResult result : op.getResults())
      if (auto place = needed.find(result); place != needed.end())
        step.results.push_back({result, place->second});
    if (!step.touches && step.results.empty())
      continue;
    if (!step.results.empty() && op.getNumRegions() == 0)
      for (Value operand : op.getOperands()) {
        auto place = needed.find(operand);
        step.operands.push_back({place != needed.end()
                                     ? std::optional(place->second)
                                     : std::nullopt,
                                 values.unknown(operand)});
      }
    list->push_back(std::move(step));
  }
  return *list;
}

LogicalResult BarrierCheck::runBlock(Block &block, BlockState state,
                                     const ThreadValue *active, States &out) {
  States now;
  now.push_back(std::move(state));
  for (Step &step : stepsOf(block)) {
    Operation &op = *step.op;
    if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op)) {
      for (size_t i = 0, count = now.size(); i < count; ++i) {
        if (failed(runOp(step, now[i], active)))
          return failure();
        if (std::optional<BlockState> other = split(&op, now[i]))
          now.push_back(std::move(*other));
      }
      continue;
    }
    States next;
    for (BlockState &one : now) {
      States after;
      LogicalResult ok =
          TypeSwitch<Operation *, LogicalResult>(&op)
              .Case([&](scf::IfOp op) {
                return runIf(op, std::move(one), active, after);
              })
              .Case([&](scf::ForOp op) {
                return runFor(op, std::move(one), active, after);
              })
              .Case([&](scf::WhileOp op) {
                return runWhile(op, std::move(one), active, after);
              });
      if (failed(ok))
        return failure();
      for (BlockState &state : after)
        add(next, std::move(state), op.getResults());
    }
    now = std::move(next);
  }
  out = std::move(now);
  return success();
}

LogicalResult BarrierCheck::runIf(scf::IfOp op, BlockState state,
                                  const ThreadValue *active, States &out) {
  if (isFull(op))
    return success();
  const ThreadValue *condition = value(state, op.getCondition());
  auto results = [&](BlockState &state, Region &region,
                     SmallVectorImpl<const ThreadValue *> &list) {
    for (OpResult result : op.getResults())
      if (needed.contains(result))
        list.push_back(value(state, region.front().getTerminator()->getOperand(
                                        result.getResultNumber())));
  };
  auto assign = [&](BlockState &state, ArrayRef<const ThreadValue *> list) {
    for (OpResult result : op.getResults())
      if (needed.contains(result)) {
        set(state, result, list.front());
        list = list.drop_front();
      }
  };
  auto runOne = [&](Region &region, BlockState state, const ThreadValue *active,
                    States &ends) -> LogicalResult {
    if (region.empty()) {
      ends.push_back(std::move(state));
      return success();
    }
    return runBlock(region.front(), std::move(state), active, ends);
  };
  Region *regions[] = {&op.getElseRegion(), &op.getThenRegion()};
  std::optional<int64_t> all = condition->getNumber();
  // Some threads go one way, the others the other.
  bool parts = condition->isExact && !all;
  if (parts || !touching.contains(op)) {
    States ends[2];
    const ThreadValue *those[2] = {active, active};
    if (parts) {
      those[1] =
          values.choose(op.getCondition(), condition, active, boolean(false));
      those[0] =
          values.choose(op.getCondition(), condition, boolean(false), active);
    }
    if (failed(runOne(*regions[1], state, those[1], ends[1])))
      return failure();
    for (BlockState &then : ends[1]) {
      SmallVector<const ThreadValue *> lists[2];
      results(then, *regions[1], lists[1]);
      States others;
      if (failed(runOne(*regions[0], std::move(then), those[0], others)))
        return failure();
      for (BlockState &both : others) {
        lists[0].clear();
        results(both, *regions[0], lists[0]);
        SmallVector<const ThreadValue *> chosen;
        for (OpResult result : op.getResults())
          if (needed.contains(result))
            chosen.push_back(values.choose(result, condition,
                                           lists[1][chosen.size()],
                                           lists[0][chosen.size()]));
        assign(both, chosen);
        add(out, std::move(both), op.getResults());
      }
    }
    return success();
  }
  for (int way : {1, 0}) {
    if (all && bool(*all) != bool(way))
      continue;
    States ends;
    if (failed(runOne(*regions[way], state, active, ends)))
      return failure();
    for (BlockState &end : ends) {
      SmallVector<const ThreadValue *> list;
      if (op.getNumResults())
        results(end, *regions[way], list);
      assign(end, list);
      add(out, std::move(end), op.getResults());
    }
  }
  return success();
}
