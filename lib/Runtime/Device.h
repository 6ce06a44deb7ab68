// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device drivers: loading them, and owning what they hand out.
#ifndef KILN_LIB_RUNTIME_DEVICE_H
#define KILN_LIB_RUNTIME_DEVICE_H

#include "kiln-c/Device.h"
#include "kiln/Runtime/Blob.h"
#include "kiln/Runtime/Program.h"
#include "kiln/System/Error.h"
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace kiln::runtime {

/// Loads the driver of `name` (once per process) after checking its note, its
/// entry symbol and its table. The table has all entries that this runtime
/// knows: null where the driver is older.
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
  /// Who keeps the memory behind an imported buffer.
  std::shared_ptr<void> owner;
  /// The buffer of another session that this one is the memory of; `owner`
  /// keeps it, too.
  std::weak_ptr<DeviceBuffer> origin;
  /// Where the host sees it, or null.
  void *address = nullptr;
  /// What the start's address is known to be a multiple of begins here: the
  /// address on the device, or 0 for memory of the driver, which is aligned.
  uint64_t position = 0;
  /// The memory that it goes back to, for the next that asks for as much;
  /// kNone when it is imported.
  int32_t memoryKind = kNone;
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

/// A point in a device's time.
class DeviceEvent {
public:
  DeviceEvent(std::shared_ptr<Device> device, KilnEvent *handle)
      : device(std::move(device)), handle(handle) {}
  DeviceEvent(const DeviceEvent &) = delete;
  ~DeviceEvent();

  std::shared_ptr<Device> device;
  KilnEvent *handle;
};

/// Work that the driver keeps to run it again.
class DeviceRecording {
public:
  DeviceRecording(std::shared_ptr<Device> device, KilnRecording *handle)
      : device(std::move(device)), handle(handle) {}
  DeviceRecording(const DeviceRecording &) = delete;
  ~DeviceRecording();

  std::shared_ptr<Device> device;
  KilnRecording *handle;
};

/// What an opened device is: its driver, and what that says of it. Every
/// failure's message starts with the device's name.
class OpenedDevice {
public:
  const KilnDeviceProperties &properties() const { return props; }
  const std::string &name() const { return deviceName; }
  const KilnDeviceDriver &driver() const { return *table; }
  bool importsHost() const;
  bool isHostVisible(uint32_t memoryKind = 0) const;
  /// The number of a memory kind; an error lists those there are.
  Expected<uint32_t> memoryKind(const std::string &name) const;
  /// Refuses what a driver must know and does not.
  Error checkAttributes(const std::vector<LaunchAttribute> &attributes,
                        const std::string &kernel) const;
  bool hasClock() const;
  bool canRecord() const;
  bool hasQueue() const { return queue; }
  /// Whether work goes into a queue of the embedding program.
  bool isInForeignQueue() const { return isForeignQueue; }

  // For communication drivers.
  KilnDevice *rawHandle() const { return handle; }
  int32_t ordinal() const { return number; }
  /// Whether exchanges can be put into its queue.
  bool exchanges() const {
    return props.communication && table->exportAddress && table->exportQueue &&
           queue;
  }

protected:
  OpenedDevice(const KilnDeviceDriver *table, KilnDevice *handle,
               std::string name)
      : table(table), handle(handle), deviceName(std::move(name)) {}
  OpenedDevice(const OpenedDevice &) = delete;
  Error failure(const std::string &what, const KilnError &error) const;
  Error describe();
  Error checkContract(const KernelInfo &info) const;

  const KilnDeviceDriver *table;
  KilnDevice *handle;
  std::string deviceName;
  KilnDeviceProperties props = {}; ///< as far as the driver knows them
  int32_t number = 0;              ///< among the devices of its driver
  KilnQueue *queue = nullptr;
  bool isForeignQueue = false; ///< of the embedding program
};

/// An opened device, with its memory and its queue. Copies, fills and launches
/// are queued: memory of the host that they use has to stay until
/// `synchronize`.
class Device : public OpenedDevice,
               public std::enable_shared_from_this<Device> {
public:
  static Expected<std::shared_ptr<Device>> open(const DeviceRef &ref,
                                                const std::string &options);
  ~Device();

  Expected<std::shared_ptr<DeviceBuffer>> allocate(uint64_t bytes,
                                                   uint32_t memoryKind = 0);
  /// Gives the memory of dropped buffers back to the driver.
  void trim();
  /// `owner` keeps the host memory alive.
  Expected<std::shared_ptr<DeviceBuffer>> import(void *address, uint64_t bytes,
                                                 std::shared_ptr<void> owner);
  /// Makes an imported buffer one of other memory of as many bytes, which it
  /// does not keep alive; `drop` ends that. The memory is the host's where the
  /// device works on that, else the device's.
  Error exchange(DeviceBuffer &buffer, void *address);
  void drop(DeviceBuffer &buffer);
  /// Memory of the device that somebody else has, by its address there.
  Expected<std::shared_ptr<DeviceBuffer>>
  importAddress(uint64_t address, uint64_t bytes, std::shared_ptr<void> owner);
  Expected<uint64_t> exportAddress(DeviceBuffer &buffer);

  Error copyIn(DeviceBuffer &dst, uint64_t offset, const void *src,
               uint64_t bytes);
  Error copyOut(void *dst, DeviceBuffer &src, uint64_t offset, uint64_t bytes);
  /// Both on this device.
  Error copy(DeviceBuffer &dst, uint64_t dstOffset, DeviceBuffer &src,
             uint64_t srcOffset, uint64_t bytes);
  Error fill(DeviceBuffer &dst, uint64_t offset, uint64_t bytes, uint8_t value);
  Error execute(const KilnLaunch &launch);
  Error synchronize();
  /// Waits for work that something is kept for, which holds the device.
  Error finish() { return kept.empty() ? Error::success() : synchronize(); }
  /// Keeps something until the work that was queued so far has ended. Behind
  /// work in a queue of the embedding program, that program frees its memory,
  /// but for memory of the host that a queued copy reads or writes.
  void keep(std::shared_ptr<void> what, bool isHost = false) {
    if (queue && what && (isHost || !isForeignQueue))
      kept.push_back(std::move(what));
  }

  /// Work goes into a queue of the embedding program from now on; null: into
  /// one of the device's own again.
  Error useQueue(void *native);
  Expected<std::shared_ptr<DeviceEvent>> recordEvent();
  Expected<double> elapsed(DeviceEvent &begin, DeviceEvent &end);
  /// Keeps what `work` queues, without running it.
  Expected<std::shared_ptr<DeviceRecording>>
  record(const std::function<Error()> &work);
  Error replay(DeviceRecording &recording);

  Expected<std::shared_ptr<DeviceModule>> loadModule(Blob bytes);
  Expected<KilnKernel *> getKernel(DeviceModule &module,
                                   const KernelInfo &info);

  /// For communication drivers.
  Expected<void *> exportQueue();

private:
  friend class DeviceBuffer;
  friend class DeviceModule;
  friend class DeviceEvent;
  friend class DeviceRecording;
  friend class QueueOfCall;
  Device(const KilnDeviceDriver *table, KilnDevice *handle, std::string name)
      : OpenedDevice(table, handle, std::move(name)) {}
  void giveBack(DeviceBuffer &buffer);
  Expected<KilnQueue *> foreignQueue(void *native);

  std::vector<std::shared_ptr<void>> kept;
  /// Queues of the embedding program by what the device's own interface has for
  /// them, kept for later calls.
  std::map<void *, KilnQueue *> foreignQueues;
  /// Dropped buffers by memory and size, from any thread.
  std::mutex poolMutex;
  std::multimap<std::pair<int32_t, uint64_t>, KilnBuffer *> pool;
  uint64_t pooledBytes = 0;
};

/// While it lives, a device puts work into a queue of the embedding program,
/// and keeps nothing for that work.
class QueueOfCall {
public:
  explicit QueueOfCall(Device &device)
      : device(device), before(device.queue),
        wasForeign(device.isForeignQueue) {}
  QueueOfCall(const QueueOfCall &) = delete;
  ~QueueOfCall() {
    device.queue = before;
    device.isForeignQueue = wasForeign;
  }
  /// Null: the queue that is in use.
  Error enter(void *native) {
    if (!native)
      return Error::success();
    Expected<KilnQueue *> queue = device.foreignQueue(native);
    if (!queue)
      return queue.takeError();
    device.queue = *queue;
    device.isForeignQueue = true;
    return Error::success();
  }

private:
  Device &device;
  KilnQueue *before;
  bool wasForeign;
};

} // namespace kiln::runtime

#endif
