// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles from scalars, and elements rearranged.
#include "Families.h"
#include "kiln/Dialect/Tile/ExchangeOps.h"
#include "kiln/Dialect/Tile/ShapeOps.h"

using namespace mlir;

namespace kiln::eval {

namespace {

LogicalResult splat(tile::SplatOp op, Frame &frame) {
  const Value &value = frame.get(op.getValue());
  if (value.isView()) {
    Value address = Value::ofInt(DType::i64, addressOf(value.view()));
    address.sharePoison(value);
    Value out = Value::tensor(DType::i64, tileShape(op.getResult()));
    fill(out, address);
    return frame.set(op.getResult(), std::move(out));
  }
  Value out = Value::tensor(value.dtype(), tileShape(op.getResult()));
  fill(out, value);
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult iota(tile::IotaOp op, Frame &frame) {
  ArrayRef<int64_t> shape = tileShape(op.getResult());
  DType dtype = dtypeOf(op.getResult().getType());
  int64_t dim = op.getDim(), n = shape[dim];
  Value line = Value::tensor(dtype, {n});
  for (int64_t i = 0; i < n; ++i)
    storeInts(dtype, line.mutableData(), i, 1, &i);
  SmallVector<int64_t> strides(shape.size(), 0);
  strides[dim] = 1;
  return frame.set(op.getResult(), gatherStrided(line, shape, 0, strides));
}

LogicalResult broadcast(tile::BroadcastOp op, Frame &frame) {
  const Value &a = frame.get(op.getSource());
  auto strides = rowMajorStrides(a.shape());
  for (unsigned d = 0; d < a.rank(); ++d)
    if (a.dim(d) == 1)
      strides[d] = 0;
  return frame.set(op.getResult(),
                   gatherStrided(a, tileShape(op.getResult()), 0, strides));
}

LogicalResult exchange(tile::ExchangeOp op, Frame &frame) {
  Value value = frame.get(op.getSource());
  SmallVector<int64_t> shape(value.shape());
  int64_t inner = 1, count = value.size();
  for (int64_t size : ArrayRef(shape).drop_front(op.getAxis() + 1))
    inner *= size;
  // Halves of blocks of every bit.
  for (int64_t left = op.getMask(); left; left &= left - 1) {
    int64_t half = (left & -left) * inner;
    value = gatherStrided(value, {count / (2 * half), 2, half}, half,
                          {2 * half, -half, 1});
  }
  return frame.set(op.getResult(), value.reshaped(shape));
}

LogicalResult cat(tile::CatOp op, Frame &frame) {
  ArrayRef<int64_t> shape = tileShape(op.getResult());
  Value out = Value::tensor(dtypeOf(op.getResult().getType()), shape);
  auto strides = rowMajorStrides(shape);
  int64_t offset = 0;
  for (mlir::Value source : op.getSources()) {
    const Value &part = frame.get(source);
    scatterStrided(part, out, offset, strides);
    offset += part.dim(op.getAxis()) * strides[op.getAxis()];
  }
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult extract(tile::ExtractOp op, Frame &frame) {
  const Value &a = frame.get(op.getSource());
  ArrayRef<int64_t> shape = tileShape(op.getResult());
  auto strides = rowMajorStrides(a.shape());
  int64_t offset = 0;
  for (auto [d, coordinate] : llvm::enumerate(op.getCoords())) {
    const Value &value = frame.get(coordinate);
    if (value.hasPoison())
      return op.emitOpError("coordinate ") << d << " is poison";
    int64_t blocks = a.dim(d) / shape[d], i = value.asInt();
    if (i < 0 || i >= blocks)
      return op.emitOpError("expected a block coordinate in [0, ")
             << blocks << ") in dimension " << d << ", found " << i;
    offset += i * shape[d] * strides[d];
  }
  return frame.set(op.getResult(), gatherStrided(a, shape, offset, strides));
}

template <typename OpTy> LogicalResult reshape(OpTy op, Frame &frame) {
  return frame.set(
      op.getResult(),
      frame.get(op.getSource()).reshaped(tileShape(op.getResult())));
}

} // namespace

void addTileShape(EvaluationInterface &table) {
  table.add<tile::SplatOp>(splat);
  table.add<tile::IotaOp>(iota);
  table.add<tile::BroadcastOp>(broadcast);
  table.add<tile::ExpandDimsOp>(reshape<tile::ExpandDimsOp>);
  table.add<tile::ReshapeOp>(reshape<tile::ReshapeOp>);
  table.add<tile::TransposeOp>([](tile::TransposeOp op, Frame &frame) {
    return frame.set(op.getResult(), transposed(frame.get(op.getSource()),
                                                op.getPermutation()));
  });
  table.add<tile::ExchangeOp>(exchange);
  table.add<tile::CatOp>(cat);
  table.add<tile::ExtractOp>(extract);
}

} // namespace kiln::eval
