// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fake device, doing harm where it is used, not where it is tried:
// HARM=PLACE:HOW, where PLACE is a function of the table, `entry`,
// `constructor` or `destructor`, and HOW is one of those below.
#define kilnGetDeviceDriver getHarmlessDriver
#include "fake-device.cpp"
#undef kilnGetDeviceDriver
#include <csignal>
#include <pthread.h>
#include <thread>

static bool isTrial() {
  char path[4096] = {};
  return readlink("/proc/self/exe", path, sizeof path - 1) > 0 &&
         strstr(path, "kiln-driver-trial");
}

static void harm(const char *place) {
  const char *wanted = getenv("HARM");
  size_t length = strlen(place);
  if (!wanted || strncmp(wanted, place, length) != 0 || wanted[length] != ':' ||
      isTrial())
    return;
  std::string how = wanted + length + 1;
  if (how == "exit")
    exit(0);
  if (how == "_exit")
    _exit(0);
  if (how == "quick_exit")
    quick_exit(0);
  if (how == "abort")
    abort();
  if (how == "kill")
    raise(SIGKILL);
  if (how == "crash")
    memset(reinterpret_cast<void *>(uintptr_t(how.size())), 1, 64);
  if (how == "null") {
    void (*volatile nothing)() = nullptr;
    nothing();
  }
  if (how == "fork" && fork() == 0)
    exit(3); // a child of its own, which is its own business
  while (how == "hang")
    pause();
}

#define HARMFUL(name)                                                          \
  static decltype(KilnDeviceDriver::name) good_##name;                         \
  template <typename... Args> static auto bad_##name(Args... args) {           \
    harm(#name);                                                               \
    return good_##name(args...);                                               \
  }
HARMFUL(open)
HARMFUL(openNumbered)
HARMFUL(close)
HARMFUL(properties)
HARMFUL(allocate)
HARMFUL(release)
HARMFUL(copyIn)
HARMFUL(copyOut)
HARMFUL(synchronize)
HARMFUL(loadModule)
HARMFUL(unloadModule)
HARMFUL(getKernel)
HARMFUL(execute)

__attribute__((constructor)) static void constructor() { harm("constructor"); }
__attribute__((destructor)) static void destructor() { harm("destructor"); }

extern "C" __attribute__((visibility("default"))) const KilnDeviceDriver *
kilnGetDeviceDriver(const KilnDeviceHost *host) {
  harm("entry");
  static KilnDeviceDriver table = *getHarmlessDriver(host);
#define HARM_IT(name)                                                          \
  good_##name = table.name;                                                    \
  table.name = bad_##name;
  HARM_IT(open)
  HARM_IT(openNumbered)
  HARM_IT(close)
  HARM_IT(properties)
  HARM_IT(allocate)
  HARM_IT(release)
  HARM_IT(copyIn)
  HARM_IT(copyOut)
  HARM_IT(synchronize)
  HARM_IT(loadModule)
  HARM_IT(unloadModule)
  HARM_IT(getKernel)
  HARM_IT(execute)
  return &table;
}
