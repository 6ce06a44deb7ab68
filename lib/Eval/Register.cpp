// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that can be evaluated.
#include "kiln/Eval/Register.h"
#include "mlir/IR/DialectRegistry.h"

void kiln::eval::registerEvaluation(mlir::DialectRegistry &registry) {
  registerArithEvaluation(registry);
  registerMathEvaluation(registry);
  registerControlEvaluation(registry);
  registerShapedEvaluation(registry);
  registerPrimEvaluation(registry);
  registerTileEvaluation(registry);
  registerAffineEvaluation(registry);
  registerStageEvaluation(registry);
  registerProgramEvaluation(registry);
}
