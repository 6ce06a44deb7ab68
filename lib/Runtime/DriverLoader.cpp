// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding and loading device drivers.
#include "Communicator.h"
#include "Device.h"
#include "DriverCalls.h"
#include "GuardedDriver.h"
#include "kiln/Runtime/Plugin.h"
#include "kiln/Runtime/Print.h"
#include "kiln/Runtime/Progress.h"
#include "kiln/System/Process.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <mutex>
#include <unistd.h>

using namespace kiln::runtime;
namespace fs = std::filesystem;

namespace {

/// Drivers stay loaded until the process ends: their threads may still run.
struct Registry {
  std::mutex mutex;
  std::map<std::string, const KilnDeviceDriver *> loaded;
  std::vector<std::string> folders; ///< of libraries asked for by name

  static Registry &get() {
    static Registry registry;
    return registry;
  }
};

constexpr const char *kPrefix = "libkiln-device-";

Error checkVersion(const std::string &path, const PluginNote &note) {
  if (note.apiMajor == KILN_DEVICE_API_MAJOR)
    return Error::success();
  return Error(path + ": device interface version " +
               std::to_string(note.apiMajor) + "." +
               std::to_string(note.apiMinor) +
               " found, this runtime works with version " +
               std::to_string(KILN_DEVICE_API_MAJOR) + ".x");
}

/// Entries that are set point into some library, as functions do.
Error checkFunctions(const std::string &path, const KilnDeviceDriver &table) {
  const size_t first = offsetof(KilnDeviceDriver, open);
  size_t size = std::min(table.structSize, sizeof table);
  for (size_t at = first; at + sizeof(void *) <= size; at += sizeof(void *)) {
    void *entry = nullptr;
    std::memcpy(&entry, reinterpret_cast<const char *>(&table) + at,
                sizeof entry);
    Dl_info info;
    if (entry && !dladdr(entry, &info))
      return Error(path + ": entry " +
                   std::to_string((at - first) / sizeof(void *)) +
                   " of its driver table, counted from 'open', points to no "
                   "library");
  }
  return Error::success();
}

/// A table with every entry up to `execute`. What it has of later versions
/// than 1.0 is optional.
Error checkTable(const std::string &path, const KilnDeviceDriver *table) {
  auto fail = [&](const std::string &what) {
    return Error(path + ": " + what);
  };
  if (!table)
    return fail("kilnGetDeviceDriver returned no table");
  if (table->structSize < KILN_DEVICE_DRIVER_SIZE_1_0)
    return fail("its driver table has " + std::to_string(table->structSize) +
                " bytes, expected at least " +
                std::to_string(KILN_DEVICE_DRIVER_SIZE_1_0));
  if (table->apiMajor != KILN_DEVICE_API_MAJOR)
    return fail("its driver table has version " +
                std::to_string(table->apiMajor) + ", its note says " +
                std::to_string(KILN_DEVICE_API_MAJOR));
  const std::pair<const char *, bool> required[] = {
      {"name", table->name && *table->name},
      {"open", table->open},
      {"close", table->close},
      {"properties", table->properties},
      {"allocate", table->allocate},
      {"release", table->release},
      {"copyIn", table->copyIn},
      {"copyOut", table->copyOut},
      {"loadModule", table->loadModule},
      {"unloadModule", table->unloadModule},
      {"getKernel", table->getKernel},
      {"execute", table->execute}};
  for (const auto &[name, present] : required)
    if (!present)
      return fail(std::string("its driver table lacks '") + name + "'");
  if (Error error = checkFunctions(path, *table))
    return error;
  bool someQueue = table->createQueue || table->destroyQueue;
  bool allQueue =
      table->createQueue && table->destroyQueue && table->synchronize;
  if (someQueue && !allQueue)
    return fail("its driver table has only some of the entries for queues");
  return Error::success();
}

/// Loads a driver into this process.
Expected<const KilnDeviceDriver *> loadHere(const std::string &path) {
  // dlopen searches the system for a name without a slash; we mean a file.
  std::error_code ignored;
  std::string absolute = fs::absolute(path, ignored).string();
  void *library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error(path + ": cannot load: " + dlerror());
  void *symbol = dlsym(library, "kilnGetDeviceDriver");
  if (!symbol)
    return Error(path + ": has no symbol kilnGetDeviceDriver");
  // A symbol of a library that it links is not an entry of its own.
  Dl_info info;
  if (!dladdr(symbol, &info) || !info.dli_fname ||
      !fs::equivalent(info.dli_fname, path, ignored))
    return Error(path + ": its kilnGetDeviceDriver belongs to another file");
  auto entry = reinterpret_cast<KilnGetDeviceDriverFn>(symbol);
  static const KilnDeviceHost host = {
      sizeof(KilnDeviceHost), KILN_DEVICE_API_MAJOR,
      KILN_DEVICE_API_MINOR,  printValue,
      noteProgress,           ranksOfCall,
      exchangeInCall};
  const KilnDeviceDriver *table = nullptr;
  try {
    table = entry(&host);
  } catch (...) {
    return Error(path + ": kilnGetDeviceDriver threw an exception");
  }
  if (Error error = checkTable(path, table))
    return error;
  // A file is searched for by the name of its device.
  std::string file = fs::path(path).filename().string(), prefix = kPrefix;
  if (file.compare(0, prefix.size(), prefix) == 0 &&
      file != prefix + table->name + ".so")
    return Error(path + ": its driver table says that its device is '" +
                 table->name + "', whose driver is " + prefix + table->name +
                 ".so");
  // Both sides may know more than the other: what is missing here is null.
  auto *known = new KilnDeviceDriver();
  std::memcpy(known, table, std::min(table->structSize, sizeof(*known)));
  return known;
}

/// Whether a driver is as much to be trusted as this library, as whoever
/// installed the one put the other beside it.
bool isBesideRuntime(const std::string &path) {
  std::error_code ignored;
  fs::path own = pluginSearchPath().back();
  return fs::equivalent(fs::absolute(path, ignored).parent_path(), own,
                        ignored);
}

/// Loads a driver in a helper process first, as its constructors may do
/// anything. A fork would not do: this process may have threads.
Error tryLibrary(const std::string &path) {
  static const char anchor = 0;
  std::string helper =
      helperProgram(&anchor, "kiln-driver-trial", "KILN_DRIVER_TRIAL");
  if (isBesideRuntime(path) || access(helper.c_str(), X_OK) != 0)
    return Error::success();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Error(path + ": cannot be tried: " + std::strerror(errno));
  Expected<pid_t> child = startProgram(helper, {path}, {ends[1]});
  close(ends[1]);
  if (!child) {
    close(ends[0]);
    return child.takeError();
  }
  std::string verdict;
  bool isInTime = readUntilEnd(ends[0], trialSeconds(),
                               [&](const char *bytes, size_t size) {
                                 verdict.append(bytes, size);
                                 return verdict.back() != '\n';
                               });
  close(ends[0]);
  if (!isInTime)
    kill(*child, SIGKILL);
  Ending ending = awaitEnd(*child);
  if (!isInTime)
    return Error(path + ": loading it does not come to an end within " +
                 std::to_string(trialSeconds()) + " s (KILN_TRIAL_SECONDS)");
  if (verdict == "+\n")
    return Error::success();
  if (!verdict.empty() && verdict.back() == '\n')
    return Error(verdict.substr(1, verdict.size() - 2));
  return Error(path +
               (ending.signal ? ": loading it crashes: "
                              : ": loading it ends the process with ") +
               ending.describe());
}

Expected<const KilnDeviceDriver *> loadLibrary(const std::string &path) {
  Expected<PluginNote> note = readPluginNote(path);
  if (!note)
    return note.takeError();
  if (Error error = checkVersion(path, *note))
    return error;
  if (Error error = tryLibrary(path))
    return error;
  int driver = addDriver(path);
  Expected<const KilnDeviceDriver *> table = [&] {
    // It may do here what it did not do when it was tried.
    watchExits();
    RunningCall running(driver, "loading it");
    return loadHere(path);
  }();
  if (!table)
    return table;
  watchExits();
  return guardDriver(*table, driver);
}

Expected<const KilnDeviceDriver *> loadFound(const std::string &path) {
  if (Error untrusted = checkFound(path))
    return untrusted;
  return loadLibrary(path);
}

} // namespace

int kiln::runtime::runDriverTrial(const std::string &path) {
  beginHelper(1);
  // What a crashing driver prints would hide the one message that matters.
  int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    dup2(null, 1);
    dup2(null, 2);
  }
  Expected<const KilnDeviceDriver *> table = loadHere(path);
  std::string verdict = table ? "+" : "-" + table.message();
  std::replace(verdict.begin(), verdict.end(), '\n', ' ');
  verdict += '\n';
  // Its destructors have no say.
  _exit(writeFully(3, verdict.data(), verdict.size()) ? 0 : 1);
}

Expected<const KilnDeviceDriver *>
kiln::runtime::loadDeviceDriver(const std::string &name) {
  Registry &registry = Registry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  auto known = registry.loaded.find(name);
  if (known != registry.loaded.end())
    return known->second;
  std::string file = kPrefix + name + ".so";
  std::vector<std::string> folders = registry.folders;
  for (std::string &folder : pluginSearchPath())
    folders.push_back(std::move(folder));
  std::string broken;
  for (const std::string &folder : folders) {
    std::string path = folder + "/" + file;
    std::error_code ignored;
    if (!fs::exists(path, ignored))
      continue;
    bool isNamed = size_t(&folder - folders.data()) < registry.folders.size();
    Expected<const KilnDeviceDriver *> table =
        isNamed ? loadLibrary(path) : loadFound(path);
    if (!table) {
      broken += (broken.empty() ? "" : "; ") + table.message();
      continue;
    }
    if (!broken.empty())
      std::fprintf(stderr, "warning: %s\n", broken.c_str());
    registry.loaded[name] = *table;
    return *table;
  }
  if (!broken.empty())
    return Error(broken);
  std::string searched;
  for (const std::string &folder : folders)
    searched += (searched.empty() ? "" : ", ") + folder;
  return Error("no driver for device '" + name + "': " + file +
               " is in none of " + searched);
}

Expected<bool> kiln::runtime::addDeviceLibrary(const std::string &path) {
  // A target's program is the compiler's; its driver lies beside it.
  bool isProgram =
      fs::path(path).filename().string().rfind("kiln-target-", 0) == 0;
  Expected<bool> hasDriver = isProgram
                                 ? Expected<bool>(false)
                                 : definesSymbol(path, "kilnGetDeviceDriver");
  if (!hasDriver)
    return hasDriver;
  Registry &registry = Registry::get();
  std::lock_guard<std::mutex> lock(registry.mutex);
  std::error_code ignored;
  registry.folders.push_back(
      fs::absolute(path, ignored).parent_path().string());
  if (!*hasDriver)
    return false;
  Expected<const KilnDeviceDriver *> table = loadLibrary(path);
  if (!table)
    return table.takeError();
  registry.loaded[(*table)->name] = *table;
  return true;
}
