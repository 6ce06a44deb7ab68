// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding, loading and calling communication drivers.
#include "Communicator.h"
#include "ErrorText.h"
#include "kiln/Runtime/Plugin.h"
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>

using namespace kiln::runtime;
namespace fs = std::filesystem;

static std::string reasonOf(const KilnError &error) {
  std::string reason(error.message,
                     strnlen(error.message, sizeof(error.message)));
  return reason.empty() ? "failed without a reason" : reason;
}

static Error checkTable(const std::string &path,
                        const KilnCommunicationDriver *table) {
  if (!table)
    return Error(path + ": kilnGetCommunicationDriver returned no table");
  if (table->structSize < KILN_COMMUNICATION_DRIVER_SIZE_1_0)
    return Error(path + ": its driver table has " +
                 std::to_string(table->structSize) +
                 " bytes, expected at least " +
                 std::to_string(KILN_COMMUNICATION_DRIVER_SIZE_1_0));
  if (table->apiMajor != KILN_COMMUNICATION_API_MAJOR || !table->name ||
      !table->open || !table->close || !table->start || !table->wait ||
      !table->abort)
    return Error(path + ": its driver table lacks entries of version " +
                 std::to_string(KILN_COMMUNICATION_API_MAJOR) + ".0");
  return Error::success();
}

static Expected<const KilnCommunicationDriver *>
loadLibrary(const std::string &path) {
  Expected<PluginNote> note = readPluginNote(path);
  if (!note)
    return note.takeError();
  if (note->apiMajor != KILN_COMMUNICATION_API_MAJOR)
    return Error(path + ": communication interface version " +
                 std::to_string(note->apiMajor) + "." +
                 std::to_string(note->apiMinor) +
                 " found, this runtime works with version " +
                 std::to_string(KILN_COMMUNICATION_API_MAJOR) + ".x");
  std::error_code ignored;
  void *library =
      dlopen(fs::absolute(path, ignored).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error(path + ": cannot load: " + dlerror());
  auto entry = reinterpret_cast<KilnGetCommunicationDriverFn>(
      dlsym(library, "kilnGetCommunicationDriver"));
  if (!entry)
    return Error(path + ": has no symbol kilnGetCommunicationDriver");
  const KilnCommunicationDriver *table = entry(KILN_COMMUNICATION_API_MAJOR);
  if (Error error = checkTable(path, table))
    return error;
  return table;
}

Expected<const KilnCommunicationDriver *>
kiln::runtime::loadCommunicationDriver(const std::string &name) {
  // Drivers stay loaded until the process ends: their threads may still run.
  static std::mutex mutex;
  static std::map<std::string, const KilnCommunicationDriver *> loaded;
  std::lock_guard<std::mutex> lock(mutex);
  auto known = loaded.find(name);
  if (known != loaded.end())
    return known->second;
  std::string file = "libkiln-communication-" + name + ".so", searched;
  for (const std::string &folder : pluginSearchPath()) {
    searched += (searched.empty() ? "" : ", ") + folder;
    std::error_code ignored;
    if (!fs::exists(folder + "/" + file, ignored))
      continue;
    if (Error untrusted = checkFound(folder + "/" + file))
      return untrusted;
    auto table = loadLibrary(folder + "/" + file);
    if (table)
      loaded[name] = *table;
    return table;
  }
  return Error("no communication driver '" + name + "': " + file +
               " is in none of " + searched);
}

Expected<KilnRequest *> Communicator::start(const KilnCollective &collective) {
  KilnError error = {};
  KilnRequest *request = nullptr;
  if (table.start(handle, &collective, &request, &error))
    return Error(std::string(table.name) + ": " + reasonOf(error));
  return request;
}

Error Communicator::wait(KilnRequest *request) {
  KilnError error = {};
  if (table.wait(handle, request, &error))
    return Error(std::string(table.name) + ": " + reasonOf(error));
  return Error::success();
}

Error Communicator::run(const KilnCollective &collective) {
  Expected<KilnRequest *> request = start(collective);
  return request ? wait(*request) : request.takeError();
}

Error Communicator::check() {
  KilnError error = {};
  if (table.check && table.check(handle, &error))
    return Error(std::string(table.name) + ": " + reasonOf(error));
  return Error::success();
}

World *&kiln::runtime::worldOfCall() {
  static thread_local World *world = nullptr;
  return world;
}

void kiln::runtime::ranksOfCall(int64_t *rank, int64_t *count) {
  World *world = worldOfCall();
  *rank = world ? world->rank() : 0;
  *count = world ? world->size() : 1;
}

int kiln::runtime::exchangeInCall(const int64_t *group, size_t count,
                                  const void *mine, uint64_t bytes, void *all,
                                  KilnError *error) {
  World *world = worldOfCall();
  Error failed = world
                     ? world->exchange({group, group + count}, mine, bytes, all)
                     : Error("the program runs on one rank");
  if (!failed)
    return 0;
  if (error)
    copyErrorText(failed.message(), error->message, sizeof(error->message));
  return 1;
}
