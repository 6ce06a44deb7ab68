//===- Session.h - What the phases of a compilation share -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_DRIVER_SESSION_H
#define KILN_LIB_DRIVER_SESSION_H

#include "Explanation.h"
#include "HostProgram.h"
#include "Pipeline.h"
#include "kiln/Driver/Semantics.h"

namespace kiln::driver {

/// One run of the compiler: its options and input, where its diagnostics go,
/// and what has been collected for the package. `compile` makes one, and every
/// phase gets it.
class Session {
public:
  Session(const CompileOptions &options, llvm::MemoryBufferRef input,
          mlir::MLIRContext &context, const DiagnosticSink &diag,
          std::string &result);

  bool stopsAt(Emit emit) const { return options.emit == emit; }
  /// Whether --emit asks for text of a module that no target has lowered.
  bool printsProgram() const {
    return stopsAt(Emit::Program) || stopsAt(Emit::Tile);
  }

  /// Runs a stage. With --print-pipeline it only records the stage's passes,
  /// unless they decide which passes come later (`always`).
  mlir::LogicalResult run(mlir::ModuleOp module, const Stage &stage,
                          const target::BoundTarget &bound = {},
                          bool always = false);

  /// Writes the module to the folder of --save-temps, if that is given.
  mlir::LogicalResult save(mlir::ModuleOp module, const llvm::Twine &name);

  /// Appends the module to the result; separators keep several splittable.
  void print(mlir::ModuleOp module);

  /// Appends the passes that were recorded to the result, as one line.
  void printPipeline();

  /// Reports an error about the whole input.
  mlir::LogicalResult fail(const llvm::Twine &message) {
    printer.error(message);
    return mlir::failure();
  }

  const CompileOptions &options;
  llvm::MemoryBufferRef input;
  mlir::MLIRContext &context;
  DiagnosticPrinter printer;
  target::Report &report;
  Explanation *explanation;  ///< null without --explain=FILE.html
  SemanticsCheck *semantics; ///< null without --verify-semantics
  std::string &result;       ///< what --emit asks for

  /// The passes so far, a text for each stage.
  std::vector<std::string> passes;
  mlir::DefaultTimingManager timingManager;
  mlir::TimingScope timing;
  std::string improvements; ///< passes that the frontends add
  Tolerances tolerances;
  Names names;
  ConstantPool pool;
  runtime::Package package;
  std::optional<runtime::SecretKey> signingKey;

private:
  unsigned numSaved = 0;
  bool printedOne = false;
};

} // namespace kiln::driver

#endif // KILN_LIB_DRIVER_SESSION_H
