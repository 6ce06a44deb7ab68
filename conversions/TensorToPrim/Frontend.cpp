// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the frontends of functions on tensors share.
#include "Functions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln;

frontend::Frontend tensor_to_prim::sharedFrontend(StringRef pass) {
  frontend::Frontend shared;
  shared.functions = {"func.func"};
  shared.options = {
      {"elided", "zeros|random",
       "stands for elements of constants that the file leaves out"}};
  shared.registerDialects = [](DialectRegistry &registry) {
    registry.insert<affine::AffineDialect, ml_program::MLProgramDialect,
                    ub::UBDialect, vector::VectorDialect>();
  };
  shared.pipeline = [pass = pass.str()](const frontend::Options &options) {
    std::string inside;
    if (!options.entries.empty())
      inside = "entry=" + llvm::join(options.entries, ",");
    if (StringRef elided = options.get("elided"); !elided.empty())
      inside += (inside.empty() ? "elided=" : " elided=") + elided.str();
    // Globals that became constants are needed no more.
    return pass + (inside.empty() ? "" : "{" + inside + "}") +
           ",kiln-keep-entries";
  };
  return shared;
}
