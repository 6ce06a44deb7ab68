// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indexed reading.
#include "Families.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

/// The marks of what is read at each index; none if there are no marks. An
/// element that is not there has no value.
static std::vector<uint8_t> marksOfIndices(prim::GatherOp op,
                                           const Value &indices,
                                           ArrayRef<int64_t> index,
                                           int64_t size) {
  std::vector<uint8_t> marks;
  if (const uint8_t *given = indices.poison())
    marks.assign(given, given + index.size());
  for (auto [n, i] : llvm::enumerate(index)) {
    if (i >= 0 && i < size)
      continue;
    marks.resize(index.size());
    marks[n] =
        joinMarks(marks[n], poisonBy(op, "expected indices in [0, " +
                                             std::to_string(size) +
                                             "), found " + std::to_string(i)));
  }
  return marks;
}

namespace {
/// The sizes that a gather goes through.
struct Extents {
  int64_t batches, outer, count, size;
};
} // namespace

/// Marks of elements go with them, those of an index to all that it reads.
static void handOnMarks(const Value &a, ArrayRef<int64_t> index,
                        ArrayRef<uint8_t> marks, Extents extents,
                        Value &result) {
  auto [batches, outer, count, size] = extents;
  int64_t reads = batches * outer * count;
  int64_t row = reads ? result.size() / reads : 0;
  uint8_t *to = result.makePoison();
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t p = 0; p < outer; ++p)
      for (int64_t i = 0; i < count; ++i, to += row) {
        int64_t at = index[b * count + i];
        bool isThere = a.hasPoison() && at >= 0 && at < size;
        for (int64_t k = 0; k < row; ++k)
          to[k] = joinMarks(
              marks.empty() ? 0 : marks[b * count + i],
              isThere ? a.poison()[((b * outer + p) * size + at) * row + k]
                      : uint8_t(0));
      }
}

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
  std::vector<uint8_t> marks = marksOfIndices(op, indices, index, size);
  char *to = result->as<char>();
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t p = 0; p < outer; ++p) {
      const char *from = a.as<char>() + (b * outer + p) * size * row;
      for (int64_t i = 0; i < count; ++i, to += row) {
        int64_t at = index[b * count + i];
        if (at >= 0 && at < size)
          std::memcpy(to, from + at * row, row);
        else
          std::memset(to, 0, row);
      }
    }
  if (!marks.empty() || a.hasPoison())
    handOnMarks(a, index, marks, {batches, outer, count, size}, *result);
  return finish(op, frame, std::move(*result));
}

void addPrimGather(PrimTable &table) { table.add<prim::GatherOp>(gather); }

} // namespace kiln::eval
