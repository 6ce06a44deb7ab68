// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operations compute, element by element: the target `reference`, and every check against it.
#include "Rows.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Memory.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace kiln;

namespace {
/// The place of an element of a view, after the access was checked; null if that failed, which was said.
void *placeOf(Operation *op, eval::Frame &frame, const eval::View &view, ArrayRef<int64_t> at, eval::Access access) {
  eval::Box box{&view, SmallVector<int64_t, 4>(at), SmallVector<int64_t, 4>(at.size(), 1),
                SmallVector<int64_t, 4>(at.size(), 1)};
  SmallVector<int64_t, 4> strides;
  return succeeded(eval::checkAccess(op, frame.instance, box, access)) ? eval::boxAddress(box, strides) : nullptr;
}

template <typename OpT> LogicalResult evaluateLoad(OpT op, eval::Frame &frame) {
  const eval::View &view = frame.get(op.getView()).view();
  eval::Value out = eval::Value::tensor(view.dtype, cast<RankedTensorType>(op.getType()).getShape());
  size_t bytes = cast<RankedTensorType>(op.getType()).getElementTypeBitWidth() / 8;
  auto *to = out.as<char>();
  for (int64_t i = 0; i < out.dim(0); ++i)
    for (int64_t j = 0; j < out.dim(1); ++j, to += bytes) {
      int64_t row = frame.getInt(op.getRow()) + i, column = frame.getInt(op.getColumn()) + j;
      std::memset(to, 0, bytes);
      if (row < 0 || row >= view.sizes[0] || column < 0 || column >= view.sizes[1])
        continue;
      void *from = placeOf(op, frame, view, {row, column}, eval::Access::read);
      if (!from)
        return failure();
      std::memcpy(to, from, bytes);
    }
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult evaluateCopy(rows::CopyOp op, eval::Frame &frame) {
  const eval::View &from = frame.get(op.getFrom()).view(), &to = frame.get(op.getTo()).view();
  int64_t count = std::min({int64_t(op.getCount()), from.sizes[0], to.sizes[0]});
  for (int64_t n = 0; n < count; ++n) {
    void *source = placeOf(op, frame, from, {n}, eval::Access::read);
    void *target = source ? placeOf(op, frame, to, {n}, eval::Access::write) : nullptr;
    if (!target)
      return failure();
    std::memcpy(target, source, sizeof(float));
  }
  return success();
}

LogicalResult evaluateSquares(rows::SquaresOp op, eval::Frame &frame) {
  const eval::Value &source = frame.get(op.getSource());
  eval::Value out = eval::Value::tensor(source.dtype(), {source.dim(0), 1});
  for (int64_t i = 0; i < source.dim(0); ++i) {
    double sum = 0;
    for (int64_t j = 0; j < source.dim(1); ++j)
      sum += std::pow(double(source.as<float>()[i * source.dim(1) + j]), 2);
    out.as<float>()[i] = float(sum);
  }
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult evaluateMma(rows::MmaOp op, eval::Frame &frame) {
  const eval::Value &lhs = frame.get(op.getLhs()), &rhs = frame.get(op.getRhs()), &acc = frame.get(op.getAcc());
  eval::Value out = eval::Value::tensor(acc.dtype(), acc.shape());
  for (int64_t i = 0; i < out.dim(0); ++i)
    for (int64_t j = 0; j < out.dim(1); ++j) {
      double sum = acc.element(i * out.dim(1) + j).asDouble();
      for (int64_t k = 0; k < lhs.dim(1); ++k)
        sum += lhs.element(i * lhs.dim(1) + k).asDouble() * rhs.element(k * rhs.dim(1) + j).asDouble();
      out.as<float>()[i * out.dim(1) + j] = float(sum);
    }
  return frame.set(op.getResult(), std::move(out));
}

LogicalResult evaluateRotate(rows::RotateOp op, eval::Frame &frame) {
  const eval::Value &source = frame.get(op.getSource());
  eval::Value out = eval::Value::tensor(source.dtype(), source.shape());
  int64_t size = source.shape().back(), by = op.getBy() % size;
  for (int64_t n = 0; n < source.size(); ++n)
    out.as<float>()[n - n % size + (n + by) % size] = source.as<float>()[n];
  return frame.set(op.getResult(), std::move(out));
}

struct Evaluation : eval::EvaluationInterface {
  explicit Evaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<rows::FetchOp>(evaluateLoad<rows::FetchOp>);
    add<rows::StreamOp>(evaluateLoad<rows::StreamOp>);
    add<rows::CopyOp>(evaluateCopy);
    add<rows::SquaresOp>(evaluateSquares);
    add<rows::MmaOp>(evaluateMma);
    add<rows::RotateOp>(evaluateRotate);
  }
};
} // namespace

void rows::addEvaluation(DialectRegistry &dialects) {
  dialects.addExtension(+[](MLIRContext *, RowsDialect *dialect) { dialect->addInterfaces<Evaluation>(); });
}
