// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device drivers: loading them, and owning what they hand out.
#ifndef KILN_LIB_RUNTIME_DEVICE_H
#define KILN_LIB_RUNTIME_DEVICE_H

#include "kiln-c/Device.h"
#include "kiln/Runtime/Blob.h"
#include "kiln/Runtime/Error.h"
#include "kiln/Runtime/Program.h"
#include <memory>
#include <string>

namespace kiln::runtime {

/// Loads the driver of `name` (once per process) after checking its note, its
/// entry symbol and its table.
Expected<const KilnDeviceDriver *> loadDeviceDriver(const std::string &name);

class Device;

/// Memory of a device.
class DeviceBuffer {
public:
  DeviceBuffer(std::shared_ptr<Device> device, KilnBuffer *handle,
               uint64_t bytes)
      : device(std::move(device)), handle(handle), bytes(bytes) {}
  DeviceBuffer(const DeviceBuffer &) = delete;
  ~DeviceBuffer();

  std::shared_ptr<Device> device;
  KilnBuffer *handle;
  uint64_t bytes;
  /// Host memory behind an imported buffer.
  std::shared_ptr<void> host;
  /// Where the host sees it, or null.
  void *address = nullptr;
};

/// Code on a device.
class DeviceModule {
public:
  DeviceModule(std::shared_ptr<Device> device, KilnModule *handle, Blob bytes)
      : device(std::move(device)), handle(handle), bytes(std::move(bytes)) {}
  DeviceModule(const DeviceModule &) = delete;
  ~DeviceModule();

  std::shared_ptr<Device> device;
  KilnModule *handle;
  Blob bytes;
};

/// An opened device. Every failure's message starts with the device's name.
class Device : public std::enable_shared_from_this<Device> {
public:
  static Expected<std::shared_ptr<Device>> open(const std::string &name,
                                                const std::string &options);
  Device(const Device &) = delete;
  ~Device();

  const KilnDeviceProperties &properties() const { return *props; }
  const std::string &name() const { return deviceName; }
  bool importsHost() const;
  bool isHostVisible() const;

  Expected<std::shared_ptr<DeviceBuffer>> allocate(uint64_t bytes);
  /// `owner` keeps the host memory alive.
  Expected<std::shared_ptr<DeviceBuffer>> import(void *address, uint64_t bytes,
                                                 std::shared_ptr<void> owner);
  Error copyIn(DeviceBuffer &dst, uint64_t offset, const void *src,
               uint64_t bytes);
  /// Waits until the bytes are there.
  Error copyOut(void *dst, DeviceBuffer &src, uint64_t offset, uint64_t bytes);
  /// Both on this device.
  Error copy(DeviceBuffer &dst, uint64_t dstOffset, DeviceBuffer &src,
             uint64_t srcOffset, uint64_t bytes);
  Error fill(DeviceBuffer &dst, uint64_t offset, uint64_t bytes, uint8_t value);
  Error synchronize();

  Expected<std::shared_ptr<DeviceModule>> loadModule(Blob bytes);
  Expected<KilnKernel *> getKernel(DeviceModule &module,
                                   const KernelInfo &info);
  Error execute(const KilnLaunch &launch);

  /// The table entry, or null when the driver is older or leaves it out.
  const KilnDeviceDriver &driver() const { return *table; }

private:
  friend class DeviceBuffer;
  friend class DeviceModule;
  Device(const KilnDeviceDriver *table, KilnDevice *handle, std::string name);
  Error failure(const char *what, const KilnError &error) const;

  const KilnDeviceDriver *table;
  KilnDevice *handle;
  std::string deviceName;
  const KilnDeviceProperties *props = nullptr;
  KilnQueue *queue = nullptr;
};

} // namespace kiln::runtime

#endif
