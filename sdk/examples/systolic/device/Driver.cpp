// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine behind the table of kiln-c/Device.h: two devices of 1 GHz, each
// with memory and a clock of its own.
#include "Machine.h"
#include "kiln/Runtime/HostDriver.h"
#include <cstdio>
#include <memory>

struct KilnDevice {
  KilnDeviceProperties properties = {};
  uint64_t used = 0;
  int64_t clock = 0; ///< in cycles
  bool tells = false;
};
struct KilnBuffer {
  systolic::Memory memory;
};
struct KilnKernel {
  const systolic::Kernel *kernel = nullptr;
};
struct KilnModule {
  std::map<std::string, systolic::Kernel> kernels;
  std::vector<std::unique_ptr<KilnKernel>> handles;
};

namespace {

using kiln::runtime::failDriver;
constexpr uint32_t kDevices = 2;
const KilnMemoryKind kMain = {"main", 0, 64, 1073741824};
const char *const kNames[kDevices] = {"systolic s1, device 0 (simulated)",
                                      "systolic s1, device 1 (simulated)"};

struct Driver : kiln::runtime::HostDriver<Driver> {
  static int countDevices(uint32_t *count, KilnError *) {
    *count = kDevices;
    return 0;
  }
  static int open(const char *options, KilnDevice **device, KilnError *error) {
    return openNumbered(0, options, device, error);
  }
  static int openNumbered(uint32_t number, const char *options,
                          KilnDevice **device, KilnError *error) {
    if (number >= kDevices)
      return failDriver(error, "there are " + std::to_string(kDevices) +
                                   " devices, and no device " +
                                   std::to_string(number));
    // Behind an empty item stands what the caller adds.
    auto created = std::make_unique<KilnDevice>();
    std::string added;
    if (const char *behind = std::strstr(options, ",,"))
      added = behind + 2;
    if (added == "cycles=on")
      created->tells = true;
    else if (!added.empty() && added != "cycles=off")
      return failDriver(error, "it has no option '" + added +
                                   "', expected cycles=on or cycles=off");
    created->properties = {
        sizeof(KilnDeviceProperties), kNames[number], 1, 1, &kMain, 0, 0};
    *device = created.release();
    return 0;
  }
  static void close(KilnDevice *device) { delete device; }
  static const KilnDeviceProperties *properties(KilnDevice *device) {
    return &device->properties;
  }

  static int allocate(KilnDevice *device, uint32_t kind, uint64_t bytes,
                      uint64_t alignment, KilnBuffer **buffer,
                      KilnError *error) {
    if (kind != 0)
      return failDriver(error, "there is only memory kind 0");
    if (bytes > kMain.bytes - device->used)
      return failDriver(error, "out of memory");
    (void)alignment; // its memory is addressed by buffer
    auto created = std::make_unique<KilnBuffer>();
    if (!created->memory.create(bytes))
      return failDriver(error, "the host has too little memory");
    device->used += bytes;
    *buffer = created.release();
    return 0;
  }
  static void release(KilnDevice *device, KilnBuffer *buffer) {
    device->used -= buffer->memory.size();
    delete buffer;
  }
  static char *range(KilnBuffer *buffer, uint64_t offset, uint64_t bytes) {
    // Nothing has an address in an empty buffer, and yet lies in it.
    static char nothing;
    uint64_t size = buffer->memory.size();
    if (offset > size || bytes > size - offset)
      return nullptr;
    return size ? buffer->memory.data() + offset : &nothing;
  }

  /// Copies take a cycle for every 64 bytes.
  static void count(KilnDevice *device, uint64_t bytes) {
    device->clock += int64_t((bytes + 63) / 64);
  }
  static int copyIn(KilnDevice *device, KilnQueue *queue, KilnBuffer *dst,
                    uint64_t offset, const void *src, uint64_t bytes,
                    KilnError *error) {
    count(device, bytes);
    return HostDriver::copyIn(device, queue, dst, offset, src, bytes, error);
  }
  static int copyOut(KilnDevice *device, KilnQueue *queue, void *dst,
                     KilnBuffer *src, uint64_t offset, uint64_t bytes,
                     KilnError *error) {
    count(device, bytes);
    return HostDriver::copyOut(device, queue, dst, src, offset, bytes, error);
  }

  static int loadModule(KilnDevice *, const void *bytes, uint64_t size,
                        KilnModule **module, KilnError *error) {
    auto created = std::make_unique<KilnModule>();
    std::string problem;
    if (!systolic::readModule(bytes, size, created->kernels, problem))
      return failDriver(error, problem);
    *module = created.release();
    return 0;
  }
  static void unloadModule(KilnDevice *, KilnModule *module) { delete module; }

  static int getKernel(KilnDevice *, KilnModule *module,
                       const KilnKernelDescription *description,
                       KilnKernel **kernel, KilnError *error) {
    auto found = module->kernels.find(description->symbol);
    if (found == module->kernels.end())
      return failDriver(error, std::string("there is no kernel '") +
                                   description->symbol + "'");
    module->handles.push_back(std::make_unique<KilnKernel>());
    module->handles.back()->kernel = &found->second;
    *kernel = module->handles.back().get();
    return 0;
  }

  static int execute(KilnDevice *device, KilnQueue *, const KilnLaunch *launch,
                     KilnError *error) {
    std::vector<systolic::Argument> arguments(launch->numArguments);
    for (size_t i = 0; i < arguments.size(); ++i) {
      const KilnKernelArgument &from = launch->arguments[i];
      systolic::Argument &to = arguments[i];
      to.bits = from.bits;
      if (from.isScalar)
        continue;
      to.memory = &from.buffer->memory;
      to.byteOffset = from.byteOffset;
      to.sizes.assign(from.sizes, from.sizes + from.rank);
      to.strides.assign(from.strides, from.strides + from.rank);
    }
    const systolic::Kernel &kernel = *launch->kernel->kernel;
    systolic::Cycles cycles;
    std::string problem;
    int64_t grid[4] = {launch->grid[0], launch->grid[1], launch->grid[2], 1};
    for (int64_t z = 0; z < grid[2]; ++z)
      for (int64_t y = 0; y < grid[1]; ++y)
        for (int64_t x = 0; x < grid[0]; ++x) {
          int64_t id[4] = {x, y, z, 0};
          if (!systolic::runInstance(kernel, arguments, id, grid, cycles,
                                     problem))
            return failDriver(error, problem);
        }
    device->clock += cycles.all;
    if (device->tells)
      std::fprintf(stderr,
                   "%s: %lld cycles; at work: queue %lld, matrix %lld, vector "
                   "%lld, scalar %lld\n",
                   kernel.name.c_str(), (long long)cycles.all,
                   (long long)cycles.queue, (long long)cycles.matrix,
                   (long long)cycles.vector, (long long)cycles.scalar);
    return 0;
  }

  /// Events are points of the device's clock.
  static int recordEvent(KilnDevice *device, KilnQueue *, KilnEvent *event,
                         KilnError *) {
    *reinterpret_cast<double *>(event) = double(device->clock) * 1e-9;
    return 0;
  }
};

} // namespace

KILN_DEVICE_NOTE();

extern "C" const KilnDeviceDriver *kilnGetDeviceDriver(const KilnDeviceHost *) {
  static const KilnDeviceDriver table = [] {
    KilnDeviceDriver t = Driver::table("systolic");
    t.countDevices = Driver::countDevices;
    t.openNumbered = Driver::openNumbered;
    t.recordEvent = Driver::recordEvent;
    return t;
  }();
  return &table;
}
