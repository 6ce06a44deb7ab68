// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and waits.
#include "State.h"
#include "kiln/Eval/Elements.h"
#include <limits>

using namespace mlir;

namespace kiln::eval {

namespace {

/// One side of a copy: a patch of storage, or the part of a view that the box
/// reaches.
struct Side {
  std::optional<Patch> patch;
  std::optional<View> view;
  Box box;                       ///< of the view
  SmallVector<int64_t, 4> first; ///< its first element in the copied box
  bool isWhole = true;
  bool isEmpty = false;
};

LogicalResult fillSide(stage::CopyOp op, Frame &frame, StageState &state,
                       mlir::Value value, OperandRange coords, bool isOffset,
                       Side &side) {
  ArrayRef<int64_t> sizes = op.getCopied();
  if (isa<MemRefType>(value.getType())) {
    auto patch = state.patch(op, frame, value, coords, sizes);
    if (failed(patch))
      return failure();
    side.patch = std::move(*patch);
    return success();
  }
  if (frame.get(value).hasPoison())
    return op.emitOpError("the base of the view is poison");
  side.view = frame.get(value).view();
  const View &view = *side.view;
  side.box.view = &*side.view;
  size_t lacking = view.sizes.size() - sizes.size();
  for (auto [d, coordinate] : llvm::enumerate(coords)) {
    if (frame.get(coordinate).hasPoison())
      return op.emitOpError("coordinate ") << d << " is poison";
    int64_t block = d < lacking ? 1 : sizes[d - lacking];
    __int128 offset = frame.getInt(coordinate);
    if (!isOffset)
      offset *= block;
    auto low = static_cast<int64_t>(
        std::min<__int128>(std::max<__int128>(0, -offset), block));
    auto high = static_cast<int64_t>(std::max<__int128>(
        low, std::min<__int128>(block, view.sizes[d] - offset)));
    side.isWhole &= low == 0 && high == block;
    side.isEmpty |= low == high;
    side.first.push_back(low);
    side.box.first.push_back(low < high ? static_cast<int64_t>(offset + low)
                                        : 0);
    side.box.sizes.push_back(high - low);
    side.box.steps.push_back(1);
  }
  return success();
}

/// The strides of the copied box by dimensions of a view of this rank.
SmallVector<int64_t, 4> stridesFor(ArrayRef<int64_t> sizes, size_t rank) {
  SmallVector<int64_t, 4> strides(rank - sizes.size(), 0);
  llvm::append_range(strides, rowMajorStrides(sizes));
  return strides;
}

int64_t offsetOf(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  int64_t sum = 0;
  for (auto [x, y] : llvm::zip(a, b))
    sum += x * y;
  return sum;
}

/// What the copy reads, as a tile.
Value load(const Side &from, ArrayRef<int64_t> sizes, const Value &padding,
           StageState &state) {
  if (from.patch)
    return state.read(*from.patch);
  Value out = Value::tensor(from.view->dtype, sizes);
  if (!from.isWhole)
    fill(out, padding);
  auto strides = stridesFor(sizes, from.view->sizes.size());
  if (!from.isEmpty)
    readBox(from.box, out, offsetOf(from.first, strides), strides);
  return out;
}

LogicalResult store(stage::CopyOp op, const Side &to, const Value &value,
                    StageState &state) {
  if (to.patch) {
    state.write(*to.patch, value);
    return success();
  }
  if (to.isEmpty)
    return success();
  auto strides = stridesFor(value.shape(), to.view->sizes.size());
  Value part =
      gatherStrided(value, to.box.sizes, offsetOf(to.first, strides), strides);
  if (const uint8_t *poison = part.poison())
    for (int64_t i = 0; i < part.size(); ++i)
      if (poison[i])
        return op.emitOpError("poison reaches memory");
  SmallVector<int64_t, 4> stridesTo;
  char *address = boxAddress(to.box, stridesTo);
  copyStrided(to.box.sizes, runtime::dtypeBytes(part.dtype()), address,
              stridesTo, part.data(), rowMajorStrides(to.box.sizes));
  return success();
}

Value paddingOf(stage::CopyOp op, Frame &frame, DType dtype) {
  if (op.getPad())
    return frame.get(op.getPad());
  if (op.getPadding() == tile::Padding::nan)
    return Value::ofDouble(dtype, std::numeric_limits<double>::quiet_NaN());
  return Value::scalar(dtype);
}

LogicalResult evaluateCopy(stage::CopyOp op, Frame &frame) {
  if (frame.instance && frame.instance->suspend)
    frame.instance->suspend();
  StageState *state = stateOf(op, frame);
  if (!state || failed(state->stir(frame)))
    return failure();
  auto from = std::make_shared<Side>(), to = std::make_shared<Side>();
  if (failed(fillSide(op, frame, *state, op.getSource(), op.getFrom(),
                      op.getFromOffsets(), *from)) ||
      failed(fillSide(op, frame, *state, op.getTarget(), op.getTo(),
                      op.getToOffsets(), *to)))
    return failure();
  SmallVector<int64_t> sizes(op.getCopied());
  Value padding = paddingOf(op, frame, frame.get(op.getSource()).view().dtype);

  Pending pending;
  pending.op = op;
  for (auto [side, isWrite] : {std::pair(from, false), std::pair(to, true)}) {
    if (side->patch) {
      (isWrite ? pending.writes : pending.reads).push_back(*side->patch);
    } else if (!side->isEmpty) {
      if (failed(checkAccess(op, frame.instance, side->box,
                             isWrite ? Access::write : Access::read)))
        return failure();
      pending.globals.push_back(globalOf(side->box, isWrite));
    }
  }
  pending.effect = [=] {
    return store(op, *to, load(*from, sizes, padding, *state), *state);
  };
  auto id = state->issue(std::move(pending));
  if (failed(id))
    return failure();
  if (op.getAsync())
    return frame.set(op.getToken(), Value::ofIndex(*id));
  return state->await(*id);
}

/// The wait leaves the latest matmuls in flight: none of them is waited for.
LogicalResult checkCount(stage::WaitOp op, const StageState &state,
                         const Pending &awaited) {
  if (!op.getBut() || awaited.matmul < 0)
    return success();
  int64_t later = state.matmuls - awaited.matmul - 1;
  if (later >= int64_t(*op.getBut()))
    return success();
  InFlightDiagnostic diagnostic =
      op.emitError("leaves a matmul in flight that it waits for: ")
      << later << " began later, and the wait is for all but "
      << int64_t(*op.getBut());
  diagnostic.attachNote(awaited.op->getLoc()) << "the matmul";
  return diagnostic;
}

LogicalResult evaluateWait(stage::WaitOp op, Frame &frame) {
  StageState *state = stateOf(op, frame);
  if (!state || failed(state->stir(frame)))
    return failure();
  if (op.getBut() && failed(state->settleMatmuls(int64_t(*op.getBut()))))
    return failure();
  unsigned result = 0;
  for (mlir::Value awaited : op.getAwaited()) {
    bool isFuture = isa<stage::FutureType>(awaited.getType());
    if (isFuture && isComplete(frame.get(awaited))) {
      (void)frame.set(op.getResult(result++), frame.get(awaited));
      continue;
    }
    int64_t id = frame.getInt(awaited);
    Pending *pending = state->pending(id);
    if (isFuture && !pending)
      return op.emitOpError("waits for a future that was waited for before");
    if (pending && failed(checkCount(op, *state, *pending)))
      return failure();
    Value fragment;
    if (failed(state->await(id, &fragment)))
      return failure();
    if (isFuture)
      (void)frame.set(op.getResult(result++), std::move(fragment));
  }
  for (mlir::Value kept : op.getKept())
    if (stage::isTileOrFuture(kept.getType()))
      (void)frame.set(op.getResult(result++), frame.get(kept));
  return success();
}

} // namespace

void addStageCopy(EvaluationInterface &table) {
  table.add<stage::CopyOp>(evaluateCopy);
  table.add<stage::WaitOp>(evaluateWait);
  table.add<stage::PrefetchOp>(
      [](stage::PrefetchOp, Frame &) { return success(); });
  table.add<stage::PrefetchAheadOp>(
      [](stage::PrefetchAheadOp, Frame &) { return success(); });
}

} // namespace kiln::eval
