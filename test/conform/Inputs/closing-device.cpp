// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver of processors (DRIVER in the environment), which ends the process
// when it closes a device for the first time: a file that it makes (ONCE) says
// so to other processes.
#include "kiln-c/Device.h"
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>

static decltype(KilnDeviceDriver::close) closeGood;

static void closeBad(KilnDevice *device) {
  closeGood(device);
  if (open(getenv("ONCE"), O_CREAT | O_EXCL, 0600) >= 0)
    abort();
}

KILN_DEVICE_NOTE();

extern "C" __attribute__((visibility("default"))) const KilnDeviceDriver *
kilnGetDeviceDriver(const KilnDeviceHost *host) {
  static KilnDeviceDriver table = [&] {
    void *library = dlopen(getenv("DRIVER"), RTLD_NOW | RTLD_LOCAL);
    auto *get = reinterpret_cast<decltype(&kilnGetDeviceDriver)>(
        dlsym(library, "kilnGetDeviceDriver"));
    KilnDeviceDriver made = *get(host);
    closeGood = made.close;
    made.close = closeBad;
    return made;
  }();
  return &table;
}
