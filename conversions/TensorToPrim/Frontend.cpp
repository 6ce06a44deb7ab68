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

std::string tensor_to_prim::pipelineOf(StringRef pass,
                                       const frontend::Options &options,
                                       ArrayRef<StringRef> lists) {
  SmallVector<std::string> inside;
  if (!options.entries.empty())
    inside.push_back("entry=" + llvm::join(options.entries, ","));
  if (StringRef elided = options.get("elided"); !elided.empty())
    inside.push_back(("elided=" + elided).str());
  for (StringRef list : lists)
    if (StringRef value = options.get(list); !value.empty())
      inside.push_back((list + "=").str() +
                       llvm::join(llvm::split(value, '+'), ","));
  // Globals that became constants are needed no more.
  return pass.str() +
         (inside.empty() ? "" : "{" + llvm::join(inside, " ") + "}") +
         ",kiln-keep-entries";
}

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
    return pipelineOf(pass, options);
  };
  return shared;
}
