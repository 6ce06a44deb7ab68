// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device in the host's memory that does queued work as late as it may, to
// check the checks of drivers: BUG in the environment breaks one thing.
#include "kiln/Runtime/HostDriver.h"
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace {
bool has(const char *bug) {
  const char *set = std::getenv("BUG");
  return set && !std::strcmp(set, bug);
}
constexpr uint64_t kBytes = 512 << 20;
using Work = std::function<void()>;
using Bytes = std::shared_ptr<std::vector<char>>;
} // namespace

struct KilnDevice {
  KilnMemoryKind kinds[2];
  KilnDeviceProperties properties;
  uint64_t used = 0;
  std::vector<char> context = std::vector<char>(1 << 20, 1);
};
struct KilnBuffer {
  KilnDevice *device;
  Bytes bytes; // null: memory of others
  char *address;
  uint64_t size;
};
struct KilnQueue {
  std::deque<Work> work;
  std::vector<Work> *recording = nullptr;
};
struct KilnEvent {
  double time = 0;
  KilnQueue *queue = nullptr;
};
struct KilnRecording {
  std::vector<Work> work;
};
struct KilnModule {};
struct KilnKernel {};

namespace {
using kiln::runtime::failDriver;

void drain(KilnQueue *queue) {
  while (!queue->work.empty()) {
    Work work = std::move(queue->work.front());
    queue->work.pop_front();
    work();
  }
}

double now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

void put(KilnQueue *queue, Work work) {
  if (!queue)
    return work();
  if (queue->recording && !has("records-and-runs"))
    return queue->recording->push_back(std::move(work));
  if (queue->recording)
    queue->recording->push_back(work);
  if (has("unordered"))
    queue->work.push_front(std::move(work));
  else
    queue->work.push_back(std::move(work));
}

/// Keeps the memory while queued work needs it.
std::function<char *()> at(KilnBuffer *buffer, uint64_t offset) {
  if (has("early-release"))
    return [buffer, offset] { return buffer->address + offset; };
  return [bytes = buffer->bytes, to = buffer->address + offset] { return to; };
}

int outside(KilnError *error) {
  return failDriver(error, has("full-stop")
                               ? "The range is outside of the buffer."
                           : has("no-reason") ? ""
                                              : "outside of the buffer");
}
bool inside(KilnBuffer *buffer, uint64_t offset, uint64_t bytes) {
  if (has("overflow"))
    return offset + bytes <= buffer->size;
  if (has("no-bounds"))
    return true;
  return offset <= buffer->size && bytes <= buffer->size - offset;
}

int openNumbered(uint32_t number, const char *options, KilnDevice **device,
                 KilnError *error) {
  if (number >= 2 && !has("any-number"))
    return failDriver(error, "there are two devices");
  const char *added = std::strstr(options, ",,");
  if (added && added[2] && !has("any-option"))
    return failDriver(error, std::string("no option '") + (added + 2) + "'");
  if (!added && *options && has("strict-options"))
    return failDriver(error, std::string("no option '") + options + "'");
  static KilnDevice shared[2];
  *device = has("one-device") ? &shared[0] : new KilnDevice();
  (*device)->kinds[0] = {"fast", KILN_MEMORY_HOST_VISIBLE, 64, kBytes};
  (*device)->kinds[1] = {has("same-names") ? "fast" : "slow",
                         KILN_MEMORY_IMPORTS_HOST, 16, kBytes};
  (*device)->properties = {
      sizeof(KilnDeviceProperties), "deferred", 1, 2, (*device)->kinds, 0, 0};
  return 0;
}
int open(const char *options, KilnDevice **device, KilnError *error) {
  return openNumbered(0, options, device, error);
}
void close(KilnDevice *device) {
  if (!has("one-device") && !has("close-leaks"))
    delete device;
}
const KilnDeviceProperties *properties(KilnDevice *device) {
  return &device->properties;
}
int countDevices(uint32_t *count, KilnError *) {
  *count = 2;
  return 0;
}

int allocate(KilnDevice *device, uint32_t kind, uint64_t bytes,
             uint64_t alignment, KilnBuffer **buffer, KilnError *error) {
  if (kind > 1 && !has("any-kind"))
    return failDriver(error, "there are two kinds of memory");
  if (has("no-empty") && bytes == 0)
    return failDriver(error, "nothing to allocate");
  if (has("wraps") && bytes > UINT64_MAX - 64)
    bytes += 64; // as rounding up does
  if (bytes > kBytes || device->used + bytes > kBytes)
    return failDriver(error, "out of memory");
  device->used += bytes;
  uint64_t align = has("ignores-alignment")
                       ? 16
                       : std::max<uint64_t>(alignment, kind ? 16 : 64);
  auto memory = std::make_shared<std::vector<char>>(bytes + align);
  char *address = memory->data();
  address += (align - reinterpret_cast<uintptr_t>(address) % align) % align;
  if (has("ignores-alignment"))
    address += 16 - reinterpret_cast<uintptr_t>(address) % 64 % 32;
  *buffer = new KilnBuffer{device, memory, address, bytes};
  return 0;
}
std::mutex releasing;
void release(KilnDevice *device, KilnBuffer *buffer) {
  std::lock_guard<std::mutex> lock(releasing);
  if (buffer->bytes && !has("never-gives-back"))
    device->used -= buffer->size;
  if (has("early-release"))
    buffer->address = nullptr;
  else if (!has("release-leaks"))
    delete buffer;
}
int exportHost(KilnDevice *, KilnBuffer *buffer, void **address, KilnError *) {
  static char copy[1 << 16];
  *address = has("exports-copy") ? copy : buffer->address;
  return 0;
}
int importHost(KilnDevice *device, void *address, uint64_t bytes,
               KilnBuffer **buffer, KilnError *) {
  *buffer =
      new KilnBuffer{device, nullptr, static_cast<char *>(address), bytes};
  return 0;
}
int exportAddress(KilnDevice *, KilnBuffer *buffer, uint64_t *address,
                  KilnError *) {
  *address = reinterpret_cast<uintptr_t>(buffer->address);
  return 0;
}
int importAddress(KilnDevice *device, uint64_t address, uint64_t bytes,
                  KilnBuffer **buffer, KilnError *error) {
  return importHost(device, reinterpret_cast<void *>(address), bytes, buffer,
                    error);
}

int copyIn(KilnDevice *, KilnQueue *queue, KilnBuffer *dst, uint64_t offset,
           const void *src, uint64_t bytes, KilnError *error) {
  if (!inside(dst, offset, bytes))
    return outside(error);
  if (has("whole-words"))
    bytes = (bytes + 3) / 4 * 4;
  put(queue, [=, to = at(dst, offset)] {
    if (char *address = to())
      std::memcpy(address, src, bytes);
  });
  return 0;
}
int copyOut(KilnDevice *, KilnQueue *queue, void *dst, KilnBuffer *src,
            uint64_t offset, uint64_t bytes, KilnError *error) {
  if (!inside(src, offset, bytes))
    return outside(error);
  if (has("drops-last") && bytes > 1000)
    --bytes;
  put(queue, [=, from = at(src, offset)] { std::memcpy(dst, from(), bytes); });
  return 0;
}
int copy(KilnDevice *, KilnQueue *queue, KilnBuffer *dst, uint64_t dstOffset,
         KilnBuffer *src, uint64_t srcOffset, uint64_t bytes,
         KilnError *error) {
  if (!inside(dst, dstOffset, bytes) || !inside(src, srcOffset, bytes))
    return outside(error);
  if (has("ignores-offset"))
    srcOffset = 0;
  put(queue, [=, to = at(dst, dstOffset), from = at(src, srcOffset)] {
    char *source = from();
    if (source)
      std::memmove(to(), source, bytes);
  });
  return 0;
}
int fill(KilnDevice *, KilnQueue *queue, KilnBuffer *dst, uint64_t offset,
         uint64_t bytes, uint8_t value, KilnError *error) {
  if (!inside(dst, offset, bytes))
    return outside(error);
  put(queue, [=, to = at(dst, offset)] {
    std::memset(to(), has("fills-zero") ? 0 : value, bytes);
  });
  return 0;
}

int createQueue(KilnDevice *, KilnQueue **queue, KilnError *) {
  *queue = new KilnQueue();
  return 0;
}
void destroyQueue(KilnDevice *, KilnQueue *queue) {
  drain(queue);
  delete queue;
}
int synchronize(KilnDevice *, KilnQueue *queue, KilnError *) {
  if (has("hangs"))
    for (;;)
      ;
  if (has("crashes"))
    *static_cast<volatile int *>(nullptr) = 1;
  if (!has("no-wait"))
    drain(queue);
  return 0;
}
int createEvent(KilnDevice *, KilnEvent **event, KilnError *) {
  *event = new KilnEvent();
  return 0;
}
void destroyEvent(KilnDevice *, KilnEvent *event) { delete event; }
int recordEvent(KilnDevice *, KilnQueue *queue, KilnEvent *event, KilnError *) {
  event->queue = queue;
  if (has("times-when-put"))
    event->time = now();
  else if (has("first-time-counts"))
    put(queue, [=] { event->time = event->time ? event->time : now(); });
  else
    put(queue, [=] { event->time = now(); });
  return 0;
}
int waitEvent(KilnDevice *, KilnQueue *queue, KilnEvent *event, KilnError *) {
  if (!has("ignores-event"))
    put(queue, [first = event->queue] { drain(first); });
  return 0;
}
int elapsed(KilnDevice *, KilnEvent *begin, KilnEvent *end, double *seconds,
            KilnError *) {
  *seconds =
      has("backwards") ? begin->time - end->time : end->time - begin->time;
  if (has("milliseconds"))
    *seconds *= 1000;
  return 0;
}
int beginRecording(KilnDevice *, KilnQueue *queue, KilnError *) {
  queue->recording = new std::vector<Work>();
  return 0;
}
int endRecording(KilnDevice *, KilnQueue *queue, KilnRecording **recording,
                 KilnError *) {
  *recording = new KilnRecording{std::move(*queue->recording)};
  delete queue->recording;
  queue->recording = nullptr;
  return 0;
}
int replay(KilnDevice *, KilnQueue *queue, KilnRecording *recording,
           KilnError *) {
  for (const Work &work : recording->work)
    put(queue, work);
  if (has("replays-once"))
    recording->work.clear();
  return 0;
}
void destroyRecording(KilnDevice *, KilnRecording *recording) {
  delete recording;
}

int loadModule(KilnDevice *, const void *, uint64_t size, KilnModule **module,
               KilnError *error) {
  if (!has("any-module"))
    return failDriver(error, "no module is good enough");
  *module = new KilnModule();
  return 0;
}
void unloadModule(KilnDevice *, KilnModule *module) { delete module; }
int getKernel(KilnDevice *, KilnModule *, const KilnKernelDescription *,
              KilnKernel **, KilnError *error) {
  return failDriver(error, "no such kernel");
}
int execute(KilnDevice *, KilnQueue *, const KilnLaunch *, KilnError *error) {
  return failDriver(error, "no such kernel");
}
int knowsAttribute(KilnDevice *, uint32_t tag) {
  return has("knows-everything") || tag == KILN_LAUNCH_THREADS;
}
} // namespace

KILN_DEVICE_NOTE();

extern "C" const KilnDeviceDriver *kilnGetDeviceDriver(const KilnDeviceHost *) {
  static KilnDeviceDriver t = {};
  t.structSize = sizeof t;
  t.apiMajor = KILN_DEVICE_API_MAJOR;
  t.apiMinor = KILN_DEVICE_API_MINOR;
  t.name = has("other-name") ? "other" : "deferred";
  t.open = open;
  t.close = close;
  t.properties = properties;
  t.allocate = allocate;
  t.release = release;
  t.importHost = importHost;
  t.exportHost = exportHost;
  t.copyIn = copyIn;
  t.copyOut = copyOut;
  t.copy = copy;
  t.fill = fill;
  t.createQueue = createQueue;
  t.destroyQueue = destroyQueue;
  t.synchronize = has("half-a-group") ? nullptr : synchronize;
  t.createEvent = createEvent;
  t.destroyEvent = destroyEvent;
  t.recordEvent = recordEvent;
  t.waitEvent = waitEvent;
  t.elapsed = elapsed;
  t.loadModule = loadModule;
  t.unloadModule = unloadModule;
  t.getKernel = getKernel;
  t.execute = execute;
  t.beginRecording = beginRecording;
  t.endRecording = endRecording;
  t.replay = replay;
  t.destroyRecording = destroyRecording;
  t.countDevices = countDevices;
  t.openNumbered = openNumbered;
  t.knowsAttribute = knowsAttribute;
  t.exportAddress = exportAddress;
  t.importAddress = importAddress;
  return &t;
}
