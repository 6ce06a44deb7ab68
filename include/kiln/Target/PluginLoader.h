//===- PluginLoader.h - Loading target plug-ins -----------------*- C++ -*-===//
//
// Reads a plug-in's version note before it is loaded, loads it, and runs its
// registration guarded. One message with the path says what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_PLUGINLOADER_H
#define KILN_TARGET_PLUGINLOADER_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kiln::target {

/// Loads one plug-in. On failure `error` is one line that starts with the path.
bool loadPlugin(llvm::StringRef path, std::string &error);

/// The folders that are searched: KILN_PLUGIN_PATH (colon separated), then
/// `kiln/targets` beside libKiln.so.
std::vector<std::string> pluginSearchPath();

/// Loads the libraries named in `named` (failure is an error, printed to
/// stderr), then every libkiln-target-*.so of the search path (failure is a
/// warning). Returns false when a named one failed.
bool loadPlugins(const std::vector<std::string> &named);

/// Takes `--load-target=LIB` and `--load-target LIB` out of the command line.
std::vector<std::string> extractLoadTargetFlags(int &argc, char **argv);

} // namespace kiln::target

#endif // KILN_TARGET_PLUGINLOADER_H
