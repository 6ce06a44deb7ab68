// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indexed reading.
#include "Families.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

static LogicalResult gather(prim::GatherOp op, Frame &frame) {
  const Value &a = frame.get(op.getOperand());
  const Value &indices = frame.get(op.getIndices());
  unsigned dim = op.getDim(), batch = op.getBatchDims();
  for (unsigned d = 0; d < batch; ++d)
    if (a.dim(d) != indices.dim(d))
      return op.emitOpError("expected ")
             << a.dim(d) << " indices in batch dimension " << d << ", found "
             << indices.dim(d);
  SmallVector<int64_t> shape(a.shape().take_front(dim));
  llvm::append_range(shape, indices.shape().drop_front(batch));
  llvm::append_range(shape, a.shape().drop_front(dim + 1));
  FailureOr<Value> result = makeResult(op, shape);
  if (failed(result))
    return failure();

  // result[b][p][i][:] = operand[b][p][indices[b][i]][:]
  int64_t batches = countElements(a.shape().take_front(batch));
  int64_t outer = countElements(a.shape().slice(batch, dim - batch));
  int64_t count = countElements(indices.shape().drop_front(batch));
  int64_t size = a.dim(dim);
  int64_t row = countElements(a.shape().drop_front(dim + 1)) *
                runtime::dtypeBytes(a.dtype());
  std::vector<int64_t> index(batches * count);
  loadInts(indices.dtype(), indices.data(), 0, batches * count, index.data());
  for (int64_t i : index)
    if (i < 0 || i >= size)
      return op.emitOpError("expected indices in [0, ")
             << size << "), found " << i;
  char *to = result->as<char>();
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t p = 0; p < outer; ++p) {
      const char *from = a.as<char>() + (b * outer + p) * size * row;
      for (int64_t i = 0; i < count; ++i, to += row)
        std::memcpy(to, from + index[b * count + i] * row, row);
    }
  return finish(op, frame, std::move(*result));
}

void addPrimGather(EvaluationInterface &table) {
  table.add<prim::GatherOp>(gather);
}

} // namespace kiln::eval
