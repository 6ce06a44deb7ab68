// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stage dialect as something that can be evaluated.
#include "State.h"
#include "kiln/Eval/Register.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace kiln::eval {

namespace {

/// One function for every operation of stage.
struct StageEvaluation : EvaluationInterface {
  explicit StageEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    addStageStorage(*this);
    addStageCompute(*this);
    addStageCopy(*this);
    addStageRing(*this);
    addStageProduct(*this);
  }
};

} // namespace

void registerStageEvaluation(DialectRegistry &registry) {
  registry.insert<stage::StageDialect>();
  registry.addExtension(+[](MLIRContext *, stage::StageDialect *dialect) {
    dialect->addInterfaces<StageEvaluation>();
  });
}

} // namespace kiln::eval
