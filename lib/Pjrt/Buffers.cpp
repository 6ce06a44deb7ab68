// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a buffer says of itself, and who may use it how long.
#include "DeviceMemory.h"

using namespace kiln::pjrt;

Buffer::Buffer(Device *device, ElementType type, std::vector<int64_t> sizes,
               TensorPtr tensor)
    : device(device), type(type), sizes(std::move(sizes)),
      tensor(std::move(tensor)), bytes(bytesOf(type)) {
  for (int64_t size : this->sizes)
    bytes *= static_cast<size_t>(size);
  for (size_t i = this->sizes.size(); i-- > 0;)
    minorToMajor.push_back(static_cast<int64_t>(i));
  device->bytesInUse += static_cast<int64_t>(bytes);
}

Buffer::~Buffer() { device->bytesInUse -= static_cast<int64_t>(bytes); }

namespace {

Error *destroy(Args<Buffer> &args) {
  delete args.object;
  return nullptr;
}

Error *elementType(Args<Buffer, ElementType> &args) {
  args.first = args.object->type;
  return nullptr;
}

Error *sizes(Args<Buffer, const int64_t *, size_t> &args) {
  args.first = args.object->sizes.data();
  args.second = args.object->sizes.size();
  return nullptr;
}

Error *noDynamic(Args<Buffer, const size_t *, size_t> &args) {
  args.first = nullptr;
  args.second = 0;
  return nullptr;
}

Error *layout(BufferLayoutArgs &args) {
  args.layout = {};
  args.layout.head.structSize = sizeof(MemoryLayout);
  args.layout.kind = LayoutKind::Tiled;
  TiledLayout &tiled = args.layout.tiled;
  tiled.head.structSize = sizeof(TiledLayout);
  tiled.minorToMajor = args.buffer->minorToMajor.data();
  tiled.rank = args.buffer->minorToMajor.size();
  return nullptr;
}

Error *bytes(Args<Buffer, size_t> &args) {
  args.first = args.object->bytes;
  return nullptr;
}

Error *device(Args<Buffer, Device *> &args) {
  args.first = args.object->device;
  return nullptr;
}

Error *memory(Args<Buffer, Memory *> &args) {
  args.first = &args.object->device->memory;
  return nullptr;
}

Error *erase(Args<Buffer> &args) {
  args.object->tensor = nullptr;
  return nullptr;
}

Error *isDeleted(Args<Buffer, bool> &args) {
  args.first = !args.object->tensor;
  return nullptr;
}

Error *onCpu(Args<Buffer, bool> &args) {
  args.first = !kilnTensorIsOnDevice(args.object->tensor.get());
  return nullptr;
}

Error *readyEvent(Args<Buffer, Event *> &args) {
  args.first =
      new Event{args.object->device->deviceMemory(), args.object->number};
  return nullptr;
}

/// A host that holds a buffer keeps the object, and with it the memory.
Error *hold(Args<Buffer> &args) {
  ++args.object->held;
  return nullptr;
}

Error *release(Args<Buffer> &args) {
  --args.object->held;
  return nullptr;
}

template <typename Pointer> Error *pointer(Args<Buffer, Pointer> &args) {
  if (!args.object->tensor)
    return fail(Code::InvalidArgument, "the buffer was deleted");
  void *address = nullptr;
  if (kilnTensorAddress(args.object->tensor.get(), &address))
    return runtimeError("cannot find a buffer");
  args.first = reinterpret_cast<Pointer>(address);
  return nullptr;
}

} // namespace

void kiln::pjrt::addBuffers(Api &api) {
  auto &f = api.functions;
  f[BufferDestroy] = entry<Args<Buffer>, destroy>;
  f[BufferElementType] = entry<Args<Buffer, ElementType>, elementType>;
  f[BufferSizes] = entry<Args<Buffer, const int64_t *, size_t>, sizes>;
  f[BufferUnpaddedSizes] = f[BufferSizes];
  f[BufferDynamicDimensions] =
      entry<Args<Buffer, const size_t *, size_t>, noDynamic>;
  f[BufferLayout] = entry<BufferLayoutArgs, layout>;
  f[BufferBytes] = entry<Args<Buffer, size_t>, bytes>;
  f[BufferDevice] = entry<Args<Buffer, Device *>, device>;
  f[BufferMemory] = entry<Args<Buffer, Memory *>, memory>;
  f[BufferDelete] = entry<Args<Buffer>, erase>;
  f[BufferIsDeleted] = entry<Args<Buffer, bool>, isDeleted>;
  f[BufferIsOnCpu] = entry<Args<Buffer, bool>, onCpu>;
  f[BufferReadyEvent] = entry<Args<Buffer, Event *>, readyEvent>;
  f[BufferHold] = entry<Args<Buffer>, hold>;
  f[BufferRelease] = entry<Args<Buffer>, release>;
  f[BufferUnsafePointer] = entry<Args<Buffer, uintptr_t>, pointer<uintptr_t>>;
  f[BufferDataPointer] = entry<Args<Buffer, void *>, pointer<void *>>;
}
