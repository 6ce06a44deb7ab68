// Finding and loading device drivers.
#include "Device.h"
#include "kiln/Runtime/Plugin.h"
#include "kiln/Runtime/Print.h"
#include "kiln/Runtime/Progress.h"
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <mutex>

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

/// A table with every entry up to `execute`, as of API 1.0.
Error checkTable(const std::string &path, const KilnDeviceDriver *table) {
  auto fail = [&](const std::string &what) {
    return Error(path + ": " + what);
  };
  if (!table)
    return fail("kilnGetDeviceDriver returned no table");
  if (table->structSize < sizeof(KilnDeviceDriver))
    return fail("its driver table has " + std::to_string(table->structSize) +
                " bytes, expected at least " +
                std::to_string(sizeof(KilnDeviceDriver)));
  if (table->apiMajor != KILN_DEVICE_API_MAJOR)
    return fail("its driver table has version " +
                std::to_string(table->apiMajor) + ", its note says " +
                std::to_string(KILN_DEVICE_API_MAJOR));
  const std::pair<const char *, bool> required[] = {
      {"name", table->name},
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
  bool someQueue = table->createQueue || table->destroyQueue;
  bool allQueue =
      table->createQueue && table->destroyQueue && table->synchronize;
  if (someQueue && !allQueue)
    return fail("its driver table has only some of the entries for queues");
  return Error::success();
}

Expected<const KilnDeviceDriver *> loadLibrary(const std::string &path) {
  Expected<PluginNote> note = readPluginNote(path);
  if (!note)
    return note.takeError();
  if (Error error = checkVersion(path, *note))
    return error;
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
      sizeof(KilnDeviceHost), KILN_DEVICE_API_MAJOR, KILN_DEVICE_API_MINOR,
      printValue, noteProgress};
  const KilnDeviceDriver *table = nullptr;
  try {
    table = entry(&host);
  } catch (...) {
    return Error(path + ": kilnGetDeviceDriver threw an exception");
  }
  if (Error error = checkTable(path, table))
    return error;
  return table;
}

} // namespace

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
  for (const std::string &folder : folders) {
    std::string path = folder + "/" + file;
    std::error_code ignored;
    if (!fs::exists(path, ignored))
      continue;
    Expected<const KilnDeviceDriver *> table = loadLibrary(path);
    if (table)
      registry.loaded[name] = *table;
    return table;
  }
  std::string searched;
  for (const std::string &folder : folders)
    searched += (searched.empty() ? "" : ", ") + folder;
  return Error("no driver for device '" + name + "': " + file +
               " is in none of " + searched);
}

Expected<bool> kiln::runtime::addDeviceLibrary(const std::string &path) {
  Expected<bool> hasDriver = definesSymbol(path, "kilnGetDeviceDriver");
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
