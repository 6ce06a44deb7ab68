// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that work on each element by itself.
#include "Pointwise.h"

using namespace mlir;
using namespace kiln::prim;

OperandRange kiln::prim::pointwiseOperands(Operation *op) {
  OperandRange operands = op->getOperands();
  if (!isa_and_nonnull<PrimDialect>(op->getDialect()))
    return operands.take_front(0);
  if (op->hasTrait<OpTrait::Elementwise>())
    return operands;
  if (isa<TableOp, SigmoidOp, SiluOp, ReluOp, GeluOp>(op))
    return operands.take_front(1);
  // With a multiplier for each channel the position matters.
  auto rescale = dyn_cast<RescaleOp>(op);
  bool uniform = rescale && rescale.getMultiplier().size() == 1;
  return operands.take_front(uniform ? 1 : 0);
}

Value kiln::prim::rebuildPointwise(OpBuilder &builder, Operation *op,
                                   ValueRange operands) {
  auto shape = cast<RankedTensorType>(operands.front().getType());
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Operation *clone = builder.clone(*op);
  for (auto [i, operand] : llvm::enumerate(operands))
    clone->setOperand(i, operand);
  clone->getResult(0).setType(shape.clone(type.getElementType()));
  return clone->getResult(0);
}
