// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a session holds.
#ifndef KILN_LIB_RUNTIME_SESSIONIMPL_H
#define KILN_LIB_RUNTIME_SESSIONIMPL_H

#include "Device.h"
#include "StoragePool.h"
#include "kiln/Runtime/Session.h"
#include <map>
#include <mutex>

namespace kiln::runtime {

/// One device of a session with what lives on it between calls.
struct SessionDevice {
  std::shared_ptr<Device> device;
  std::map<uint32_t, std::shared_ptr<DeviceModule>> modules;
  std::map<std::string, std::shared_ptr<DeviceBuffer>> constants;
  /// The largest arena so far; calls do not overlap.
  std::shared_ptr<DeviceBuffer> arena;
};

class SessionImpl {
public:
  std::shared_ptr<const Package> package;
  size_t targetIndex = 0;
  std::vector<std::string> passedOver; ///< targets before it, with reasons
  std::vector<SessionDevice> devices;
  std::vector<KilnKernel *> kernels; ///< by index of the program
  std::shared_ptr<StoragePool> pool = std::make_shared<StoragePool>();
  /// Held by the call that runs: arena, constants and queues are its own.
  std::mutex calling;

  const TargetProgram &target() const { return package->targets[targetIndex]; }
  /// Opens the devices and loads the kernels.
  Error open(const std::string &spec);
  Expected<std::shared_ptr<DeviceBuffer>> constant(int32_t device,
                                                   const Constant &constant);
  Expected<std::shared_ptr<DeviceBuffer>> arena(int32_t device, uint64_t bytes);
};

} // namespace kiln::runtime

#endif
