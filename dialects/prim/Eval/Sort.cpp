// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders.
#include "Families.h"
#include "Points.h"
#include <cstring>
#include <numeric>

using namespace mlir;

namespace kiln::eval {

namespace {

/// What an order depends on.
struct Order {
  bool descending, total, isUnsigned;
};

/// Numbers in the order of the elements; equal where those are equal.
std::vector<int64_t> keysOf(const Value &a, const Order &order) {
  std::vector<int64_t> keys(a.size());
  if (!runtime::isFloat(a.dtype())) {
    keys = toInts(a);
    unsigned bits = 8 * runtime::dtypeBytes(a.dtype());
    if (order.isUnsigned && a.dtype() != DType::i1)
      for (int64_t &key : keys)
        key = static_cast<int64_t>(static_cast<uint64_t>(key) << (64 - bits)) ^
              std::numeric_limits<int64_t>::min();
    return keys;
  }
  std::vector<double> numbers = toDoubles(a);
  for (auto [key, number] : llvm::zip(keys, numbers)) {
    double x = number;
    if (!order.total)
      x = x == 0 ? 0.0 : x != x ? std::numeric_limits<double>::quiet_NaN() : x;
    std::memcpy(&key, &x, sizeof(key));
    if (key < 0)
      key ^= std::numeric_limits<int64_t>::max();
  }
  return keys;
}

/// The permutation that sorts along `dim`, for each line.
std::vector<int64_t> sortLines(ArrayRef<Value> operands, unsigned dim,
                               const Order &order) {
  std::vector<std::vector<int64_t>> keys;
  for (const Value &operand : operands)
    keys.push_back(keysOf(operand, order));
  const Value &a = operands.front();
  int64_t stride = countElements(a.shape().drop_front(dim + 1));
  int64_t outer = countElements(a.shape().take_front(dim)), n = a.dim(dim);
  std::vector<int64_t> result(a.size()), line(n);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < stride; ++i) {
      int64_t begin = o * n * stride + i;
      std::iota(line.begin(), line.end(), 0);
      std::sort(line.begin(), line.end(), [&](int64_t x, int64_t y) {
        for (const std::vector<int64_t> &key : keys) {
          int64_t left = key[begin + x * stride],
                  right = key[begin + y * stride];
          if (left != right)
            return order.descending ? left > right : left < right;
        }
        return x < y;
      });
      for (int64_t k = 0; k < n; ++k)
        result[begin + k * stride] = line[k];
    }
  return result;
}

/// The elements that a permutation of each line names, the first `count` of
/// each.
Value permuted(const Value &a, unsigned dim, ArrayRef<int64_t> order,
               int64_t count) {
  SmallVector<int64_t> shape(a.shape());
  shape[dim] = count;
  Value out = Value::tensor(a.dtype(), shape);
  int64_t bytes = runtime::dtypeBytes(a.dtype()), n = a.dim(dim);
  int64_t stride = countElements(a.shape().drop_front(dim + 1));
  int64_t outer = countElements(a.shape().take_front(dim));
  char *to = out.as<char>();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t k = 0; k < count; ++k)
      for (int64_t i = 0; i < stride; ++i, to += bytes) {
        int64_t from = order[(o * n + k) * stride + i];
        std::memcpy(to, a.as<char>() + ((o * n + from) * stride + i) * bytes,
                    bytes);
      }
  return out;
}

LogicalResult sort(prim::SortOp op, Frame &frame) {
  SmallVector<Value> operands = frame.get(op.getOperands());
  if (failed(sameShape(op, operands)))
    return failure();
  unsigned dim = op.getDim();
  std::vector<int64_t> order = sortLines(
      ArrayRef(operands).take_front(op.getKeys()), dim,
      {op.getDescending(), op.getTotalOrder(), op.getUnsignedOrder()});
  for (auto [result, operand] : llvm::zip(op.getResults(), operands))
    (void)frame.set(result, permuted(operand, dim, order, operand.dim(dim)));
  return success();
}

Value indicesOf(ArrayRef<int64_t> order, ArrayRef<int64_t> shape,
                mlir::Type type) {
  Value out = Value::tensor(dtypeOf(type), shape);
  storeInts(out.dtype(), out.mutableData(), 0, out.size(), order.data());
  return out;
}

LogicalResult argsort(prim::ArgsortOp op, Frame &frame) {
  SmallVector<Value> operands = frame.get(op.getOperands());
  if (failed(sameShape(op, operands)))
    return failure();
  std::vector<int64_t> order = sortLines(
      operands, op.getDim(),
      {op.getDescending(), op.getTotalOrder(), op.getUnsignedOrder()});
  return finish(op, frame,
                indicesOf(order, operands.front().shape(), op.getType()));
}

LogicalResult topK(prim::TopKOp op, Frame &frame) {
  Value a = frame.get(op.getOperand());
  unsigned dim = op.getDim();
  int64_t k = op.getK();
  if (k > a.dim(dim))
    return op.emitOpError("expected at least ")
           << k << " elements, found " << a.dim(dim);
  std::vector<int64_t> order =
      sortLines(a, dim, {!op.getSmallest(), false, op.getUnsignedOrder()});
  (void)frame.set(op.getValues(), permuted(a, dim, order, k));
  Value places = indicesOf(order, a.shape(), op.getIndices().getType());
  SmallVector<int64_t> shape(a.shape());
  shape[dim] = k;
  (void)frame.set(op.getIndices(),
                  gatherStrided(places, shape, 0, rowMajorStrides(a.shape())));
  return success();
}

} // namespace

void addPrimSort(PrimTable &table) {
  table.add<prim::SortOp>(sort);
  table.add<prim::ArgsortOp>(argsort);
  table.add<prim::TopKOp>(topK);
}

} // namespace kiln::eval
