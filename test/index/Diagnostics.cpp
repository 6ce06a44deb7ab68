// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes run on several kernels at once: handlers take what their own thread reports, and nothing else.
#include "Check.h"
#include "kiln/Interfaces/OwnDiagnostics.h"
#include "mlir/IR/MLIRContext.h"

using namespace mlir;

void checkDiagnostics() {
  MLIRContext context;
  Location here = UnknownLoc::get(&context);
  std::string outer, own;
  ScopedDiagnosticHandler all(&context, [&](Diagnostic &diag) {
    outer += diag.str();
    return success();
  });
  {
    kiln::OwnDiagnostics quiet(&context, [&](Diagnostic &diag) {
      own += diag.str();
      return success(diag.getSeverity() == DiagnosticSeverity::Error);
    });
    emitError(here) << "own.";
    emitWarning(here) << "passed on.";
    std::thread([&] { emitError(here) << "of another."; }).join();
  }
  emitError(here) << "later.";
  CHECK_THAT(own == "own.passed on.", own);
  CHECK_THAT(outer == "passed on.of another.later.", outer);
}
