// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Storage, and tiles in and out of it.
#include "State.h"
#include "kiln/Eval/Elements.h"

using namespace mlir;

namespace kiln::eval {

namespace {

/// The part of a patch that the ranges leave, and where it starts in the tile;
/// false where nothing is left.
bool restrict(Patch &patch, const Ranges *ranges,
              SmallVector<int64_t, 4> &begin) {
  begin.assign(patch.sizes.size(), 0);
  if (!ranges)
    return patch.size() > 0;
  for (auto [d, range] : llvm::enumerate(*ranges)) {
    begin[d] = range.first;
    patch.first += range.first * patch.strides[d];
    patch.sizes[d] = std::max<int64_t>(0, range.second - range.first);
  }
  return patch.size() > 0;
}

int64_t offsetOf(ArrayRef<int64_t> begin, ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (auto [i, stride] : llvm::zip(begin, strides))
    offset += i * stride;
  return offset;
}

} // namespace

LogicalResult evaluateRead(stage::ReadOp op, Frame &frame,
                           const Ranges *ranges) {
  StageState *state = stateOf(op, frame);
  if (!state || failed(state->stir(frame)))
    return failure();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getResult().getType()).getShape();
  auto patch = state->patch(op, frame, op.getStorage(), op.getOrigin(), shape);
  if (failed(patch))
    return failure();
  SmallVector<int64_t, 4> begin;
  Value out = Value::tensor(dtypeOf(op.getResult().getType()), shape);
  bool isWhole = !ranges || llvm::all_of(llvm::enumerate(*ranges), [&](auto d) {
    return d.value().first == 0 && d.value().second == shape[d.index()];
  });
  if (!isWhole) {
    std::memset(out.mutableData(), 0, out.bytes());
    std::fill_n(out.makePoison(), out.size(), 1);
  }
  if (restrict(*patch, ranges, begin)) {
    if (failed(state->checkRead(op, *patch)))
      return failure();
    Value part = state->read(*patch);
    if (isWhole)
      out = part;
    else {
      auto strides = rowMajorStrides(shape);
      scatterStrided(part, out, offsetOf(begin, strides), strides);
      if (!part.hasPoison()) {
        uint8_t zero = 0;
        SmallVector<int64_t, 4> same(shape.size(), 0);
        copyStrided(patch->sizes, 1,
                    out.makePoison() + offsetOf(begin, strides), strides, &zero,
                    same);
      }
    }
  }
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult evaluateWrite(stage::WriteOp op, Frame &frame,
                            const Ranges *ranges) {
  StageState *state = stateOf(op, frame);
  if (!state || failed(state->stir(frame)))
    return failure();
  Value value = frame.get(op.getValue());
  SmallVector<int64_t, 4> begin(value.rank(), 0), sizes(value.shape());
  for (size_t d = 0; ranges && d < sizes.size(); ++d) {
    begin[d] = (*ranges)[d].first;
    sizes[d] = (*ranges)[d].second - begin[d];
    if (sizes[d] <= 0)
      return success();
  }
  auto patch =
      state->patch(op, frame, op.getStorage(), op.getOrigin(), sizes, begin);
  if (failed(patch) || failed(state->checkWrite(op, *patch)))
    return failure();
  auto strides = rowMajorStrides(value.shape());
  state->write(*patch, gatherStrided(value, patch->sizes,
                                     offsetOf(begin, strides), strides));
  return success();
}

Value poisonOutside(const Value &value, const Ranges &ranges) {
  Value out = value;
  SmallVector<int64_t, 4> index(value.rank(), 0);
  uint8_t *poison = out.makePoison();
  for (int64_t n = 0; n < value.size(); ++n) {
    for (auto [d, range] : llvm::enumerate(ranges))
      if (index[d] < range.first || index[d] >= range.second)
        poison[n] = 1;
    for (int64_t d = static_cast<int64_t>(value.rank()) - 1; d >= 0; --d) {
      if (++index[d] < value.dim(d))
        break;
      index[d] = 0;
    }
  }
  return out;
}

namespace {

LogicalResult evaluateAlloc(stage::AllocOp op, Frame &frame) {
  StageState *state = stateOf(op, frame);
  if (!state || failed(state->stir(frame)))
    return failure();
  std::optional<int64_t> offset;
  if (op.getOffset())
    offset = *op.getOffset();
  return frame.set(
      op.getStorage(),
      Value::ofView(state->allocate(op, op.getStorage().getType(), offset)));
}

} // namespace

void addStageStorage(EvaluationInterface &table) {
  table.add<stage::AllocOp>(evaluateAlloc);
  table.add<stage::ReadOp>([](stage::ReadOp op, Frame &frame) {
    return evaluateRead(op, frame, nullptr);
  });
  table.add<stage::WriteOp>([](stage::WriteOp op, Frame &frame) {
    return evaluateWrite(op, frame, nullptr);
  });
}

} // namespace kiln::eval
