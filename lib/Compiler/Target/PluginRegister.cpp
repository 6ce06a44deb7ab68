//===- PluginRegister.cpp - One plug-in: note, table, registration --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegistryImpl.h"
#include "kiln-c/TargetPlugin.h"
#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Plugin.h"
#include "kiln/System/Process.h"
#include "kiln/Target/PluginLoader.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <fcntl.h>
#include <link.h>
#include <new>
#include <unistd.h>

using namespace kiln::target;
using llvm::StringRef;

bool kiln::target::isDescriptionFile(StringRef path) {
  return path.ends_with(".mlir") || path.ends_with(".kiln");
}

std::string kiln::target::checkNote(const std::string &path) {
  auto note = kiln::runtime::readPluginNote(path);
  if (!note)
    return note.message();
  auto version = [](unsigned major, unsigned minor) {
    return std::to_string(major) + "." + std::to_string(minor);
  };
  if (note->apiMajor != KILN_TARGET_API_MAJOR ||
      note->apiMinor != KILN_TARGET_API_MINOR)
    return path + ": expected a plug-in for target API " +
           version(KILN_TARGET_API_MAJOR, KILN_TARGET_API_MINOR) + ", found " +
           version(note->apiMajor, note->apiMinor);
  if (note->llvmMajor != LLVM_VERSION_MAJOR ||
      note->llvmMinor != LLVM_VERSION_MINOR)
    return path + ": expected a plug-in built for LLVM " +
           version(LLVM_VERSION_MAJOR, LLVM_VERSION_MINOR) + ", found " +
           (note->llvmMajor ? version(note->llvmMajor, note->llvmMinor)
                            : std::string("one built without LLVM"));
  return "";
}

static std::optional<ProgramLoader> &programLoader() {
  static std::optional<ProgramLoader> loader;
  return loader;
}

void kiln::target::setProgramLoader(const ProgramLoader &loader) {
  programLoader() = loader;
}

void kiln::target::startAhead(const std::string &path) {
  if (isProgramFile(path))
    programLoader()->startAhead(path);
}

bool kiln::target::isProgramFile(StringRef path) {
  return programLoader() && !programLoader()->targetOf(path).empty();
}

/// The plug-in of a target; null for the core.
static const PluginInfo *findPlugin(const TargetRegistry &registry,
                                    const Target &target) {
  std::string name = pluginOf(target);
  for (const PluginInfo &plugin : registry.impl().plugins)
    if (plugin.name == name)
      return &plugin;
  return nullptr;
}

bool kiln::target::isProgram(const TargetRegistry &registry,
                             const Target &target) {
  const PluginInfo *plugin = findPlugin(registry, target);
  return plugin && isProgramFile(plugin->path);
}

std::string kiln::target::whyUnusable(const TargetRegistry &registry,
                                      const Target &target) {
  if (!isProgram(registry, target))
    return "";
  std::string why = programLoader()->whyUnusable(target);
  return why.empty() ? ""
                     : findPlugin(registry, target)->path + ": " +
                           describeTarget(target) + " " + why;
}

namespace {
/// Registers a program, which is not started before it is needed.
bool registerProgram(const std::string &path, TargetRegistry &registry,
                     std::string &error) {
  TargetRegistry::Impl &impl = registry.impl();
  std::string name = programLoader()->targetOf(path);
  if (!llvm::sys::fs::is_regular_file(path) ||
      !llvm::sys::fs::can_execute(path)) {
    error = path + ": expected a program that can be run";
    return false;
  }
  for (const PluginInfo &other : impl.plugins)
    if (other.name == name) {
      error = path + ": plug-in '" + name + "' is loaded already, from " +
              other.path;
      return false;
    }
  impl.begin(name);
  registry.addTarget(programLoader()->create(name, path));
  if (!impl.complaint.empty()) {
    error = path + ": " + impl.complaint;
    return false;
  }
  impl.plugins.push_back({name, "program", path});
  return true;
}

/// Finds the entry point and checks that it is this file's own.
const KilnTargetPlugin *entryTable(void *handle, const std::string &path,
                                   std::string &error) {
  void *symbol = dlsym(handle, KILN_TARGET_ENTRY_POINT);
  if (!symbol) {
    error = path + ": does not export " KILN_TARGET_ENTRY_POINT;
    return nullptr;
  }
  link_map *ours = nullptr;
  void *owner = nullptr;
  Dl_info info;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &ours) ||
      !dladdr1(symbol, &info, &owner, RTLD_DL_LINKMAP) || owner != ours) {
    error = path + ": " KILN_TARGET_ENTRY_POINT
                   " is not its own but that of a library it depends on";
    return nullptr;
  }
  const KilnTargetPlugin *table =
      reinterpret_cast<KilnGetTargetPluginFn>(symbol)();
  if (!table) {
    error = path + ": " KILN_TARGET_ENTRY_POINT " returns null";
    return nullptr;
  }
  if (table->structSize < sizeof(KilnTargetPlugin)) {
    error = path + ": expected a plug-in table of at least " +
            std::to_string(sizeof(KilnTargetPlugin)) + " bytes, found " +
            std::to_string(table->structSize);
    return nullptr;
  }
  if (table->apiMajor != KILN_TARGET_API_MAJOR || !table->name ||
      !*table->name || !table->version || !table->registerPlugin) {
    error = path + ": the plug-in table lacks a name, a version or a register "
                   "function, or contradicts the file's version note";
    return nullptr;
  }
  return table;
}

/// Registers a file that is nothing but a description.
bool registerDescription(const std::string &path, TargetRegistry &registry,
                         std::string &error) {
  auto file = kiln::runtime::mapRegularFile(path);
  if (!file) {
    error = file.message();
    return false;
  }
  registry.impl().begin(path);
  registry.addDescribedTarget(std::string(file->str()));
  registry.impl().plugins.push_back(
      {llvm::sys::path::stem(path).str(), "description", path});
  if (registry.impl().complaint.empty())
    return true;
  error = path + ": " + registry.impl().complaint;
  return false;
}
} // namespace

bool kiln::target::loadHere(const std::string &path, std::string &error) {
  TargetRegistry &registry = TargetRegistry::get();
  TargetRegistry::Impl &impl = registry.impl();
  for (const PluginInfo &other : impl.plugins)
    if (bool isSame = false;
        !llvm::sys::fs::equivalent(path, other.path, isSame) && isSame) {
      error = path + ": is the same file as " + other.path +
              ", which is loaded already";
      return false;
    }
  if (isDescriptionFile(path))
    return registerDescription(path, registry, error);
  if (isProgramFile(path))
    return registerProgram(path, registry, error);
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    StringRef why = dlerror();
    why.consume_front(path);
    why.consume_front(": ");
    error = path + ": cannot be loaded: " + why.str();
    return false;
  }
  const KilnTargetPlugin *table = entryTable(handle, path, error);
  if (!table)
    return false;
  for (const PluginInfo &other : impl.plugins)
    if (other.name == table->name) {
      error = path + ": plug-in '" + table->name +
              "' is loaded already, from " + other.path;
      return false;
    }
  impl.begin(table->name);
  char message[512] = "";
  int status = 0;
  try {
    status = table->registerPlugin(&registry, message, sizeof message);
  } catch (const std::exception &e) {
    error = path + ": registration throws: " + e.what();
    return false;
  } catch (...) {
    error = path + ": registration throws something that is no std::exception";
    return false;
  }
  message[sizeof message - 1] = 0;
  if (status)
    error = path + ": registration fails: " +
            (*message ? std::string(message) : std::string("without a reason"));
  else if (!impl.complaint.empty())
    error = path + ": " + impl.complaint;
  else if (!impl.contributions)
    error = path + ": registers nothing";
  if (!error.empty())
    return false;
  impl.plugins.push_back({table->name, table->version, path});
  return true;
}

/// Forgets what was printed so far. The file cannot grow, but be written again.
static void forgetPrinted(int printed) {
  std::fflush(stdout);
  std::fflush(stderr);
  off_t end = lseek(printed, 0, SEEK_CUR);
  if (end <= 0 || lseek(printed, 0, SEEK_SET))
    return;
  std::string zeros(static_cast<size_t>(end), '\0');
  (void)!pwrite(printed, zeros.data(), zeros.size(), 0);
}

void kiln::target::runTrial(llvm::ArrayRef<std::string> paths, int out,
                            int printed) {
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP})
    std::signal(number, SIG_DFL);
  // Where the standard streams are closed, `out` has one of their numbers.
  if (out < 3)
    out = fcntl(out, F_DUPFD_CLOEXEC, 3);
  // What a crashing plug-in prints would hide the one message that matters,
  // which ends with the last line of it.
  if (printed < 0)
    printed = open("/dev/null", O_RDWR);
  if (printed >= 0) {
    dup2(printed, 1);
    dup2(printed, 2);
  }
  std::set_new_handler(nullptr);
#ifdef __GLIBCXX__
  // Prints what a thread threw.
  std::set_terminate(__gnu_cxx::__verbose_terminate_handler);
#endif
  for (const std::string &path : paths) {
    std::string error;
    forgetPrinted(printed);
    try {
      if (loadHere(path, error) && !isProgramFile(path))
        error = checkContributions(TargetRegistry::get(),
                                   TargetRegistry::get().impl().current);
      if (!error.empty() && !StringRef(error).starts_with(path))
        error = path + ": " + error;
    } catch (const std::exception &e) {
      error = path + ": throws: " + e.what();
    } catch (...) {
      error = path + ": throws something that is no std::exception";
    }
    for (char &c : error)
      if (c == '\n' || c == '\0')
        c = ' ';
    error = error.empty() ? "+" : "-" + error;
    error += '\n';
    if (!kiln::runtime::writeFully(out, error.data(), error.size()))
      _exit(1);
    // After a failure the registry may hold half of a plug-in: start afresh.
    if (error[0] == '-')
      break;
  }
  _exit(0);
}
