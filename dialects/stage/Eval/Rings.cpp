// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings and roles.
#include "State.h"

using namespace mlir;

namespace kiln::eval {

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

LogicalResult StageState::waitUntil(Operation *op, StringRef what,
                                    std::function<bool()> isReady) {
  if (!running) {
    if (isReady())
      return success();
    return op->emitError("deadlock: waits for ") << what;
  }
  // With a seed others may go on at any ring operation.
  if (seed == 0 && isReady())
    return success();
  Role &role = *running;
  role.waitsAt = op;
  role.waitsFor = what.str();
  role.isReady = std::move(isReady);
  running = nullptr;
  role.coroutine.suspend();
  running = &role;
  role.isReady = nullptr;
  return failure(isAborted);
}

/// In place of a role that reads.
static constexpr int16_t kSeveral = -1;

LogicalResult StageState::checkRole(Operation *op, Storage &storage,
                                    int64_t element, bool isWrite) {
  if (!running || storage.isSlot)
    return success();
  if (storage.writerRole.empty()) {
    storage.writerRole.resize(storage.size());
    storage.readerRole.resize(storage.size());
  }
  int16_t me = running->index + 1;
  int16_t &writer = storage.writerRole[element];
  int16_t &reader = storage.readerRole[element];
  bool isWritten = writer && writer != me;
  if (isWritten || (isWrite && reader && reader != me))
    return op->emitError(isWrite ? "write to" : "read of")
           << " storage that another role " << (isWritten ? "writes" : "reads")
           << ": only a ring orders roles";
  if (isWrite)
    writer = me;
  else
    reader = reader && reader != me ? kSeveral : me;
  return success();
}

LogicalResult StageState::runRoles(stage::RolesOp op, Frame &frame) {
  if (running)
    return op.emitOpError("unsupported: roles within roles");
  std::vector<std::unique_ptr<Role>> roles;
  for (auto [index, body] : llvm::enumerate(op.getBodies())) {
    auto role = std::make_unique<Role>();
    role->index = static_cast<int>(index);
    role->name = cast<StringAttr>(op.getNames()[index]).str();
    Role *self = role.get();
    Region *region = &body;
    if (!role->coroutine.start([self, region, &frame] {
          SmallVector<Value> none;
          self->result = frame.run(*region, {}, none);
        }))
      return op.emitOpError("no memory for the stacks of roles");
    roles.push_back(std::move(role));
  }
  isAborted = false;
  LogicalResult result = success();
  size_t next = 0;
  while (true) {
    SmallVector<Role *> alive, ready;
    for (auto &role : roles)
      if (!role->coroutine.isDone())
        alive.push_back(role.get());
    if (alive.empty())
      break;
    for (Role *role : alive)
      if (isAborted || !role->isReady || role->isReady())
        ready.push_back(role);
    if (ready.empty()) {
      // Each says where it waits; the first is the error.
      InFlightDiagnostic diagnostic =
          alive.front()->waitsAt->emitError("deadlock: role '")
          << alive.front()->name << "' waits for " << alive.front()->waitsFor;
      for (Role *role : llvm::drop_begin(alive))
        diagnostic.attachNote(role->waitsAt->getLoc())
            << "role '" << role->name << "' waits for " << role->waitsFor;
      diagnostic.report();
      result = failure();
      isAborted = true;
      continue;
    }
    Role *role = ready[seed ? random(ready.size()) : next++ % ready.size()];
    running = role;
    role->coroutine.resume();
    running = nullptr;
    if (role->coroutine.isDone() && failed(role->result)) {
      // The others end, too.
      result = failure();
      isAborted = true;
    }
  }
  isAborted = false;
  for (auto &[id, storage] : storages) {
    storage->writerRole.clear();
    storage->readerRole.clear();
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

namespace {

Ring &ringOf(StageState &state, Frame &frame, mlir::Value ring) {
  return state.rings[frame.getInt(ring)];
}

LogicalResult evaluateRing(stage::RingOp op, Frame &frame) {
  StageState *state = stateOf(op, frame);
  if (!state)
    return failure();
  Ring ring;
  ring.op = op;
  state->rings.push_back(std::move(ring));
  return frame.set(op.getRing(), Value::ofIndex(state->rings.size() - 1));
}

/// Fresh storage for the next slot, so that whoever still holds the old one
/// sees nothing.
SmallVector<View> makeSlot(StageState &state, Ring &ring) {
  stage::RingType type = ring.op.getRing().getType();
  int64_t align = ring.op.getAlign().value_or(1), offset = 0;
  SmallVector<int64_t> offsets;
  for (MemRefType part : type.getParts()) {
    offsets.push_back(offset);
    offset += llvm::alignTo(stage::storageBytes(part).value_or(0), align);
  }
  int64_t number = ring.produced % type.getDepth();
  SmallVector<View> views;
  for (auto [part, at] : llvm::zip(type.getParts(), offsets)) {
    std::optional<int64_t> place;
    if (ring.op.getOffset())
      place = *ring.op.getOffset() + number * offset + at;
    views.push_back(state.allocate(ring.op, part, place));
    state.storageOf(views.back()).isSlot = true;
  }
  return views;
}

LogicalResult evaluateProduce(stage::ProduceOp op, Frame &frame) {
  StageState *state = stateOf(op, frame);
  if (!state || failed(state->stir(frame)))
    return failure();
  Ring &ring = ringOf(*state, frame, op.getRing());
  int64_t depth = op.getRing().getType().getDepth();
  if (failed(state->waitUntil(op, "an empty slot of the ring", [&ring, depth] {
        return ring.produced - ring.released < depth;
      })))
    return failure();
  Ring::Slot slot;
  slot.producer = op;
  SmallVector<Value> parts, tokens;
  for (View &view : makeSlot(*state, ring)) {
    slot.parts.push_back(view);
    parts.push_back(Value::ofView(view));
  }
  ++ring.produced;
  if (failed(frame.run(op.getBody(), parts, tokens)))
    return failure();
  for (const Value &token : tokens)
    slot.tokens.push_back(token.asInt());
  Operation *commit = op.getBody().front().getTerminator();
  for (const View &view : slot.parts)
    for (int64_t id : state->writersOf(state->storageOf(view)))
      if (!llvm::is_contained(slot.tokens, id)) {
        InFlightDiagnostic diagnostic = commit->emitError(
            "commits a slot without a token of an operation that fills it");
        diagnostic.attachNote(state->pending(id)->op->getLoc())
            << "the operation";
        return diagnostic;
      }
  ring.committed.push_back(std::move(slot));
  return success();
}

LogicalResult evaluateConsume(stage::ConsumeOp op, Frame &frame) {
  StageState *state = stateOf(op, frame);
  if (!state || failed(state->stir(frame)))
    return failure();
  Ring &ring = ringOf(*state, frame, op.getRing());
  if (failed(state->waitUntil(op, "a full slot of the ring",
                              [&ring] { return !ring.committed.empty(); })))
    return failure();
  Ring::Slot slot = std::move(ring.committed.front());
  ring.committed.pop_front();
  for (int64_t token : slot.tokens)
    if (failed(state->await(token)))
      return failure();
  for (auto [result, view] : llvm::zip(op.getResults(), slot.parts))
    (void)frame.set(result, Value::ofView(view));
  ring.consumed.push_back(std::move(slot));
  return success();
}

LogicalResult evaluateRelease(stage::ReleaseOp op, Frame &frame) {
  StageState *state = stateOf(op, frame);
  if (!state || failed(state->stir(frame)))
    return failure();
  Ring &ring = ringOf(*state, frame, op.getRing());
  if (ring.releases++ < int64_t(ring.op.getHeld().value_or(0)))
    return success(); // the slot is held
  if (ring.consumed.empty())
    return op.emitError("releases a slot, but none is consumed");
  for (const View &view : ring.consumed.front().parts) {
    Storage &storage = state->storageOf(view);
    if (state->isBusy(storage))
      return op.emitError("releases a slot that an operation in flight still "
                          "reads or writes");
    state->markUnwritten(storage);
  }
  ring.consumed.pop_front();
  ++ring.released;
  return success();
}

} // namespace

void addStageRing(EvaluationInterface &table) {
  table.add<stage::RingOp>(evaluateRing);
  table.add<stage::ProduceOp>(evaluateProduce);
  table.add<stage::ConsumeOp>(evaluateConsume);
  table.add<stage::ReleaseOp>(evaluateRelease);
  table.add<stage::RolesOp>(
      [](stage::RolesOp op, Frame &frame) -> LogicalResult {
        StageState *state = stateOf(op, frame);
        if (!state || failed(state->stir(frame)))
          return failure();
        return state->runRoles(op, frame);
      });
}

} // namespace kiln::eval
