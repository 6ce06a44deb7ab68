// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocations, views and copies of the host program.
#include "Interpreter.h"
#include <cstring>

using namespace kiln::runtime;

namespace {

/// Byte range, relative to the first element, that a strided window touches;
/// nothing when it overflows.
std::optional<std::pair<int64_t, int64_t>>
window(DType dtype, const std::vector<int64_t> &sizes,
       const std::vector<int64_t> &strides) {
  std::optional<int64_t> count = checkedCount(sizes);
  if (!count)
    return std::nullopt;
  if (!*count)
    return std::make_pair<int64_t, int64_t>(0, 0);
  int64_t low = 0, high = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(sizes[d] - 1, strides[d], &reach) ||
        __builtin_add_overflow(reach < 0 ? low : high, reach,
                               reach < 0 ? &low : &high))
      return std::nullopt;
  }
  int64_t width = dtypeBytes(dtype);
  if (__builtin_mul_overflow(low, width, &low) ||
      __builtin_add_overflow(high, 1, &high) ||
      __builtin_mul_overflow(high, width, &high))
    return std::nullopt;
  return std::make_pair(low, high);
}

/// Calls fn(destination, source) for every element of a row-major walk.
template <typename Fn> void walk(const std::vector<int64_t> &sizes, Fn fn) {
  std::vector<int64_t> at(sizes.size(), 0);
  int64_t count = checkedCount(sizes).value_or(0);
  for (int64_t i = 0; i < count; ++i) {
    fn(i, at);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++at[d] < sizes[d])
        break;
      at[d] = 0;
    }
  }
}

} // namespace

Error Interpreter::run(const ArenaInst &inst) {
  Arena &arena = arenas[size_t(inst.device)];
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
  auto memory = session->arena(inst.device, uint64_t(bytes));
  if (!memory)
    return memory.takeError();
  arena.memory = *memory;
  return Error::success();
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
    const Arena &arena = arenas[size_t(inst.device)];
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
    if (!isDry()) {
      Device &on = device(inst.device);
      Expected<std::shared_ptr<DeviceBuffer>> memory =
          Error("not allocated yet");
      if (on.importsHost()) {
        Expected<Storage> storage = session->pool->allocate(size_t(bytes));
        if (!storage)
          return storage.takeError();
        value.host = *storage;
        memory = on.import(storage->data, uint64_t(bytes), storage->owner);
      } else {
        memory = on.allocate(uint64_t(bytes));
      }
      if (!memory)
        return memory.takeError();
      value.memory = *memory;
    }
  }
  value.regionBegin = value.begin;
  value.regionEnd = value.begin + bytes;
  bufs[size_t(inst.dst)] = std::move(value);
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
  bufs[size_t(inst.dst)] = std::move(value);
  return Error::success();
}

Error Interpreter::run(const ViewInst &inst) {
  Expected<const BufferValue *> src = buffer(inst.src);
  if (!src)
    return src.takeError();
  BufferValue value = **src;
  if (inst.dtype != DType::none)
    value.dtype = inst.dtype;
  value.sizes = values(inst.sizes);
  value.strides =
      inst.strides.empty() ? rowMajor(value.sizes) : values(inst.strides);
  int64_t offset = inst.offset == kNone ? 0 : regs[size_t(inst.offset)];
  int64_t low = 0, high = 0;
  auto range = window(value.dtype, value.sizes, value.strides);
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
  bufs[size_t(inst.dst)] = std::move(value);
  return Error::success();
}

Error Interpreter::run(const FillInst &inst) {
  Expected<const BufferValue *> dst = buffer(inst.dst);
  if (!dst)
    return dst.takeError();
  const BufferValue &to = **dst;
  if (!to.isContiguous())
    return Error("a fill of a buffer that is not contiguous");
  if (isDry())
    return Error::success();
  return device(to.device).fill(
      *to.memory, uint64_t(to.begin),
      uint64_t(to.numElements() * dtypeBytes(to.dtype)), inst.byte);
}

Error Interpreter::run(const CopyInst &inst) {
  Expected<const BufferValue *> dst = buffer(inst.dst);
  Expected<const BufferValue *> src = buffer(inst.src);
  if (!dst || !src)
    return dst ? src.takeError() : dst.takeError();
  const BufferValue &to = **dst, &from = **src;
  if (to.sizes != from.sizes || dtypeBytes(to.dtype) != dtypeBytes(from.dtype))
    return Error("a copy from " + typeString(from.dtype, from.sizes) + " to " +
                 typeString(to.dtype, to.sizes));
  if (isDry() || !to.numElements())
    return Error::success();
  if (to.device == from.device && to.isContiguous() && from.isContiguous())
    return device(to.device).copy(
        *to.memory, uint64_t(to.begin), *from.memory, uint64_t(from.begin),
        uint64_t(to.numElements() * dtypeBytes(to.dtype)));
  Expected<Tensor> staged = download(from);
  if (!staged)
    return staged.takeError();
  return upload(*staged, to);
}

Error Interpreter::run(const ReadInst &inst) {
  Expected<const BufferValue *> src = buffer(inst.src);
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
  int64_t width = dtypeBytes(from.dtype);
  char bytes[8] = {};
  if (Error error =
          device(from.device)
              .copyOut(bytes, *from.memory,
                       uint64_t(from.begin + index * width), uint64_t(width)))
    return error;
  regs[size_t(inst.dst)] = loadAsInt(from.dtype, bytes, 0);
  return Error::success();
}

/// Row-major host copy of a buffer.
Expected<Tensor> Interpreter::download(const BufferValue &from) {
  Expected<Tensor> out =
      Tensor::create(from.dtype, from.sizes, /*zeroed=*/false);
  if (!out || !from.numElements())
    return out;
  Device &on = device(from.device);
  int64_t width = dtypeBytes(from.dtype);
  if (from.isContiguous()) {
    if (Error error =
            on.copyOut(out->data(), *from.memory, uint64_t(from.begin),
                       uint64_t(from.numElements() * width)))
      return error;
    return out;
  }
  auto range = window(from.dtype, from.sizes, from.strides);
  std::vector<char> region(size_t(range->second - range->first));
  if (Error error =
          on.copyOut(region.data(), *from.memory,
                     uint64_t(from.begin + range->first), region.size()))
    return error;
  auto *to = static_cast<char *>(out->data());
  walk(from.sizes, [&](int64_t i, const std::vector<int64_t> &at) {
    int64_t offset = 0;
    for (size_t d = 0; d < at.size(); ++d)
      offset += at[d] * from.strides[d];
    std::memcpy(to + i * width, region.data() + offset * width - range->first,
                size_t(width));
  });
  return out;
}

/// Writes row-major host data to a buffer of any strides.
Error Interpreter::upload(const Tensor &tensor, const BufferValue &to) {
  Device &on = device(to.device);
  int64_t width = dtypeBytes(to.dtype);
  if (to.isContiguous())
    return on.copyIn(*to.memory, uint64_t(to.begin), tensor.data(),
                     uint64_t(to.numElements() * width));
  // What lies between the elements has to stay as it is.
  auto range = window(to.dtype, to.sizes, to.strides);
  std::vector<char> region(size_t(range->second - range->first));
  uint64_t start = uint64_t(to.begin + range->first);
  if (Error error = on.copyOut(region.data(), *to.memory, start, region.size()))
    return error;
  auto *from = static_cast<const char *>(tensor.data());
  walk(to.sizes, [&](int64_t i, const std::vector<int64_t> &at) {
    int64_t offset = 0;
    for (size_t d = 0; d < at.size(); ++d)
      offset += at[d] * to.strides[d];
    std::memcpy(region.data() + offset * width - range->first, from + i * width,
                size_t(width));
  });
  return on.copyIn(*to.memory, start, region.data(), region.size());
}
