// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors from nothing.
#include "Families.h"

using namespace mlir;

namespace kiln::eval {

namespace {

LogicalResult constant(prim::ConstantOp op, Frame &frame) {
  Value value = constantValue(op.getValue());
  if (value.isNone())
    return op.emitOpError("unsupported: evaluation of this constant");
  return finish(op, frame, std::move(value));
}

LogicalResult full(prim::FullOp op, Frame &frame) {
  FailureOr<Value> result = makeResult(
      op, shapeOf(op.getResult().getType(), frame.getInts(op.getSizes())));
  if (failed(result))
    return failure();
  fill(*result, constantValue(op.getValue()));
  return finish(op, frame, std::move(*result));
}

LogicalResult iota(prim::IotaOp op, Frame &frame) {
  FailureOr<Value> result = makeResult(
      op, shapeOf(op.getResult().getType(), frame.getInts(op.getSizes())));
  if (failed(result))
    return failure();
  Value &out = *result;
  int64_t n = out.dim(op.getDim());
  SmallVector<int64_t> strides(out.rank(), 0);
  strides[op.getDim()] = 1;
  Value line = Value::tensor(out.dtype(), {n});
  for (int64_t i = 0; i < n; ++i) {
    double number = static_cast<double>(i);
    if (runtime::isFloat(out.dtype()))
      storeDoubles(out.dtype(), line.mutableData(), i, 1, &number);
    else
      storeInts(out.dtype(), line.mutableData(), i, 1, &i);
  }
  return finish(op, frame, gatherStrided(line, out.shape(), 0, strides));
}

} // namespace

void addPrimCreation(PrimTable &table) {
  table.add<prim::ConstantOp>(constant);
  table.add<prim::FullOp>(full);
  table.add<prim::IotaOp>(iota);
}

} // namespace kiln::eval
