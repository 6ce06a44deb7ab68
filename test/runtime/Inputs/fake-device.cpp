// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device whose memory the host cannot see, with a queue that runs work only
// when it is waited for. The macros make it a broken one.
#include "kiln-c/Device.h"
#include "kiln-c/Kernel.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#ifndef API_MAJOR
#define API_MAJOR KILN_DEVICE_API_MAJOR
#endif
#ifndef NO_NOTE
KILN_PLUGIN_NOTE(API_MAJOR, 0, 0, 0);
#endif

struct KilnDevice {
  KilnMemoryKind memory = {"far", 0, 64, 0};
  KilnDeviceProperties properties = {sizeof(KilnDeviceProperties), "fake", 1, 1,
                                     &memory};
};
struct KilnBuffer {
  std::vector<char> bytes;
};
struct KilnQueue {
  std::vector<std::function<void()>> work;
  std::string fault;
};
struct KilnModule {
  void *library;
};
struct KilnKernel {
  KilnKernelEntry entry;
  uint64_t scratch;
};

namespace {

KilnQueue *current = nullptr;

void report(const KilnKernelRuntime *, const char *message) {
  current->fault = message;
}

const KilnKernelRuntime runtime = {sizeof(KilnKernelRuntime), report};

int fail(KilnError *error, const std::string &message) {
  error->message[message.copy(error->message, sizeof(error->message) - 1)] = 0;
  return 1;
}

int openDevice(const char *options, KilnDevice **device, KilnError *error) {
  if (strstr(options, "broken"))
    return fail(error, "it is broken");
  *device = new KilnDevice();
  return 0;
}
void closeDevice(KilnDevice *device) { delete device; }
const KilnDeviceProperties *properties(KilnDevice *device) {
  return &device->properties;
}
int allocate(KilnDevice *, uint32_t, uint64_t bytes, uint64_t,
             KilnBuffer **buffer, KilnError *) {
  *buffer = new KilnBuffer{std::vector<char>(bytes + 64)};
  return 0;
}
void release(KilnDevice *, KilnBuffer *buffer) { delete buffer; }
int copyIn(KilnDevice *, KilnQueue *queue, KilnBuffer *dst, uint64_t offset,
           const void *src, uint64_t bytes, KilnError *) {
  queue->work.push_back(
      [=] { memcpy(dst->bytes.data() + offset, src, bytes); });
  return 0;
}
int copyOut(KilnDevice *, KilnQueue *queue, void *dst, KilnBuffer *src,
            uint64_t offset, uint64_t bytes, KilnError *) {
  queue->work.push_back(
      [=] { memcpy(dst, src->bytes.data() + offset, bytes); });
  return 0;
}
int createQueue(KilnDevice *, KilnQueue **queue, KilnError *) {
  *queue = current = new KilnQueue();
  return 0;
}
void destroyQueue(KilnDevice *, KilnQueue *queue) { delete queue; }
int synchronize(KilnDevice *, KilnQueue *queue, KilnError *error) {
  for (auto &work : queue->work)
    work();
  queue->work.clear();
  std::string fault = std::move(queue->fault);
  queue->fault.clear();
  return fault.empty() ? 0 : fail(error, fault);
}
int loadModule(KilnDevice *, const void *bytes, uint64_t size,
               KilnModule **module, KilnError *error) {
  int fd = memfd_create("fake", 0);
  if (write(fd, bytes, size) != ssize_t(size))
    return fail(error, "cannot write");
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  void *library = dlopen(path.c_str(), RTLD_NOW);
  // The descriptor stays open: the loader takes equal paths for one library.
  *module = new KilnModule{library};
  return library ? 0 : fail(error, dlerror());
}
void unloadModule(KilnDevice *, KilnModule *module) { delete module; }
int getKernel(KilnDevice *, KilnModule *module,
              const KilnKernelDescription *description, KilnKernel **kernel,
              KilnError *) {
  auto entry = reinterpret_cast<KilnKernelEntry>(
      dlsym(module->library, description->symbol));
  *kernel = new KilnKernel{entry, description->scratchBytes};
  return 0;
}
int execute(KilnDevice *, KilnQueue *queue, const KilnLaunch *launch,
            KilnError *) {
  std::vector<int64_t> words(launch->grid, launch->grid + 3);
  int64_t total = words[0] * words[1] * words[2];
  for (size_t i = 0; i < launch->numArguments; ++i) {
    const KilnKernelArgument &arg = launch->arguments[i];
    if (arg.isScalar) {
      words.push_back(int64_t(arg.bits));
      continue;
    }
    words.push_back(int64_t(arg.buffer->bytes.data() + arg.byteOffset));
    words.insert(words.end(), arg.sizes, arg.sizes + arg.rank);
    words.insert(words.end(), arg.strides, arg.strides + arg.rank);
  }
  KilnKernel *kernel = launch->kernel;
  queue->work.push_back([=] {
    void *scratch = aligned_alloc(64, (kernel->scratch + 64) / 64 * 64);
    kernel->entry(words.data(), 0, total, scratch, &runtime);
    free(scratch);
  });
  return 0;
}

} // namespace

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void construct() {
  std::puts("a driver that talks");
  CONSTRUCTOR;
}
#endif

#ifndef NO_ENTRY
const KilnDeviceDriver *kilnGetDeviceDriver(const KilnDeviceHost *) {
#ifdef THROWS
  throw 1;
#endif
#ifdef NO_TABLE
  return nullptr;
#endif
  static KilnDeviceDriver t = {};
  t.structSize = sizeof(t);
#ifdef SMALL_TABLE
  t.structSize = 16;
#endif
  t.apiMajor = KILN_DEVICE_API_MAJOR;
  t.name = "fake";
  t.open = openDevice;
  t.close = closeDevice;
  t.properties = properties;
  t.allocate = allocate;
  t.release = release;
  t.copyIn = copyIn;
  t.copyOut = copyOut;
  t.createQueue = createQueue;
  t.destroyQueue = destroyQueue;
  t.synchronize = synchronize;
  t.loadModule = loadModule;
  t.unloadModule = unloadModule;
  t.getKernel = getKernel;
#ifndef NO_EXECUTE
  t.execute = execute;
#endif
#ifdef GARBAGE
  std::memset(reinterpret_cast<char *>(&t) + offsetof(KilnDeviceDriver, open),
              GARBAGE, sizeof(t) - offsetof(KilnDeviceDriver, open));
#endif
#ifdef NOWHERE
  return reinterpret_cast<KilnDeviceDriver *>(NOWHERE);
#endif
  return &t;
}
#endif
