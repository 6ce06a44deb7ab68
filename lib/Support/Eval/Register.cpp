// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that can be evaluated.
#include "kiln/Eval/Register.h"
#include "mlir/IR/DialectRegistry.h"

#include <mutex>
#include <vector>

namespace {
/// What plug-ins have added. They stay loaded, and load at any time.
struct Added {
  std::mutex lock;
  std::vector<void (*)(mlir::DialectRegistry &)> functions;
};
Added &added() {
  static Added all;
  return all;
}
} // namespace

void kiln::eval::addEvaluation(void (*add)(mlir::DialectRegistry &)) {
  std::lock_guard<std::mutex> guard(added().lock);
  added().functions.push_back(add);
}

void kiln::eval::registerEvaluation(mlir::DialectRegistry &registry) {
  registerArithEvaluation(registry);
  registerMathEvaluation(registry);
  registerControlEvaluation(registry);
  registerShapedEvaluation(registry);
  registerPrimEvaluation(registry);
  registerTileEvaluation(registry);
  registerAffineEvaluation(registry);
  registerStageEvaluation(registry);
  registerSimtEvaluation(registry);
  registerProgramEvaluation(registry);
  std::lock_guard<std::mutex> guard(added().lock);
  for (auto *add : added().functions)
    add(registry);
}
