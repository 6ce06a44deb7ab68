// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding plug-in libraries and reading their version note before loading.
#ifndef KILN_RUNTIME_PLUGIN_H
#define KILN_RUNTIME_PLUGIN_H

#include "kiln/System/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace kiln::runtime {

/// The contents of a plug-in's `.note.kiln` (see kiln-c/PluginNote.h).
struct PluginNote {
  uint32_t apiMajor = 0;
  uint32_t apiMinor = 0;
  uint32_t llvmMajor = 0; ///< 0, 0: the plug-in does not use LLVM
  uint32_t llvmMinor = 0;
};

/// Reads the note without loading the file. The message of a failure begins
/// with the path; any file is safe to pass.
Expected<PluginNote> readPluginNote(const std::string &path);

/// Folders searched for plug-ins, best first: KILN_PLUGIN_PATH, then
/// `kiln/targets` next to libkiln-runtime.so.
std::vector<std::string> pluginSearchPath();

/// Files `PREFIX*.so` of the search path, sorted by name within a folder; of
/// several with one file name the first counts. Those that `checkFound` refuses
/// are left out; `refused` gets why, once for a folder.
std::vector<std::string> findPlugins(const std::string &prefix,
                                     std::vector<std::string> &refused);

/// Programs `PREFIX*` of the search path, in the same way: files without an
/// extension that may be run.
std::vector<std::string> findPrograms(const std::string &prefix,
                                      std::vector<std::string> &refused);

/// Whether a library that was found by search, not named, may be loaded: other
/// users must not be able to write to it or to its folder (Trust.h), unless
/// that is the one beside libkiln-runtime.so.
Error checkFound(const std::string &path);

/// Whether the library itself defines `symbol`; read without loading it.
Expected<bool> definesSymbol(const std::string &path,
                             const std::string &symbol);

/// Takes `--load-target=LIB`: a library with a device driver is loaded now and
/// used for its device before all others; the folder of any library is searched
/// for drivers, too. Says whether the library has a driver.
Expected<bool> addDeviceLibrary(const std::string &path);

/// The compiler, libKiln.so.0, for programs that do not link it: beside
/// libkiln-runtime.so, else where the system looks. What dlsym takes; it stays
/// loaded, its symbols seen by plug-ins. The message of a failure is dlopen's.
Expected<void *> loadCompilerLibrary();

/// The whole of the helper program kiln-driver-trial: loads a driver and writes
/// to descriptor 3 what is wrong with it. Does not return.
int runDriverTrial(const std::string &path);

} // namespace kiln::runtime

#endif
