// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How marks of elements follow the data through operations of prim.
#include "Marking.h"

#include "kiln/Dialect/Prim/Prim.h"
#include "kiln/Eval/Elements.h"

using namespace mlir;

namespace kiln::eval {

/// Operations whose own evaluation hands on marks of what they move, reduce or
/// run, or judges them.
static bool handsOnMarks(Operation *op) {
  using namespace prim;
  return isa<BroadcastInDimOp, ReshapeOp, TransposeOp, SliceOp, RevOp, CatOp,
             PadOp, GatherOp, DynamicSliceOp, DynamicUpdateSliceOp, SumOp,
             ProdOp, AmaxOp, AminOp, ArgmaxOp, ArgminOp, IfOp, WhileOp,
             FusionOp, ClaimOp, ToIndexOp>(op);
}

/// Each element of the result is made of those at the same place.
static void spread(Operation *op, Frame &frame, Value &out) {
  uint8_t *marks = out.makePoison();
  for (mlir::Value operand : op->getOperands())
    if (const uint8_t *from = frame.get(operand).poison())
      for (int64_t i = 0; i < out.size(); ++i)
        marks[i] = joinMarks(marks[i], from[i]);
}

/// Only what is chosen counts, and what chooses.
static void spreadChosen(prim::WhereOp op, Frame &frame, Value &out) {
  const Value &condition = frame.get(op.getCondition());
  const uint8_t *chooses = condition.poison(),
                *yes = frame.get(op.getOnTrue()).poison(),
                *no = frame.get(op.getOnFalse()).poison();
  uint8_t *marks = out.makePoison();
  for (int64_t i = 0; i < out.size(); ++i) {
    const uint8_t *chosen = condition.as<uint8_t>()[i] ? yes : no;
    marks[i] =
        joinMarks(chooses ? chooses[i] : 0, chosen ? chosen[i] : uint8_t(0));
  }
}

LogicalResult withMarks(Operation *op, Frame &frame,
                        llvm::function_ref<LogicalResult()> evaluate) {
  uint8_t all = 0;
  for (mlir::Value operand : op->getOperands())
    all = joinMarks(all, marksOf(frame.get(operand)));
  if (!all || handsOnMarks(op))
    return evaluate();
  if (failed(evaluate()))
    return failure();
  bool isElementwise = op->hasTrait<OpTrait::Elementwise>();
  for (mlir::Value result : op->getResults()) {
    Value out = frame.get(result);
    if (auto where = dyn_cast<prim::WhereOp>(op))
      spreadChosen(where, frame, out);
    else if (isElementwise)
      spread(op, frame, out);
    else
      markAll(out, all);
    (void)frame.set(result, std::move(out));
  }
  return success();
}

bool isGiven(mlir::Value value) {
  SmallVector<mlir::Value> work{value};
  llvm::DenseSet<mlir::Value> seen;
  while (!work.empty()) {
    mlir::Value one = work.pop_back_val();
    if (!seen.insert(one).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(one)) {
      if (!isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
        return false;
      continue;
    }
    using namespace prim;
    Operation *op = one.getDefiningOp();
    if (isa<FullOp, BitcastOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
      continue;
    if (!isa<BroadcastInDimOp, ReshapeOp, TransposeOp, SliceOp, RevOp, CatOp,
             PadOp, GatherOp, GatherSlicesOp, DynamicSliceOp,
             DynamicUpdateSliceOp, WhereOp>(op))
      return false;
    for (mlir::Value operand : op->getOperands())
      if (operand.getType() == one.getType() ||
          getElementTypeOrSelf(operand.getType()) ==
              getElementTypeOrSelf(one.getType()))
        work.push_back(operand);
  }
  return true;
}

void markNans(mlir::Value source, const Value &value, Value &out) {
  if (!runtime::isFloat(value.dtype()) || isGiven(source))
    return;
  int64_t parts =
      std::max<int64_t>(1, out.size() / std::max<int64_t>(1, value.size()));
  int64_t joined =
      std::max<int64_t>(1, value.size() / std::max<int64_t>(1, out.size()));
  for (int64_t i = 0; i < value.size(); ++i) {
    double x;
    loadDoubles(value.dtype(), value.data(), i, 1, &x);
    if (x == x)
      continue;
    uint8_t *marks = out.makePoison();
    for (int64_t k = 0; k < parts; ++k) {
      uint8_t &mark = marks[i * parts / joined + k];
      mark = joinMarks(mark, kOpen);
    }
  }
}

} // namespace kiln::eval
