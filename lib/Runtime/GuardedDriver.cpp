// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver's functions with a guard around each: what they throw becomes an
// error, an error without a text gets one, and whoever handles a fault can see
// which of them runs.
#include "GuardedDriver.h"
#include "DriverCalls.h"
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <tuple>
#include <utility>

using namespace kiln::runtime;

namespace {

const KilnDeviceDriver *realTables[kMostDrivers];
KilnDeviceDriver shims[kMostDrivers];

/// Whatever is being handled, as the text of an error; the failing status.
[[gnu::noinline]] int explainThrow(KilnError *error, const char *what) {
  if (!error)
    return 1;
  try {
    throw;
  } catch (const std::exception &e) {
    std::snprintf(error->message, sizeof error->message, "%s throws: %s", what,
                  e.what());
  } catch (...) {
    std::snprintf(error->message, sizeof error->message,
                  "%s throws something that is no std::exception", what);
  }
  return 1;
}

/// An error that the driver gave no reason for gets one.
[[gnu::noinline]] void explainStatus(KilnError *error, const char *what,
                                     int status) {
  if (error && !error->message[0])
    std::snprintf(error->message, sizeof error->message,
                  "%s failed with status %d and without a reason", what,
                  status);
}

template <const char *what, auto member, typename Fn> struct Guard;

/// Functions that can fail; the last argument takes the reason.
template <const char *what, auto member, typename... Args>
struct Guard<what, member, int (*)(Args...)> {
  [[gnu::noinline]] static int call(int slot, Args... args) {
    RunningCall running(slot, what);
    KilnError *error = std::get<sizeof...(Args) - 1>(std::tie(args...));
    try {
      int status = (realTables[slot]->*member)(args...);
      if (status)
        explainStatus(error, what, status);
      return status;
    } catch (...) {
      return explainThrow(error, what);
    }
  }
};

/// Functions that cannot, so that nothing can report what they throw but a
/// warning.
template <const char *what, auto member, typename Result, typename... Args>
struct Guard<what, member, Result (*)(Args...)> {
  [[gnu::noinline]] static Result call(int slot, Args... args) {
    RunningCall running(slot, what);
    try {
      return (realTables[slot]->*member)(args...);
    } catch (...) {
      std::fprintf(stderr, "warning: %s: %s throws\n",
                   DriverCalls::get().drivers[slot].path, what);
      return Result();
    }
  }
};

/// The function in the table of one slot: it hands the number of the slot on to
/// code that all slots share.
template <int slot, const char *what, auto member, typename Fn> struct Entry;
template <int slot, const char *what, auto member, typename Result,
          typename... Args>
struct Entry<slot, what, member, Result (*)(Args...)> {
  static Result call(Args... args) {
    return Guard<what, member, Result (*)(Args...)>::call(slot, args...);
  }
};

#define KILN_ENTRIES(X)                                                        \
  X(open, "opening the device")                                                \
  X(close, "closing the device")                                               \
  X(properties, "asking for its properties")                                   \
  X(allocate, "allocating memory")                                             \
  X(release, "releasing memory")                                               \
  X(importHost, "importing host memory")                                       \
  X(exportHost, "mapping memory")                                              \
  X(copyIn, "copying to the device")                                           \
  X(copyOut, "copying from the device")                                        \
  X(copy, "copying on the device")                                             \
  X(fill, "filling memory")                                                    \
  X(createQueue, "creating a queue")                                           \
  X(destroyQueue, "destroying a queue")                                        \
  X(synchronize, "waiting for the device")                                     \
  X(loadModule, "loading a module")                                            \
  X(unloadModule, "unloading a module")                                        \
  X(getKernel, "looking up a kernel")                                          \
  X(execute, "executing a kernel")                                             \
  X(createEvent, "creating an event")                                          \
  X(destroyEvent, "destroying an event")                                       \
  X(recordEvent, "recording an event")                                         \
  X(waitEvent, "making a queue wait")                                          \
  X(elapsed, "asking for the time between events")                             \
  X(beginRecording, "beginning to record")                                     \
  X(endRecording, "ending a recording")                                        \
  X(replay, "replaying")                                                       \
  X(destroyRecording, "destroying a recording")                                \
  X(countDevices, "counting devices")                                          \
  X(openNumbered, "opening the device")                                        \
  X(importQueue, "importing a queue")                                          \
  X(exportAddress, "asking for an address")                                    \
  X(importAddress, "importing memory")

#define KILN_TEXT(name, text) constexpr char name##Text[] = text;
KILN_ENTRIES(KILN_TEXT)

template <int slot> void fillShim(KilnDeviceDriver &shim) {
#define KILN_GUARD(name, text)                                                 \
  if (shim.name)                                                               \
    shim.name = Entry<slot, name##Text, &KilnDeviceDriver::name,               \
                      decltype(shim.name)>::call;
  KILN_ENTRIES(KILN_GUARD)
}

template <int... numbers>
void fillShim(int slot, KilnDeviceDriver &shim,
              std::integer_sequence<int, numbers...>) {
  ((slot == numbers ? fillShim<numbers>(shim) : void()), ...);
}

} // namespace

const KilnDeviceDriver *
kiln::runtime::guardDriver(const KilnDeviceDriver *table, int driver) {
  nameDriver(driver, table->name);
  if (driver >= kMostDrivers)
    return table;
  realTables[driver] = table;
  KilnDeviceDriver &shim = shims[driver];
  size_t size = std::min(table->structSize, sizeof shim);
  std::memcpy(&shim, table, size);
  shim.structSize = size;
  fillShim(driver, shim, std::make_integer_sequence<int, kMostDrivers>());
  return &shim;
}
