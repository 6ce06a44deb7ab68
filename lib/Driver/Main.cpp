//===- Main.cpp - The whole of kiln-compile -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Worker.h"
#include "kiln-c/Runtime.h"
#include "kiln/Driver/Driver.h"
#include "kiln/Isolated/IsolatedTarget.h"
#include "kiln/Runtime/Package.h"
#include "kiln/Target/TargetOptions.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

using namespace kiln;
using namespace kiln::driver;
using llvm::StringRef;

static constexpr StringRef kHelp =
    R"(usage: kiln-compile INPUT --target=SPEC -o OUT

Compiles a program to a package, which kiln-run runs.

INPUT is text or bytecode in TOSA, linalg, StableHLO, Triton, prim, tile or program,
an ONNX model, or a file of a plug-in's frontend; '-' is the standard input. SPEC is
name[:chip][,key=value...], for example cpu or cpu:x86-64-v3,threads=4;
--describe=SPEC lists chips and keys.

)";

static constexpr StringRef kHelpEnd = R"(
Flags of several letters may have one dash: -target=SPEC.
KILN_PLUGIN_PATH lists folders that are searched for plug-ins.
Exit status: 0 done, 1 the input failed, 2 wrong usage.
)";

static int usage(const llvm::Twine &message) {
  llvm::errs() << "kiln-compile: error: " << message
               << " (kiln-compile --help lists the flags)\n";
  return kWrongUsage;
}

/// Whether both are one file of the kind that is replaced when it is written.
static bool isSameFile(const std::string &input, const std::string &output) {
  bool isSame = false;
  return input != "-" && output != "-" &&
         llvm::sys::fs::is_regular_file(input) &&
         !llvm::sys::fs::equivalent(input, output, isSame) && isSame;
}

namespace {
/// While it lives, what is printed goes to the standard error: a pass of a
/// plug-in may print, and the standard output may be where the result goes.
class PrintsToErrors {
public:
  PrintsToErrors() {
    flush();
    saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (saved >= 0)
      dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~PrintsToErrors() {
    flush();
    if (saved < 0)
      return;
    dup2(saved, STDOUT_FILENO);
    close(saved);
  }
  PrintsToErrors(const PrintsToErrors &) = delete;

private:
  static void flush() {
    llvm::outs().flush();
    std::fflush(stdout);
  }
  int saved = -1;
};
} // namespace

/// Reads the input, compiles it and writes what was asked for.
static int compileFile(const CompileOptions &options) {
  if (kiln::runtime::isEndless(options.input)) {
    llvm::errs() << options.input
                 << ":1:1: error: cannot be read: is a device without an end\n";
    return kInputFailed;
  }
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(options.input);
  if (!file) {
    llvm::errs() << options.input
                 << ":1:1: error: cannot be read: " << file.getError().message()
                 << "\n";
    return kInputFailed;
  }
  if (isSameFile(options.input, options.output)) {
    llvm::errs() << options.input
                 << ":1:1: error: the output would take the place of the "
                    "input\n";
    return kInputFailed;
  }
  std::string result, report, error;
  DiagnosticSink sink = [](StringRef line) { llvm::errs() << line << "\n"; };
  int status = kInputFailed;
  {
    PrintsToErrors prints;
    status = compile(options, (*file)->getMemBufferRef(), sink, result, report);
  }
  if (options.explain && (status == kDone || !report.empty())) {
    // The report of a failed compilation says why it failed.
    std::string path = options.explain->empty() ? "-" : *options.explain;
    if (path == "-" && options.output == "-")
      llvm::errs() << report;
    else if (!writeOutput(path, report, error))
      return llvm::errs() << "error: " << error << "\n", kInputFailed;
  }
  if (status != kDone || options.output.empty())
    return status;
  if (!writeOutput(options.output, result, error))
    return llvm::errs() << "error: " << error << "\n", kInputFailed;
  return kDone;
}

int kiln::driver::compileMain(int argc, char **argv) {
  guardOutput();
  CompileOptions options;
  std::string error;
  std::vector<std::string> args(argv + 1, argv + argc);
  if (!CompileOptions::parse(args, options, error))
    return usage(error);
  if (options.progress.empty())
    options.progress = "bar";
  if (options.help) {
    llvm::outs() << kHelp;
    CompileOptions::printHelp(llvm::outs());
    llvm::outs() << kHelpEnd;
    return kDone;
  }
  if (options.version) {
    llvm::outs() << "kiln-compile " << kilnRuntimeVersion() << ", LLVM "
                 << LLVM_VERSION_STRING << "\n";
    return kDone;
  }
  bool asks = options.listTargets || options.describe;
  if (!asks) {
    if (options.input.empty())
      return usage("expected an input");
    bool needsTarget = options.emit != Emit::Prim &&
                       options.emit != Emit::Tile &&
                       options.emit != Emit::Program;
    if (options.printPipeline && options.output.empty())
      options.output = "-";
    if (options.targets.empty() && needsTarget)
      return usage("expected --target=SPEC");
    if (options.output.empty()) {
      bool isText =
          options.emit != Emit::Package && options.emit != Emit::Binary;
      if (isText)
        options.output = "-";
      else if (!options.explain)
        return usage("expected -o FILE");
    }
  }
  return runGuarded(
      options.input,
      [&] {
        llvm::scope_exit end(isolated::endPrograms);
        if (asks ? !initialize(options.loadTargets)
                 : !beginLoading(options.loadTargets))
          return int(kInputFailed);
        if (options.listTargets)
          printTargets(llvm::outs());
        if (options.describe &&
            !printDescribe(*options.describe, llvm::outs(), [](StringRef line) {
              llvm::errs() << line << "\n";
            }))
          return int(kInputFailed);
        if (options.listTargets || options.describe)
          return int(kDone);
        return compileFile(options);
      },
      options.inProcess);
}
