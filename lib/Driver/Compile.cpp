//===- Compile.cpp - From an input to a package ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Context.h"
#include "Dump.h"
#include "Phases.h"
#include "Specs.h"
#include "kiln/Target/Activity.h"
#include "kiln/Target/PluginLoader.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::driver;
using namespace kiln::target;

/// Leaves out targets that no plug-in registers, as long as one remains.
static void skipUnknown(std::vector<std::string> &specs,
                        DiagnosticPrinter &printer) {
  auto isKnown = [](StringRef spec) {
    return llvm::all_of(splitSpecs(spec), [](StringRef part) {
      return TargetRegistry::get().find(
          part.take_until([](char c) { return c == ':' || c == ','; }));
    });
  };
  if (llvm::none_of(specs, isKnown))
    return;
  for (const std::string &spec : specs)
    if (!isKnown(spec))
      printer.note("note: passed over target '" + spec +
                   "', which no plug-in registers");
  llvm::erase_if(specs, [&](StringRef spec) { return !isKnown(spec); });
}

/// Takes the input through all phases.
static LogicalResult runSession(Session &session) {
  Program input;
  Outcome read = runPhases(inputPhases(), session, input);
  // The programs of targets have started meanwhile.
  if (read == Outcome::Failed ||
      !checkNamedPrograms(session.options.loadTargets,
                          [&](StringRef line) { session.printer.raw(line); }))
    return failure();
  if (read == Outcome::Done)
    return success();
  std::vector<std::string> specs = session.options.targets;
  if (session.options.skipUnknownTargets)
    skipUnknown(specs, session.printer);
  if (specs.empty())
    specs.push_back("");
  size_t shared = session.passes.size();
  for (const std::string &spec : specs) {
    session.passes.resize(shared);
    Program program;
    program.module = input.module->clone();
    program.spec = spec;
    if (runPhases(targetPhases(), session, program) == Outcome::Failed)
      return failure();
  }
  return success(runPhases(packagePhases(), session, input) != Outcome::Failed);
}

/// The report of --explain as text or JSON.
static void printReport(const CompileOptions &options, MLIRContext &context,
                        std::string &report) {
  llvm::raw_string_ostream os(report);
  if (options.explain && StringRef(*options.explain).ends_with(".json"))
    Report::of(&context).printJson(os);
  else
    Report::of(&context).printText(os);
}

int kiln::driver::compile(const CompileOptions &options,
                          llvm::MemoryBufferRef input,
                          const DiagnosticSink &diag, std::string &result,
                          std::string &report) {
  limitSteps(options.stepSeconds.value_or(defaultStepSeconds()));
  ContextPtr owned = takeContext(options);
  MLIRContext &context = *owned;
  LogicalResult ok = failure();
  std::optional<Explanation> explanation;
  if (options.explain && StringRef(*options.explain).ends_with(".html"))
    explanation.emplace(&context);
  {
    IRDump dump(options.dump, &context);
    std::string error;
    if (!dump.checkNames(options, error)) {
      diag("error: " + error);
      return kWrongUsage;
    }
    std::optional<SemanticsCheck> check;
    if (options.verifySemantics) {
      // Evaluation sees the whole module.
      context.disableMultithreading();
      check.emplace(SemanticsOptions{options.verifySeconds, options.verifyArgs,
                                     options.verifyGrid},
                    &context);
    }
    Session session(options, input, context, diag, result);
    ok = runSession(session);
    if (check) {
      diag(check->result().str());
      if (check->result().failed())
        ok = failure();
    }
    DiagnosticPrinter printer(&context, diag, input.getBufferIdentifier());
    if (failed(dump.finish(printer)))
      ok = failure();
  }
  if (explanation) {
    llvm::Expected<std::string> page = explanation->page(options.trace);
    if (!page) {
      diag("error: " + llvm::toString(page.takeError()));
      return kInputFailed;
    }
    report += *page;
  } else {
    printReport(options, context, report);
  }
  return succeeded(ok) ? kDone : kInputFailed;
}
