// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks that run a program together, as one of them sees it.
#ifndef KILN_RUNTIME_WORLD_H
#define KILN_RUNTIME_WORLD_H

#include "kiln/Runtime/Store.h"
#include "kiln/System/Error.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kiln::runtime {

class Communicator;
class Device;

/// The ranks (processes) that run a program together, as one of them. All ranks
/// must make their exchanges in the same order, so only one thread at a time
/// may call sessions of a world. A failure in one rank ends the world for all
/// ranks.
class World {
public:
  struct Options {
    /// The communication driver for memory of the host: "shm", "tcp", or empty:
    /// shm where all ranks are on one host, else tcp.
    std::string driver;
    /// Seconds that `create` waits for the other ranks.
    double seconds = 120;
  };

  /// Joins a world of `size` ranks as number `rank`, from 0. Waits until all
  /// ranks have joined. All ranks pass the same `store`, through which they
  /// find each other; nothing else may use it.
  static Expected<std::shared_ptr<World>> create(int64_t rank, int64_t size,
                                                 std::shared_ptr<Store> store,
                                                 const Options &options);
  /// Returns the world that KILN_RANK, KILN_RANKS, KILN_RENDEZVOUS and
  /// KILN_COMMUNICATION describe, the same in each call of a process; null if
  /// KILN_RANKS is not set.
  static Expected<std::shared_ptr<World>> ofEnvironment();
  ~World();
  World(const World &) = delete;

  int64_t rank() const { return ownRank; }
  int64_t size() const { return numRanks; }

  /// Returns the communicator of a group of ranks that has this rank. With
  /// `device`, the communicator works on that device's memory; null if the
  /// device's driver has none.
  Expected<std::shared_ptr<Communicator>>
  group(const std::vector<int64_t> &ranks,
        const std::shared_ptr<Device> &device = nullptr);
  /// Ends all exchanges, in this rank and in the others.
  void abort(const std::string &reason);
  /// Returns the reason for which the world ended; success if it has not.
  Error failure() const;

  /// Gathers `bytes` bytes of each rank of a group into `all`, in the order of
  /// the group (an all-gather). Waits for the other ranks of the group.
  Error exchange(const std::vector<int64_t> &ranks, const void *mine,
                 uint64_t bytes, void *all);

private:
  World(int64_t rank, int64_t size, std::shared_ptr<Store> store,
        const Options &options);
  Error join();
  Expected<std::shared_ptr<Communicator>>
  open(const std::vector<int64_t> &ranks, const std::string &driver,
       const std::shared_ptr<Device> &device);
  /// The communication driver between ranks for memory of the host.
  Expected<std::string> hostDriver(const std::vector<int64_t> &ranks);
  void watch();

  int64_t ownRank, numRanks;
  std::shared_ptr<Store> store;
  Options options;
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace kiln::runtime

#endif
