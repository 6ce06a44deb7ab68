// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of tensors at computed places, and sizes as data.
#include "Families.h"
#include "Points.h"

using namespace mlir;

namespace kiln::eval {

namespace {

/// The number of the first element of a part, whose starts are clamped.
FailureOr<int64_t> offsetOf(Operation *op, Frame &frame, ValueRange starts,
                            ArrayRef<int64_t> whole, ArrayRef<int64_t> part) {
  SmallVector<int64_t> at;
  for (auto [start, size, count] : llvm::zip(starts, whole, part)) {
    if (count > size)
      return op->emitOpError("expected a part of at most ")
             << size << " elements, found " << count;
    at.push_back(
        std::clamp<int64_t>(toInts(frame.get(start)).front(), 0, size - count));
  }
  return numberOf(at, whole);
}

/// What is read or written at a place that has no value has none.
uint8_t marksOfAll(Frame &frame, ValueRange starts) {
  uint8_t all = 0;
  for (mlir::Value start : starts)
    all = joinMarks(all, marksOf(frame.get(start)));
  return all;
}

LogicalResult dynamicSlice(prim::DynamicSliceOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  FailureOr<Value> result =
      makeResult(op, shapeOf(op.getType(), frame.getInts(op.getSizes())));
  if (failed(result))
    return failure();
  FailureOr<int64_t> offset =
      offsetOf(op, frame, op.getStarts(), a.shape(), result->shape());
  if (failed(offset))
    return failure();
  *result =
      gatherStrided(a, result->shape(), *offset, rowMajorStrides(a.shape()));
  markAll(*result, marksOfAll(frame, op.getStarts()));
  return finish(op, frame, std::move(*result));
}

LogicalResult dynamicUpdateSlice(prim::DynamicUpdateSliceOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  const Value &update = frame.get(op.getUpdate());
  FailureOr<int64_t> offset =
      offsetOf(op, frame, op.getStarts(), a.shape(), update.shape());
  if (failed(offset))
    return failure();
  Value out = copyOf(a);
  if (update.size())
    scatterStrided(update, out, *offset, rowMajorStrides(a.shape()));
  markAll(out, marksOfAll(frame, op.getStarts()));
  return finish(op, frame, std::move(out));
}

LogicalResult fromIndex(prim::FromIndexOp op, Frame &frame) {
  Value out = Value::tensor(dtypeOf(op.getType()), {});
  int64_t value = frame.getInt(op.getValue());
  storeInts(out.dtype(), out.mutableData(), 0, 1, &value);
  return finish(op, frame, std::move(out));
}

LogicalResult toIndex(prim::ToIndexOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  if (failed(checkHasValue(op, a, "a size")))
    return failure();
  return frame.set(op.getResult(), Value::ofIndex(toInts(a).front()));
}

} // namespace

void addPrimDynamic(PrimTable &table) {
  table.add<prim::DynamicSliceOp>(dynamicSlice);
  table.add<prim::DynamicUpdateSliceOp>(dynamicUpdateSlice);
  table.add<prim::FromIndexOp>(fromIndex);
  table.add<prim::ToIndexOp>(toIndex);
}

} // namespace kiln::eval
