// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between ranks.
#include "kiln/Eval/Collective.h"
#include "Collective.h"
#include "Families.h"
#include "kiln/Dialect/Prim/CollectiveOps.h"
#include <cstring>

using namespace mlir;

namespace kiln::eval {

namespace {

/// Part k of n of a tensor along `dim`.
Value partOf(const Value &whole, int64_t dim, int64_t k, int64_t n) {
  SmallVector<int64_t> shape(whole.shape());
  shape[dim] /= n;
  Value part = Value::tensor(whole.dtype(), shape);
  int64_t outer = countElements(whole.shape().take_front(dim));
  int64_t bytes = countElements(ArrayRef(shape).drop_front(dim)) *
                  runtime::dtypeBytes(whole.dtype());
  char *to = part.as<char>();
  const char *from = static_cast<const char *>(whole.data());
  for (int64_t o = 0; o < outer; ++o)
    std::memcpy(to + o * bytes, from + (o * n + k) * bytes,
                static_cast<size_t>(bytes));
  return part;
}

/// Tensors one after the other along `dim`.
Value joined(ArrayRef<Value> parts, int64_t dim) {
  SmallVector<int64_t> shape(parts.front().shape());
  int64_t bytes = countElements(ArrayRef(shape).drop_front(dim)) *
                  runtime::dtypeBytes(parts.front().dtype());
  int64_t outer = countElements(ArrayRef(shape).take_front(dim));
  auto n = static_cast<int64_t>(parts.size());
  shape[dim] *= n;
  Value whole = Value::tensor(parts.front().dtype(), shape);
  char *to = whole.as<char>();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t k = 0; k < n; ++k, to += bytes)
      std::memcpy(to, static_cast<const char *>(parts[k].data()) + o * bytes,
                  static_cast<size_t>(bytes));
  return whole;
}

/// Which of the ranks that gave something this one is.
int64_t positionIn(RankLists groups, int64_t rank) {
  for (ArrayRef<int64_t> group : groups)
    if (const auto *found = llvm::find(group, rank); found != group.end())
      return found - group.begin();
  return 0;
}

LogicalResult checkDivides(Operation *op, int64_t size, int64_t n) {
  if (size % n == 0)
    return success();
  return op->emitOpError("expected a size that ")
         << n << " divides, found " << size;
}

struct Exchange {
  Exchange(Operation *op, Frame &frame)
      : op(op), frame(frame), groups(prim::rankLists(op)),
        position(positionIn(groups, ownRank())) {}

  FailureOr<std::vector<Value>> run(const Value &mine) {
    return exchange(op, groups, mine);
  }

  Operation *op;
  Frame &frame;
  SmallVector<ArrayRef<int64_t>> groups;
  int64_t position;
};

LogicalResult rank(prim::RankOp op, Frame &frame) {
  Value result = Value::tensor(DType::i32, {});
  int64_t number = ownRank();
  storeInts(DType::i32, result.mutableData(), 0, 1, &number);
  return frame.set(op.getResult(), std::move(result));
}

LogicalResult allReduce(prim::AllReduceOp op, Frame &frame) {
  Exchange ranks(op, frame);
  auto all = ranks.run(frame.get(op.getOperand()));
  if (failed(all))
    return failure();
  return finish(op, frame,
                combine(prim::stringifyScatterKind(op.getCombiner()), *all));
}

LogicalResult allGather(prim::AllGatherOp op, Frame &frame) {
  Exchange ranks(op, frame);
  auto all = ranks.run(frame.get(op.getOperand()));
  return failed(all) ? failure() : finish(op, frame, joined(*all, op.getDim()));
}

LogicalResult reduceScatter(prim::ReduceScatterOp op, Frame &frame) {
  const Value &mine = frame.get(op.getOperand());
  Exchange ranks(op, frame);
  auto n = static_cast<int64_t>(ranks.groups.front().size());
  if (failed(checkDivides(op, mine.dim(op.getDim()), n)))
    return failure();
  auto all = ranks.run(mine);
  if (failed(all))
    return failure();
  for (Value &value : *all)
    value = partOf(value, op.getDim(), ranks.position, n);
  return finish(op, frame,
                combine(prim::stringifyScatterKind(op.getCombiner()), *all));
}

LogicalResult allToAll(prim::AllToAllOp op, Frame &frame) {
  const Value &mine = frame.get(op.getOperand());
  Exchange ranks(op, frame);
  auto n = static_cast<int64_t>(ranks.groups.front().size());
  if (failed(checkDivides(op, mine.dim(op.getSplit()), n)))
    return failure();
  auto all = ranks.run(mine);
  if (failed(all))
    return failure();
  for (Value &value : *all)
    value = partOf(value, op.getSplit(), ranks.position, n);
  return finish(op, frame, joined(*all, op.getConcat()));
}

LogicalResult broadcast(prim::BroadcastOp op, Frame &frame) {
  Exchange ranks(op, frame);
  auto all = ranks.run(frame.get(op.getOperand()));
  return failed(all) ? failure() : finish(op, frame, all->front());
}

LogicalResult sendTo(prim::PermuteOp op, Frame &frame) {
  FailureOr<Value> received =
      permute(op, prim::rankLists(op), frame.get(op.getOperand()));
  return failed(received) ? failure() : finish(op, frame, *received);
}

} // namespace

void addPrimCollective(PrimTable &table) {
  table.add<prim::RankOp>(rank);
  table.add<prim::AllReduceOp>(allReduce);
  table.add<prim::AllGatherOp>(allGather);
  table.add<prim::ReduceScatterOp>(reduceScatter);
  table.add<prim::AllToAllOp>(allToAll);
  table.add<prim::BroadcastOp>(broadcast);
  table.add<prim::PermuteOp>(sendTo);
}

} // namespace kiln::eval
