// The program dialect as something that can be evaluated.
#include "kiln/Dialect/Program/Program.h"
#include "kiln/Eval/Evaluator.h"
#include "kiln/Eval/Register.h"
#include "mlir/IR/DialectRegistry.h"

void kiln::eval::registerProgramEvaluation(mlir::DialectRegistry &registry) {
  registry.insert<program::ProgramDialect>();
}
