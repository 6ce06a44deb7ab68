//===- Diagnostics.h - Diagnostics as file:line:column lines ----*- C++ -*-===//

#ifndef KILN_LIB_DRIVER_DIAGNOSTICS_H
#define KILN_LIB_DRIVER_DIAGNOSTICS_H

#include "kiln/Driver/Driver.h"
#include "mlir/IR/Diagnostics.h"
#include <atomic>
#include <mutex>

namespace kiln::driver {

/// Turns MLIR's diagnostics into one line each and counts the errors. Several
/// can be nested; the innermost one gets the diagnostic.
class DiagnosticPrinter {
public:
  DiagnosticPrinter(mlir::MLIRContext *context, DiagnosticSink sink,
                    llvm::StringRef inputName = "");
  ~DiagnosticPrinter();

  unsigned numErrors() const { return errors; }
  /// Places in the input are offsets of bytes, not lines.
  void setBinary() { isBinary = true; }
  /// Says `message` about the whole input.
  void error(const llvm::Twine &message);
  /// Hands a diagnostic on that has its location in it already.
  void raw(llvm::StringRef line);
  /// Hands on a line that is no error.
  void note(llvm::StringRef line);

private:
  void print(mlir::Diagnostic &diag);
  std::string location(mlir::Location loc) const;
  std::string wholeInput() const;

  mlir::MLIRContext *context;
  DiagnosticSink sink;
  std::string inputName;
  bool isBinary = false;
  std::mutex mutex;
  std::atomic<unsigned> errors{0};
  mlir::DiagnosticEngine::HandlerID handler;
};

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_DIAGNOSTICS_H
