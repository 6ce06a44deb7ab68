// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of the stub, memory, streams, events and graphs.
#include "HipStub.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace stub;

#define HIP extern "C" __attribute__((visibility("default")))

thread_local int stub::currentDevice = 0;

static const char *environment(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value && *value ? value : otherwise;
}

State &State::get() {
  static State state;
  return state;
}

int State::devices() const {
  return std::atoi(environment("HIP_STUB_DEVICES", "2"));
}

static std::FILE *openReport() {
  const char *path = std::getenv("HIP_STUB_REPORT");
  return path ? std::fopen(path, "a") : nullptr;
}

void State::mistake(const std::string &text) {
  if (std::FILE *file = openReport()) {
    std::fprintf(file, "mistake: %s\n", text.c_str());
    std::fclose(file);
  }
}

State::~State() {
  std::FILE *file = openReport();
  if (!file)
    return;
  for (auto &[name, count] : calls)
    std::fprintf(file, "calls %s %u\n", name.c_str(), count);
  for (auto [what, count] :
       {std::pair("allocations", blocks.size()),
        std::pair("streams", streams.size()),
        std::pair("events", events.size()), std::pair("graphs", graphs.size()),
        std::pair("executable graphs", executables.size()),
        std::pair("modules", modules.size())})
    if (count)
      std::fprintf(file, "leak: %zu %s\n", count, what);
  std::fclose(file);
}

Call::Call(const char *name, bool needsInit)
    : name(name), state(State::get()), lock(state.mutex) {
  unsigned count = ++state.calls[name];
  if (needsInit && !state.isInitialised)
    state.mistake(this->name + " before hipInit");
  std::string plan = environment("HIP_STUB_FAIL", "");
  std::string wanted = this->name + ":" + std::to_string(count) + "=";
  if (plan.compare(0, wanted.size(), wanted) == 0)
    planned = std::atoi(plan.c_str() + wanted.size());
}

bool Call::knows(const std::set<void *> &all, void *handle, const char *what) {
  if (all.count(handle))
    return true;
  state.mistake(name + ": a " + what + " that is none, or no longer one");
  return false;
}

bool Call::knowsStream(void *stream) {
  if (!knows(state.streams, stream, "stream"))
    return false;
  if (static_cast<Stream *>(stream)->device == currentDevice)
    return true;
  state.mistake(name + ": a stream of another device than the current one");
  return false;
}

bool Call::isInside(const void *address, size_t bytes, const char *what) {
  auto *at = static_cast<const char *>(address);
  auto next = state.blocks.upper_bound(const_cast<char *>(at));
  if (next != state.blocks.begin()) {
    auto block = std::prev(next);
    if (size_t(at - block->first) <= block->second.bytes &&
        bytes <= block->second.bytes - size_t(at - block->first))
      return true;
  }
  auto variable = state.variables.find(at);
  if (variable != state.variables.end() && bytes <= variable->second)
    return true;
  state.mistake(name + ": " + what + " lies in no allocation");
  return false;
}

/// Runs what a stream holds, until a piece is not ready.
static void advance(Stream &stream) {
  if (stream.isAdvancing)
    return;
  stream.isAdvancing = true;
  while (!stream.pending.empty()) {
    int status = stream.status ? 0 : stream.pending.front()();
    if (status == kNotReady)
      break;
    stream.pending.pop_front();
    if (status)
      stream.status = status;
  }
  stream.isAdvancing = false;
}

/// Calls `attempt` until it returns another status than kNotReady, and lets the
/// other streams, and other threads, go on in between.
static int waitUntilReady(State &state, const std::function<int()> &attempt) {
  constexpr auto kMost = std::chrono::seconds(60);
  constexpr auto kPause = std::chrono::microseconds(200);
  auto end = std::chrono::steady_clock::now() + kMost;
  for (;;) {
    int status = attempt();
    if (status != kNotReady)
      return status;
    if (std::chrono::steady_clock::now() > end)
      return kTimeout;
    for (void *stream : state.streams)
      advance(*static_cast<Stream *>(stream));
    state.mutex.unlock();
    std::this_thread::sleep_for(kPause);
    state.mutex.lock();
  }
}

int stub::drain(Stream &stream) {
  State &state = State::get();
  int status = waitUntilReady(state, [&] {
    // Another thread may have destroyed it.
    if (!state.streams.count(&stream))
      return 0;
    advance(stream);
    return stream.pending.empty() ? stream.status : kNotReady;
  });
  if (status == kTimeout)
    stream.status = kTimeout;
  return status;
}

void stub::drainAll(State &state, int device) {
  std::set<void *> streams = state.streams;
  for (void *handle : streams) {
    if (!state.streams.count(handle))
      continue;
    auto *stream = static_cast<Stream *>(handle);
    if (stream->device == device)
      drain(*stream);
    else
      advance(*stream);
  }
}

int stub::enqueue(void *stream, Work work) {
  auto &to = *static_cast<Stream *>(stream);
  if (to.capture)
    to.capture->work.push_back(std::move(work));
  else
    to.pending.push_back(std::move(work));
  return to.status;
}

#define BEGIN(name)                                                            \
  Call call(#name);                                                            \
  if (call.planned)                                                            \
    return call.planned;

HIP int hipInit(unsigned) {
  Call call("hipInit", false);
  call.state.isInitialised = true;
  return call.planned ? call.planned : call.state.devices() ? 0 : kNoDevice;
}
HIP int hipRuntimeGetVersion(int *version) {
  BEGIN(hipRuntimeGetVersion)
  *version = std::atoi(environment("HIP_STUB_VERSION", "70100000"));
  return 0;
}
HIP int hipGetDeviceCount(int *count) {
  BEGIN(hipGetDeviceCount)
  *count = call.state.devices();
  return *count ? 0 : kNoDevice;
}
HIP int hipSetDevice(int device) {
  BEGIN(hipSetDevice)
  if (device < 0 || device >= call.state.devices())
    return kInvalidDevice;
  currentDevice = device;
  return 0;
}
HIP int hipDeviceGetName(char *name, int size, int) {
  BEGIN(hipDeviceGetName)
  std::snprintf(name, size_t(size), "AMD Stub");
  return 0;
}
HIP int hipDeviceGetAttribute(int *value, int attribute, int) {
  BEGIN(hipDeviceGetAttribute)
  switch (attribute) {
  case 10: // hipDeviceAttributeCooperativeLaunch
    return *value = 1, 0;
  case 63: // hipDeviceAttributeMultiprocessorCount
    return *value = 304, 0;
  case 74: // hipDeviceAttributeMaxSharedMemoryPerBlock
    return *value = 65536, 0;
  default:
    return call.bad(kInvalidValue, "an attribute that is not asked for");
  }
}
HIP int hipDeviceTotalMem(size_t *bytes, int) {
  BEGIN(hipDeviceTotalMem)
  *bytes = size_t(1) << 36;
  return 0;
}
/// `gcnArchName` stands at 396 of ROCm 5's struct and at 1160 of the newer one.
static int fillProperties(void *properties, size_t bytes, size_t at) {
  std::memset(properties, 0, bytes);
  std::strcpy(static_cast<char *>(properties), "AMD Stub");
  std::string chip = environment("HIP_STUB_CHIP", "gfx942");
  std::strcpy(static_cast<char *>(properties) + at,
              (chip + ":sramecc+:xnack-").c_str());
  return 0;
}
#ifdef HIP_STUB_OLD
HIP int hipGetDeviceProperties(void *properties, int) {
  BEGIN(hipGetDeviceProperties)
  return fillProperties(properties, 792, 396);
}
#else
HIP int hipGetDevicePropertiesR0600(void *properties, int) {
  BEGIN(hipGetDevicePropertiesR0600)
  return fillProperties(properties, 1472, 1160);
}
#endif
HIP const char *hipGetErrorName(int status) {
  static thread_local std::string name;
  name = "hipError" + std::to_string(status);
  return name.c_str();
}
HIP const char *hipGetErrorString(int status) {
  return status == kIllegalAddress ? "an illegal memory access"
         : status == kOutOfMemory  ? "out of memory"
                                   : "a failure";
}

static int allocate(Call &call, void **address, size_t bytes, bool isHost) {
  // As on the device: all bits of fresh memory are something.
  constexpr size_t kPage = 4096, kMost = size_t(1) << 34;
  if (bytes > kMost)
    return kOutOfMemory;
  size_t total = (bytes + kPage - 1) / kPage * kPage + 2 * kPage;
  char *memory = static_cast<char *>(std::aligned_alloc(kPage, total));
  if (!memory)
    return kOutOfMemory;
  std::memset(memory, 0xa5, std::min(total, size_t(1) << 20));
  call.state.blocks[memory + kPage] = {bytes, isHost, currentDevice};
  call.state.memory.add(memory + kPage, bytes, "allocation");
  *address = memory + kPage;
  return 0;
}
static int release(Call &call, void *address, bool isHost) {
  auto found = call.state.blocks.find(static_cast<char *>(address));
  if (found == call.state.blocks.end() || found->second.isHost != isHost)
    return call.bad(kInvalidValue, "memory that it did not allocate");
  drainAll(call.state, found->second.device);
  call.state.memory.remove(address);
  std::free(found->first - 4096);
  call.state.blocks.erase(found);
  return 0;
}
HIP int hipMalloc(void **address, size_t bytes) {
  BEGIN(hipMalloc)
  return allocate(call, address, bytes, false);
}
HIP int hipFree(void *address) {
  BEGIN(hipFree)
  return release(call, address, false);
}
HIP int hipHostMalloc(void **address, size_t bytes, unsigned flags) {
  BEGIN(hipHostMalloc)
  if (flags != 1)
    call.bad(0, "memory of the host that other devices do not see");
  return allocate(call, address, bytes, true);
}
HIP int hipHostFree(void *address) {
  BEGIN(hipHostFree)
  return release(call, address, true);
}
HIP int hipMemcpyHtoDAsync(void *dst, const void *src, size_t bytes,
                           void *stream) {
  BEGIN(hipMemcpyHtoDAsync)
  if (!call.knowsStream(stream) || !call.isInside(dst, bytes, "the target"))
    return kInvalidValue;
  return enqueue(stream, [=] { return std::memcpy(dst, src, bytes), 0; });
}
HIP int hipMemcpyDtoHAsync(void *dst, const void *src, size_t bytes,
                           void *stream) {
  BEGIN(hipMemcpyDtoHAsync)
  if (!call.knowsStream(stream) || !call.isInside(src, bytes, "the source"))
    return kInvalidValue;
  return enqueue(stream, [=] { return std::memcpy(dst, src, bytes), 0; });
}
HIP int hipMemcpyAsync(void *dst, const void *src, size_t bytes, int kind,
                       void *stream) {
  BEGIN(hipMemcpyAsync)
  if (kind != 3)
    return call.bad(kInvalidValue, "another kind than device to device");
  if (!call.knowsStream(stream) || !call.isInside(dst, bytes, "the target") ||
      !call.isInside(src, bytes, "the source"))
    return kInvalidValue;
  return enqueue(stream, [=] { return std::memmove(dst, src, bytes), 0; });
}
HIP int hipMemsetAsync(void *dst, int value, size_t bytes, void *stream) {
  BEGIN(hipMemsetAsync)
  if (!call.knowsStream(stream) || !call.isInside(dst, bytes, "the target"))
    return kInvalidValue;
  return enqueue(stream, [=] { return std::memset(dst, value, bytes), 0; });
}

HIP int hipStreamCreateWithFlags(void **stream, unsigned flags) {
  BEGIN(hipStreamCreateWithFlags)
  if (flags != 1)
    call.bad(0, "a stream that waits for the default stream");
  auto *made = new Stream();
  made->device = currentDevice;
  call.state.streams.insert(made);
  *stream = made;
  return 0;
}
HIP int hipStreamDestroy(void *stream) {
  BEGIN(hipStreamDestroy)
  if (!call.knowsStream(stream))
    return kInvalidHandle;
  drain(*static_cast<Stream *>(stream));
  call.state.streams.erase(stream);
  delete static_cast<Stream *>(stream);
  return 0;
}
HIP int hipStreamSynchronize(void *stream) {
  BEGIN(hipStreamSynchronize)
  if (!call.knowsStream(stream))
    return kInvalidHandle;
  if (static_cast<Stream *>(stream)->capture)
    return call.bad(kCaptureUnsupported, "a stream that is recorded");
  return drain(*static_cast<Stream *>(stream));
}

static double now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(time).count();
}
HIP int hipEventCreateWithFlags(void **event, unsigned) {
  BEGIN(hipEventCreateWithFlags)
  auto *made = new Event();
  made->device = currentDevice;
  call.state.events.insert(made);
  *event = made;
  return 0;
}
HIP int hipEventDestroy(void *event) {
  BEGIN(hipEventDestroy)
  if (!call.knows(call.state.events, event, "event"))
    return kInvalidHandle;
  auto *old = static_cast<Event *>(event);
  drainAll(call.state, old->device);
  call.state.events.erase(event);
  call.state.oldEvents.emplace_back(old);
  return 0;
}
HIP int hipEventRecord(void *event, void *stream) {
  BEGIN(hipEventRecord)
  if (!call.knows(call.state.events, event, "event") ||
      !call.knowsStream(stream))
    return kInvalidHandle;
  auto *made = static_cast<Event *>(event);
  uint64_t number = ++made->recorded;
  made->stream = static_cast<Stream *>(stream);
  return enqueue(stream, [=] {
    made->happened = std::max(made->happened, number);
    made->time = now();
    return 0;
  });
}
/// Runs the stream of an event until it has happened as often as `number` says.
static int await(Event &event, Stream *from, uint64_t number) {
  if (event.happened >= number || !State::get().streams.count(from))
    return 0;
  advance(*from);
  if (event.happened >= number)
    return 0;
  return from->status ? from->status : kNotReady;
}
HIP int hipStreamWaitEvent(void *stream, void *event, unsigned) {
  BEGIN(hipStreamWaitEvent)
  if (!call.knows(call.state.events, event, "event") ||
      !call.knowsStream(stream))
    return kInvalidHandle;
  auto *awaited = static_cast<Event *>(event);
  return enqueue(stream,
                 [awaited, from = awaited->stream, number = awaited->recorded] {
                   return await(*awaited, from, number);
                 });
}
HIP int hipEventSynchronize(void *event) {
  BEGIN(hipEventSynchronize)
  if (!call.knows(call.state.events, event, "event"))
    return kInvalidHandle;
  auto *awaited = static_cast<Event *>(event);
  Stream *from = awaited->stream;
  uint64_t number = awaited->recorded;
  return waitUntilReady(call.state,
                        [=] { return await(*awaited, from, number); });
}
HIP int hipEventElapsedTime(float *milliseconds, void *begin, void *end) {
  BEGIN(hipEventElapsedTime)
  if (!call.knows(call.state.events, begin, "event") ||
      !call.knows(call.state.events, end, "event"))
    return kInvalidHandle;
  auto *first = static_cast<Event *>(begin), *last = static_cast<Event *>(end);
  if (!first->happened || !last->happened)
    return call.bad(kInvalidHandle, "an event that has not happened");
  *milliseconds = float(last->time - first->time);
  return 0;
}

HIP int hipStreamBeginCapture(void *stream, int mode) {
  BEGIN(hipStreamBeginCapture)
  if (!call.knowsStream(stream))
    return kInvalidHandle;
  if (mode != 1 || static_cast<Stream *>(stream)->capture)
    return call.bad(kInvalidValue, "a stream that is recorded, or another mode "
                                   "than that of a thread");
  auto *made = new Graph();
  call.state.graphs.insert(made);
  static_cast<Stream *>(stream)->capture = made;
  return 0;
}
HIP int hipStreamEndCapture(void *stream, void **graph) {
  BEGIN(hipStreamEndCapture)
  if (!call.knowsStream(stream) || !static_cast<Stream *>(stream)->capture)
    return call.bad(kInvalidHandle, "a stream that is not recorded");
  *graph = static_cast<Stream *>(stream)->capture;
  static_cast<Stream *>(stream)->capture = nullptr;
  return 0;
}
HIP int hipGraphInstantiate(void **executable, void *graph, void **, char *,
                            size_t) {
  BEGIN(hipGraphInstantiate)
  if (!call.knows(call.state.graphs, graph, "graph"))
    return kInvalidHandle;
  auto *made = new Graph(*static_cast<Graph *>(graph));
  call.state.executables.insert(made);
  *executable = made;
  return 0;
}
HIP int hipGraphLaunch(void *executable, void *stream) {
  BEGIN(hipGraphLaunch)
  if (!call.knows(call.state.executables, executable, "executable graph") ||
      !call.knowsStream(stream))
    return kInvalidHandle;
  for (const Work &work : static_cast<Graph *>(executable)->work)
    enqueue(stream, work);
  return 0;
}
HIP int hipGraphExecDestroy(void *executable) {
  BEGIN(hipGraphExecDestroy)
  if (!call.knows(call.state.executables, executable, "executable graph"))
    return kInvalidHandle;
  call.state.executables.erase(executable);
  delete static_cast<Graph *>(executable);
  return 0;
}
HIP int hipGraphDestroy(void *graph) {
  BEGIN(hipGraphDestroy)
  if (!call.knows(call.state.graphs, graph, "graph"))
    return kInvalidHandle;
  call.state.graphs.erase(graph);
  delete static_cast<Graph *>(graph);
  return 0;
}
/// For libraries beside it: a function of the host in the order of the stream.
/// It returns a status, as `Work` does. After its last call, or if it is never
/// called, `release` is.
HIP int hipStubEnqueue(void *stream, int (*function)(void *),
                       void (*release)(void *), void *data) {
  BEGIN(hipStubEnqueue)
  std::shared_ptr<void> kept(data, release);
  if (!call.knowsStream(stream))
    return kInvalidHandle;
  return enqueue(stream, [=] { return function(kept.get()); });
}
