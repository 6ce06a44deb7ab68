// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a check of a driver works with: the driver's own table without the
// runtime's guards, handles that release themselves, and expectations.
#ifndef KILN_CONFORM_DEVICE_CONTEXT_H
#define KILN_CONFORM_DEVICE_CONTEXT_H

#include "DeviceKit.h"
#include "kiln-c/Device.h"
#include "kiln/System/Error.h"
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace kiln::conform {

using Bytes = std::vector<uint8_t>;

/// The driver broke its contract.
struct CheckFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// No device can be opened, so that no check will say more.
struct OpenFailed : CheckFailed {
  using CheckFailed::CheckFailed;
};
/// The check has nothing to ask of this driver.
struct CheckSkipped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws CheckFailed unless `condition` holds.
void expect(bool condition, const std::string &what);
/// Throws CheckSkipped unless `condition` holds.
void need(bool condition, const std::string &what);
/// Throws CheckFailed with what the driver says when `status` is not 0.
void expectDone(int status, const KilnError &error, const std::string &call);
/// Throws CheckFailed unless the call failed, with a reason that is written as
/// the others are.
void expectRefused(int status, const KilnError &error, const std::string &call);
/// Compares, and says where the first difference is.
void expectEqual(const Bytes &found, const Bytes &expected,
                 const std::string &what);

/// Bytes that differ from place to place and from seed to seed.
Bytes pattern(size_t size, uint32_t seed);

/// Loads a driver without the guards of the runtime. It stays loaded.
runtime::Expected<const KilnDeviceDriver *>
loadDriver(const std::string &pathOrName, std::string *path = nullptr);

class Device;

/// Memory of a device, released with this.
class Buffer {
public:
  Buffer(Device &device, uint64_t bytes, uint32_t kind = 0,
         uint64_t alignment = 1);
  /// Takes over a handle that a function of the driver gave.
  Buffer(Device &device, KilnBuffer *handle, uint64_t bytes)
      : device(&device), handle(handle), bytes(bytes) {}
  Buffer(Buffer &&other) noexcept
      : device(other.device), handle(other.handle), bytes(other.bytes) {
    other.handle = nullptr;
  }
  ~Buffer() { release(); }
  void release();
  KilnBuffer *get() const { return handle; }
  uint64_t size() const { return bytes; }

  void write(const Bytes &data, uint64_t offset = 0,
             KilnQueue *queue = nullptr);
  Bytes read(uint64_t offset, uint64_t count);
  Bytes read() { return read(0, bytes); }
  void fill(uint8_t value, uint64_t offset, uint64_t count,
            KilnQueue *queue = nullptr);
  void copyFrom(Buffer &source, uint64_t to, uint64_t from, uint64_t count,
                KilnQueue *queue = nullptr);

private:
  Device *device;
  KilnBuffer *handle = nullptr;
  uint64_t bytes;
};

/// An open device, closed with this.
class Device {
public:
  Device(const KilnDeviceDriver &table, const std::string &options);
  Device(const KilnDeviceDriver &table, const std::string &options,
         uint32_t number);
  Device(const Device &) = delete;
  ~Device();
  const KilnDeviceProperties &properties() const;
  const KilnMemoryKind &kind(uint32_t number) const;

  const KilnDeviceDriver &table;
  KilnDevice *handle = nullptr;
};

/// A queue, destroyed with this.
class Queue {
public:
  explicit Queue(Device &device);
  Queue(const Queue &) = delete;
  ~Queue();
  void wait();
  KilnQueue *get() const { return handle; }

private:
  Device &device;
  KilnQueue *handle = nullptr;
};

/// Waits for a queue; null: nothing to wait for.
void waitFor(Device &device, KilnQueue *queue);

/// What every check gets.
struct Context {
  const KilnDeviceDriver &table;
  const DeviceKitOptions &options;
  std::string path; ///< of the driver

  /// "chip,key=value" as the runtime hands it on.
  const std::string &text() const { return options.options; }
};

struct Check {
  const char *name; ///< "copies/offsets"
  const char *asks; ///< one sentence
  void (*run)(Context &);
};

/// The checks, one list a file.
const std::vector<Check> &propertyChecks();
const std::vector<Check> &memoryChecks();
const std::vector<Check> &copyChecks();
const std::vector<Check> &sharedMemoryChecks();
const std::vector<Check> &queueChecks();
const std::vector<Check> &recordingChecks();
const std::vector<Check> &moduleChecks();
const std::vector<Check> &deviceChecks();

} // namespace kiln::conform

#endif
