// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices whose memory the host cannot see, with a queue that runs work only
// when it is waited for. FAKE_LOG names a file that gets a line for each call
// of the table. A queue of the embedding program runs work at once. COPIES
// gives it copies and fills of its own. The other macros make it a broken one;
// a header of version 1.0 makes it a driver of that version.
#include "kiln-c/Device.h"
#include "kiln-c/Kernel.h"
#include <cstdarg>
#include <cstdio>
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
  unsigned number = 0;
  KilnMemoryKind memories[2] = {{"far", 0, 64, 0}, {"near", 0, 64, 0}};
  KilnDeviceProperties properties = {};
};
struct KilnBuffer {
  std::vector<char> bytes;
  char *start;
};
struct KilnQueue {
  std::vector<std::function<void()>> work;
  std::string fault;
  bool isRecording = false, isForeign = false;
  std::vector<std::function<void()>> recorded;

  void add(std::function<void()> step);
};
struct KilnEvent {
  double time;
};
struct KilnRecording {
  std::vector<std::function<void()>> work;
};
struct KilnModule {
  void *library;
};
struct KilnKernel {
  KilnKernelEntry entry;
  uint64_t scratch;
  std::string name;
};

namespace {

KilnQueue *current = nullptr;

} // namespace

void KilnQueue::add(std::function<void()> step) {
  (isRecording ? recorded : work).push_back(std::move(step));
  if (!isForeign || isRecording)
    return;
  current = this;
  work.back()();
  work.pop_back();
}

namespace {

void report(const KilnKernelRuntime *, const char *message) {
  current->fault = message;
}

const KilnKernelRuntime runtime = {sizeof(KilnKernelRuntime), report};

int fail(KilnError *error, const std::string &message) {
  error->message[message.copy(error->message, sizeof(error->message) - 1)] = 0;
  return 1;
}

void log(const char *format, ...) {
  const char *path = getenv("FAKE_LOG");
  FILE *file = path ? fopen(path, "a") : nullptr;
  if (!file)
    return;
  va_list list;
  va_start(list, format);
  vfprintf(file, format, list);
  va_end(list);
  fputc('\n', file);
  fclose(file);
}

/// The clock of the devices, which only kernels take time of.
double simulated = 0;

int openNumbered(uint32_t number, const char *options, KilnDevice **device,
                 KilnError *error) {
  if (strstr(options, "broken"))
    return fail(error, "it is broken");
  *device = new KilnDevice();
  (*device)->number = number;
  KilnDeviceProperties &p = (*device)->properties;
  p.structSize = sizeof p;
  p.name = number ? "fake, the second" : "fake";
  p.numCores = 1;
  p.numMemoryKinds = 2;
  p.memoryKinds = (*device)->memories;
#if KILN_DEVICE_API_MINOR >= 1
  p.dlpackType = 12; // an extension
  p.dlpackNumber = int32_t(number);
#endif
  log("open %u", number);
  return 0;
}
int openDevice(const char *options, KilnDevice **device, KilnError *error) {
  return openNumbered(0, options, device, error);
}
void closeDevice(KilnDevice *device) { delete device; }
const KilnDeviceProperties *properties(KilnDevice *device) {
  return &device->properties;
}
int allocate(KilnDevice *device, uint32_t kind, uint64_t bytes, uint64_t,
             KilnBuffer **buffer, KilnError *) {
  *buffer = new KilnBuffer{std::vector<char>(bytes + 64), nullptr};
  (*buffer)->start = (*buffer)->bytes.data();
  log("allocate %s.%u %llu", device->memories[kind].name, device->number,
      static_cast<unsigned long long>(bytes));
  return 0;
}
void release(KilnDevice *, KilnBuffer *buffer) { delete buffer; }
int copyIn(KilnDevice *, KilnQueue *queue, KilnBuffer *dst, uint64_t offset,
           const void *src, uint64_t bytes, KilnError *) {
  log("copyIn %llu", static_cast<unsigned long long>(bytes));
  queue->add([=] { memcpy(dst->start + offset, src, bytes); });
  return 0;
}
int copyOut(KilnDevice *, KilnQueue *queue, void *dst, KilnBuffer *src,
            uint64_t offset, uint64_t bytes, KilnError *) {
  log("copyOut %llu", static_cast<unsigned long long>(bytes));
  queue->add([=] { memcpy(dst, src->start + offset, bytes); });
  return 0;
}
#ifdef COPIES
int copy(KilnDevice *, KilnQueue *queue, KilnBuffer *dst, uint64_t dstOffset,
         KilnBuffer *src, uint64_t srcOffset, uint64_t bytes, KilnError *) {
  log("copy %llu", static_cast<unsigned long long>(bytes));
  char *to = dst->start + dstOffset, *from = src->start + srcOffset;
  queue->add([=] { memmove(to, from, bytes); });
  return 0;
}
int fill(KilnDevice *, KilnQueue *queue, KilnBuffer *dst, uint64_t offset,
         uint64_t bytes, uint8_t value, KilnError *) {
  log("fill %llu", static_cast<unsigned long long>(bytes));
  char *to = dst->start + offset;
  queue->add([=] { memset(to, value, bytes); });
  return 0;
}
#endif
int createQueue(KilnDevice *, KilnQueue **queue, KilnError *) {
  *queue = current = new KilnQueue();
  return 0;
}
void destroyQueue(KilnDevice *, KilnQueue *queue) { delete queue; }
int synchronize(KilnDevice *, KilnQueue *queue, KilnError *error) {
  if (!queue->work.empty())
    log("synchronize");
  current = queue;
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
  *kernel =
      new KilnKernel{entry, description->scratchBytes, description->symbol};
#if KILN_DEVICE_API_MINOR >= 1
  if (description->metadataBytes)
    log("metadata of %s: %.*s", description->symbol,
        int(description->metadataBytes),
        static_cast<const char *>(description->metadata));
  for (uint32_t i = 0; i < description->numAttributes; ++i)
    log("static attribute %u of %s", description->attributes[i].tag,
        description->symbol);
#endif
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
    words.push_back(int64_t(arg.buffer->start + arg.byteOffset));
    words.insert(words.end(), arg.sizes, arg.sizes + arg.rank);
    words.insert(words.end(), arg.strides, arg.strides + arg.rank);
  }
  KilnKernel *kernel = launch->kernel;
  log("execute %s over %lld", kernel->name.c_str(),
      static_cast<long long>(total));
#if KILN_DEVICE_API_MINOR >= 1
  for (uint32_t i = 0; i < launch->numAttributes; ++i) {
    const KilnLaunchAttribute &a = launch->attributes[i];
    log("  attribute %u: %lld %lld %lld", a.tag,
        static_cast<long long>(a.values[0]),
        static_cast<long long>(a.values[1]),
        static_cast<long long>(a.values[2]));
  }
  for (uint32_t i = 0; i < launch->numEncodings; ++i) {
    const KilnArgumentEncoding &e = launch->encodings[i];
    log("  argument %u by %s: %u words, the first %lld", e.argument, e.recipe,
        e.numWords, static_cast<long long>(e.words[0]));
  }
#endif
  queue->add([=] {
    simulated += 0.001;
    void *scratch = aligned_alloc(64, (kernel->scratch + 64) / 64 * 64);
    kernel->entry(words.data(), 0, total, scratch, &runtime);
    free(scratch);
  });
  return 0;
}

int createEvent(KilnDevice *, KilnEvent **event, KilnError *) {
  *event = new KilnEvent{0};
  return 0;
}
void destroyEvent(KilnDevice *, KilnEvent *event) { delete event; }
int recordEvent(KilnDevice *, KilnQueue *queue, KilnEvent *event, KilnError *) {
  queue->add([=] { event->time = simulated; });
  return 0;
}
int elapsed(KilnDevice *, KilnEvent *begin, KilnEvent *end, double *seconds,
            KilnError *) {
  *seconds = end->time - begin->time;
  return 0;
}
int beginRecording(KilnDevice *, KilnQueue *queue, KilnError *) {
  log("beginRecording");
  queue->isRecording = true;
  return 0;
}
int endRecording(KilnDevice *, KilnQueue *queue, KilnRecording **recording,
                 KilnError *) {
  log("endRecording");
  queue->isRecording = false;
  *recording = new KilnRecording{std::move(queue->recorded)};
  queue->recorded.clear();
  return 0;
}
int replay(KilnDevice *, KilnQueue *queue, KilnRecording *recording,
           KilnError *) {
  log("replay");
  for (auto &step : recording->work)
    queue->add(step);
  return 0;
}
void destroyRecording(KilnDevice *, KilnRecording *recording) {
  delete recording;
}
#if KILN_DEVICE_API_MINOR >= 1
int countDevices(uint32_t *count, KilnError *) {
  *count = 2;
  return 0;
}
int knowsAttribute(KilnDevice *, uint32_t tag) {
  return tag == KILN_LAUNCH_THREADS || tag == KILN_LAUNCH_LOCAL_BYTES;
}
int knowsRecipe(KilnDevice *, const char *recipe) {
  return !strcmp(recipe, "rows");
}
int importQueue(KilnDevice *, void *, KilnQueue **queue, KilnError *) {
  log("importQueue");
  *queue = new KilnQueue();
  (*queue)->isForeign = true;
  return 0;
}
int exportAddress(KilnDevice *, KilnBuffer *buffer, uint64_t *address,
                  KilnError *) {
  *address = uint64_t(buffer->start);
  return 0;
}
int importAddress(KilnDevice *, uint64_t address, uint64_t, KilnBuffer **buffer,
                  KilnError *) {
  *buffer = new KilnBuffer{{}, reinterpret_cast<char *>(address)};
  return 0;
}
#endif

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
#ifdef COPIES
  t.copy = copy;
  t.fill = fill;
#endif
  t.createQueue = createQueue;
  t.destroyQueue = destroyQueue;
  t.synchronize = synchronize;
  t.loadModule = loadModule;
  t.unloadModule = unloadModule;
  t.getKernel = getKernel;
#ifndef NO_EXECUTE
  t.execute = execute;
#endif
#ifndef PLAIN
  t.createEvent = createEvent;
  t.destroyEvent = destroyEvent;
  t.recordEvent = recordEvent;
  t.elapsed = elapsed;
  t.beginRecording = beginRecording;
  t.endRecording = endRecording;
  t.replay = replay;
  t.destroyRecording = destroyRecording;
#if KILN_DEVICE_API_MINOR >= 1
  t.countDevices = countDevices;
  t.openNumbered = openNumbered;
  t.knowsAttribute = knowsAttribute;
  t.knowsRecipe = knowsRecipe;
  t.importQueue = importQueue;
  t.exportAddress = exportAddress;
  t.importAddress = importAddress;
#endif
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
