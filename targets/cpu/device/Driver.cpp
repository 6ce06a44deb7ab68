// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of the CPU device driver: memory, modules, the entry point.
#include "CpuDevice.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>

using namespace kiln::cpu_target;

KILN_DEVICE_NOTE();

namespace {

constexpr uint64_t kAlign = 64;
/// More than one serve to try programs for several devices.
constexpr uint32_t kDevices = 16;
/// Vector code may read a whole register behind the last element.
constexpr uint64_t kSlack = 64;
/// From here on pages are asked of the system, huge ones if it has them.
constexpr uint64_t kMapThreshold = 1 << 20;

struct Driver : kiln::runtime::HostDriver<Driver> {
  /// Devices share the processor; each has threads of its own.
  static int countDevices(uint32_t *count, KilnError *) {
    *count = kDevices;
    return 0;
  }

  static int open(const char *text, KilnDevice **device, KilnError *error) {
    return openNumbered(0, text, device, error);
  }

  static int openNumbered(uint32_t number, const char *text,
                          KilnDevice **device, KilnError *error) {
    if (number >= kDevices)
      return fail(error, "there are " + std::to_string(kDevices) +
                             " devices, counted from 0, and no device " +
                             std::to_string(number));
    Options options;
    std::string problem;
    if (!parseOptions(text ? text : "", options, problem) ||
        !checkFeatures(options, problem))
      return fail(error, problem);
    // Kernels find libm and the helpers of this library in the global scope.
    dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
    Dl_info self;
    if (dladdr(reinterpret_cast<void *>(&kilnGetDeviceDriver), &self))
      dlopen(self.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    try {
      int threads = options.threads
                        ? options.threads
                        : oneapi::tbb::this_task_arena::max_concurrency();
      auto created = std::make_unique<KilnDevice>(threads);
      created->name =
          "cpu " + (number ? "#" + std::to_string(number) + " " : "") + "(" +
          std::to_string(threads) + (threads == 1 ? " thread)" : " threads)");
      created->memory = {"host",
                         KILN_MEMORY_HOST_VISIBLE | KILN_MEMORY_IMPORTS_HOST,
                         uint32_t(kAlign), 0};
      KilnDeviceProperties &properties = created->properties;
      properties.structSize = sizeof(properties);
      properties.name = created->name.c_str();
      properties.numCores = uint32_t(threads);
      properties.numMemoryKinds = 1;
      properties.memoryKinds = &created->memory;
      *device = created.release();
    } catch (const std::exception &e) {
      return fail(error, std::string("cannot start threads: ") + e.what());
    }
    return 0;
  }

  static void close(KilnDevice *device) { delete device; }

  static const KilnDeviceProperties *properties(KilnDevice *device) {
    return &device->properties;
  }

  static int allocate(KilnDevice *, uint32_t memoryKind, uint64_t bytes,
                      uint64_t alignment, KilnBuffer **buffer,
                      KilnError *error) {
    if (memoryKind != 0)
      return fail(error, "there is only memory kind 0");
    if (bytes > uint64_t(1) << 46 || alignment > 4096)
      return fail(error, std::to_string(bytes) + " bytes with alignment " +
                             std::to_string(alignment) + " are out of range");
    uint64_t align = alignment < kAlign ? kAlign : alignment;
    uint64_t total = (bytes + kSlack + align - 1) / align * align;
    auto created = std::make_unique<KilnBuffer>();
    created->bytes = bytes;
    created->isOwned = true;
    if (total >= kMapThreshold) {
      void *data = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (data == MAP_FAILED)
        return fail(error, "no memory for " + std::to_string(bytes) + " bytes");
      madvise(data, total, MADV_HUGEPAGE);
      created->address = data;
      created->mapped = total;
    } else {
      created->address = std::aligned_alloc(align, total);
      if (!created->address)
        return fail(error, "no memory for " + std::to_string(bytes) + " bytes");
      std::memset(created->address, 0, total);
    }
    *buffer = created.release();
    return 0;
  }

  static void release(KilnDevice *, KilnBuffer *buffer) {
    if (buffer->isOwned && buffer->mapped)
      munmap(buffer->address, buffer->mapped);
    else if (buffer->isOwned)
      std::free(buffer->address);
    delete buffer;
  }

  static int importHost(KilnDevice *, void *address, uint64_t bytes,
                        KilnBuffer **buffer, KilnError *) {
    *buffer = new KilnBuffer{address, bytes, 0, false};
    return 0;
  }

  static int exportHost(KilnDevice *, KilnBuffer *buffer, void **address,
                        KilnError *) {
    *address = buffer->address;
    return 0;
  }

  /// The address of a range of a buffer, or null when it is not inside.
  static char *range(KilnBuffer *buffer, uint64_t offset, uint64_t bytes) {
    if (offset > buffer->bytes || bytes > buffer->bytes - offset)
      return nullptr;
    return static_cast<char *>(buffer->address) + offset;
  }

  static int loadModule(KilnDevice *, const void *bytes, uint64_t size,
                        KilnModule **module, KilnError *error) {
    auto created = std::make_unique<KilnModule>();
    std::string problem;
    if (!loadLibrary(bytes, size, *created, problem))
      return fail(error, problem);
    *module = created.release();
    return 0;
  }

  static void unloadModule(KilnDevice *, KilnModule *module) {
    dlclose(module->library);
    delete module;
  }

  static int getKernel(KilnDevice *, KilnModule *module,
                       const KilnKernelDescription *description,
                       KilnKernel **kernel, KilnError *error) {
    auto found = module->symbols.find(description->symbol);
    void *symbol = dlsym(module->library, description->symbol);
    if (found == module->symbols.end() || !symbol)
      return fail(error, "the module has no such symbol");
    if (found->second != ElfSymbol::function)
      return fail(error, "the symbol is no function");
    // What the compiler says that the code needs; no word of the package can
    // make it less.
    std::string needs = std::string(description->symbol) + "_scratch";
    auto said = module->symbols.find(needs);
    if (said != module->symbols.end() && said->second == ElfSymbol::number) {
      uint64_t bytes = 0;
      std::memcpy(&bytes, dlsym(module->library, needs.c_str()), sizeof(bytes));
      if (bytes > description->scratchBytes)
        return fail(error, "the code needs " + std::to_string(bytes) +
                               " bytes of scratch, the package gives it " +
                               std::to_string(description->scratchBytes));
    }
    auto created = std::make_unique<KilnKernel>();
    created->symbol = description->symbol;
    created->entry = reinterpret_cast<KilnKernelEntry>(symbol);
    created->scratchBytes = description->scratchBytes;
    created->isConcurrent =
        dlsym(module->library, (created->symbol + "_concurrent").c_str());
    created->params.assign(description->parameters,
                           description->parameters +
                               description->numParameters);
    *kernel = created.get();
    module->kernels.push_back(std::move(created));
    return 0;
  }

  static constexpr auto execute = kiln::cpu_target::execute;
};

} // namespace

const KilnDeviceDriver *kilnGetDeviceDriver(const KilnDeviceHost *host) {
  if (!host || host->apiMajor != KILN_DEVICE_API_MAJOR)
    return nullptr;
  // An older runtime knows only the first fields.
  std::memcpy(&runtimeHost, host,
              std::min(host->structSize, sizeof(runtimeHost)));
  static const KilnDeviceDriver table = [] {
    KilnDeviceDriver t = Driver::table("cpu");
    t.importHost = Driver::importHost;
    t.exportHost = Driver::exportHost;
    t.countDevices = Driver::countDevices;
    t.openNumbered = Driver::openNumbered;
    return t;
  }();
  return &table;
}
