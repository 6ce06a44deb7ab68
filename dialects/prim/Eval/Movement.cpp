// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that move elements.
#include "Families.h"

using namespace mlir;

namespace kiln::eval {

namespace {

LogicalResult broadcast(prim::BroadcastInDimOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  auto shape = shapeOf(op.getResult().getType(), frame.getInts(op.getSizes()));
  FailureOr<Value> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  SmallVector<int64_t> strides(shape.size(), 0);
  auto dense = rowMajorStrides(a.shape());
  for (auto [d, target] : llvm::enumerate(op.getDims())) {
    if (a.dim(d) == shape[target])
      strides[target] = dense[d];
    else if (a.dim(d) != 1)
      return op.emitOpError("expected size ")
             << shape[target] << " or 1 in dimension " << d
             << " of the operand, found " << a.dim(d);
  }
  return finish(op, frame, gatherStrided(a, shape, 0, strides));
}

LogicalResult reshape(prim::ReshapeOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  auto shape = shapeOf(op.getResult().getType(), frame.getInts(op.getSizes()));
  for (int64_t size : shape)
    if (size < 0)
      return op.emitOpError("expected sizes that are not negative, found ")
             << size;
  if (countElements(shape) != a.size())
    return op.emitOpError("expected a result of ")
           << a.size() << " elements, found " << countElements(shape);
  return finish(op, frame, a.reshaped(shape));
}

LogicalResult slice(prim::SliceOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  auto dense = rowMajorStrides(a.shape());
  SmallVector<int64_t> shape, strides;
  int64_t offset = 0;
  for (unsigned d = 0; d < a.rank(); ++d) {
    int64_t start = op.getStarts()[d], limit = op.getLimits()[d];
    int64_t step = op.getStrides()[d];
    if (limit == -1)
      limit = a.dim(d);
    if (start < 0 || limit < start || limit > a.dim(d))
      return op.emitOpError("expected 0 <= start <= limit <= ")
             << a.dim(d) << " in dimension " << d << ", found start " << start
             << " and limit " << limit;
    shape.push_back((limit - start + step - 1) / step);
    strides.push_back(dense[d] * step);
    offset += start * dense[d];
  }
  return finish(op, frame, gatherStrided(a, shape, offset, strides));
}

LogicalResult reverse(prim::RevOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  auto strides = rowMajorStrides(a.shape());
  int64_t offset = 0;
  for (int64_t d : op.getDims()) {
    offset += (a.dim(d) - 1) * strides[d];
    strides[d] = -strides[d];
  }
  return finish(op, frame,
                gatherStrided(a, a.shape(), a.size() ? offset : 0, strides));
}

LogicalResult cat(prim::CatOp op, Frame &frame) {
  SmallVector<Value> parts = frame.get(op.getOperands());
  unsigned dim = op.getDim();
  SmallVector<int64_t> shape(parts.front().shape());
  shape[dim] = 0;
  for (const Value &part : parts) {
    for (unsigned d = 0; d < shape.size(); ++d)
      if (d != dim && part.dim(d) != shape[d])
        return op.emitOpError("expected size ")
               << shape[d] << " in dimension " << d << ", found "
               << part.dim(d);
    shape[dim] += part.dim(dim);
  }
  FailureOr<Value> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  auto strides = rowMajorStrides(shape);
  int64_t offset = 0;
  for (const Value &part : parts) {
    scatterStrided(part, *result, offset, strides);
    offset += part.dim(dim) * strides[dim];
  }
  return finish(op, frame, std::move(*result));
}

LogicalResult pad(prim::PadOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  SmallVector<int64_t> shape(a.shape());
  for (unsigned d = 0; d < a.rank(); ++d)
    shape[d] += op.getLow()[d] + op.getHigh()[d];
  FailureOr<Value> result = makeResult(op, shape);
  if (failed(result))
    return failure();
  fill(*result, constantValue(op.getValue()));
  auto strides = rowMajorStrides(shape);
  int64_t offset = 0;
  for (unsigned d = 0; d < a.rank(); ++d)
    offset += op.getLow()[d] * strides[d];
  scatterStrided(a, *result, offset, strides);
  return finish(op, frame, std::move(*result));
}

} // namespace

void addPrimMovement(PrimTable &table) {
  table.add<prim::BroadcastInDimOp>(broadcast);
  table.add<prim::ReshapeOp>(reshape);
  table.add<prim::TransposeOp>([](prim::TransposeOp op, Frame &frame) {
    return finish(op, frame,
                  transposed(frame.get(op.getOperand()), op.getPermutation()));
  });
  table.add<prim::SliceOp>(slice);
  table.add<prim::RevOp>(reverse);
  table.add<prim::CatOp>(cat);
  table.add<prim::PadOp>(pad);
}

} // namespace kiln::eval
