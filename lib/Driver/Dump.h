//===- Dump.h - The IR around passes ----------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the --print-ir-* flags of kiln-compile ask for. Every pass manager of
// the driver is handed to the dump of its context before it runs.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DRIVER_DUMP_H
#define KILN_LIB_DRIVER_DUMP_H

#include "Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"

namespace kiln::driver {

/// Prints the IR of one compilation, in the order in which passes run: as long
/// as it lives, the context has one thread.
class IRDump {
public:
  IRDump(const IRDumpOptions &options, mlir::MLIRContext *context);
  ~IRDump();

  /// The dump of a context; null where nothing is to be printed.
  static IRDump *of(mlir::MLIRContext *context);

  /// Checks the names of passes that the flags hold. `error` says what is
  /// unknown, with names that are close.
  bool checkNames(const CompileOptions &options, std::string &error) const;

  /// Lets `pm` print; `stage` names what it belongs to.
  void attach(mlir::PassManager &pm, llvm::StringRef stage);

  /// Says what could not be written, and which passes never ran.
  mlir::LogicalResult finish(DiagnosticPrinter &printer);

private:
  class Config;
  void print(mlir::Pass *pass, mlir::Operation *op, bool isBefore,
             llvm::StringRef stage,
             mlir::PassManager::IRPrinterConfig::PrintCallbackFn callback);

  const IRDumpOptions &options;
  mlir::MLIRContext *context;
  bool wasThreaded;
  unsigned numStages = 0, numFiles = 0;
  llvm::StringSet<> seen;
  std::string error;
};

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_DUMP_H
