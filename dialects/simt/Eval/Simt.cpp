//===- Simt.cpp - Evaluation of the simt dialect --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Register.h"

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

void eval::registerSimtEvaluation(DialectRegistry &registry) {
  registry.insert<simt::SimtDialect>();
  registry.addExtension(+[](MLIRContext *, simt::SimtDialect *dialect) {
    dialect->addInterfaces<SimtEvaluation>();
  });
}
