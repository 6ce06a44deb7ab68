//===- PluginLoader.h - Loading target plug-ins -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a plug-in's version note before it is loaded, loads it, and runs its
// registration guarded. One message with the path says what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_PLUGINLOADER_H
#define KILN_TARGET_PLUGINLOADER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kiln::target {

class Target;

/// What plug-ins export that are built and tested with the compiler. They are
/// loaded without a trial in another process, unless others are loaded with
/// them.
constexpr char kOwnPluginSymbol[] = "kilnIsPartOfKiln";

/// Whether the loaded plug-in of this name is one of those, a
/// description, or the core itself.
bool isOwnPlugin(llvm::StringRef name);

/// The functions that load isolated targets: programs, whose code does not run
/// in this process.
struct ProgramLoader {
  /// Returns the name of the target if the file is such a program, else "".
  std::string (*targetOf)(llvm::StringRef path);
  /// Creates the target `name` of the program `path`.
  std::unique_ptr<Target> (*create)(std::string name, std::string path);
  /// Starts the program if it does not run yet. Returns the reason why it
  /// cannot be used, or "".
  std::string (*whyUnusable)(const Target &target);
  /// Starts the program, which will be asked soon, and does not wait for it.
  void (*startAhead)(const std::string &path);
};
/// Sets the functions. Call it before plug-ins are loaded.
void setProgramLoader(const ProgramLoader &loader);

/// Loads one plug-in, a library or a program. Returns false on failure; `error`
/// is then one line that starts with the path.
bool loadPlugin(llvm::StringRef path, std::string &error);

/// The folders that are searched: KILN_PLUGIN_PATH (colon separated), then
/// `kiln/targets` beside libKiln.so.
std::vector<std::string> pluginSearchPath();

/// Whether `loadPlugins` waits for the programs that are named.
enum class NamedPrograms {
  Ask,  ///< and reports those that cannot be used
  Start ///< `checkNamedPrograms` asks them
};

/// Loads the libraries named in `named` (failure is an error), then every
/// libkiln-target-*.so of the search path (failure is a warning). Programs
/// kiln-target-* are registered alike; those that are named are started.
/// `report` gets one line for each, by default printed to stderr. Returns false
/// when a named one failed. What is loaded already is not loaded again; loading
/// something waits until no `LoadedScope` is left.
bool loadPlugins(const std::vector<std::string> &named,
                 const std::function<void(llvm::StringRef)> &report = {},
                 NamedPrograms programs = NamedPrograms::Ask);

/// Asks the programs among `named`, which are loaded. `report` gets a line that
/// begins with "error: " for each that cannot be used; false where there is
/// one.
bool checkNamedPrograms(const std::vector<std::string> &named,
                        const std::function<void(llvm::StringRef)> &report);

/// Keeps the registries as they are while it lives: each compilation holds one
/// from behind `loadPlugins` to the end, once per thread that calls the
/// compiler. Only then may other threads load plug-ins.
class LoadedScope {
public:
  LoadedScope();
  ~LoadedScope();
  LoadedScope(const LoadedScope &) = delete;
};

/// The plug-ins that were named and loaded, for a helper that is to know them.
std::vector<std::string> namedPlugins();

/// The helper program that compiles and tries plug-ins for processes in which a
/// fork is not safe; KILN_COMPILE_WORKER names another one.
std::string compileWorker();

/// In a child or a helper: loads and checks one plug-in after the other and
/// writes a verdict each to `out`. What they print goes to the file `printed`,
/// from its beginning for each; -1: nowhere.
[[noreturn]] void runTrial(llvm::ArrayRef<std::string> paths, int out,
                           int printed);

/// Takes `--load-target=LIB` and `--load-target LIB` out of the command line.
std::vector<std::string> extractLoadTargetFlags(int &argc, char **argv);

} // namespace kiln::target

#endif // KILN_TARGET_PLUGINLOADER_H
