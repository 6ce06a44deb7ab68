// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a session holds.
#ifndef KILN_LIB_RUNTIME_SESSIONIMPL_H
#define KILN_LIB_RUNTIME_SESSIONIMPL_H

#include "Device.h"
#include "StoragePool.h"
#include "kiln/Runtime/Session.h"
#include "kiln/Runtime/World.h"
#include <map>
#include <mutex>

namespace kiln::runtime {

/// One device of a session with what lives on it between calls.
struct SessionDevice {
  std::shared_ptr<Device> device;
  std::map<uint32_t, std::shared_ptr<DeviceModule>> modules;
  std::map<std::string, std::shared_ptr<DeviceBuffer>> constants;
  /// The largest arena of each memory so far; calls do not overlap.
  std::map<std::string, std::shared_ptr<DeviceBuffer>> arenas;
  /// The largest workspace so far; launches come one after the other.
  std::shared_ptr<DeviceBuffer> workspace;
};

/// What does not change between the calls of a function.
struct ResultPlan {
  explicit ResultPlan(const Function &function);
  /// By result: the allocation that is returned as it is, or null.
  std::vector<const AllocInst *> allocs;
};

class Plan;

class SessionImpl {
public:
  SessionImpl();
  ~SessionImpl();

  std::shared_ptr<const Package> package;
  size_t targetIndex = 0;
  std::vector<std::string> passedOver; ///< targets before it, with reasons
  std::vector<SessionDevice> devices;
  std::vector<KilnKernel *> kernels; ///< by index of the program
  std::shared_ptr<StoragePool> pool = std::make_shared<StoragePool>();
  uint64_t maxAlign = 1; ///< of all parameters of kernels
  /// Whether constants were placed that no wait has ended the copies of.
  bool hasQueuedConstants = false;
  /// Held by the call that runs: arena, constants and queues are its own.
  std::mutex calling;
  /// The ranks that it is one of; null: it runs alone.
  std::shared_ptr<World> world;

  const TargetProgram &target() const { return package->targets[targetIndex]; }
  /// Opens the devices and loads the kernels.
  Error open(const std::string &spec);
  Expected<std::shared_ptr<DeviceBuffer>> constant(int32_t device,
                                                   const Constant &constant);
  Expected<std::shared_ptr<DeviceBuffer>>
  arena(int32_t device, const std::string &memory, uint64_t bytes);
  Expected<std::shared_ptr<DeviceBuffer>> workspace(int32_t device,
                                                    uint64_t bytes);
  /// Whether memory is that of a device of this session.
  bool owns(const DeviceBuffer &buffer) const {
    for (const SessionDevice &on : devices)
      if (on.device == buffer.device)
        return true;
    return false;
  }
  const ResultPlan &resultPlan(const Function &function);
  /// What is known of calls with memory that is lent, by function; null: they
  /// are interpreted each time.
  std::map<const Function *, std::unique_ptr<Plan>> callPlans;

private:
  std::map<const Function *, ResultPlan> plans;
};

} // namespace kiln::runtime

#endif
