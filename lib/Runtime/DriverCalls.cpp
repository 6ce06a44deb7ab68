// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the headers.
#include "DriverCalls.h"
#include "kiln/Runtime/Progress.h"
#include "kiln/System/Process.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

using namespace kiln::runtime;

static DriverCalls ownCalls = {};
static DriverCalls *allCalls = &ownCalls;

/// What the calling thread does in a driver. Without a destructor, so that
/// handlers of exit can still read it.
static thread_local const char *threadWhat = nullptr;

DriverCalls &DriverCalls::get() { return *allCalls; }

void kiln::runtime::shareDriverCalls() {
  void *memory = mmap(nullptr, sizeof(DriverCalls), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED)
    allCalls = new (memory) DriverCalls{};
}

int kiln::runtime::addDriver(const std::string &path) {
  DriverCalls &all = *allCalls;
  int number = all.numDrivers++;
  if (number < kMostDrivers)
    std::snprintf(all.drivers[number].path, sizeof all.drivers[number].path,
                  "%s", path.c_str());
  return number;
}

void kiln::runtime::nameDriver(int driver, const char *name) {
  if (driver < kMostDrivers)
    std::snprintf(allCalls->drivers[driver].name,
                  sizeof allCalls->drivers[driver].name, "%s", name);
}

RunningCall::RunningCall(int driver, const char *what)
    : outerWhat(allCalls->what.load(std::memory_order_relaxed)),
      outerThreadWhat(threadWhat),
      outerDriver(allCalls->driver.load(std::memory_order_relaxed)) {
  // Without fences: the reader is a signal handler of this thread, or a
  // process that waits. Threads that call drivers at the same time are not
  // told apart.
  DriverCalls &all = *allCalls;
  all.driver.store(driver, std::memory_order_relaxed);
  all.what.store(what, std::memory_order_relaxed);
  threadWhat = what;
  all.ticks.fetch_add(1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

RunningCall::~RunningCall() {
  DriverCalls &all = *allCalls;
  all.driver.store(outerDriver, std::memory_order_relaxed);
  all.what.store(outerWhat, std::memory_order_relaxed);
  threadWhat = outerThreadWhat;
  all.ticks.fetch_add(1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

namespace {
/// Text put together without memory or locks.
template <size_t capacity> struct Text {
  char bytes[capacity];
  size_t size = 0;
  Text &operator<<(const char *part) {
    for (; *part && size + 1 < capacity; ++part)
      bytes[size++] = *part;
    bytes[size] = 0;
    return *this;
  }
  /// "driver 'npu' (PATH)"
  void add(const DriverCalls::Driver &driver) {
    *this << "driver '" << driver.name << (driver.name[0] ? "' (" : "")
          << driver.path << (driver.name[0] ? ")" : "'");
  }
};
} // namespace

const char *kiln::runtime::currentDriverCall() {
  // One message is all that anybody asks for.
  static Text<512> text;
  const char *what = allCalls->what;
  int driver = allCalls->driver;
  if (!what || driver >= kMostDrivers)
    return "";
  text.size = 0;
  text.add(allCalls->drivers[driver]);
  text << " while " << what;
  return text.bytes;
}

const char *kiln::runtime::loadedDrivers() {
  static Text<2048> text;
  text.size = 0;
  text << "";
  for (int i = 0; i < kMostDrivers && i < allCalls->numDrivers; ++i) {
    if (i)
      text << ", ";
    text.add(allCalls->drivers[i]);
  }
  return text.bytes;
}

uint64_t kiln::runtime::driverProgress() {
  return allCalls->ticks + allCalls->doneParts;
}

bool kiln::runtime::hasReportedExit() { return allCalls->hasReportedExit; }

LaunchProgress kiln::runtime::launchProgress() {
  return {allCalls->doneParts, allCalls->allParts};
}

void kiln::runtime::noteProgress(uint64_t done, uint64_t total) {
  allCalls->doneParts = done;
  allCalls->allParts = total;
}

/// Runs as the process exits, in the thread that called exit.
static void onExit(int, void *process) {
  // In a child that a driver made with fork it is the child's own end.
  if (!threadWhat || pid_t(reinterpret_cast<intptr_t>(process)) != getpid())
    return;
  std::fflush(stdout);
  Text<600> line;
  line << "error: " << currentDriverCall()
       << " ends the process: expected it to return\n";
  (void)writeFully(STDERR_FILENO, line.bytes, line.size);
  allCalls->hasReportedExit = true;
  _exit(1);
}

void kiln::runtime::watchExits() {
  on_exit(onExit, reinterpret_cast<void *>(intptr_t(getpid())));
}
