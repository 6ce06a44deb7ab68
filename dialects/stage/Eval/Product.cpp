// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products.
#include "State.h"
#include "kiln/Eval/Elements.h"
#include "kiln/Eval/Kernel.h"

using namespace mlir;

namespace kiln::eval {

namespace {

/// An operand: a patch of storage or a fragment.
struct Operand {
  std::optional<Patch> patch;
  Value fragment;
  int64_t rows, columns;

  Value read(StageState &state) const {
    if (patch)
      return state.read(*patch);
    return gatherStrided(fragment, {rows, columns}, 0,
                         rowMajorStrides(fragment.shape()));
  }
};

LogicalResult evaluateProduct(stage::ProductOp op, Frame &frame) {
  StageState *state = stateOf(op, frame);
  if (!state || failed(state->stir(frame)))
    return failure();
  auto [m, n, k] = op.getSizes();
  if (op.getDepth()) {
    const Value &depth = frame.get(op.getDepth());
    if (depth.hasPoison())
      return op.emitOpError("the depth is poison");
    if (depth.asInt() < 0 || depth.asInt() > k)
      return op.emitOpError("expected a depth in [0, ")
             << k << "], found " << depth.asInt();
    k = depth.asInt();
  }
  Operand operands[3];
  std::tuple<mlir::Value, OperandRange, int64_t, int64_t> sides[] = {
      {op.getLhs(), op.getLhsOrigin(), m, k},
      {op.getRhs(), op.getRhsOrigin(), k, n},
      {op.getAcc(), op.getAccOrigin(), m, n}};
  for (auto [operand, side] : llvm::zip(operands, sides)) {
    auto [value, origin, rows, columns] = side;
    operand.rows = rows;
    operand.columns = columns;
    if (!isa<MemRefType>(value.getType())) {
      operand.fragment = frame.get(value);
      if (operand.fragment.dim(0) < rows || operand.fragment.dim(1) < columns)
        return op.emitOpError("expected a depth within a fragment of ")
               << value.getType() << ", found " << k;
      continue;
    }
    auto patch = state->patch(op, frame, value, origin, {rows, columns});
    if (failed(patch))
      return failure();
    operand.patch = std::move(*patch);
  }
  Pending pending;
  pending.op = op;
  for (const Operand &operand : {operands[0], operands[1]})
    if (operand.patch)
      pending.reads.push_back(*operand.patch);
  if (operands[2].patch) {
    // It is read, too, and by nobody else until it is written.
    if (failed(state->checkRead(op, *operands[2].patch)))
      return failure();
    pending.writes.push_back(*operands[2].patch);
  }
  bool isTf32 = op.getInputPrecision() == tile::InputPrecision::tf32;
  DotMode mode = {isTf32, op.getLhsUnsigned(), op.getRhsUnsigned(),
                  /*impreciseTerms=*/0};
  auto sum = std::make_shared<Value>();
  pending.effect = [=, lhs = operands[0], rhs = operands[1],
                    acc = operands[2]] {
    *sum = dotOf(lhs.read(*state), rhs.read(*state), acc.read(*state), mode);
    if (acc.patch)
      state->write(*acc.patch, *sum);
    return success();
  };
  auto id = state->issue(std::move(pending));
  if (failed(id))
    return failure();
  if (!op.getAsync()) {
    if (failed(state->await(*id)))
      return failure();
    return op.getResult() ? frame.set(op.getResult(), *sum) : success();
  }
  if (isa<stage::FutureType>(op.getResult().getType())) {
    // The fragment is there once the effect has happened.
    auto effect = std::move(state->pending(*id)->effect);
    int64_t number = *id;
    state->pending(*id)->effect = [=] {
      LogicalResult result = effect();
      state->pending(number)->result = *sum;
      return result;
    };
  }
  return frame.set(op.getResult(), Value::ofIndex(*id));
}

} // namespace

void addStageProduct(EvaluationInterface &table) {
  table.add<stage::ProductOp>(evaluateProduct);
}

} // namespace kiln::eval
