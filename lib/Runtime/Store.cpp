// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Key-value stores: in a folder, in one process, and behind a C interface.
#include "kiln/Runtime/Store.h"
#include "ErrorText.h"
#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Trust.h"
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <vector>

using namespace kiln::runtime;

namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point after(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                            std::chrono::duration<double>(seconds));
}

Error missing(const std::string &key, double seconds) {
  return Error("no rank has written '" + key + "' within " +
               std::to_string(int(seconds)) +
               " seconds: are all ranks running?");
}

/// Why waits for keys have ended, if they have.
class Ending {
public:
  void set(const std::string &why) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!isSet)
      reason = why;
    isSet = true;
  }
  /// An error once there is a reason.
  Error check() {
    std::lock_guard<std::mutex> lock(mutex);
    return isSet ? Error(reason) : Error::success();
  }

private:
  std::mutex mutex;
  std::string reason;
  bool isSet = false;
};

/// A file for each key. `set` writes a temporary file and renames it to its
/// name, so that a reader never sees half of a value.
class FileStore : public Store {
public:
  explicit FileStore(std::string folder) : folder(std::move(folder)) {}

  Error set(const std::string &key, const std::string &value) override {
    return writeFile(pathOf(key), value.data(), value.size());
  }

  Expected<std::string> get(const std::string &key, double seconds) override {
    Clock::time_point end = after(seconds);
    while (true) {
      if (Error error = ending.check())
        return error;
      std::ifstream file(pathOf(key), std::ios::binary);
      if (file) {
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
      }
      if (Clock::now() > end)
        return missing(key, seconds);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  void end(const std::string &reason) override { ending.set(reason); }

private:
  std::string pathOf(const std::string &key) const {
    std::string name;
    for (char c : key) {
      char text[4] = {c, 0};
      if (!isalnum(static_cast<unsigned char>(c)) && !std::strchr("-_.", c))
        std::snprintf(text, sizeof text, "%%%02x",
                      static_cast<unsigned char>(c));
      name += text;
    }
    return folder + "/" + name;
  }

  std::string folder;
  Ending ending;
};

/// Keys of ranks that are threads of one process.
class ProcessStore : public Store {
public:
  Error set(const std::string &key, const std::string &value) override {
    std::lock_guard<std::mutex> lock(mutex);
    values[key] = value;
    changed.notify_all();
    return Error::success();
  }

  Expected<std::string> get(const std::string &key, double seconds) override {
    std::unique_lock<std::mutex> lock(mutex);
    Error ended = Error::success();
    if (!changed.wait_until(lock, after(seconds), [&] {
          ended = ending.check();
          return ended || values.count(key) != 0;
        }))
      return missing(key, seconds);
    if (ended)
      return ended;
    return values[key];
  }

  void end(const std::string &reason) override {
    ending.set(reason);
    std::lock_guard<std::mutex> lock(mutex);
    changed.notify_all();
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::string> values;
  Ending ending;
};

/// A store that a caller implements in C.
class WrappedStore : public Store {
public:
  explicit WrappedStore(const KilnStore &table) : table(table) {}

  Error set(const std::string &key, const std::string &value) override {
    KilnError error = {};
    if (table.set(table.user, key.c_str(), value.data(), value.size(), &error))
      return Error(std::string("the key-value store: ") + error.message);
    return Error::success();
  }

  Expected<std::string> get(const std::string &key, double seconds) override {
    if (Error error = ending.check())
      return error;
    std::string value(4096, 0);
    for (int tries = 0; tries < 2; ++tries) {
      KilnError error = {};
      size_t size = 0;
      if (table.get(table.user, key.c_str(), value.data(), value.size(), &size,
                    seconds, &error))
        return Error(std::string("the key-value store: ") + error.message);
      bool fits = size <= value.size();
      value.resize(size);
      if (fits)
        return value;
    }
    return Error("the key-value store changes the size of '" + key + "'");
  }

  /// A call of the caller's function that waits goes on.
  void end(const std::string &reason) override { ending.set(reason); }

private:
  KilnStore table;
  Ending ending;
};

int failTable(KilnError *error, const std::string &message) {
  if (error)
    copyErrorText(message, error->message, sizeof(error->message));
  return 1;
}

int setInTable(void *user, const char *key, const void *bytes, size_t size,
               KilnError *error) {
  Error failed = static_cast<Store *>(user)->set(
      key, std::string(static_cast<const char *>(bytes), size));
  return failed ? failTable(error, failed.message()) : 0;
}

int getFromTable(void *user, const char *key, void *bytes, size_t capacity,
                 size_t *size, double seconds, KilnError *error) {
  Expected<std::string> value = static_cast<Store *>(user)->get(key, seconds);
  if (!value)
    return failTable(error, value.message());
  std::memcpy(bytes, value->data(), std::min(capacity, value->size()));
  *size = value->size();
  return 0;
}

} // namespace

KilnStore kiln::runtime::storeTable(Store &store) {
  return {sizeof(KilnStore), &store, setInTable, getFromTable};
}

std::shared_ptr<Store> kiln::runtime::wrapStore(const KilnStore &store) {
  return std::make_shared<WrappedStore>(store);
}

Expected<std::shared_ptr<Store>>
kiln::runtime::openFileStore(const std::string &folder) {
  struct stat info;
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return Error(folder + ": " + std::strerror(errno));
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return Error(folder + ": expected a folder");
  // The values in the folder decide which memory and sockets a rank opens.
  if (Error error = checkTrusted(folder))
    return error;
  return std::shared_ptr<Store>(std::make_shared<FileStore>(folder));
}

std::shared_ptr<Store>
kiln::runtime::openProcessStore(const std::string &name) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<Store>> all;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Store> store = all[name].lock();
  if (!store)
    all[name] = store = std::make_shared<ProcessStore>();
  return store;
}

Expected<std::shared_ptr<Store>>
kiln::runtime::openStore(const std::string &rendezvous, int64_t rank,
                         double seconds) {
  size_t colon = rendezvous.find(':');
  std::string kind = rendezvous.substr(0, colon);
  std::string rest =
      colon == std::string::npos ? "" : rendezvous.substr(colon + 1);
  if (kind == "file" && !rest.empty())
    return openFileStore(rest);
  if (kind == "process" && !rest.empty())
    return openProcessStore(rest);
  size_t last = rest.rfind(':');
  if (kind == "tcp" && last != std::string::npos && last + 1 < rest.size())
    return openTcpStore(rest.substr(0, last), rest.substr(last + 1), rank == 0,
                        seconds);
  return Error("expected file:FOLDER, tcp:HOST:PORT or process:NAME as the "
               "place where ranks meet, found '" +
               rendezvous + "'");
}
