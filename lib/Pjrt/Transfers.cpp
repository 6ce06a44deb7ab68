// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between buffers and the memory of the host program.
#include "DeviceMemory.h"
#include <cstring>

using namespace kiln::pjrt;

namespace {

/// Copies an array between memories of any strides, in bytes.
void copyStrided(char *to, const int64_t *toStrides, const char *from,
                 const int64_t *fromStrides, const int64_t *sizes, size_t rank,
                 size_t element) {
  if (!rank) {
    std::memcpy(to, from, element);
    return;
  }
  bool dense = rank == 1 && *toStrides == static_cast<int64_t>(element) &&
               *fromStrides == static_cast<int64_t>(element);
  if (dense) {
    std::memcpy(to, from, element * static_cast<size_t>(*sizes));
    return;
  }
  for (int64_t i = 0; i < *sizes; ++i)
    copyStrided(to + i * *toStrides, toStrides + 1, from + i * *fromStrides,
                fromStrides + 1, sizes + 1, rank - 1, element);
}

/// Strides in bytes when dimensions lie in this order, the fastest first.
std::vector<int64_t> strides(const std::vector<int64_t> &sizes,
                             const int64_t *minorToMajor, size_t element) {
  std::vector<int64_t> result(sizes.size());
  int64_t stride = static_cast<int64_t>(element);
  for (size_t i = 0; i < sizes.size(); ++i) {
    size_t dim = static_cast<size_t>(minorToMajor[i]);
    result[dim] = stride;
    stride *= sizes[dim];
  }
  return result;
}

/// The strides of a layout; an error when it is tiled in earnest, or nonsense.
Error *readLayout(const MemoryLayout *layout, const Buffer &buffer,
                  std::vector<int64_t> &result) {
  size_t element = bytesOf(buffer.type), rank = buffer.sizes.size();
  result = strides(buffer.sizes, buffer.minorToMajor.data(), element);
  if (!layout)
    return nullptr;
  if (layout->kind == LayoutKind::Strided) {
    if (layout->strided.rank != rank)
      return fail(Code::InvalidArgument, "a layout of another rank");
    result.assign(layout->strided.byteStrides,
                  layout->strided.byteStrides + rank);
    return nullptr;
  }
  if (layout->tiled.numTiles)
    return fail(Code::Unimplemented, "unsupported: tiled layouts");
  if (layout->tiled.rank != rank)
    return fail(Code::InvalidArgument, "a layout of another rank");
  std::vector<bool> seen(rank);
  for (size_t i = 0; i < rank; ++i) {
    int64_t dim = layout->tiled.minorToMajor[i];
    if (dim < 0 || dim >= static_cast<int64_t>(rank) || seen[dim])
      return fail(Code::InvalidArgument, "a layout that is no permutation");
    seen[dim] = true;
  }
  result = strides(buffer.sizes, layout->tiled.minorToMajor, element);
  return nullptr;
}

Error *newBuffer(Device *device, ElementType type, const int64_t *sizes,
                 size_t rank, std::unique_ptr<Buffer> &buffer) {
  std::vector<int64_t> shape(sizes, sizes + rank);
  TensorPtr tensor;
  if (Error *error = makeTensor(type, shape, tensor))
    return error;
  buffer = std::make_unique<Buffer>(device, type, std::move(shape), tensor);
  return nullptr;
}

bool isNarrow(ElementType type) {
  return type == ElementType::S2 || type == ElementType::U2 ||
         type == ElementType::S4 || type == ElementType::U4;
}

/// Hosts may leave anything in the bits of a byte that a narrow integer has
/// not.
void extendNarrow(const Buffer &buffer) {
  bool isPair =
      buffer.type == ElementType::S2 || buffer.type == ElementType::U2;
  bool isSigned =
      buffer.type == ElementType::S2 || buffer.type == ElementType::S4;
  if (!isNarrow(buffer.type))
    return;
  int spare = isPair ? 6 : 4;
  auto *bytes = reinterpret_cast<uint8_t *>(dataOf(buffer));
  for (size_t i = 0; i < buffer.bytes; ++i) {
    auto top = static_cast<uint8_t>(bytes[i] << spare);
    bytes[i] = isSigned
                   ? static_cast<uint8_t>(static_cast<int8_t>(top) >> spare)
                   : static_cast<uint8_t>(top >> spare);
  }
}

/// Where a buffer shall be: on a device, in a memory, or anywhere.
template <typename Arguments> Device *placeOf(const Arguments &args) {
  if (args.device)
    return args.device;
  return args.memory ? args.memory->device : args.client->devices.front();
}

/// What a host allows with the memory that it gives.
constexpr int32_t onlyDuringCall = 0;

/// A buffer on the device of memory that the host leaves alone until the copy
/// has ended; null if the memory has to be copied before.
Error *fromStableHost(FromHostArgs &args,
                      const std::shared_ptr<DeviceMemory> &memory,
                      std::unique_ptr<Buffer> &buffer) {
  std::vector<int64_t> sizes(args.sizes, args.sizes + args.rank), shape = sizes;
  if (isComplex(args.type))
    shape.push_back(2);
  size_t stride = bytesOf(args.type);
  for (size_t d = args.rank; d-- > 0;) {
    if (args.byteStrides && args.byteStrides[d] != static_cast<int64_t>(stride))
      return nullptr;
    stride *= static_cast<size_t>(sizes[d]);
  }
  if (args.semantics == onlyDuringCall || isNarrow(args.type) || !stride ||
      dtypeOf(args.type) == KILN_DTYPE_NONE)
    return nullptr;
  KilnTensor *wrapped = nullptr;
  if (kilnTensorWrap(dtypeOf(args.type), static_cast<int>(shape.size()),
                     shape.data(), nullptr, const_cast<void *>(args.data),
                     &wrapped))
    return runtimeError("cannot read the host's memory");
  TensorPtr host(wrapped, TensorDeleter()), tensor;
  uint64_t number = 0;
  if (Error *error = memory->upload(host, tensor, number))
    return error;
  buffer = std::make_unique<Buffer>(placeOf(args), args.type, std::move(sizes),
                                    std::move(tensor));
  buffer->number = number;
  args.doneWithHost = new Event{memory, number};
  return nullptr;
}

Error *fromHost(FromHostArgs &args) {
  std::shared_ptr<DeviceMemory> memory = placeOf(args)->deviceMemory();
  std::unique_ptr<Buffer> buffer;
  if (memory) {
    if (args.byteStrides && args.numByteStrides != args.rank)
      return fail(Code::InvalidArgument, "strides of another rank");
    if (Error *error = fromStableHost(args, memory, buffer))
      return error;
    if (buffer) {
      args.buffer = buffer.release();
      return nullptr;
    }
  }
  if (Error *error =
          newBuffer(placeOf(args), args.type, args.sizes, args.rank, buffer))
    return error;
  if (args.byteStrides && args.numByteStrides != args.rank)
    return fail(Code::InvalidArgument, "strides of another rank");
  if (buffer->bytes) {
    size_t element = bytesOf(args.type);
    std::vector<int64_t> own =
        strides(buffer->sizes, buffer->minorToMajor.data(), element);
    copyStrided(dataOf(*buffer), own.data(),
                static_cast<const char *>(args.data),
                args.byteStrides ? args.byteStrides : own.data(), args.sizes,
                args.rank, element);
    extendNarrow(*buffer);
  }
  TensorPtr there;
  if (memory)
    if (Error *error = tensorOnDevice(*memory, *buffer, there))
      return error;
  args.doneWithHost = new Event;
  args.buffer = buffer.release();
  return nullptr;
}

Error *uninitialized(UninitializedArgs &args) {
  std::unique_ptr<Buffer> buffer;
  if (Error *error =
          newBuffer(placeOf(args), args.type, args.sizes, args.rank, buffer))
    return error;
  TensorPtr there;
  if (std::shared_ptr<DeviceMemory> memory = placeOf(args)->deviceMemory())
    if (Error *error = tensorOnDevice(*memory, *buffer, there))
      return error;
  args.buffer = buffer.release();
  return nullptr;
}

/// Queues a copy of a buffer on the device to row-major memory of the host.
Error *copyOut(const std::shared_ptr<DeviceMemory> &memory,
               const Buffer &buffer, void *to, Event *&done) {
  if (Error *error = memory->check(buffer.number))
    return error;
  const KilnTensor *from = buffer.tensor.get();
  KilnTensor *wrapped = nullptr;
  if (kilnTensorWrap(kilnTensorDType(from), kilnTensorRank(from),
                     kilnTensorShape(from), nullptr, to, &wrapped))
    return runtimeError("cannot write the host's memory");
  TensorPtr host(wrapped, TensorDeleter());
  uint64_t number = 0;
  if (Error *error = memory->copy(from, host.get(), number))
    return error;
  done = new Event{memory, number};
  return nullptr;
}

/// The elements of a buffer on the host: its own, or a copy.
Error *onHost(const Buffer &buffer, TensorPtr &host) {
  host = buffer.tensor;
  if (!kilnTensorIsOnDevice(host.get()))
    return nullptr;
  std::shared_ptr<DeviceMemory> memory = buffer.device->deviceMemory();
  if (Error *error = memory->wait(buffer.number))
    return error;
  return memory->download(buffer.tensor.get(), host);
}

Error *toHost(ToHostArgs &args) {
  const Buffer &buffer = *args.source;
  if (!args.data) {
    args.size = buffer.bytes;
    return nullptr;
  }
  if (!buffer.tensor)
    return fail(Code::InvalidArgument, "the buffer was deleted");
  if (args.size < buffer.bytes)
    return fail(Code::InvalidArgument,
                "no room for the buffer: " + std::to_string(args.size) +
                    " bytes of " + std::to_string(buffer.bytes));
  std::vector<int64_t> target;
  if (Error *error = readLayout(args.layout, buffer, target))
    return error;
  size_t element = bytesOf(buffer.type);
  std::vector<int64_t> own =
      strides(buffer.sizes, buffer.minorToMajor.data(), element);
  if (buffer.bytes && kilnTensorIsOnDevice(buffer.tensor.get()) &&
      target == own)
    return copyOut(buffer.device->deviceMemory(), buffer, args.data, args.done);
  TensorPtr host;
  if (Error *error = onHost(buffer, host))
    return error;
  if (buffer.bytes)
    copyStrided(static_cast<char *>(args.data), target.data(),
                static_cast<const char *>(kilnTensorData(host.get())),
                own.data(), buffer.sizes.data(), buffer.sizes.size(), element);
  args.done = new Event;
  return nullptr;
}

Error *copyRaw(CopyRawArgs &args) {
  const Buffer &buffer = *args.buffer;
  if (!buffer.tensor)
    return fail(Code::InvalidArgument, "the buffer was deleted");
  int64_t bytes = static_cast<int64_t>(buffer.bytes);
  if (args.offset < 0 || args.size < 0 || args.offset > bytes ||
      args.size > bytes - args.offset)
    return fail(Code::OutOfRange, "bytes outside of the buffer");
  TensorPtr host;
  if (Error *error = onHost(buffer, host))
    return error;
  std::memcpy(args.data,
              static_cast<const char *>(kilnTensorData(host.get())) +
                  args.offset,
              static_cast<size_t>(args.size));
  args.done = new Event;
  return nullptr;
}

Device *deviceOf(Device *device) { return device; }
Device *deviceOf(Memory *memory) { return memory->device; }

template <typename Place> Error *copy(CopyArgs<Place> &args) {
  const Buffer &buffer = *args.buffer;
  if (!buffer.tensor)
    return fail(Code::InvalidArgument, "the buffer was deleted");
  Device *to = deviceOf(args.place);
  TensorPtr tensor = buffer.tensor;
  uint64_t number = buffer.number;
  if (to != buffer.device) {
    // Devices with memory of their own exchange through the host.
    number = 0;
    if (Error *error = onHost(buffer, tensor))
      return error;
  }
  // Who writes to a buffer looks whether somebody shares its memory.
  auto made = std::make_unique<Buffer>(to, buffer.type, buffer.sizes, tensor);
  made->number = number;
  TensorPtr there;
  if (std::shared_ptr<DeviceMemory> memory = to->deviceMemory())
    if (Error *error = tensorOnDevice(*memory, *made, there))
      return error;
  args.copy = made.release();
  return nullptr;
}

} // namespace

void kiln::pjrt::addTransfers(Api &api) {
  auto &f = api.functions;
  f[ClientBufferFromHost] = entry<FromHostArgs, fromHost>;
  f[ClientUninitializedBuffer] = entry<UninitializedArgs, uninitialized>;
  f[BufferToHost] = entry<ToHostArgs, toHost>;
  f[BufferCopyRawToHost] = entry<CopyRawArgs, copyRaw>;
  f[BufferCopyToDevice] = entry<CopyArgs<Device>, copy<Device>>;
  f[BufferCopyToMemory] = entry<CopyArgs<Memory>, copy<Memory>>;
}
