// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Level 6, second half: the machine behind the table of kiln-c/Device.h. Its
// memory is its own: data gets there and back through copies only.
#include "Machine.h"
#include "kiln/Runtime/HostDriver.h"
#include <memory>

struct KilnDevice {
  KilnDeviceProperties properties = {};
  uint64_t used = 0;
};
struct KilnBuffer {
  @name@::Memory memory;
};
struct KilnKernel {
  const @name@::Program *program = nullptr;
};
struct KilnModule {
  std::map<std::string, @name@::Program> programs;
  std::vector<std::unique_ptr<KilnKernel>> kernels;
};

namespace {

using kiln::runtime::failDriver;
const KilnMemoryKind kMain = {"main", 0, 64, 268435456};

/// Copies and events come from HostDriver.
struct Driver : kiln::runtime::HostDriver<Driver> {
  static int open(const char *options, KilnDevice **device, KilnError *error) {
    // "chip,key=value" of the compiler, then ",," and what the caller adds.
    const char *added = std::strstr(options, ",,");
    if (added && added[2])
      return failDriver(error, std::string("it has no option '") + (added + 2) +
                                   "'");
    *device = new KilnDevice();
    (*device)->properties = {sizeof(KilnDeviceProperties),
                             "@name@ v1 (simulated)",
                             1,
                             1,
                             &kMain,
                             0,
                             0};
    return 0;
  }
  static void close(KilnDevice *device) { delete device; }
  static const KilnDeviceProperties *properties(KilnDevice *device) {
    return &device->properties;
  }

  static int allocate(KilnDevice *device, uint32_t kind, uint64_t bytes,
                      uint64_t, KilnBuffer **buffer, KilnError *error) {
    if (kind != 0)
      return failDriver(error, "there is only memory kind 0");
    if (bytes > kMain.bytes - device->used)
      return failDriver(error, "out of memory");
    device->used += bytes;
    *buffer = new KilnBuffer();
    (*buffer)->memory.reserve(1); // has an address when it is empty, too
    (*buffer)->memory.resize(bytes);
    return 0;
  }
  static void release(KilnDevice *device, KilnBuffer *buffer) {
    device->used -= buffer->memory.size();
    delete buffer;
  }
  static char *range(KilnBuffer *buffer, uint64_t offset, uint64_t bytes) {
    uint64_t size = buffer->memory.size();
    return offset <= size && bytes <= size - offset
               ? buffer->memory.data() + offset
               : nullptr;
  }

  static int loadModule(KilnDevice *, const void *bytes, uint64_t size,
                        KilnModule **module, KilnError *error) {
    auto created = std::make_unique<KilnModule>();
    std::string problem;
    if (!@name@::readPrograms(bytes, size, created->programs, problem))
      return failDriver(error, problem);
    *module = created.release();
    return 0;
  }
  static void unloadModule(KilnDevice *, KilnModule *module) { delete module; }

  static int getKernel(KilnDevice *, KilnModule *module,
                       const KilnKernelDescription *description,
                       KilnKernel **kernel, KilnError *error) {
    // What Target::serialize set; older runtimes have none.
    if (description->structSize > KILN_KERNEL_DESCRIPTION_SIZE_1_0) {
      std::string chip(static_cast<const char *>(description->metadata),
                       description->metadataBytes);
      if (chip != "v1")
        return failDriver(error, "a kernel for chip '" + chip + "'");
    }
    auto found = module->programs.find(description->symbol);
    if (found == module->programs.end())
      return failDriver(error, std::string("there is no kernel '") +
                                   description->symbol + "'");
    module->kernels.push_back(std::make_unique<KilnKernel>());
    module->kernels.back()->program = &found->second;
    *kernel = module->kernels.back().get();
    return 0;
  }

  static int execute(KilnDevice *, KilnQueue *, const KilnLaunch *launch,
                     KilnError *error) {
    std::vector<@name@::Argument> arguments;
    for (size_t i = 0; i < launch->numArguments; ++i) {
      const KilnKernelArgument &argument = launch->arguments[i];
      if (argument.isScalar)
        arguments.push_back({nullptr, 0, {}, {}, int64_t(argument.bits)});
      else
        arguments.push_back(
            {&argument.buffer->memory,
             argument.byteOffset,
             {argument.sizes, argument.sizes + argument.rank},
             {argument.strides, argument.strides + argument.rank},
             0});
    }
    std::string problem;
    int64_t grid[4] = {launch->grid[0], launch->grid[1], launch->grid[2], 1};
    for (int64_t z = 0; z < grid[2]; ++z)
      for (int64_t y = 0; y < grid[1]; ++y)
        for (int64_t x = 0; x < grid[0]; ++x) {
          int64_t id[4] = {x, y, z, 0};
          if (!@name@::runInstance(*launch->kernel->program, arguments, id,
                                  grid, problem))
            return failDriver(error, problem);
        }
    return 0;
  }
};

} // namespace

KILN_DEVICE_NOTE();

extern "C" const KilnDeviceDriver *
kilnGetDeviceDriver(const KilnDeviceHost *) {
  static const KilnDeviceDriver table = Driver::table("@name@");
  return &table;
}
