//===- RegistryImpl.h - State of the target registry ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TARGET_REGISTRYIMPL_H
#define KILN_LIB_TARGET_REGISTRYIMPL_H

#include "kiln/Target/TargetRegistry.h"
#include <deque>
#include <map>
#include <mutex>

namespace kiln::target {

/// What is loaded. Entries are only ever added, so pointers to them stay valid.
struct TargetRegistry::Impl {
  struct Entry {
    std::unique_ptr<Target> target;
    std::string plugin;
  };
  std::deque<Entry> targets;
  std::deque<Family> families;
  std::deque<ExtensionPoint> points;
  std::deque<ExtensionPass> passes;
  struct Option {
    std::string target;
    OptionInfo info;
    std::string plugin;
  };
  std::deque<Option> options;
  std::deque<std::string> groupKinds;
  void (*coreDialects)(mlir::DialectRegistry &) = nullptr;
  std::vector<std::function<void(mlir::DialectRegistry &)>> dialects;
  std::vector<PluginInfo> plugins;
  /// The families that descriptions name, of targets that were asked.
  std::map<const Target *, std::string> familyOfTarget;
  std::mutex familyMutex; ///< of that

  /// The plug-in that is registering now.
  std::string current;
  /// What is wrong with what it registered so far, if anything.
  std::string complaint;
  /// Whether it gave anything at all.
  unsigned contributions = 0;

  void begin(llvm::StringRef plugin);
  void complain(const llvm::Twine &what);
};

/// Checks what the plug-in named `plugin` registered: names, tables,
/// descriptions. Returns what is wrong, or nothing.
std::string checkContributions(const TargetRegistry &registry,
                               llvm::StringRef plugin);

/// Once everything is loaded: checks the names of targets, operations, kinds
/// and extension points that the plug-in refers to, and with
/// `checksDescriptions` the families that descriptions of its targets name.
/// Returns what is wrong.
std::string checkReferences(const TargetRegistry &registry,
                            llvm::StringRef plugin, bool checksDescriptions);

/// Whether a plug-in is nothing but the text of a description.
bool isDescriptionFile(llvm::StringRef path);

/// Whether a plug-in is a program.
bool isProgramFile(llvm::StringRef path);
/// Starts the program that a file is; nothing for other files.
void startAhead(const std::string &path);

/// Whether a target's code is in a program.
bool isProgram(const TargetRegistry &registry, const Target &target);

/// Why the program of a target cannot be used; empty where it can, and for
/// targets that are no programs.
std::string whyUnusable(const TargetRegistry &registry, const Target &target);

/// Compares the versions in a plug-in's note with ours. Returns what is wrong.
std::string checkNote(const std::string &path);

/// Paths of plug-ins that were found and could not be loaded; messages said so.
std::vector<std::string> refusedPlugins();

/// Loads a plug-in and registers it in this process.
bool loadHere(const std::string &path, std::string &error);

} // namespace kiln::target

#endif // KILN_LIB_TARGET_REGISTRYIMPL_H
