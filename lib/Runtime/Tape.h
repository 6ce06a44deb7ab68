// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call does on devices, kept to be done again.
#ifndef KILN_LIB_RUNTIME_TAPE_H
#define KILN_LIB_RUNTIME_TAPE_H

#include "kiln/System/Error.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace kiln::runtime {

class DeviceBuffer;
struct EncodedLaunch;

/// The steps of a call in their order. Each keeps what it needs alive.
class Tape {
public:
  /// For steps that involve the host, or several devices.
  static constexpr int32_t kHost = -2;

  void add(int32_t device, std::function<Error()> step) {
    steps.push_back(std::move(step));
    isOnOne &= device != kHost && (steps.size() == 1 || device == on);
    on = device;
  }
  /// The device that all steps are queued on, or kHost.
  int32_t device() const { return steps.empty() || !isOnOne ? kHost : on; }
  size_t size() const { return steps.size(); }
  /// Every argument is memory of its own, so that it can be exchanged.
  bool isForPlan = false;
  std::vector<std::shared_ptr<DeviceBuffer>> arguments;
  /// Steps are kept without being done. Memory of the device that a call would
  /// allocate is known by buffers without a handle: these.
  bool isDeferred = false;
  std::vector<std::shared_ptr<DeviceBuffer>> temporaries;
  /// The memory that all launches use in turn, as large as one needs.
  std::shared_ptr<DeviceBuffer> workspace;
  /// What kernels are given, whose memory can be exchanged then.
  std::vector<std::shared_ptr<EncodedLaunch>> launches;
  Error play() const {
    for (const std::function<Error()> &step : steps)
      if (Error error = step())
        return error;
    return Error::success();
  }

private:
  std::vector<std::function<Error()>> steps;
  int32_t on = kHost;
  bool isOnOne = true;
};

} // namespace kiln::runtime

#endif
