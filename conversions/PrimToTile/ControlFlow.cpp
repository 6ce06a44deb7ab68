//===- ControlFlow.cpp - Branches and loops of host programs --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A branch writes its values to the memory of the results. A loop has memory
// for what it carries, which each iteration overwrites in the end, or, where
// nothing reads the old values any more, as it goes. A loop of few elements is
// one kernel. A loop that counts to a constant reads no condition from a
// device, so that the host can queue its iterations without waiting.
//
//===----------------------------------------------------------------------===//

#include "CountedLoop.h"
#include "FunctionConverter.h"
#include "Wrap.h"
#include "kiln/Schedule/Loops.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::schedule;

/// Whether the body of a loop hands on what it was given.
static bool isInvariant(prim::WhileOp op, unsigned number) {
  Block &body = op.getBody().front();
  return body.getTerminator()->getOperand(number) == body.getArgument(number);
}

bool kiln::mayOverwrite(OpOperand &operand) {
  Value value = operand.get();
  Block *block = operand.getOwner()->getBlock();
  while (value.hasOneUse()) {
    Operation *source = value.getDefiningOp();
    if (!source) {
      // The test of a loop keeps what it is given for the body.
      auto loop = dyn_cast<prim::WhileOp>(block->getParentOp());
      return loop && block == &loop.getBody().front() &&
             value.getParentBlock() == block;
    }
    if (source->getBlock() != block)
      return false;
    // What does not change may be somebody else's.
    if (auto loop = dyn_cast<prim::WhileOp>(source))
      return !isInvariant(loop, cast<OpResult>(value).getResultNumber());
    if (!isa<prim::ReshapeOp, prim::TransposeOp>(source))
      return isa<prim::FusionOp, prim::IfOp>(source);
    value = source->getOperand(0);
  }
  return false;
}

/// Whether a value is made in the block that yields it, by something that can
/// be told where to write it.
static bool canBePlaced(Value value, Operation *yield) {
  Operation *source = value.getDefiningOp();
  return isa_and_nonnull<prim::FusionOp, prim::CatOp, prim::IfOp,
                         prim::WhileOp>(source) &&
         source->getBlock() == yield->getBlock() &&
         llvm::count(yield->getOperands(), value) == 1;
}

Value FunctionConverter::readNumber(Value tensor) {
  const Buffer &buffer = host->buffer(tensor);
  return program::ReadOp::create(builder, tensor.getLoc(),
                                 builder.getIndexType(), buffer.base,
                                 host->math.value(buffer.offset));
}

Value FunctionConverter::readCondition(Value condition) {
  Value read = readNumber(condition);
  Value zero = arith::ConstantIndexOp::create(builder, condition.getLoc(), 0);
  return arith::CmpIOp::create(builder, condition.getLoc(),
                               arith::CmpIPredicate::ne, read, zero);
}

LogicalResult FunctionConverter::convertToIndex(prim::ToIndexOp op) {
  host->setIndex(op.getResult(), readNumber(op.getOperand()));
  return sizes->resume(op.getResult());
}

FailureOr<Value> FunctionConverter::writeTo(Value value, const Buffer &target,
                                            Operation *before) {
  if (host->buffer(value).same(target))
    return value;
  OpBuilder b(before);
  prim::FusionOp copy = wrapCopy(b, before->getLoc(), value);
  Value result = copy.getResult(0);
  host->setDestination(result, target);
  host->setAlias(copy.getBody().getArgument(0), value);
  // Nothing to copy, and no element to take sizes of blocks from.
  if (llvm::is_contained(cast<RankedTensorType>(value.getType()).getShape(),
                         0)) {
    host->setBuffer(result, target);
    return result;
  }
  if (failed(schedule(copy, prim::stringifyGroupKind(copy.getKind()), "copy")))
    return target::emitUnsupported(copy, "no schedule for a copy");
  return result;
}

LogicalResult FunctionConverter::convertBranch(Region &region,
                                               ArrayRef<Buffer> results) {
  Block &block = region.front();
  Operation *yield = block.getTerminator();
  for (auto [value, target] : llvm::zip(yield->getOperands(), results))
    if (canBePlaced(value, yield) && !host->hasDestination(value))
      host->setDestination(value, target);
  sizes->enterBranch(region);
  if (failed(convertBlock(block)))
    return failure();
  for (auto [value, target] : llvm::zip(yield->getOperands(), results))
    if (failed(writeTo(value, target, yield)))
      return failure();
  sizes->leaveBranch();
  return success();
}

LogicalResult FunctionConverter::convertIf(prim::IfOp op) {
  Value condition = readCondition(op.getCondition());
  SmallVector<Buffer, 1> results;
  for (Value result : op.getResults())
    results.push_back(host->destination(result));
  auto branch = scf::IfOp::create(builder, op.getLoc(), TypeRange(), condition,
                                  /*withElseRegion=*/true);
  for (unsigned side = 0; side < 2; ++side) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&branch->getRegion(side).front());
    index::Math::Scope scope(host->math);
    if (failed(convertBranch(op->getRegion(side), results)))
      return failure();
  }
  for (auto [result, buffer] : llvm::zip(op.getResults(), results))
    host->setBuffer(result, buffer);
  return success();
}

FailureOr<Buffer> FunctionConverter::makeState(prim::WhileOp op,
                                               unsigned number) {
  OpOperand &init = op->getOpOperand(number);
  Value result = op.getResult(number);
  if (isInvariant(op, number) ||
      (mayOverwrite(init) && !host->hasDestination(result)))
    return Buffer(host->buffer(init.get()));
  Buffer state = host->destination(result);
  if (failed(writeTo(init.get(), state, op)))
    return failure();
  return state;
}

LogicalResult FunctionConverter::makeStates(prim::WhileOp op,
                                            SmallVectorImpl<Buffer> &states) {
  for (unsigned number = 0; number < op.getNumResults(); ++number) {
    FailureOr<Buffer> state = makeState(op, number);
    if (failed(state))
      return failure();
    states.push_back(*state);
    for (Region &region : op->getRegions())
      host->setBuffer(region.getArgument(number), states.back());
    host->setBuffer(op.getResult(number), states.back());
  }
  return success();
}

LogicalResult FunctionConverter::convertSmallLoop(prim::WhileOp op,
                                                  ArrayRef<LoopState> kinds) {
  // The kernel reads what the body reads.
  waitForAll();
  for (auto [number, kind] : llvm::enumerate(kinds)) {
    Value result = op.getResult(number);
    if (kind == LoopState::scalars) {
      host->setBuffer(result, host->destination(result));
      continue;
    }
    FailureOr<Buffer> state = makeState(op, number);
    if (failed(state))
      return failure();
    host->setBuffer(result, *state);
  }
  if (succeeded(schedule(op, "loop", "loop")))
    return success();
  return target::emitUnsupported(op, "no schedule for the loop");
}

/// Whether a group can write its result over the carried value `argument`: it
/// is the last to read it, and reads no other element than it writes.
static bool isLastReader(prim::FusionOp fusion, BlockArgument argument) {
  bool reads = false;
  for (Operation *user : argument.getUsers()) {
    auto other = dyn_cast<prim::FusionOp>(user);
    if (!other || other->getBlock() != fusion->getBlock() ||
        other.getKind() == prim::GroupKind::scatter)
      return false;
    if (other == fusion)
      reads = true;
    else if (!other->isBeforeInBlock(fusion))
      return false;
  }
  return !reads || llvm::all_of(fusion.getBody().front().without_terminator(),
                                [](Operation &op) {
                                  return isElementwisePrim(&op) ||
                                         splatValue(&op) ||
                                         isa<prim::IotaOp>(op);
                                });
}

LogicalResult FunctionConverter::writeStates(prim::WhileOp op,
                                             ArrayRef<Buffer> states) {
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  for (auto [number, value] : llvm::enumerate(yield->getOperands())) {
    auto fusion = value.getDefiningOp<prim::FusionOp>();
    if (fusion && canBePlaced(value, yield) && !host->hasDestination(value) &&
        fusion.getKind() != prim::GroupKind::scatter &&
        isLastReader(fusion, body.getArgument(number)))
      host->setDestination(value, states[number]);
  }
  if (failed(convertBlock(body)))
    return failure();
  // What lies where something else is going to be written moves away first.
  SmallVector<Value> values(yield->getOperands());
  for (auto [number, value] : llvm::enumerate(values)) {
    const Buffer &buffer = host->buffer(value);
    if (isInvariant(op, number) || buffer.same(states[number]) ||
        llvm::none_of(states, [&](const Buffer &state) {
          return state.base == buffer.base;
        }))
      continue;
    FailureOr<Value> moved = writeTo(
        value, host->allocate(buffer.elementType(), host->sizesOf(value)),
        yield);
    if (failed(moved))
      return failure();
    value = *moved;
  }
  for (auto [number, value] : llvm::enumerate(values))
    if (!isInvariant(op, number) &&
        failed(writeTo(value, states[number], yield)))
      return failure();
  return success();
}

LogicalResult FunctionConverter::convertCounted(prim::WhileOp op,
                                                int64_t iterations,
                                                ArrayRef<Buffer> states) {
  Location loc = op.getLoc();
  auto number = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto loop = scf::ForOp::create(builder, loc, number(0), number(iterations),
                                 number(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  index::Math::Scope scope(host->math);
  return writeStates(op, states);
}

LogicalResult FunctionConverter::convertWhile(prim::WhileOp op) {
  if (std::optional<SmallVector<LoopState>> kinds = planLoop(op, *ctx))
    return convertSmallLoop(op, *kinds);
  std::optional<CountedLoop> counted = findCount(op);
  if (counted)
    dropUnreadCounter(op, counted->counter);
  SmallVector<Buffer, 1> states;
  if (failed(makeStates(op, states)))
    return failure();
  if (counted)
    return convertCounted(op, counted->iterations, states);
  Location loc = op.getLoc();
  auto loop = scf::WhileOp::create(builder, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  {
    builder.createBlock(&loop.getBefore());
    index::Math::Scope scope(host->math);
    Block &test = op.getCondition().front();
    if (failed(convertBlock(test)))
      return failure();
    Value condition = readCondition(test.getTerminator()->getOperand(0));
    scf::ConditionOp::create(builder, loc, condition, ValueRange());
  }
  builder.createBlock(&loop.getAfter());
  index::Math::Scope scope(host->math);
  if (failed(writeStates(op, states)))
    return failure();
  scf::YieldOp::create(builder, loc);
  return success();
}
