// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Communication drivers: loading them, and the groups that they connect.
#ifndef KILN_LIB_RUNTIME_COMMUNICATOR_H
#define KILN_LIB_RUNTIME_COMMUNICATOR_H

#include "Device.h"
#include "kiln-c/Communication.h"
#include "kiln/Runtime/Program.h"
#include "kiln/Runtime/World.h"

namespace kiln::runtime {

/// Loads the driver of `name`, once per process, after checking its note and
/// its table.
Expected<const KilnCommunicationDriver *>
loadCommunicationDriver(const std::string &name);

/// A group of ranks, connected.
class Communicator {
public:
  Communicator(const KilnCommunicationDriver &table, KilnCommunicator *handle,
               int64_t position, int64_t size, std::shared_ptr<Store> store)
      : table(table), handle(handle), position(position), size(size),
        store(std::move(store)) {}
  ~Communicator() { table.close(handle); }
  Communicator(const Communicator &) = delete;

  bool isOnDevice() const { return table.flags & KILN_COMMUNICATION_ON_DEVICE; }
  Expected<KilnRequest *> start(const KilnCollective &collective);
  Error wait(KilnRequest *request);
  /// Both.
  Error run(const KilnCollective &collective);
  Error check();
  void abort(const std::string &reason) { table.abort(handle, reason.c_str()); }

private:
  const KilnCommunicationDriver &table;
  KilnCommunicator *handle;

public:
  const int64_t position; ///< of this rank in the group
  const int64_t size;

private:
  std::shared_ptr<Store> store; ///< what the driver was given
};

/// The world of the call that this thread makes, for drivers that ask; null
/// outside of calls.
World *&worldOfCall();

/// Sets it while it lives.
class WorldOfCall {
public:
  explicit WorldOfCall(World *world) : before(worldOfCall()) {
    worldOfCall() = world;
  }
  ~WorldOfCall() { worldOfCall() = before; }
  WorldOfCall(const WorldOfCall &) = delete;

private:
  World *before;
};

// What KilnDeviceHost offers.
void ranksOfCall(int64_t *rank, int64_t *count);
int exchangeInCall(const int64_t *group, size_t count, const void *mine,
                   uint64_t bytes, void *all, KilnError *error);

} // namespace kiln::runtime

#endif
