// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of devices: allocations, copies, and the pool of dropped buffers.
#include "Device.h"
#include <algorithm>

using namespace kiln::runtime;

namespace {

/// Fallback fills and copies go through the host in pieces of this size.
constexpr uint64_t kPiece = 1 << 20;
/// More than this goes back to the driver.
constexpr uint64_t kPoolLimit = uint64_t(1) << 30;

} // namespace

DeviceBuffer::~DeviceBuffer() { device->giveBack(*this); }

void Device::giveBack(DeviceBuffer &buffer) {
  if (buffer.memoryKind == kNone)
    return drop(buffer);
  // Perhaps in a thread that must not call the driver.
  std::lock_guard<std::mutex> lock(poolMutex);
  pool.emplace(std::make_pair(buffer.memoryKind, buffer.bytes), buffer.handle);
  pooledBytes += buffer.bytes;
}

void Device::trim() {
  std::lock_guard<std::mutex> lock(poolMutex);
  for (auto &[key, buffer] : pool)
    table->release(handle, buffer);
  pool.clear();
  pooledBytes = 0;
}

bool OpenedDevice::importsHost() const {
  return table->importHost &&
         (props.memoryKinds[0].flags & KILN_MEMORY_IMPORTS_HOST);
}

bool OpenedDevice::isHostVisible(uint32_t memoryKind) const {
  return table->exportHost &&
         (props.memoryKinds[memoryKind].flags & KILN_MEMORY_HOST_VISIBLE);
}

Expected<uint32_t> OpenedDevice::memoryKind(const std::string &name) const {
  if (name.empty())
    return 0;
  std::string known;
  for (uint32_t kind = 0; kind < props.numMemoryKinds; ++kind) {
    const char *found = props.memoryKinds[kind].name;
    if (found && name == found)
      return kind;
    known += std::string(kind ? ", " : "") + "'" + (found ? found : "") + "'";
  }
  return Error("device '" + deviceName + "' has no memory '" + name +
               "', expected one of " + known);
}

Expected<std::shared_ptr<DeviceBuffer>> Device::allocate(uint64_t bytes,
                                                         uint32_t memoryKind) {
  KilnError error = {};
  KilnBuffer *buffer = nullptr;
  bool isReused = !(props.memoryKinds[memoryKind].flags & KILN_MEMORY_NO_REUSE);
  bool isFull = false;
  {
    std::lock_guard<std::mutex> lock(poolMutex);
    auto found = pool.find({int32_t(memoryKind), bytes});
    if (isReused && found != pool.end()) {
      buffer = found->second;
      pooledBytes -= bytes;
      pool.erase(found);
    }
    isFull = pooledBytes > kPoolLimit || (!isReused && !pool.empty());
  }
  if (isFull) {
    // What was dropped may still be in use by queued work.
    if (Error problem = synchronize())
      return problem;
    trim();
  }
  int status =
      buffer ? 0
             : table->allocate(handle, memoryKind, bytes, 64, &buffer, &error);
  if (status != 0) {
    // Perhaps there is room once nothing is kept.
    if (Error problem = synchronize())
      return problem;
    trim();
    status = table->allocate(handle, memoryKind, bytes, 64, &buffer, &error);
  }
  if (status != 0)
    return failure("cannot allocate", error);
  if (!buffer)
    return Error("device '" + deviceName +
                 "': allocating gave no buffer and no error");
  auto result =
      std::make_shared<DeviceBuffer>(shared_from_this(), buffer, bytes);
  result->memoryKind = int32_t(memoryKind);
  if (isHostVisible(memoryKind) &&
      table->exportHost(handle, buffer, &result->address, &error) != 0)
    return failure("cannot map memory", error);
  return result;
}

Expected<std::shared_ptr<DeviceBuffer>>
Device::import(void *address, uint64_t bytes, std::shared_ptr<void> owner) {
  KilnError error = {};
  KilnBuffer *buffer = nullptr;
  if (table->importHost(handle, address, bytes, &buffer, &error) != 0)
    return failure("cannot import host memory", error);
  auto result =
      std::make_shared<DeviceBuffer>(shared_from_this(), buffer, bytes);
  result->owner = std::move(owner);
  result->address = address;
  return result;
}

void Device::drop(DeviceBuffer &buffer) {
  if (buffer.handle)
    table->release(handle, buffer.handle);
  buffer.handle = nullptr;
  buffer.owner = nullptr;
}

Error Device::exchange(DeviceBuffer &buffer, void *address) {
  drop(buffer);
  KilnError error;
  error.message[0] = 0; // its kilobyte would cost more than the rest
  if (!importsHost()) {
    auto there = reinterpret_cast<uintptr_t>(address);
    if (table->importAddress(handle, there, buffer.bytes, &buffer.handle,
                             &error) != 0)
      return failure("cannot import device memory", error);
    return Error::success();
  }
  if (table->importHost(handle, address, buffer.bytes, &buffer.handle,
                        &error) != 0)
    return failure("cannot import host memory", error);
  buffer.address = address;
  return Error::success();
}

Expected<std::shared_ptr<DeviceBuffer>>
Device::importAddress(uint64_t address, uint64_t bytes,
                      std::shared_ptr<void> owner) {
  if (!table->importAddress)
    return Error("device '" + deviceName +
                 "': its driver takes no memory by address");
  KilnError error = {};
  KilnBuffer *buffer = nullptr;
  if (table->importAddress(handle, address, bytes, &buffer, &error) != 0)
    return failure("cannot import device memory", error);
  auto result =
      std::make_shared<DeviceBuffer>(shared_from_this(), buffer, bytes);
  result->owner = std::move(owner);
  result->position = address;
  return result;
}

Expected<uint64_t> Device::exportAddress(DeviceBuffer &buffer) {
  if (!table->exportAddress)
    return Error("device '" + deviceName +
                 "': its driver tells no addresses of memory");
  KilnError error = {};
  uint64_t address = 0;
  if (table->exportAddress(handle, buffer.handle, &address, &error) != 0)
    return failure("cannot tell the address of memory", error);
  return address;
}

Error Device::copyIn(DeviceBuffer &dst, uint64_t offset, const void *src,
                     uint64_t bytes) {
  KilnError error = {};
  if (bytes &&
      table->copyIn(handle, queue, dst.handle, offset, src, bytes, &error) != 0)
    return failure("copy to the device", error);
  return Error::success();
}

Error Device::copyOut(void *dst, DeviceBuffer &src, uint64_t offset,
                      uint64_t bytes) {
  KilnError error = {};
  if (bytes && table->copyOut(handle, queue, dst, src.handle, offset, bytes,
                              &error) != 0)
    return failure("copy from the device", error);
  return Error::success();
}

Error Device::copy(DeviceBuffer &dst, uint64_t dstOffset, DeviceBuffer &src,
                   uint64_t srcOffset, uint64_t bytes) {
  KilnError error = {};
  if (table->copy) {
    if (table->copy(handle, queue, dst.handle, dstOffset, src.handle, srcOffset,
                    bytes, &error) != 0)
      return failure("copy", error);
    return Error::success();
  }
  // Pieces may overlap when both are one buffer: stage all of it then.
  uint64_t piece = &dst == &src ? bytes : std::min(bytes, kPiece);
  auto staging = std::make_shared<std::vector<uint8_t>>(piece);
  keep(staging, /*isHost=*/true);
  for (uint64_t done = 0; done < bytes; done += piece) {
    uint64_t now = std::min(piece, bytes - done);
    // One piece follows the other in the queue, so that they can share it.
    if (Error e = copyOut(staging->data(), src, srcOffset + done, now))
      return e;
    if (Error e = copyIn(dst, dstOffset + done, staging->data(), now))
      return e;
  }
  return Error::success();
}

Error Device::fill(DeviceBuffer &dst, uint64_t offset, uint64_t bytes,
                   uint8_t value) {
  KilnError error = {};
  if (table->fill) {
    if (table->fill(handle, queue, dst.handle, offset, bytes, value, &error) !=
        0)
      return failure("fill", error);
    return Error::success();
  }
  auto staging =
      std::make_shared<std::vector<uint8_t>>(std::min(bytes, kPiece), value);
  keep(staging, /*isHost=*/true);
  for (uint64_t done = 0; done < bytes; done += kPiece)
    if (Error e = copyIn(dst, offset + done, staging->data(),
                         std::min(kPiece, bytes - done)))
      return e;
  return Error::success();
}
