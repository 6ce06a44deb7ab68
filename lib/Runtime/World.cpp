// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks that run a program together: who they are, the groups among them,
// and a thread that sees when one of them is gone.
#include "kiln/Runtime/World.h"
#include "Communicator.h"
#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace kiln::runtime;

/// How often is looked whether all ranks are still there.
constexpr auto kWatchInterval = std::chrono::milliseconds(300);
constexpr int64_t kMostRanks = 65536;

struct World::Impl {
  mutable std::mutex mutex;
  std::condition_variable changed;
  /// By driver and ranks.
  std::map<std::pair<std::string, std::vector<int64_t>>,
           std::shared_ptr<Communicator>>
      groups;
  std::string reason; ///< why the world has ended; empty: it has not
  bool isClosing = false;
  std::thread watcher;
  /// How many communicators of a name there are; under `opening`.
  std::map<std::string, int64_t> numOpened;
  /// What memory of the host goes through, by ranks; under `opening`. Only the
  /// first exchange asks the others where they are.
  std::map<std::vector<int64_t>, std::string> hostDrivers;
  /// One group is opened at a time.
  std::mutex opening;
};

/// Equal for ranks that share memory: the machine's boot, and its folder for
/// shared memory.
static std::string hostName() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  struct stat info = {};
  if (stat("/dev/shm", &info) != 0 || access("/dev/shm", W_OK) != 0)
    return boot + ":" + std::to_string(getpid());
  return boot + ":" + std::to_string(info.st_dev) + ":" +
         std::to_string(info.st_ino);
}

World::World(int64_t rank, int64_t size, std::shared_ptr<Store> store,
             const Options &options)
    : ownRank(rank), numRanks(size), store(std::move(store)), options(options),
      impl(std::make_unique<Impl>()) {}

World::~World() {
  {
    std::lock_guard<std::mutex> lock(impl->mutex);
    impl->isClosing = true;
  }
  impl->changed.notify_all();
  if (impl->watcher.joinable())
    impl->watcher.join();
  impl->groups.clear();
}

Expected<std::shared_ptr<World>> World::create(int64_t rank, int64_t size,
                                               std::shared_ptr<Store> store,
                                               const Options &options) {
  if (size < 1 || size > kMostRanks || rank < 0 || rank >= size)
    return Error("expected a rank below the number of ranks, and at most " +
                 std::to_string(kMostRanks) + " of them, found rank " +
                 std::to_string(rank) + " of " + std::to_string(size));
  std::shared_ptr<World> world(
      new World(rank, size, std::move(store), options));
  if (Error error = world->join())
    return error;
  return world;
}

Error World::join() {
  if (numRanks == 1)
    return Error::success();
  return store->set("host/" + std::to_string(ownRank), hostName());
}

Expected<std::shared_ptr<World>> World::ofEnvironment() {
  static std::mutex mutex;
  static std::shared_ptr<World> world;
  std::lock_guard<std::mutex> lock(mutex);
  const char *ranks = std::getenv("KILN_RANKS");
  if (world || !ranks || !*ranks)
    return world;
  const char *rank = std::getenv("KILN_RANK");
  const char *meeting = std::getenv("KILN_RENDEZVOUS");
  const char *driver = std::getenv("KILN_COMMUNICATION");
  auto number = [](const char *text) -> int64_t {
    char *end = nullptr;
    long long value = text && *text ? std::strtoll(text, &end, 10) : -1;
    return end && !*end ? value : -1;
  };
  if (!rank || number(rank) < 0 || number(ranks) < 1)
    return Error("expected numbers in KILN_RANK and KILN_RANKS, found '" +
                 std::string(rank ? rank : "") + "' and '" + ranks + "'");
  Options options;
  options.driver = driver ? driver : "";
  if (number(ranks) > 1 && !meeting)
    return Error("KILN_RANKS is set, and KILN_RENDEZVOUS is not");
  auto store = openStore(meeting ? meeting : "process:alone", number(rank),
                         options.seconds);
  if (!store)
    return store.takeError();
  auto made = create(number(rank), number(ranks), *store, options);
  if (made)
    world = *made;
  return made;
}

Error World::failure() const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->reason.empty() ? Error::success() : Error(impl->reason);
}

void World::abort(const std::string &reason) {
  std::vector<std::shared_ptr<Communicator>> all;
  {
    std::lock_guard<std::mutex> lock(impl->mutex);
    if (!impl->reason.empty())
      return;
    impl->reason = reason.empty() ? "the exchange was ended" : reason;
    for (auto &[key, group] : impl->groups)
      all.push_back(group);
  }
  // Ranks that wait to connect, too.
  store->end(reason.empty() ? "the exchange was ended" : reason);
  for (auto &group : all)
    group->abort(reason);
}

void World::watch() {
  std::unique_lock<std::mutex> lock(impl->mutex);
  while (!impl->changed.wait_for(lock, kWatchInterval,
                                 [&] { return impl->isClosing; })) {
    if (!impl->reason.empty())
      return;
    std::vector<std::shared_ptr<Communicator>> all;
    for (auto &[key, group] : impl->groups)
      all.push_back(group);
    lock.unlock();
    for (auto &group : all)
      if (Error error = group->check()) {
        abort(error.message());
        break;
      }
    all.clear();
    lock.lock();
  }
}

Expected<std::shared_ptr<Communicator>>
World::open(const std::vector<int64_t> &ranks, const std::string &driver,
            const std::shared_ptr<Device> &device) {
  auto key =
      std::make_pair(device ? driver + "@" + device->name() : driver, ranks);
  {
    std::lock_guard<std::mutex> lock(impl->mutex);
    if (!impl->reason.empty())
      return Error(impl->reason);
    auto known = impl->groups.find(key);
    if (known != impl->groups.end())
      return known->second;
  }
  auto table = loadCommunicationDriver(driver);
  if (!table)
    return table.takeError();
  // Equal on all ranks, whatever they call their devices.
  std::string name = driver;
  for (int64_t rank : ranks)
    name += "/" + std::to_string(rank);
  if (int64_t before = impl->numOpened[name]++)
    name += "+" + std::to_string(before);
  KilnStore given = storeTable(*store);
  KilnCommunicatorDescription description = {};
  description.structSize = sizeof description;
  description.rank =
      std::find(ranks.begin(), ranks.end(), ownRank) - ranks.begin();
  description.size = int64_t(ranks.size());
  description.ranks = ranks.data();
  description.name = name.c_str();
  description.store = &given;
  description.seconds = options.seconds;
  if (device) {
    description.device = device->rawHandle();
    description.ordinal = device->ordinal();
  }
  KilnError error = {};
  KilnCommunicator *handle = nullptr;
  if ((*table)->open(&description, &handle, &error))
    return Error(driver + ": " + error.message);
  auto made = std::make_shared<Communicator>(**table, handle, description.rank,
                                             description.size, store);
  std::lock_guard<std::mutex> lock(impl->mutex);
  impl->groups[key] = made;
  if (!impl->watcher.joinable())
    impl->watcher = std::thread([this] { watch(); });
  return made;
}

Expected<std::string> World::hostDriver(const std::vector<int64_t> &ranks) {
  if (!options.driver.empty())
    return options.driver;
  auto known = impl->hostDrivers.find(ranks);
  if (known != impl->hostDrivers.end())
    return known->second;
  std::string driver = "shm", own = hostName();
  for (int64_t rank : ranks) {
    auto host = store->get("host/" + std::to_string(rank), options.seconds);
    if (!host)
      return host.takeError();
    if (*host != own)
      driver = "tcp";
  }
  impl->hostDrivers[ranks] = driver;
  return driver;
}

Expected<std::shared_ptr<Communicator>>
World::group(const std::vector<int64_t> &ranks,
             const std::shared_ptr<Device> &device) {
  std::lock_guard<std::mutex> lock(impl->opening);
  for (int64_t rank : ranks)
    if (rank >= numRanks)
      return Error("the program needs rank " + std::to_string(rank) +
                   ", and runs on " + std::to_string(numRanks) +
                   (numRanks == 1 ? " rank" : " ranks"));
  auto driver = hostDriver(ranks);
  if (!driver)
    return driver.takeError();
  // It sees, too, when a rank is gone.
  auto onHost = open(ranks, *driver, nullptr);
  if (!onHost || !device)
    return onHost;
  const char *own = device->properties().communication;
  if (!own)
    return std::shared_ptr<Communicator>();
  return open(ranks, own, device);
}

Error World::exchange(const std::vector<int64_t> &ranks, const void *mine,
                      uint64_t bytes, void *all) {
  auto connected = group(ranks);
  if (!connected)
    return connected.takeError();
  std::vector<uint64_t> sizes(ranks.size());
  KilnCollective gather = {};
  gather.structSize = sizeof gather;
  gather.kind = KILN_COLLECTIVE_ALL_GATHER;
  gather.dtype = KILN_DTYPE_I64;
  gather.count = 1;
  gather.source = &bytes;
  gather.target = sizes.data();
  if (Error error = (*connected)->run(gather))
    return error;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != bytes)
      return Error("rank " + std::to_string(ranks[i]) + " gives " +
                   std::to_string(sizes[i]) + " bytes to an exchange, rank " +
                   std::to_string(ownRank) + " " + std::to_string(bytes));
  if (!bytes)
    return Error::success();
  gather.dtype = KILN_DTYPE_I8;
  gather.count = bytes;
  gather.source = mine;
  gather.target = all;
  return (*connected)->run(gather);
}
