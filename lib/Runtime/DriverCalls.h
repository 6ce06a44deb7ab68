// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is kept of the calls of drivers.
#ifndef KILN_LIB_RUNTIME_DRIVERCALLS_H
#define KILN_LIB_RUNTIME_DRIVERCALLS_H

#include "kiln/Runtime/DriverCall.h"
#include <atomic>

namespace kiln::runtime {

/// Drivers of one process that are told apart.
constexpr int kMostDrivers = 16;

/// All of it; other processes may read it, so it has no pointers to anything
/// but texts of this library.
struct DriverCalls {
  struct Driver {
    char name[64];
    char path[256];
  };
  Driver drivers[kMostDrivers];
  std::atomic<int> numDrivers;
  /// The running call, by parts that a signal handler can put together.
  std::atomic<const char *> what;
  std::atomic<int> driver;
  std::atomic<uint64_t> ticks;               ///< of calls
  std::atomic<uint64_t> doneParts, allParts; ///< of a launch
  std::atomic<bool> hasReportedExit;

  static DriverCalls &get();
};

/// A driver that is about to be loaded; its number, which may be too large to
/// be known by. Before anything of it runs.
int addDriver(const std::string &path);
/// Once its table says so.
void nameDriver(int driver, const char *name);

/// From here on, a driver that calls exit ends the process with a message that
/// names it and status 1. What is called last is asked first: destructors of
/// libraries that are loaded later come before.
void watchExits();

/// A call runs while this lives; drivers may call the host, which calls them.
class RunningCall {
public:
  /// `what`: a text of this library.
  RunningCall(int driver, const char *what);
  ~RunningCall();
  RunningCall(const RunningCall &) = delete;

private:
  const char *outerWhat, *outerThreadWhat;
  int outerDriver;
};

} // namespace kiln::runtime

#endif
