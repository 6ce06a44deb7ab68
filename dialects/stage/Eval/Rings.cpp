// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings.
#include "State.h"

using namespace mlir;

namespace kiln::eval {

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

/// Fresh storage for the next slot, so that a reader of the old one sees
/// nothing.
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
  }
  return views;
}

LogicalResult evaluateProduce(stage::ProduceOp op, Frame &frame) {
  StageState *state = stateOf(op, frame);
  if (!state || failed(state->stir(frame)))
    return failure();
  Ring &ring = ringOf(*state, frame, op.getRing());
  int64_t depth = op.getRing().getType().getDepth();
  if (ring.produced - ring.released >= depth)
    return op.emitError("deadlock: waits for an empty slot of the ring");
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
  if (ring.committed.empty())
    return op.emitError("deadlock: waits for a full slot of the ring");
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
}

} // namespace kiln::eval
