// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes that run in step: blocks of operations under a mask.
#include "Machine.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Marks.h"
#include "kiln/Eval/Watch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

ThreadCode::ThreadCode(LLVM::LLVMFuncOp function)
    : function(function), block(simt::getThreadBlock(function)),
      threads(block ? block.getThreads() : 0),
      sharedBytes(block ? block.getSharedBytes() : 0),
      description(target::getDescription(function)) {
  if (description && description.getTopology() &&
      description.getTopology().getLanes())
    lanes = description.getTopology().getLanes();
  if (block && block.getLanes())
    lanes = block.getLanes();
}

/// Values that no later operation of the block uses. Walking backwards, the
/// first operation seen to use a value is its last.
static llvm::DenseMap<Operation *, SmallVector<mlir::Value, 2>>
dyingIn(Block *block) {
  llvm::DenseMap<Operation *, SmallVector<mlir::Value, 2>> dying;
  llvm::DenseSet<mlir::Value> seen;
  for (Operation &op : llvm::reverse(*block)) {
    auto use = [&](mlir::Value value) {
      if (value.getParentBlock() == block && seen.insert(value).second &&
          !op.hasTrait<OpTrait::IsTerminator>())
        dying[&op].push_back(value);
    };
    for (mlir::Value result : op.getResults())
      use(result);
    op.walk([&](Operation *inner) {
      for (mlir::Value operand : inner->getOperands())
        use(operand);
    });
  }
  return dying;
}

const std::vector<ThreadCode::Step> &ThreadCode::stepsOf(Block *block) {
  auto [it, isNew] = blocks.try_emplace(block);
  if (!isNew)
    return it->second;
  std::vector<Step> steps;
  auto dying = dyingIn(block);
  for (Operation &op : block->without_terminator()) {
    const EvaluateFn *evaluate = threadEvaluation(op.getName());
    if (Dialect *dialect = evaluate ? nullptr : op.getDialect())
      if (auto *table = dialect->getRegisteredInterface<EvaluationInterface>())
        evaluate = table->lookup(op.getName());
    // What starts a copy needs no evaluation of its own.
    static const EvaluateFn startCopy = evaluateAsyncCopy;
    if (!evaluate && isa<AsyncCopyOpInterface>(op))
      evaluate = &startCopy;
    Step step = {&op, evaluate, {}};
    // Other blocks of the region may use values, too.
    if (block->getParent()->hasOneBlock())
      step.dying = dying.lookup(&op);
    steps.push_back(std::move(step));
  }
  return it->second = std::move(steps);
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Warp::Warp(ThreadBlock &block, unsigned number, LaneMask live)
    : block(block), number(number), live(live), active(live),
      frame(*block.evaluator, block.instance) {
  size_t lanes = block.code->lanes;
  fences.assign(lanes, 0);
  for (auto &phase : fencesBeforeBlock)
    phase.assign(lanes, 0);
  fencesBeforeWarp.assign(lanes, 0);
  copies.resize(lanes);
  known.assign(kMostWarps, 0);
  known[number] = 1;
}

size_t Warp::clock() const {
  return size_t(block.member) * kMostWarps + number;
}

Moment Warp::moment(unsigned lane) const {
  return {number, lane, arrived, epoch, passed};
}

int64_t Warp::thread(unsigned lane) const {
  return int64_t(number) * block.code->lanes + lane;
}

Value Warp::splat(const Value &scalar) const {
  int64_t lanes = block.code->lanes;
  SmallVector<int64_t, 2> shape = {lanes};
  llvm::append_range(shape, scalar.shape());
  Value out = Value::tensor(scalar.dtype(), shape);
  for (int64_t lane = 0; lane < lanes; ++lane)
    std::memcpy(out.as<char>() + lane * scalar.bytes(), scalar.data(),
                scalar.bytes());
  if (const uint8_t *from = scalar.poison()) {
    uint8_t *to = out.makePoison();
    for (int64_t i = 0; i < out.size(); ++i)
      to[i] = from[i % scalar.size()];
  }
  return out;
}

Value Warp::merge(LaneMask mask, const Value &yes, const Value &no) const {
  if (no.isNone() || (mask & live) == live)
    return yes;
  if (yes.isNone() || !(mask & live))
    return no;
  int64_t lanes = block.code->lanes;
  Value out = Value::tensor(yes.dtype(), yes.shape());
  int64_t each = out.bytes() / lanes, parts = out.size() / lanes;
  bool hasMarks = yes.poison() || no.poison();
  uint8_t *marks = hasMarks ? out.makePoison() : nullptr;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    const Value &from = mask >> lane & 1 ? yes : no;
    std::memcpy(out.as<char>() + lane * each, from.as<char>() + lane * each,
                each);
    if (from.poison())
      std::memcpy(marks + lane * parts, from.poison() + lane * parts, parts);
  }
  return out;
}

LaneMask Warp::lanesWhere(const Value &condition) const {
  LaneMask mask = 0;
  for (LaneMask rest = active; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctzll(rest);
    if (condition.as<uint8_t>()[lane])
      mask |= LaneMask(1) << lane;
  }
  return mask;
}

LogicalResult Warp::checkHasValue(Operation *op, const Value &value,
                                  StringRef what) const {
  const uint8_t *marks = value.poison();
  if (!marks)
    return success();
  int64_t parts = value.size() / block.code->lanes;
  return eachLane([&](unsigned lane) -> LogicalResult {
    for (int64_t i = lane * parts; i < (lane + 1) * parts; ++i)
      if (marks[i] & kPoison) {
        Value one = Value::scalar(value.dtype());
        one.makePoison()[0] = marks[i];
        return eval::checkHasValue(
            op, one, (what + " of thread " + Twine(thread(lane))).str());
      }
    return success();
  });
}

LogicalResult Warp::checkConverged(Operation *op) const {
  LaneMask missing = live & ~active;
  if (!missing)
    return success();
  return op->emitError("expected all lanes of the warp, found that thread ")
         << thread(__builtin_ctzll(missing))
         << " does not come here with thread "
         << thread(__builtin_ctzll(active));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Warp::yield() { coroutine.suspend(); }

bool Warp::start() {
  return coroutine.start([this] {
    result = runBody(frame.get(block.code->function.getBody().getArguments()));
    if (succeeded(result))
      result = block.finishWarp(*this);
    hasStopped = !live;
    live = active = 0;
  });
}

LogicalResult Warp::runBody(ArrayRef<Value> args) {
  SmallVector<Value> results;
  return run(block.code->function.getBody(), args, results);
}

LogicalResult Warp::runSteps(Block &operations, bool merges) {
  for (const ThreadCode::Step &step : block.code->stepsOf(&operations)) {
    Operation *op = step.op;
    if (watch().checkDeadline())
      return op->emitError("unsupported: evaluation takes longer than it may");
    if (--block.code->stepsLeft < 0)
      return op->emitError("unsupported: evaluation of a block that executes "
                           "more than 2^27 operations");
    if (!step.evaluate)
      return op->emitError("unsupported: no evaluation for '")
             << op->getName() << "'";
    for (mlir::Value operand : op->getOperands())
      if (frame.get(operand).isNone())
        return op->emitError("unsupported: operand of type ")
               << operand.getType() << " has no value at evaluation";
    SmallVector<Value, 1> before;
    if (merges)
      for (mlir::Value result : op->getResults())
        before.push_back(frame.get(result));
    LaneMask mask = active;
    if (failed((*step.evaluate)(op, frame)))
      return failure();
    if (!active)
      return success();
    if (merges)
      for (auto [result, old] : llvm::zip(op->getResults(), before))
        (void)frame.set(result, merge(mask, frame.get(result), old));
    for (mlir::Value dead : step.dying)
      (void)frame.set(dead, Value());
  }
  return success();
}

LogicalResult Warp::run(Region &region, ArrayRef<Value> args,
                        SmallVectorImpl<Value> &results) {
  Block &entry = region.front();
  results.clear();
  for (auto [parameter, arg] : llvm::zip_equal(entry.getArguments(), args))
    (void)frame.set(parameter, arg);
  if (!region.hasOneBlock())
    return runGraph(region, results);
  if (failed(runSteps(entry, /*merges=*/false)))
    return failure();
  if (active)
    results = frame.get(entry.getTerminator()->getOperands());
  return success();
}

/// The block that a terminator goes to where its condition is true or false.
static LogicalResult branch(Operation *terminator, Warp &warp,
                            llvm::function_ref<void(unsigned, LaneMask)> go) {
  if (terminator->getNumSuccessors() == 1) {
    go(0, warp.active);
    return success();
  }
  if (terminator->getNumSuccessors() != 2)
    return terminator->emitError("unsupported: evaluation of this branch");
  Value condition = warp.frame.get(terminator->getOperand(0));
  if (failed(warp.checkHasValue(terminator, condition, "the condition")))
    return failure();
  LaneMask taken = warp.lanesWhere(condition);
  go(0, taken);
  go(1, warp.active & ~taken);
  return success();
}

/// Lanes are at several blocks at a time; those at the earliest one go on, so
/// that they meet again where their ways join.
LogicalResult Warp::runGraph(Region &region, SmallVectorImpl<Value> &results) {
  SmallVector<Block *> order;
  for (Block &one : region)
    order.push_back(&one);
  llvm::DenseMap<Block *, size_t> place;
  for (auto [i, one] : llvm::enumerate(order))
    place[one] = i;
  LaneMask all = active, ended = 0;
  std::vector<LaneMask> at(order.size(), 0);
  at[0] = active;
  while (true) {
    size_t here = 0;
    while (here < order.size() && !(at[here] &= live))
      ++here;
    if (here == order.size())
      break;
    active = at[here];
    at[here] = 0;
    if (failed(runSteps(*order[here], /*merges=*/true)))
      return failure();
    if (!active)
      continue;
    Operation *end = order[here]->getTerminator();
    if (end->getNumSuccessors() == 0) {
      SmallVector<Value> now = frame.get(end->getOperands());
      for (size_t i = 0; i < now.size(); ++i)
        if (ended)
          now[i] = merge(active, now[i], results[i]);
      results.assign(now.begin(), now.end());
      ended |= active;
      continue;
    }
    auto successors = cast<BranchOpInterface>(end);
    LogicalResult went = branch(end, *this, [&](unsigned n, LaneMask mask) {
      if (!mask)
        return;
      Block *to = end->getSuccessor(n);
      SmallVector<Value> args =
          frame.get(successors.getSuccessorOperands(n).getForwardedOperands());
      for (auto [parameter, arg] : llvm::zip_equal(to->getArguments(), args))
        (void)frame.set(parameter, merge(mask, arg, frame.get(parameter)));
      at[place[to]] |= mask;
    });
    if (failed(went))
      return failure();
    yield();
  }
  active = all & live;
  return success();
}

bool isInThreadCode(Frame &frame) {
  return frame.instance && frame.instance->state<ThreadBlock>().running;
}

Warp *warpOf(Operation *op, Frame &frame) {
  Warp *warp =
      frame.instance ? frame.instance->state<ThreadBlock>().running : nullptr;
  if (!warp)
    op->emitOpError("expected to run in the thread code of a kernel");
  return warp;
}

} // namespace kiln::eval
