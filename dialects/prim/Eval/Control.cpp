// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches and loops over tensors.
#include "Families.h"

using namespace mlir;

namespace kiln::eval {

namespace {

LogicalResult setAll(Operation *op, Frame &frame, ArrayRef<Value> values) {
  for (auto [result, value] : llvm::zip(op->getResults(), values)) {
    auto type = cast<RankedTensorType>(result.getType());
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (!type.isDynamicDim(d) && type.getDimSize(d) != value.dim(d))
        return op->emitOpError("expected a result of type ")
               << type << ", found " << value.dim(d)
               << " elements in dimension " << d;
    (void)frame.set(result, value);
  }
  return success();
}

LogicalResult branch(prim::IfOp op, Frame &frame) {
  const Value &condition = frame.get(op.getCondition());
  if (failed(checkHasValue(op, condition, "the condition")))
    return failure();
  bool taken = condition.element(0).asInt() != 0;
  uint8_t open = marksOf(condition);
  SmallVector<Value> results;
  if (failed(frame.run(taken ? op.getThenRegion() : op.getElseRegion(), {},
                       results)))
    return failure();
  SmallVector<int64_t> sizes = frame.getInts(op.getSizes());
  ArrayRef<int64_t> left = sizes;
  for (auto [type, value] : llvm::zip(op.getResultTypes(), results)) {
    size_t count = cast<RankedTensorType>(type).getNumDynamicDims();
    if (value.shape() != ArrayRef<int64_t>(shapeOf(type, left)))
      return op.emitOpError("expected values of the sizes given");
    left = left.drop_front(count);
  }
  for (Value &value : results)
    markAll(value, open);
  return setAll(op, frame, results);
}

LogicalResult loop(prim::WhileOp op, Frame &frame) {
  SmallVector<Value> carried = frame.get(op.getInits());
  uint8_t open = 0;
  while (true) {
    SmallVector<Value> results;
    if (failed(frame.run(op.getCondition(), carried, results)))
      return failure();
    if (failed(checkHasValue(op, results.front(), "the condition")))
      return failure();
    open = joinMarks(open, marksOf(results.front()));
    if (!results.front().element(0).asInt()) {
      for (Value &value : carried)
        markAll(value, open);
      return setAll(op, frame, carried);
    }
    if (failed(frame.run(op.getBody(), carried, results)))
      return failure();
    for (auto [before, after] : llvm::zip(carried, results))
      if (before.shape() != after.shape())
        return op.emitOpError("expected values that keep their sizes");
    carried = std::move(results);
  }
}

} // namespace

void addPrimControl(PrimTable &table) {
  table.add<prim::IfOp>(branch);
  table.add<prim::WhileOp>(loop);
}

} // namespace kiln::eval
