// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes the host program's instruction that calls a function on the host,
// such as an SVD. It waits for the devices of the operands and results first.
// The function gets memory that the host can address directly, or copies of it.
#include "HostFunctions.h"
#include "Interpreter.h"

using namespace kiln::runtime;

/// Returns a buffer as contiguous memory of the host. If the host cannot
/// address the buffer, or it has gaps, the memory is that of a new tensor in
/// `copied`, with the buffer's contents if `isRead`.
static Expected<HostArray> arrayOf(const BufferValue &value, bool isRead,
                                   Tensor &copied) {
  HostArray array;
  array.dtype = value.dtype;
  array.shape = value.sizes;
  if (value.memory->address && value.isContiguous()) {
    array.data = static_cast<char *>(value.memory->address) + value.begin;
    return array;
  }
  Expected<Tensor> made =
      isRead ? fetch(*value.memory->device, value)
             : Tensor::create(value.dtype, value.sizes, /*zeroed=*/false);
  if (!made)
    return made.takeError();
  copied = *made;
  array.data = copied.data();
  return array;
}

static Error runOn(const HostFunction &function,
                   const std::vector<std::string> &flags,
                   const std::vector<BufferValue> &sources,
                   const std::vector<BufferValue> &targets) {
  for (const auto *list : {&sources, &targets})
    for (const BufferValue &value : *list)
      if (Error error = value.memory->device->synchronize())
        return error;
  HostCall call{flags, {}, {}};
  std::vector<Tensor> copies(sources.size() + targets.size());
  size_t next = 0;
  for (const auto *list : {&sources, &targets})
    for (const BufferValue &value : *list) {
      Expected<HostArray> array =
          arrayOf(value, list == &sources, copies[next++]);
      if (!array)
        return array.takeError();
      (list == &sources ? call.sources : call.targets).push_back(*array);
    }
  if (Error error = runHostFunction(function, call))
    return error;
  for (size_t i = 0; i < targets.size(); ++i) {
    const Tensor &copy = copies[sources.size() + i];
    if (!copy.storage.data || !targets[i].numElements())
      continue;
    Device &on = *targets[i].memory->device;
    if (Error error = store(on, copy, targets[i]))
      return error;
    if (Error error = on.synchronize())
      return error;
  }
  return Error::success();
}

Error Interpreter::run(const HostInst &inst) {
  if (isDry())
    return Error::success();
  std::vector<BufferValue> sources, targets;
  for (const auto *list : {&inst.src, &inst.dst})
    for (Buf index : *list) {
      Expected<const BufferValue *> value = ready(index);
      if (!value)
        return value.takeError();
      (list == &inst.src ? sources : targets).push_back(**value);
    }
  const HostFunction *function = findHostFunction(inst.function);
  auto step = [function, &inst, sources, targets] {
    return runOn(*function, inst.flags, sources, targets);
  };
  return perform(Tape::kHost, step);
}
