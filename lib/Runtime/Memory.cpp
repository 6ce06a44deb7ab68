// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocations, views and copies of the host program.
#include "Interpreter.h"

using namespace kiln::runtime;

Error Interpreter::run(const ArenaInst &inst) {
  Arena &arena = arenas[{inst.device, inst.memory}];
  int64_t bytes = regs[size_t(inst.bytes)];
  if (arena.isReserved)
    return Error("the arena of device '" +
                 target.program.devices[size_t(inst.device)].name +
                 "' is reserved twice");
  if (bytes < 0)
    return Error("an arena of " + std::to_string(bytes) + " bytes");
  arena.isReserved = true;
  arena.bytes = bytes;
  report.arenaBytes += bytes;
  if (isDry())
    return Error::success();
  auto memory = isDeferred()
                    ? standIn(inst.device, inst.memory, bytes)
                    : session->arena(inst.device, inst.memory, uint64_t(bytes));
  if (!memory)
    return memory.takeError();
  arena.memory = *memory;
  return Error::success();
}

/// Work that is queued may still use what a register held before.
void Interpreter::set(Buf index, BufferValue value) {
  BufferValue &to = bufs[size_t(index)];
  if (to.memory && !isDeferred())
    to.memory->device->keep(to.memory);
  to = std::move(value);
}

Error Interpreter::run(const AllocInst &inst) {
  BufferValue value;
  value.isSet = true;
  value.device = inst.device;
  value.dtype = inst.dtype;
  value.sizes = values(inst.sizes);
  value.strides = rowMajor(value.sizes);
  std::optional<int64_t> count = checkedCount(value.sizes);
  if (!count)
    return Error("cannot allocate a tensor of type " +
                 typeString(inst.dtype, value.sizes));
  int64_t bytes = *count * dtypeBytes(inst.dtype);
  if (inst.offset != kNone) {
    const Arena &arena = arenas[{inst.device, inst.memory}];
    int64_t offset = regs[size_t(inst.offset)];
    if (offset < 0 || offset > arena.bytes || bytes > arena.bytes - offset)
      return Error("a tensor of " + std::to_string(bytes) +
                   " bytes at offset " + std::to_string(offset) +
                   " does not fit the arena of " + std::to_string(arena.bytes) +
                   " bytes");
    value.memory = arena.memory;
    value.begin = offset;
    report.arenaTensorBytes += bytes;
  } else {
    report.ownBytes += bytes;
    value.isOwn = true;
    if (!isDry())
      if (Error error = allocateOwn(inst, bytes, value))
        return error;
  }
  value.regionBegin = value.begin;
  value.regionEnd = value.begin + bytes;
  set(inst.dst, std::move(value));
  return Error::success();
}

Error Interpreter::allocateOwn(const AllocInst &inst, int64_t bytes,
                               BufferValue &value) {
  Expected<bool> isGiven = allocateGiven(inst, bytes, value);
  if (!isGiven || *isGiven)
    return isGiven ? Error::success() : isGiven.takeError();
  if (isDeferred()) {
    auto memory = standIn(inst.device, inst.memory, bytes);
    if (!memory)
      return memory.takeError();
    value.memory = *memory;
    return Error::success();
  }
  Device &on = device(inst.device);
  Expected<uint32_t> kind = on.memoryKind(inst.memory);
  if (!kind)
    return kind.takeError();
  Expected<std::shared_ptr<DeviceBuffer>> memory = Error("not allocated yet");
  if (on.importsHost() && !*kind) {
    Expected<Storage> storage = session->pool->allocate(size_t(bytes));
    if (!storage)
      return storage.takeError();
    value.host = *storage;
    memory = on.import(storage->data, uint64_t(bytes), storage->owner);
  } else {
    memory = on.allocate(uint64_t(bytes), *kind);
  }
  if (!memory)
    return memory.takeError();
  value.memory = *memory;
  return Error::success();
}

Error Interpreter::run(const ConstantInst &inst) {
  const Constant *constant = package.lookupConstant(inst.name);
  if (!constant)
    return Error("the package has no constant '" + inst.name + "'");
  BufferValue value;
  value.isSet = true;
  value.device = inst.device;
  value.dtype = constant->dtype;
  value.sizes = constant->shape;
  value.strides = rowMajor(value.sizes);
  value.regionEnd =
      checkedCount(constant->shape).value_or(0) * dtypeBytes(constant->dtype);
  if (!isDry()) {
    auto memory = session->constant(inst.device, *constant);
    if (!memory)
      return memory.takeError();
    value.memory = *memory;
  }
  set(inst.dst, std::move(value));
  return Error::success();
}

Error Interpreter::run(const ViewInst &inst) {
  Expected<const BufferValue *> src = buffer(inst.src);
  if (!src)
    return src.takeError();
  BufferValue value = **src;
  value.isGiven = false;
  if (inst.dtype != DType::none)
    value.dtype = inst.dtype;
  value.sizes = values(inst.sizes);
  value.strides =
      inst.strides.empty() ? rowMajor(value.sizes) : values(inst.strides);
  int64_t offset = inst.offset == kNone ? 0 : regs[size_t(inst.offset)];
  int64_t low = 0, high = 0;
  auto range = windowOf(value.dtype, value.sizes, value.strides);
  bool isInside =
      range &&
      !__builtin_mul_overflow(offset, dtypeBytes(value.dtype), &offset) &&
      !__builtin_add_overflow(value.begin, offset, &value.begin) &&
      !__builtin_add_overflow(value.begin, range->first, &low) &&
      !__builtin_add_overflow(value.begin, range->second, &high);
  // An empty window may lie anywhere.
  if (isInside && range->second)
    isInside = low >= value.regionBegin && high <= value.regionEnd;
  if (!isInside)
    return Error("a view of type " + typeString(value.dtype, value.sizes) +
                 " reaches outside of its buffer of " +
                 std::to_string(value.regionEnd - value.regionBegin) +
                 " bytes");
  if (!range->second)
    value.begin = value.regionBegin;
  set(inst.dst, std::move(value));
  return Error::success();
}

Error Interpreter::run(const FillInst &inst) {
  Expected<const BufferValue *> dst =
      isDry() ? buffer(inst.dst) : ready(inst.dst);
  if (!dst)
    return dst.takeError();
  const BufferValue &to = **dst;
  if (!to.isContiguous())
    return Error("a fill of a buffer that is not contiguous");
  if (isDry())
    return Error::success();
  auto fill = [on = shared(to.device), memory = to.memory, begin = to.begin,
               bytes = to.numElements() * dtypeBytes(to.dtype),
               byte = inst.byte] {
    return on->fill(*memory, uint64_t(begin), uint64_t(bytes), byte);
  };
  return perform(to.device, fill);
}

Error Interpreter::run(const CopyInst &inst) {
  Expected<const BufferValue *> dst = buffer(inst.dst);
  Expected<const BufferValue *> src = buffer(inst.src);
  if (!dst || !src)
    return dst ? src.takeError() : dst.takeError();
  if ((*dst)->sizes != (*src)->sizes ||
      dtypeBytes((*dst)->dtype) != dtypeBytes((*src)->dtype))
    return Error("a copy from " + typeString((*src)->dtype, (*src)->sizes) +
                 " to " + typeString((*dst)->dtype, (*dst)->sizes));
  if (isDry() || !(*dst)->numElements())
    return Error::success();
  dst = ready(inst.dst);
  if (!dst)
    return dst.takeError();
  // What the host has goes to another device without a stop on this one.
  bool isOnHost =
      (*src)->argument.data && !(*src)->isWritable && !(*src)->memory;
  if (!isOnHost || (*src)->device == (*dst)->device) {
    src = ready(inst.src);
    if (!src)
      return src.takeError();
  }
  return transfer(**src, **dst);
}

/// Copies elements between buffers, on one device or two; `from` may be an
/// argument that is still on the host only.
Error Interpreter::transfer(const BufferValue &from, const BufferValue &to) {
  std::shared_ptr<Device> on = shared(to.device);
  uint64_t bytes = uint64_t(to.numElements() * dtypeBytes(to.dtype));
  bool isDense = to.isContiguous() && from.isContiguous();
  if (from.memory && from.device == to.device && isDense) {
    auto copy = [on, from, to, bytes] {
      return on->copy(*to.memory, uint64_t(to.begin), *from.memory,
                      uint64_t(from.begin), bytes);
    };
    return perform(to.device, copy);
  }
  if (!from.memory) {
    Tensor tensor;
    tensor.dtype = from.dtype;
    tensor.shape = from.sizes;
    tensor.strides = from.strides;
    // Strides may be negative, and views begin at any byte of the argument.
    tensor.storage = from.argument;
    tensor.storage.data = static_cast<char *>(from.argument.data) + from.begin;
    touchesHost = true;
    auto copy = [on, tensor, to] { return store(*on, tensor, to); };
    bool isQueued = isDense;
    return perform(isQueued ? to.device : Tape::kHost, copy);
  }
  auto copy = [on, from, to, source = shared(from.device)]() -> Error {
    Expected<Tensor> staged = fetch(*source, from);
    if (!staged)
      return staged.takeError();
    return store(*on, *staged, to);
  };
  return perform(Tape::kHost, copy);
}

Error Interpreter::run(const ReadInst &inst) {
  Expected<const BufferValue *> src =
      isDry() ? buffer(inst.src) : ready(inst.src);
  if (!src)
    return src.takeError();
  const BufferValue &from = **src;
  int64_t index = inst.index == kNone ? 0 : regs[size_t(inst.index)];
  if (!from.isContiguous() || !isInteger(from.dtype) || index < 0 ||
      index >= from.numElements())
    return Error("element " + std::to_string(index) + " of a buffer of type " +
                 typeString(from.dtype, from.sizes) + " cannot be read");
  if (isDry())
    return Error("its sizes depend on the contents of tensors");
  if (tape)
    return Error("unsupported: a recording of a program whose course depends "
                 "on the contents of tensors");
  int64_t width = dtypeBytes(from.dtype);
  char bytes[8] = {};
  Device &on = device(from.device);
  if (Error error =
          on.copyOut(bytes, *from.memory, uint64_t(from.begin + index * width),
                     uint64_t(width)))
    return error;
  if (Error error = on.synchronize())
    return error;
  regs[size_t(inst.dst)] = loadAsInt(from.dtype, bytes, 0);
  return Error::success();
}
