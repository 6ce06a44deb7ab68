// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the device and pinned memory of the host, copies and fills.
#include "StreamDevice.h"

using namespace kiln::streams;
using kiln::runtime::failDriver;

namespace {

constexpr uint64_t kOwnAlignment = 256;

int allocate(KilnDevice *device, uint32_t kind, uint64_t bytes,
             uint64_t alignment, KilnBuffer **buffer, KilnError *error) {
  if (kind > 1)
    return failDriver(error, "there are memory kinds 0 and 1");
  if (alignment > 65536 || (alignment & (alignment - 1)))
    return failDriver(error, "an alignment of " + std::to_string(alignment) +
                                 " is out of range");
  if (bytes > uint64_t(1) << 46)
    return failDriver(error, std::to_string(bytes) + " bytes are out of range");
  device->enter();
  uint64_t extra = alignment > kOwnAlignment ? alignment - kOwnAlignment : 0;
  uint64_t total = (bytes ? bytes : 1) + extra;
  auto created = std::make_unique<KilnBuffer>();
  created->bytes = bytes;
  if (kind == 0) {
    if (check(device, device->api->allocate(&created->owned, total),
              "allocating " + std::to_string(bytes) + " bytes", error))
      return 1;
  } else {
    void *memory = nullptr;
    if (check(device, device->api->allocateHost(&memory, total),
              "allocating " + std::to_string(bytes) + " bytes of the host",
              error))
      return 1;
    created->host = memory;
    created->owned = reinterpret_cast<uintptr_t>(memory);
  }
  uint64_t align = alignment ? alignment : 1;
  created->address = (created->owned + align - 1) / align * align;
  if (created->host)
    created->host = static_cast<char *>(created->host) +
                    (created->address - created->owned);
  *buffer = created.release();
  return 0;
}

void release(KilnDevice *device, KilnBuffer *buffer) {
  if (buffer->owned)
    device->enter();
  if (buffer->host)
    device->api->releaseHost(reinterpret_cast<void *>(buffer->owned));
  else if (buffer->owned)
    device->api->release(buffer->owned);
  delete buffer;
}

int exportHost(KilnDevice *, KilnBuffer *buffer, void **address,
               KilnError *error) {
  if (!buffer->host)
    return failDriver(error, "the host does not see this memory");
  *address = buffer->host;
  return 0;
}

int exportAddress(KilnDevice *, KilnBuffer *buffer, uint64_t *address,
                  KilnError *) {
  *address = buffer->address;
  return 0;
}

int importAddress(KilnDevice *, uint64_t address, uint64_t bytes,
                  KilnBuffer **buffer, KilnError *) {
  *buffer = new KilnBuffer{address, bytes, nullptr, 0};
  return 0;
}

bool isInside(const KilnBuffer *buffer, uint64_t offset, uint64_t bytes) {
  return offset <= buffer->bytes && bytes <= buffer->bytes - offset;
}

int outside(KilnError *error) {
  return failDriver(error, "the range is outside of the buffer");
}

int copyIn(KilnDevice *device, KilnQueue *queue, KilnBuffer *dst,
           uint64_t offset, const void *src, uint64_t bytes, KilnError *error) {
  if (!isInside(dst, offset, bytes))
    return outside(error);
  if (!bytes)
    return 0;
  device->enter();
  return check(device,
               device->api->copyIn(dst->address + offset, src, bytes,
                                   streamOf(device, queue)),
               "copy to the device", error) ||
         settle(device, queue, "copy to the device", error);
}

int copyOut(KilnDevice *device, KilnQueue *queue, void *dst, KilnBuffer *src,
            uint64_t offset, uint64_t bytes, KilnError *error) {
  if (!isInside(src, offset, bytes))
    return outside(error);
  if (!bytes)
    return 0;
  device->enter();
  return check(device,
               device->api->copyOut(dst, src->address + offset, bytes,
                                    streamOf(device, queue)),
               "copy from the device", error) ||
         settle(device, queue, "copy from the device", error);
}

int copy(KilnDevice *device, KilnQueue *queue, KilnBuffer *dst,
         uint64_t dstOffset, KilnBuffer *src, uint64_t srcOffset,
         uint64_t bytes, KilnError *error) {
  if (!isInside(dst, dstOffset, bytes) || !isInside(src, srcOffset, bytes))
    return outside(error);
  if (!bytes)
    return 0;
  device->enter();
  return check(device,
               device->api->copy(dst->address + dstOffset,
                                 src->address + srcOffset, bytes,
                                 streamOf(device, queue)),
               "copy", error) ||
         settle(device, queue, "copy", error);
}

int fill(KilnDevice *device, KilnQueue *queue, KilnBuffer *dst, uint64_t offset,
         uint64_t bytes, uint8_t value, KilnError *error) {
  if (!isInside(dst, offset, bytes))
    return outside(error);
  if (!bytes)
    return 0;
  device->enter();
  return check(device,
               device->api->fill(dst->address + offset, value, bytes,
                                 streamOf(device, queue)),
               "fill", error) ||
         settle(device, queue, "fill", error);
}

} // namespace

void kiln::streams::addMemory(KilnDeviceDriver &table) {
  table.allocate = allocate;
  table.release = release;
  table.exportHost = exportHost;
  table.exportAddress = exportAddress;
  table.importAddress = importAddress;
  table.copyIn = copyIn;
  table.copyOut = copyOut;
  table.copy = copy;
  table.fill = fill;
}
