// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants and control flow of TOSA.
#include "../TensorToPrim/Translator.h"
#include "Rules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;

namespace kiln::tensor_to_prim {
namespace {

LogicalResult constant(tosa::ConstOp op, Translator &e) {
  return translateElements(op, op.getValues(), e);
}

LogicalResult condIf(tosa::IfOp op, Translator &e) {
  return translateBranch(op, op.getCondition(), op.getInputList(),
                         op.getThenGraph(), op.getElseGraph(), e);
}

/// The body gets what the condition was given.
LogicalResult whileLoop(tosa::WhileOp op, Translator &e) {
  return translateLoop(op, op.getInputList(), op.getCondGraph(),
                       op.getBodyGraph(), /*keepsArguments=*/true, e);
}

} // namespace

void addTosaControlRules(Rules &rules) {
  rules.add<tosa::ConstOp>(constant);
  rules.add<tosa::IfOp>(condIf);
  rules.add<tosa::WhileOp>(whileLoop);
}

void addTosaRules(Rules &rules) {
  addTosaControlRules(rules);
  addElementwiseRules(rules);
  addQuantRules(rules);
  addReductionRules(rules);
  addMovementRules(rules);
  addShapeRules(rules);
  addConvRules(rules);
  addPoolRules(rules);
  addGatherRules(rules);
  addFourierRules(rules);
}

} // namespace kiln::tensor_to_prim
