//===- Diagnostics.h - Diagnostics as file:line:column lines ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_DIAGNOSTICS_H
#define KILN_LIB_DRIVER_DIAGNOSTICS_H

#include "kiln/Driver/Driver.h"
#include "mlir/IR/Diagnostics.h"
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

namespace kiln::driver {

/// Turns MLIR's diagnostics into one line each and counts the errors. Several
/// can be nested; the innermost one gets the diagnostic.
class DiagnosticPrinter {
public:
  DiagnosticPrinter(mlir::MLIRContext *context, DiagnosticSink sink,
                    llvm::StringRef inputName = "");
  /// Takes what the calling thread reports, with the names of `outer`, and
  /// leaves what other threads report to those around.
  DiagnosticPrinter(const DiagnosticPrinter &outer, DiagnosticSink sink);
  ~DiagnosticPrinter();

  unsigned numErrors() const { return errors; }
  /// Whether the last error says whose code went wrong.
  bool namesPlugin() const {
    return lastError.find(" of plug-in ") != lastError.npos;
  }
  /// Places in the input are offsets of bytes, not lines.
  void setBinary() { isBinary = true; }
  /// Says `message` about the whole input.
  void error(const llvm::Twine &message);
  /// Hands a diagnostic on that has its location in it already.
  void raw(llvm::StringRef line);
  /// Hands on a line that is no error.
  void note(llvm::StringRef line);

private:
  void listen();
  void print(mlir::Diagnostic &diag);
  std::string location(mlir::Location loc) const;
  std::string wholeInput() const;

  mlir::MLIRContext *context;
  DiagnosticSink sink;
  std::string inputName;
  bool isBinary = false;
  std::optional<std::thread::id> thread; ///< whose diagnostics are taken
  std::mutex mutex;
  std::string lastError;
  std::atomic<unsigned> errors{0};
  mlir::DiagnosticEngine::HandlerID handler;
};

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_DIAGNOSTICS_H
