// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver for the device bad that goes wrong; BAD says where and how. It
// computes nothing.
#include "kiln-c/Device.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#ifndef NAME
#define NAME "bad"
#endif

struct KilnDevice {
  KilnMemoryKind memory = {"far", 0, 64, 0};
  KilnDeviceProperties properties = {sizeof(KilnDeviceProperties), "bad", 1, 1,
                                     &memory};
};
struct KilnBuffer {
  std::vector<char> bytes;
};

namespace {
/// Goes wrong at `step`, if that is wanted; else 0.
int misbehave(const std::string &step, KilnError *error) {
  const char *wanted = std::getenv("BAD");
  std::string bad = wanted ? wanted : "";
  if (bad == step + "-throws")
    throw std::runtime_error("the bus is late");
  if (bad == step + "-faults")
    *reinterpret_cast<volatile int *>(8) = 0;
  if (bad == step + "-errs")
    std::snprintf(error->message, sizeof error->message, "no coolant");
  return bad == step + "-errs" || bad == step + "-fails" ? 7 : 0;
}

int open(const char *, KilnDevice **device, KilnError *error) {
  *device = new KilnDevice;
  return misbehave("open", error);
}
void close(KilnDevice *device) { delete device; }
const KilnDeviceProperties *properties(KilnDevice *device) {
  return &device->properties;
}
int allocate(KilnDevice *, uint32_t, uint64_t bytes, uint64_t,
             KilnBuffer **buffer, KilnError *error) {
  *buffer = new KilnBuffer{std::vector<char>(bytes)};
  return misbehave("allocate", error);
}
void release(KilnDevice *, KilnBuffer *buffer) { delete buffer; }
int copyIn(KilnDevice *, KilnQueue *, KilnBuffer *dst, uint64_t offset,
           const void *src, uint64_t bytes, KilnError *error) {
  std::memcpy(dst->bytes.data() + offset, src, bytes);
  return misbehave("copy", error);
}
int copyOut(KilnDevice *, KilnQueue *, void *dst, KilnBuffer *src,
            uint64_t offset, uint64_t bytes, KilnError *) {
  std::memcpy(dst, src->bytes.data() + offset, bytes);
  return 0;
}
int loadModule(KilnDevice *, const void *, uint64_t, KilnModule **module,
               KilnError *error) {
  *module = reinterpret_cast<KilnModule *>(module);
  return misbehave("load", error);
}
void unloadModule(KilnDevice *, KilnModule *) {}
int getKernel(KilnDevice *, KilnModule *, const KilnKernelDescription *,
              KilnKernel **kernel, KilnError *error) {
  *kernel = reinterpret_cast<KilnKernel *>(kernel);
  return misbehave("kernel", error);
}
int execute(KilnDevice *, KilnQueue *, const KilnLaunch *launch,
            KilnError *error) {
  std::string bad = std::getenv("BAD") ? std::getenv("BAD") : "";
  if (bad == "execute-changes")
    launch->arguments[0].buffer->bytes[5] ^= 1;
  if (bad == "execute-lines") {
    std::snprintf(error->message, sizeof error->message, "no\ncoolant\x1b[31m");
    return 7;
  }
  if (bad == "execute-moves" && chdir("/"))
    return 7;
  return misbehave("execute", error);
}

KilnDeviceDriver makeDriver() {
  KilnDeviceDriver driver = {};
  driver.structSize = sizeof driver;
  driver.apiMajor = KILN_DEVICE_API_MAJOR;
  driver.apiMinor = KILN_DEVICE_API_MINOR;
  driver.name = NAME;
  driver.open = open;
  driver.close = close;
  driver.properties = properties;
  driver.allocate = allocate;
  driver.release = release;
  driver.copyIn = copyIn;
  driver.copyOut = copyOut;
  driver.loadModule = loadModule;
  driver.unloadModule = unloadModule;
  driver.getKernel = getKernel;
  driver.execute = execute;
  return driver;
}
} // namespace

KILN_DEVICE_NOTE();

extern "C" __attribute__((visibility("default"))) const KilnDeviceDriver *
kilnGetDeviceDriver(const KilnDeviceHost *) {
  static const KilnDeviceDriver driver = makeDriver();
  return &driver;
}
