// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What comes out of a call: new tensors, or those of the caller.
#include "kiln/Runtime/Results.h"
#include "Interpreter.h"
#include <algorithm>
#include <cstring>

using namespace kiln::runtime;

namespace {

/// The unsigned type of integers that a program has without sign.
DType unsignedType(DType dtype) {
  for (DType type : {DType::u8, DType::u16, DType::u32, DType::u64})
    if (signlessType(type) == dtype)
      return type;
  return dtype;
}

/// Kernels are given memory of the caller from here on.
constexpr uint64_t kGivenAlign = 16;

/// Whether two tensors may share bytes.
bool overlap(const Tensor &a, const Tensor &b) {
  if (a.onDevice || b.onDevice) {
    if (!a.onDevice || !b.onDevice)
      return false;
    // Memory of others is known by its addresses.
    const DeviceBuffer &x = *a.onDevice, &y = *b.onDevice;
    return &x == &y ||
           (x.position && y.position && x.position < y.position + y.bytes &&
            y.position < x.position + x.bytes);
  }
  auto *first = static_cast<char *>(a.storage.data);
  auto *second = static_cast<char *>(b.storage.data);
  return first < second + b.storage.bytes && second < first + a.storage.bytes;
}

} // namespace

ResultPlan::ResultPlan(const Function &function)
    : allocs(function.results.size(), nullptr) {
  const auto *end = std::get_if<ReturnInst>(&function.code.back().body);
  StaticBuffers known(function);
  for (const Instruction &inst : function.code) {
    const auto *alloc = std::get_if<AllocInst>(&inst.body);
    if (!alloc || alloc->offset != kNone || !known.isDefinedOnce(alloc->dst))
      continue;
    auto found =
        std::find(end->results.begin(), end->results.end(), alloc->dst);
    bool isReturnedOnce =
        std::count(end->results.begin(), end->results.end(), alloc->dst) == 1;
    if (isReturnedOnce)
      allocs[size_t(found - end->results.begin())] = alloc;
  }
}

/// Finds the allocations whose place the caller's tensors can take.
Error Interpreter::planResults(const std::vector<Tensor> &args) {
  if (!options.into)
    return Error::success();
  const std::vector<Tensor> &into = *options.into;
  if (into.size() != function.results.size())
    return Error("'" + function.name + "' has " +
                 std::to_string(function.results.size()) + " results, " +
                 std::to_string(into.size()) + " tensors for them given");
  const ResultPlan &plan = session->resultPlan(function);
  for (size_t k = 0; k < into.size(); ++k) {
    const AllocInst *alloc = plan.allocs[k];
    if (!alloc || !into[k].isContiguous() || into[k].isReadonly)
      continue;
    Device &on = device(alloc->device);
    bool fits = into[k].onDevice ? into[k].onDevice->device.get() == &on
                                 : on.importsHost() && alloc->memory.empty();
    uint64_t position =
        into[k].onDevice
            ? bufferOf(into[k], 0).position()
            : uint64_t(reinterpret_cast<uintptr_t>(into[k].data()));
    fits &= position % std::max(kGivenAlign, session->maxAlign) == 0;
    for (const Tensor &arg : args)
      fits &= !overlap(arg, into[k]);
    for (size_t other = 0; other < into.size(); ++other)
      fits &= other == k || !overlap(into[other], into[k]);
    if (fits)
      givenResults[alloc] = k;
  }
  return Error::success();
}

static Error checkGiven(const Function &function, size_t index,
                        const Tensor &given, DType dtype,
                        const std::vector<int64_t> &sizes) {
  if (given.dtype == dtype && given.shape == sizes)
    return Error::success();
  return Error("result " + std::to_string(index) + " of '" + function.name +
               "': the tensor for it is " +
               typeString(given.dtype, given.shape) + ", the result " +
               typeString(dtype, sizes));
}

/// Lets an allocation be the caller's tensor; false when it is to be one of
/// its own.
Expected<bool> Interpreter::allocateGiven(const AllocInst &inst, int64_t bytes,
                                          BufferValue &value) {
  auto found = givenResults.find(&inst);
  if (found == givenResults.end())
    return false;
  const Tensor &given = (*options.into)[found->second];
  if (Error error =
          checkGiven(function, found->second, given, value.dtype, value.sizes))
    return error;
  if (given.onDevice) {
    value.memory = given.onDevice;
    value.begin = given.offset * dtypeBytes(given.dtype);
  } else {
    auto memory =
        device(inst.device)
            .import(given.data(), uint64_t(bytes), given.storage.owner);
    if (!memory)
      return memory.takeError();
    value.memory = *memory;
  }
  value.isGiven = true;
  return true;
}

Error Interpreter::putResult(size_t index, const BufferValue &value,
                             const Tensor &given) {
  if (Error error =
          checkGiven(function, index, given, value.dtype, value.sizes))
    return error;
  if (given.isReadonly)
    return Error("result " + std::to_string(index) + " of '" + function.name +
                 "': the owner of the tensor for it forbids to write it");
  if (value.isGiven || !given.numElements())
    return Error::success();
  if (given.onDevice) {
    // In its place already, as an argument.
    if (value.memory == given.onDevice && value.isContiguous() &&
        given.isContiguous() &&
        value.begin == given.offset * dtypeBytes(given.dtype))
      return Error::success();
    for (size_t d = 0; d < session->devices.size(); ++d)
      if (session->devices[d].device == given.onDevice->device)
        return transfer(value, bufferOf(given, int32_t(d)));
    return Error("result " + std::to_string(index) + " of '" + function.name +
                 "': the tensor for it is on a device of another session");
  }
  // An argument that the program has written, and the caller's result as well.
  if (value.argument.data && value.isContiguous() && given.isContiguous() &&
      static_cast<char *>(value.argument.data) + value.begin == given.data() &&
      device(value.device).importsHost())
    return Error::success();
  touchesHost = true;
  std::shared_ptr<Device> on = shared(value.device);
  if (value.isContiguous() && given.isContiguous() &&
      session->devices.size() == 1) {
    auto copy = [on, value, given] {
      return on->copyOut(
          given.data(), *value.memory, uint64_t(value.begin),
          uint64_t(given.numElements() * dtypeBytes(given.dtype)));
    };
    return perform(value.device, copy);
  }
  auto copy = [on, value, given]() -> Error {
    Expected<Tensor> host = fetch(*on, value);
    if (!host)
      return host.takeError();
    copyElements(*host, given);
    return Error::success();
  };
  for (SessionDevice &other : session->devices)
    if (Error error = other.device->synchronize())
      return error;
  return perform(Tape::kHost, copy);
}

/// A new tensor on the host; the bytes are there when the devices have been
/// waited for.
Expected<Tensor> Interpreter::takeOnHost(const BufferValue &value) {
  touchesHost = true;
  std::shared_ptr<Device> on = shared(value.device);
  Tensor tensor;
  tensor.dtype = value.dtype;
  tensor.shape = value.sizes;
  tensor.strides = rowMajor(value.sizes);
  size_t bytes = size_t(value.numElements() * dtypeBytes(value.dtype));
  Expected<Storage> storage = session->pool->allocate(bytes);
  if (!storage)
    return storage.takeError();
  tensor.storage = *storage;
  auto copy = [on, value, tensor, bytes]() -> Error {
    if (value.isContiguous())
      return on->copyOut(tensor.data(), *value.memory, uint64_t(value.begin),
                         bytes);
    Expected<Tensor> host = fetch(*on, value);
    if (!host)
      return host.takeError();
    copyElements(*host, tensor);
    return Error::success();
  };
  int32_t where = value.isContiguous() ? value.device : Tape::kHost;
  if (bytes)
    if (Error error = perform(where, copy))
      return error;
  return tensor;
}

/// A tensor on the device that made it.
Expected<Tensor> Interpreter::takeOnDevice(const BufferValue &value) {
  Tensor tensor;
  tensor.dtype = value.dtype;
  tensor.shape = value.sizes;
  tensor.strides = value.strides;
  if (value.isOwn && value.begin % dtypeBytes(value.dtype) == 0) {
    tensor.onDevice = value.memory;
    tensor.offset = value.begin / dtypeBytes(value.dtype);
    return tensor;
  }
  tensor.strides = rowMajor(value.sizes);
  auto memory =
      device(value.device)
          .allocate(uint64_t(value.numElements() * dtypeBytes(value.dtype)));
  if (!memory)
    return memory.takeError();
  tensor.onDevice = *memory;
  if (Error error = transfer(value, bufferOf(tensor, value.device)))
    return error;
  return tensor;
}

Expected<Tensor> Interpreter::takeResult(size_t index) {
  const Result &declared = function.results[index];
  const BufferValue &value = *results[index];
  bool fits = value.dtype == declared.dtype &&
              value.sizes.size() == declared.shape.size();
  for (size_t d = 0; fits && d < value.sizes.size(); ++d)
    fits = declared.shape[d] == kDynamic || declared.shape[d] == value.sizes[d];
  if (!fits)
    return Error(
        "result " + std::to_string(index) + " of '" + function.name +
        "': declared as " + typeString(declared.dtype, declared.shape) +
        ", the program returns " + typeString(value.dtype, value.sizes));
  if (options.into) {
    const Tensor &given = (*options.into)[index];
    if (Error error = putResult(index, value, given))
      return error;
    return given;
  }
  bool isShared = false;
  for (size_t earlier = 0; earlier < index; ++earlier)
    isShared |= results[earlier]->memory == value.memory;
  if (options.resultsOnDevice && !device(value.device).importsHost()) {
    BufferValue taken = value;
    taken.isOwn &= !isShared;
    return takeOnDevice(taken);
  }
  // Of arguments only what the program writes is handed on, and nothing that
  // is lent for the call.
  bool isTaken = value.argument.data && value.argument.owner &&
                 value.isWritable && device(value.device).importsHost();
  const Storage &storage = isTaken ? value.argument : value.host;
  if (isShared || !storage.data || !value.isContiguous() ||
      value.begin % dtypeBytes(value.dtype))
    return takeOnHost(value);
  Tensor tensor;
  tensor.dtype = value.dtype;
  tensor.shape = value.sizes;
  tensor.strides = rowMajor(value.sizes);
  tensor.storage = storage;
  tensor.offset = value.begin / dtypeBytes(value.dtype);
  return tensor;
}

void kiln::runtime::nameUnsigned(const Function &function,
                                 std::vector<Tensor> &results) {
  for (size_t i = 0; i < results.size(); ++i)
    if (function.results[i].isUnsigned)
      results[i].dtype = unsignedType(results[i].dtype);
}
