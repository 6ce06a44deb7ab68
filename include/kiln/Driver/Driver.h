//===- Driver.h - The compiler as a library ---------------------*- C++ -*-===//
//
// What kiln-compile does, for tools and for the C interface.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DRIVER_DRIVER_H
#define KILN_DRIVER_DRIVER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
}
namespace llvm {
class raw_ostream;
}

namespace kiln::driver {

/// Exit statuses that people script against.
enum ExitStatus { kDone = 0, kInputFailed = 1, kWrongUsage = 2 };

/// What --emit asks for.
enum class Emit { Package, Prim, Program, Tile, Target, LLVM, Asm, Binary };

/// The command line of kiln-compile.
struct CompileOptions {
  std::string input;
  std::string output; ///< empty: none was given
  std::vector<std::string> targets;
  std::vector<std::string> loadTargets;
  std::vector<std::string> entries; ///< functions to convert; empty: all
  Emit emit = Emit::Package;
  std::optional<std::string> explain; ///< file, or "" for the terminal
  std::optional<std::string> describe;
  std::string saveTemps;
  std::vector<std::string> numerics; ///< contract, approx, ftz, reassoc
  bool allowTf32 = false;
  /// Leaves pointer arithmetic of Triton kernels as it is.
  bool keepPointers = false;
  bool listTargets = false;
  bool timing = false;
  bool strip = false;
  std::string sign;                ///< file of the key that signs the package
  bool skipUnknownTargets = false; ///< as long as one of several is known
  bool help = false;
  bool version = false;

  /// Parses what stands behind the program's name. On failure `error` says
  /// what was expected and found.
  static bool parse(llvm::ArrayRef<std::string> args, CompileOptions &options,
                    std::string &error);
};

/// Receives one diagnostic: "file:line:column: error: message".
using DiagnosticSink = std::function<void(llvm::StringRef)>;

/// Compiles `input`. What --emit asks for ends in `result`, the report of
/// --explain in `report`. Plug-ins must have been loaded.
int compile(const CompileOptions &options, llvm::MemoryBufferRef input,
            const DiagnosticSink &diag, std::string &result,
            std::string &report);

/// Adds Kiln's dialects, the upstream ones that Kiln's levels use, and those of
/// loaded plug-ins.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers what the core itself brings to the target registry (families,
/// schedules, extension points), then loads plug-ins: those of the search path
/// and those named. Every tool begins with it. False: a named one failed.
bool initialize(const std::vector<std::string> &loadTargets);

/// Adds Kiln's passes and pipelines to the global registry, once.
void registerPasses();

/// Runs `body` on a thread with a deep stack in a child process, so that
/// whatever happens to it ends as an exit status; a crash gives one diagnostic
/// that names `input`. KILN_NO_CHILD=1 runs it in this process.
int runGuarded(llvm::StringRef input, const std::function<int()> &body);

/// The same without the diagnostic: `inParent` runs beside the child, `crash`
/// says what ended it, if something did.
int runInChild(const std::function<int()> &body,
               const std::function<void()> &inParent, std::string &crash);

/// Checks text before a parser sees it: nesting depth and size. Returns
/// "line:column: error: message", or nothing.
std::optional<std::string> scanText(llvm::StringRef text);

/// Writes a file under a temporary name and renames it. "-" is stdout.
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
