//===- Session.cpp - What the phases of a compilation share ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Session.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using namespace kiln::target;

Session::Session(const CompileOptions &options, llvm::MemoryBufferRef input,
                 MLIRContext &context, const DiagnosticSink &diag,
                 std::string &result)
    : options(options), input(input), context(context),
      printer(&context, diag, input.getBufferIdentifier()),
      report(Report::of(&context)), explanation(Explanation::of(&context)),
      semantics(SemanticsCheck::of(&context)), result(result) {
  timingManager.setEnabled(options.timing);
  timing = timingManager.getRootScope();
}

LogicalResult Session::run(ModuleOp module, const Stage &stage,
                           const BoundTarget &bound, bool always) {
  if (options.printPipeline) {
    if (std::string text = textOf(stage, bound); !text.empty())
      passes.push_back(text);
    if (!always)
      return success();
  }
  return runStage(module, stage, bound, printer, timing);
}

LogicalResult Session::save(ModuleOp module, const Twine &name) {
  if (options.saveTemps.empty())
    return success();
  std::string text, error;
  llvm::raw_string_ostream os(text);
  // Whole, constants too: every file is an input again.
  module->print(os, OpPrintingFlags().enableDebugInfo());
  std::string number = (numSaved < 10 ? "0" : "") + std::to_string(numSaved);
  ++numSaved;
  llvm::SmallString<128> path(options.saveTemps);
  llvm::sys::path::append(path, number + "-" + name + ".mlir");
  if (std::error_code code =
          llvm::sys::fs::create_directories(options.saveTemps))
    return fail(options.saveTemps + ": cannot be created: " + code.message());
  return writeOutput(path, text + "\n", error) ? success() : fail(error);
}

void Session::print(ModuleOp module) {
  if (printedOne)
    result += "\n// -----\n\n";
  printedOne = true;
  llvm::raw_string_ostream os(result);
  module->print(os);
  os << "\n";
}

void Session::printPipeline() {
  result += "builtin.module(" + llvm::join(passes, ",") + ")\n";
}
