//===- Evaluation.cpp - Tiles with layouts, on `reference` ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Register.h"
#include "kiln/Gpu/Passes.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::eval;

namespace {
/// Which thread holds an element does not change it.
struct SimtEvaluation : EvaluationInterface {
  explicit SimtEvaluation(Dialect *dialect) : EvaluationInterface(dialect) {
    add<simt::ConvertLayoutOp>([](simt::ConvertLayoutOp op, Frame &frame) {
      return frame.set(op.getResult(), frame.get(op.getSource()));
    });
  }
};
} // namespace

void simt::registerSimtEvaluation(DialectRegistry &registry) {
  registry.insert<SimtDialect>();
  registry.addExtension(+[](MLIRContext *, SimtDialect *dialect) {
    dialect->addInterfaces<SimtEvaluation>();
  });
}
