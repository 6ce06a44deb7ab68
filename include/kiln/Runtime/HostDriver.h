// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What drivers of devices that compute in the host's memory have in common.
#ifndef KILN_RUNTIME_HOSTDRIVER_H
#define KILN_RUNTIME_HOSTDRIVER_H

#include "kiln-c/Device.h"
#include <chrono>
#include <cstring>
#include <string>

namespace kiln::runtime {

/// Fills `error` and returns 1.
inline int failDriver(KilnError *error, const std::string &message) {
  if (error) {
    size_t length = message.copy(error->message, sizeof(error->message) - 1);
    error->message[length] = 0;
  }
  return 1;
}

/// The copies, fills and events of a driver whose device computes in host
/// memory and has finished each request when the function returns. `Driver`
/// derives from it (HostDriver<Driver>), and defines as static functions the
/// entries of KilnDeviceDriver that `table` names and that are not here: open,
/// close, properties, allocate, release, loadModule, unloadModule, getKernel,
/// execute. It also defines
///
///   char *range(KilnBuffer *, uint64_t offset, uint64_t bytes)
///
/// which returns the address of a part of a buffer, in bytes, or null if the
/// part is not inside.
template <typename Driver> struct HostDriver {
  /// Called after the host or a copy has written bytes of a buffer. `Driver`
  /// may define its own, for instance to drop a cache.
  static void wrote(KilnBuffer *, uint64_t, uint64_t) {}

  /// Reports a range that `Driver::range` refuses; returns 1.
  static int outside(KilnError *error) {
    return failDriver(error, "the range is outside of the buffer");
  }

  /// Copies `bytes` bytes of the host to byte `offset` of a buffer. Like all
  /// entries it returns 0, or 1 with `error`, and ignores the queue.
  static int copyIn(KilnDevice *, KilnQueue *, KilnBuffer *dst, uint64_t offset,
                    const void *src, uint64_t bytes, KilnError *error) {
    char *to = Driver::range(dst, offset, bytes);
    if (!to)
      return outside(error);
    std::memmove(to, src, bytes);
    Driver::wrote(dst, offset, bytes);
    return 0;
  }

  /// Copies `bytes` bytes from byte `offset` of a buffer to the host.
  static int copyOut(KilnDevice *, KilnQueue *, void *dst, KilnBuffer *src,
                     uint64_t offset, uint64_t bytes, KilnError *error) {
    char *from = Driver::range(src, offset, bytes);
    if (!from)
      return outside(error);
    std::memmove(dst, from, bytes);
    return 0;
  }

  /// Copies bytes between two buffers of the device, or within one: the ranges
  /// may overlap.
  static int copy(KilnDevice *, KilnQueue *, KilnBuffer *dst,
                  uint64_t dstOffset, KilnBuffer *src, uint64_t srcOffset,
                  uint64_t bytes, KilnError *error) {
    char *to = Driver::range(dst, dstOffset, bytes);
    char *from = Driver::range(src, srcOffset, bytes);
    if (!to || !from)
      return outside(error);
    std::memmove(to, from, bytes);
    Driver::wrote(dst, dstOffset, bytes);
    return 0;
  }

  /// Sets `bytes` bytes from byte `offset` of a buffer to `value`.
  static int fill(KilnDevice *, KilnQueue *, KilnBuffer *dst, uint64_t offset,
                  uint64_t bytes, uint8_t value, KilnError *error) {
    char *to = Driver::range(dst, offset, bytes);
    if (!to)
      return outside(error);
    std::memset(to, value, bytes);
    Driver::wrote(dst, offset, bytes);
    return 0;
  }

  /// An event is a point in the host's time, because the work before it has
  /// ended when it is recorded.
  static int createEvent(KilnDevice *, KilnEvent **event, KilnError *) {
    *event = reinterpret_cast<KilnEvent *>(new double(0));
    return 0;
  }
  /// Releases an event.
  static void destroyEvent(KilnDevice *, KilnEvent *event) {
    delete reinterpret_cast<double *>(event);
  }
  /// Stores the present time in an event.
  static int recordEvent(KilnDevice *, KilnQueue *, KilnEvent *event,
                         KilnError *) {
    auto time = std::chrono::steady_clock::now().time_since_epoch();
    *reinterpret_cast<double *>(event) =
        std::chrono::duration<double>(time).count();
    return 0;
  }
  /// Returns at once: the work before an event has ended when it is recorded.
  static int waitEvent(KilnDevice *, KilnQueue *, KilnEvent *, KilnError *) {
    return 0;
  }
  /// Stores the seconds between two recorded events.
  static int elapsed(KilnDevice *, KilnEvent *begin, KilnEvent *end,
                     double *seconds, KilnError *) {
    *seconds =
        *reinterpret_cast<double *>(end) - *reinterpret_cast<double *>(begin);
    return 0;
  }

  /// Returns the driver's table. Optional entries other than events stay null.
  static KilnDeviceDriver table(const char *name) {
    KilnDeviceDriver t = {};
    t.structSize = sizeof(t);
    t.apiMajor = KILN_DEVICE_API_MAJOR;
    t.apiMinor = KILN_DEVICE_API_MINOR;
    t.name = name;
    t.open = Driver::open;
    t.close = Driver::close;
    t.properties = Driver::properties;
    t.allocate = Driver::allocate;
    t.release = Driver::release;
    t.copyIn = Driver::copyIn;
    t.copyOut = Driver::copyOut;
    t.copy = Driver::copy;
    t.fill = Driver::fill;
    t.loadModule = Driver::loadModule;
    t.unloadModule = Driver::unloadModule;
    t.getKernel = Driver::getKernel;
    t.execute = Driver::execute;
    t.createEvent = createEvent;
    t.destroyEvent = destroyEvent;
    t.recordEvent = recordEvent;
    t.waitEvent = waitEvent;
    t.elapsed = elapsed;
    return t;
  }
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_HOSTDRIVER_H
