//===- Driver.h - The compiler as a library ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler driver as a library: used by kiln-compile, the other tools and
// the C interface.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DRIVER_DRIVER_H
#define KILN_DRIVER_DRIVER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
}
namespace llvm {
class MemoryBuffer;
class raw_ostream;
} // namespace llvm

namespace kiln::driver {

/// Exit statuses that people script against.
enum ExitStatus { kDone = 0, kInputFailed = 1, kWrongUsage = 2 };

/// The kinds of output of --emit.
enum class Emit { Package, Prim, Program, Tile, Target, LLVM, Asm, Binary };

/// The --print-ir-* flags: what to print of the IR around passes.
struct IRDumpOptions {
  bool beforeAll = false, afterAll = false;
  std::vector<std::string> before, after; ///< names of passes
  /// Print after passes only what has changed, or what failed.
  bool afterChange = false, afterFailure = false;
  bool moduleScope = false; ///< always the whole module
  std::string treeDir;      ///< one file for each print; empty: stderr

  /// Returns true if anything is printed.
  bool any() const;
  /// Returns true if the IR is printed after all passes. Flags that only
  /// restrict or redirect the output mean this if no other flag is given.
  bool printsAfterAll() const;
  /// Parses one flag, named without its dashes. On failure `error` has the
  /// reason.
  bool parse(llvm::StringRef flag, std::optional<llvm::StringRef> value,
             std::string &error);
};

/// The command line of kiln-compile.
struct CompileOptions {
  std::string input;
  std::string output; ///< empty: none was given
  std::vector<std::string> targets;
  std::vector<std::string> loadTargets;
  std::vector<std::string> entries; ///< functions to convert; empty: all
  std::string elided; ///< zeros or random for left-out constants; else error
  Emit emit = Emit::Package;
  std::string emitText; ///< the target's own name for its assembly, if given
  std::optional<std::string> explain; ///< file, or "" for the terminal
  std::string trace; ///< file of `kiln-run --trace` that a page shows
  std::optional<std::string> describe;
  std::string saveTemps;
  IRDumpOptions dump;
  /// Prints the passes that would run, in place of running all of them.
  bool printPipeline = false;
  std::string frontend; ///< NAME[,KEY=VALUE...]; empty: told by the input
  /// Evaluates the program before and after every pass, and compares the last
  /// level that can be evaluated with the device: kiln/Driver/Semantics.h.
  bool verifySemantics = false;
  /// Time limit of one evaluation in seconds; 0: none.
  double verifySeconds = 10;
  /// Arguments of the entry, each FILE.npy[+N] or TYPE:VALUE, and the grid of a
  /// kernel, X[,Y[,Z]]; empty: they are invented.
  std::vector<std::string> verifyArgs;
  std::string verifyGrid;
  std::vector<std::string> numerics; ///< contract, approx, ftz, reassoc
  bool allowTf32 = false;
  /// Leaves pointer arithmetic of Triton kernels as it is.
  bool keepPointers = false;
  unsigned jobs = 0; ///< threads that lower kernels; 0: one per core
  bool listTargets = false;
  bool timing = false;
  /// How progress is shown: bar, lines (for programs) or quiet; empty: a tool
  /// shows a bar, the C interface nothing.
  std::string progress;
  bool strip = false;
  /// Compiles without a child process: a crash ends the whole process.
  bool inProcess = false;
  std::string sign;                ///< file of the key that signs the package
  bool skipUnknownTargets = false; ///< as long as one of several is known
  /// Compiles every target this many times, with the first candidates of its
  /// tiling model, for `kiln-run --tune` to measure; 0: once, with the best.
  unsigned candidates = 0;
  /// Compiles the kernels of the targets for `reference`, each as an entry of
  /// its own, so that `kiln-run --check` can compare kernel by kernel.
  bool referenceKernels = false;
  /// Serialises the first module of a plug-in's target twice and compares the
  /// bytes.
  bool serialiseTwice = false;
  /// Reads bytecode without trying it in a process of its own first.
  bool trustInput = false;
  /// Kernels that no named target takes are errors.
  bool noFallback = false;
  /// Time limit of one pass, lowering or serialiser in seconds; 0: none.
  std::optional<double> stepSeconds;
  bool help = false;
  bool version = false;

  /// Parses the arguments behind the program's name. On failure `error` states
  /// the expected and the found argument.
  static bool parse(llvm::ArrayRef<std::string> args, CompileOptions &options,
                    std::string &error);
  /// Prints the flags with their help texts.
  static void printHelp(llvm::raw_ostream &os);
};

/// Receives one diagnostic: "file:line:column: error: message".
using DiagnosticSink = std::function<void(llvm::StringRef)>;

/// Compiles `input`. Writes the output of --emit to `result` and the report of
/// --explain to `report`; returns an ExitStatus. Plug-ins must have been
/// loaded. Several threads may compile at once. If one of them may load
/// plug-ins, the others hold a `target::LoadedScope`.
int compile(const CompileOptions &options, llvm::MemoryBufferRef input,
            const DiagnosticSink &diag, std::string &result,
            std::string &report);

/// Adds Kiln's dialects, the upstream ones that Kiln's levels use, and those of
/// loaded plug-ins.
void registerDialects(mlir::DialectRegistry &registry);

/// Adds the dialects of `registerDialects` and all others that mlir-opt reads.
/// A registered dialect costs nothing until a file names it.
void registerInputDialects(mlir::DialectRegistry &registry);

/// Registers what the core itself brings to the target registry: families,
/// schedules, extension points.
void initializeCore();

/// Calls `initializeCore`, then loads the plug-ins of the search path and the
/// named ones. Every tool calls it first. Returns false if a named plug-in
/// failed. `diag` receives the diagnostics, by default the standard error does.
/// Thread-safe.
bool initialize(const std::vector<std::string> &loadTargets,
                const DiagnosticSink &diag = {});

/// Adds Kiln's passes and pipelines to the global registry, once.
void registerPasses();

/// Runs `body` on a thread with a deep stack in a child process, and returns an
/// exit status. A crash gives one diagnostic that names `input`. For tools, not
/// for libraries. `inProcess` or KILN_NO_CHILD=1 run `body` without a child. If
/// code calls `exit`, the result is an error that names the code, and status 1.
/// With `mayExit` this holds only while a plug-in's code or a pass runs,
/// because parsers of command lines exit after they print help.
int runGuarded(llvm::StringRef input, const std::function<int()> &body,
               bool inProcess = false, bool mayExit = false);

/// The whole of kiln-compile-worker, see docs/runtime.md.
int workerMain(int argc, char **argv);

/// Checks text before a parser sees it: nesting depth and size. Returns
/// "line:column: error: message", or nothing.
std::optional<std::string> scanText(llvm::StringRef text);

/// The input that an upstream driver is started with, for messages: the last
/// argument that is no flag.
llvm::StringRef inputArgument(int argc, char **argv);
/// Scans a text file that an upstream driver is to read; bytecode, and what
/// cannot be read, passes. False: an error was printed.
bool isHarmlessFile(llvm::StringRef path);

/// Reads a file in the format of a plug-in's frontend, and returns it as text
/// of MLIR with locations; null if the file is in no such format. Sets `failed`
/// if it is in one but could not be read; errors were printed.
std::unique_ptr<llvm::MemoryBuffer>
readForeignFile(llvm::StringRef path, const mlir::DialectRegistry &registry,
                bool &failed);

/// Flushes the standard output. If that fails, prints an error and returns 1 in
/// place of 0.
int flushOutput(int status);

/// Makes the process exit with status 1 and one message if a write to its
/// standard output fails. Tools call it before they print.
void guardOutput();

/// Writes a whole file or nothing. Replaces the file that a link names, not the
/// link; writes directly to devices and pipes. "-" is the standard output.
bool writeOutput(llvm::StringRef path, llvm::StringRef bytes,
                 std::string &error);

/// Texts of --list-targets and --describe.
void printTargets(llvm::raw_ostream &os);
bool printDescribe(llvm::StringRef spec, llvm::raw_ostream &os,
                   const DiagnosticSink &diag);

/// The whole of kiln-compile.
int compileMain(int argc, char **argv);

} // namespace kiln::driver

#endif // KILN_DRIVER_DRIVER_H
