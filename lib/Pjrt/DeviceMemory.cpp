// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory on a device that programs share, and waiting for work there.
#include "DeviceMemory.h"
#include <cstring>

using namespace kiln::pjrt;

namespace {

/// A program that any target can compile. Its sessions stand for the device.
constexpr char probe[] = R"mlir(
module @probe {
  func.func public @main(%x: tensor<64xf32>) -> tensor<64xf32> {
    %sum = stablehlo.add %x, %x : tensor<64xf32>
    return %sum : tensor<64xf32>
  }
}
)mlir";

/// The most that unfinished copies from memory of the host keep.
constexpr size_t kMostKeptBytes = size_t(64) << 20;
constexpr size_t kMostKept = 4096;

/// The first device of a session that has memory of its own; -1: none.
int findDevice(const KilnSession *session) {
  for (size_t d = 0; d < kilnSessionNumDevices(session); ++d)
    if (!kilnSessionWorksInHostMemory(session, d))
      return static_cast<int>(d);
  return -1;
}

std::string nameOf(const KilnSession *session, size_t device) {
  const char *name = kilnSessionDeviceName(session, device);
  return name ? name : "";
}

} // namespace

Error *Device::check() const {
  std::string bytes;
  KilnPackage *opened = nullptr;
  if (Error *error = compileProgram(*client, probe, bytes)) {
    delete error;
    return nullptr;
  }
  if (kilnPackageLoad(bytes.data(), bytes.size(), &opened))
    return runtimeError("cannot read a package");
  std::unique_ptr<KilnPackage, PackageDeleter> package(opened);
  KilnSession *session = nullptr;
  Error *error = open(package.get(), session);
  kilnSessionDestroy(session);
  return error;
}

std::shared_ptr<DeviceMemory>
Device::deviceMemoryFor(const KilnSession *program) {
  std::lock_guard<std::mutex> lock(opening);
  int found = onDevice || isRefused ? -1 : findDevice(program);
  if (found >= 0) {
    onDevice =
        DeviceMemory::open(*this, nameOf(program, static_cast<size_t>(found)));
    isRefused = !onDevice;
  }
  return onDevice;
}

std::shared_ptr<DeviceMemory> DeviceMemory::open(const Device &on,
                                                 const std::string &name) {
  std::string bytes;
  if (Error *error = compileProgram(*on.client, probe, bytes)) {
    delete error;
    return nullptr;
  }
  KilnPackage *opened = nullptr;
  if (kilnPackageLoad(bytes.data(), bytes.size(), &opened))
    return nullptr;
  std::unique_ptr<KilnPackage, PackageDeleter> package(opened);
  std::shared_ptr<DeviceMemory> memory(new DeviceMemory);
  for (SessionPtr *one : {&memory->session, &memory->waiter}) {
    KilnSession *created = nullptr;
    if (Error *error = on.open(package.get(), created)) {
      delete error;
      return nullptr;
    }
    one->reset(created);
  }
  memory->name = name;
  int found = memory->findIn(memory->session.get());
  if (found < 0)
    return nullptr;
  memory->device = static_cast<size_t>(found);
  // What is needed of the driver: its queue, and memory by address.
  TensorPtr byte, adopted;
  const int64_t shape[1] = {1};
  KilnTensor *shared = nullptr;
  if (kilnSessionQueue(memory->session.get(), memory->device,
                       &memory->native) ||
      kilnSessionUseQueue(memory->waiter.get(), memory->device, memory->native))
    return nullptr;
  if (Error *error = memory->allocate(KILN_DTYPE_I8, 1, shape, byte)) {
    delete error;
    return nullptr;
  }
  if (kilnSessionAdopt(memory->waiter.get(), memory->device, byte.get(),
                       &shared))
    return nullptr;
  kilnTensorDestroy(shared);
  return memory;
}

DeviceMemory::~DeviceMemory() {
  {
    std::lock_guard<std::mutex> lock(server->mutex);
    server->isEnding = true;
  }
  server->wake.notify_all();
  // The server may hold the last reference: it ends by itself then.
  if (thread.joinable()) {
    if (thread.get_id() == std::this_thread::get_id())
      thread.detach();
    else
      thread.join();
  }
  // What is kept may still be read.
  if (waiter)
    delete wait(submitted);
}

int DeviceMemory::findIn(const KilnSession *other) const {
  for (size_t d = 0; d < kilnSessionNumDevices(other); ++d)
    if (nameOf(other, d) == name)
      return static_cast<int>(d);
  return -1;
}

Error *DeviceMemory::allocate(KilnDType dtype, int rank, const int64_t *shape,
                              TensorPtr &tensor) {
  KilnTensor *made = nullptr;
  if (kilnSessionAllocate(session.get(), device, dtype, rank, shape, &made))
    return fail(Code::ResourceExhausted, kilnLastError());
  tensor = TensorPtr(made, TensorDeleter());
  return nullptr;
}

Error *DeviceMemory::copy(const KilnTensor *from, const KilnTensor *to,
                          uint64_t &number) {
  if (kilnSessionCopy(session.get(), from, to))
    return runtimeError("cannot copy a buffer");
  number = queued();
  return nullptr;
}

Error *DeviceMemory::upload(const TensorPtr &host, TensorPtr &tensor,
                            uint64_t &number) {
  int rank = kilnTensorRank(host.get());
  const int64_t *shape = kilnTensorShape(host.get());
  if (Error *error = allocate(kilnTensorDType(host.get()), rank, shape, tensor))
    return error;
  return copy(host.get(), tensor.get(), number);
}

Error *DeviceMemory::download(const KilnTensor *tensor, TensorPtr &host) {
  KilnTensor *made = nullptr;
  if (kilnSessionDownload(session.get(), tensor, &made))
    return runtimeError("cannot copy a buffer to the host");
  host = TensorPtr(made, TensorDeleter());
  return nullptr;
}

Error *DeviceMemory::adopt(const KilnTensor *tensor, TensorPtr &adopted) {
  KilnTensor *made = nullptr;
  if (kilnSessionAdopt(session.get(), device, tensor, &made))
    return runtimeError("cannot share a buffer");
  adopted = TensorPtr(made, TensorDeleter());
  return nullptr;
}

/// Under `waiting`.
Error *DeviceMemory::failureOf(uint64_t number) const {
  for (const Failure &one : failures)
    if (number > one.behind && number <= one.upTo)
      return fail(Code::Internal, one.message);
  return nullptr;
}

Error *DeviceMemory::check(uint64_t number) {
  std::lock_guard<std::mutex> lock(waiting);
  return failureOf(number);
}

Error *DeviceMemory::wait(uint64_t number) {
  std::lock_guard<std::mutex> lock(waiting);
  if (!hasEnded(number)) {
    // What is numbered is in the queue.
    uint64_t upTo = submitted;
    constexpr size_t kMostFailures = 1024;
    if (kilnSessionSynchronize(waiter.get()))
      failures.push_back({ended, upTo, kilnLastError()});
    if (failures.size() > kMostFailures)
      failures.pop_front();
    ended = upTo;
    dropKept();
  }
  return failureOf(number);
}

void DeviceMemory::whenEnded(uint64_t number,
                             std::function<void(Error *)> then) {
  if (hasEnded(number))
    return then(wait(number));
  std::lock_guard<std::mutex> lock(server->mutex);
  server->requests.push_back({shared_from_this(), number, std::move(then)});
  if (!thread.joinable())
    thread = std::thread([server = server] { serve(*server); });
  server->wake.notify_one();
}

void DeviceMemory::serve(Server &server) {
  for (;;) {
    Request next;
    {
      std::unique_lock<std::mutex> lock(server.mutex);
      server.wake.wait(
          lock, [&] { return server.isEnding || !server.requests.empty(); });
      if (server.requests.empty())
        return;
      next = std::move(server.requests.front());
      server.requests.pop_front();
    }
    next.then(next.memory->wait(next.number));
  }
}

void DeviceMemory::keep(uint64_t number, std::shared_ptr<void> what,
                        size_t bytes) {
  if (hasEnded(number))
    return;
  bool isFull = false;
  {
    std::lock_guard<std::mutex> lock(keeping);
    kept.push_back({number, std::move(what), bytes});
    keptBytes += bytes;
    isFull = keptBytes > kMostKeptBytes || kept.size() > kMostKept;
  }
  if (isFull)
    delete wait(number);
}

void DeviceMemory::dropKept() {
  std::deque<Kept> dropped; // behind the lock: a last owner may do more
  std::lock_guard<std::mutex> lock(keeping);
  while (!kept.empty() && hasEnded(kept.front().number)) {
    keptBytes -= kept.front().bytes;
    dropped.push_back(std::move(kept.front()));
    kept.pop_front();
  }
}

Error *kiln::pjrt::tensorOnDevice(DeviceMemory &memory, Buffer &buffer,
                                  TensorPtr &tensor) {
  std::lock_guard<std::mutex> lock(memory.moving);
  tensor = buffer.tensor;
  if (!tensor || kilnTensorIsOnDevice(tensor.get()))
    return nullptr;
  TensorPtr there;
  uint64_t number = 0;
  if (Error *error = memory.upload(tensor, there, number))
    return error;
  memory.keep(number, tensor, buffer.bytes);
  // JAX may still read the memory of the host.
  if (!buffer.held) {
    buffer.tensor = there;
    buffer.number = number;
  }
  tensor = std::move(there);
  return nullptr;
}
