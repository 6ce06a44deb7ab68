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

/// One rank among others. Exchanges of all ranks come in one order, so that one
/// thread at a time calls sessions of a world. What fails in one rank ends the
/// world for all of them.
class World {
public:
  struct Options {
    /// The communication driver for memory of the host: "shm", "tcp", or empty:
    /// shm where all ranks are on one host, else tcp.
    std::string driver;
    /// How long to wait for the others in the beginning.
    double seconds = 120;
  };

  /// `store` is that of all ranks; nothing else uses it.
  static Expected<std::shared_ptr<World>> create(int64_t rank, int64_t size,
                                                 std::shared_ptr<Store> store,
                                                 const Options &options);
  /// What KILN_RANK, KILN_RANKS, KILN_RENDEZVOUS and KILN_COMMUNICATION say,
  /// once per process; null where there is no KILN_RANKS.
  static Expected<std::shared_ptr<World>> ofEnvironment();
  ~World();
  World(const World &) = delete;

  int64_t rank() const { return ownRank; }
  int64_t size() const { return numRanks; }

  /// The communicator of a group that this rank is in. With a device one that
  /// works on its memory, or null, where its driver names none.
  Expected<std::shared_ptr<Communicator>>
  group(const std::vector<int64_t> &ranks,
        const std::shared_ptr<Device> &device = nullptr);
  /// Ends all exchanges, here and elsewhere.
  void abort(const std::string &reason);
  /// Why the world has ended, if it has.
  Error failure() const;

  /// Equal numbers of bytes of each rank of a group, in its order.
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
