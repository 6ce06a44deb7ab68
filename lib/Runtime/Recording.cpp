// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recorded calls, and what else a session does with its devices.
#include "Communicator.h"
#include "Interpreter.h"
#include "Plan.h"
#include <new>

using namespace kiln::runtime;

struct Recording::Impl {
  std::shared_ptr<SessionImpl> session;
  Tape tape;
  std::vector<Tensor> results;
  std::vector<Tensor> arguments; ///< kept for those who only lend them
  std::shared_ptr<DeviceRecording> onDevice;
  bool noWait = false; ///< replays return when they are queued
  /// Whether a device exchanges with other ranks by itself.
  bool exchangesInQueue = false;

  ~Impl() {
    // What goes with it is the driver's.
    std::lock_guard<std::mutex> lock(session->calling);
    if (noWait)
      (void)waitForAll(); // a fault comes with what waits next
    onDevice = nullptr;
    tape = Tape();
  }

  Error waitForAll() {
    Error error = Error::success();
    for (SessionDevice &on : session->devices) {
      Error other = on.device->synchronize();
      if (!error && other)
        error = other;
    }
    return error;
  }
};

Recording::Recording(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Recording::Recording(Recording &&) noexcept = default;
Recording &Recording::operator=(Recording &&) noexcept = default;
Recording::~Recording() = default;

const std::vector<Tensor> &Recording::results() const { return impl->results; }
bool Recording::isOnDevice() const { return impl->onDevice != nullptr; }

Error Recording::replay() {
  std::lock_guard<std::mutex> lock(impl->session->calling);
  Error error = impl->onDevice ? impl->onDevice->device->replay(*impl->onDevice)
                               : impl->tape.play();
  if (impl->noWait && !error)
    return error;
  Error other = impl->waitForAll();
  if (error || other)
    return error ? error : other;
  return impl->exchangesInQueue ? impl->session->world->failure()
                                : Error::success();
}

Expected<Recording> Session::record(const Function &function,
                                    const std::vector<Tensor> &args,
                                    const CallOptions &options) {
  auto made = std::make_unique<Recording::Impl>();
  made->session = impl;
  // Behind it: what fails is dropped without the lock, which it takes.
  std::lock_guard<std::mutex> lock(impl->calling);
  made->arguments = args;
  CallOptions own = options;
  own.time = own.noWait = false;
  WorldOfCall world(impl->world.get());
  try {
    Interpreter interpreter(*impl->package, target(), function, own,
                            /*report=*/nullptr, impl.get(), &made->tape);
    Expected<std::vector<Tensor>> results = interpreter.call(args);
    if (!results)
      return results.takeError();
    made->results = std::move(*results);
    made->noWait = options.noWait && !interpreter.usesHostMemory();
    made->exchangesInQueue = interpreter.usesExchangesInQueue();
  } catch (const std::bad_alloc &) {
    return Error("out of memory while recording '" + function.name + "'");
  }
  int32_t on = made->tape.device();
  if (on != Tape::kHost && impl->devices[size_t(on)].device->canRecord()) {
    Device &device = *impl->devices[size_t(on)].device;
    auto kept = device.record([&] { return made->tape.play(); });
    if (!kept)
      return kept.takeError();
    made->onDevice = *kept;
  }
  return Recording(std::move(made));
}

Error Session::synchronize() {
  std::lock_guard<std::mutex> lock(impl->calling);
  for (SessionDevice &on : impl->devices)
    if (Error error = on.device->synchronize())
      return error;
  return Error::success();
}

Error Session::useQueue(size_t device, void *native) {
  std::lock_guard<std::mutex> lock(impl->calling);
  if (device >= impl->devices.size())
    return Error("device " + std::to_string(device) + " of " +
                 std::to_string(impl->devices.size()));
  return impl->devices[device].device->useQueue(native);
}

Error Session::trim() {
  std::lock_guard<std::mutex> lock(impl->calling);
  impl->pool->clear();
  impl->callPlans.clear();
  for (SessionDevice &on : impl->devices) {
    if (Error error = on.device->synchronize())
      return error;
    on.arenas.clear();
    on.workspace = nullptr;
    on.device->trim();
  }
  return Error::success();
}

std::pair<uint32_t, int32_t> Session::dlpackDevice(size_t device) const {
  if (device >= impl->devices.size())
    return {0, 0};
  const KilnDeviceProperties &found =
      impl->devices[device].device->properties();
  return {found.dlpackType, found.dlpackNumber};
}
