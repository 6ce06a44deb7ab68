// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors in memory of a session's devices, and what sessions share of them.
#include "Interpreter.h"

using namespace kiln::runtime;

namespace {

Error noDevice(size_t device, size_t count) {
  return Error("device " + std::to_string(device) + " of " +
               std::to_string(count));
}

uint64_t bytesOf(const Tensor &tensor) {
  return uint64_t(tensor.numElements() * dtypeBytes(tensor.dtype));
}

uint64_t beginOf(const Tensor &tensor) {
  return uint64_t(tensor.offset * dtypeBytes(tensor.dtype));
}

} // namespace

Expected<Tensor> Session::upload(const Tensor &tensor, size_t device) {
  std::lock_guard<std::mutex> lock(impl->calling);
  if (device >= impl->devices.size())
    return noDevice(device, impl->devices.size());
  if (tensor.onDevice && !impl->owns(*tensor.onDevice))
    return Error("the tensor is on a device of another session");
  Expected<Tensor> packed = tensor;
  if (tensor.onDevice)
    packed = fetch(*tensor.onDevice->device, bufferOf(tensor, 0));
  else
    packed = tensor.contiguous();
  if (!packed)
    return packed;
  Device &on = *impl->devices[device].device;
  auto bytes = uint64_t(packed->numElements() * dtypeBytes(packed->dtype));
  auto memory = on.allocate(bytes);
  if (!memory)
    return memory.takeError();
  if (Error error = on.copyIn(**memory, 0, packed->data(), bytes))
    return error;
  if (Error error = on.synchronize())
    return error;
  packed->strides = rowMajor(packed->shape);
  packed->storage = Storage();
  packed->offset = 0;
  packed->onDevice = *memory;
  return packed;
}

Expected<Tensor> Session::download(const Tensor &tensor) {
  std::lock_guard<std::mutex> lock(impl->calling);
  if (!tensor.onDevice)
    return tensor.contiguous();
  if (!impl->owns(*tensor.onDevice))
    return Error("the tensor is on a device of another session");
  return fetch(*tensor.onDevice->device, bufferOf(tensor, 0));
}

Expected<Tensor> Session::importAddress(DType dtype, std::vector<int64_t> shape,
                                        std::vector<int64_t> strides,
                                        uint64_t address,
                                        std::shared_ptr<void> owner,
                                        size_t device) {
  std::lock_guard<std::mutex> lock(impl->calling);
  if (device >= impl->devices.size())
    return noDevice(device, impl->devices.size());
  std::optional<int64_t> bytes = checkedExtent(dtype, shape, strides);
  if (!bytes)
    return Error("a tensor of type " + typeString(dtype, shape) +
                 " with these strides is too large");
  auto memory = impl->devices[device].device->importAddress(
      address, uint64_t(*bytes), std::move(owner));
  if (!memory)
    return memory.takeError();
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.strides = std::move(strides);
  tensor.onDevice = *memory;
  return tensor;
}

Expected<Tensor> Session::allocate(DType dtype, std::vector<int64_t> shape,
                                   size_t device) {
  std::lock_guard<std::mutex> lock(impl->calling);
  if (device >= impl->devices.size())
    return noDevice(device, impl->devices.size());
  Device &on = *impl->devices[device].device;
  if (on.importsHost())
    return Tensor::create(dtype, std::move(shape), /*zeroed=*/false);
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.strides = rowMajor(shape);
  tensor.shape = std::move(shape);
  std::optional<int64_t> bytes =
      checkedExtent(dtype, tensor.shape, tensor.strides);
  if (!bytes)
    return Error("a tensor of type " + typeString(dtype, tensor.shape) +
                 " is too large");
  auto memory = on.allocate(uint64_t(*bytes));
  if (!memory)
    return memory.takeError();
  tensor.onDevice = *memory;
  return tensor;
}

Error Session::copy(const Tensor &from, const Tensor &to) {
  std::lock_guard<std::mutex> lock(impl->calling);
  if (from.dtype != to.dtype || from.shape != to.shape)
    return Error("expected tensors of one type and shape, found " +
                 typeString(from.dtype, from.shape) + " and " +
                 typeString(to.dtype, to.shape));
  if (!from.isContiguous() || !to.isContiguous())
    return Error("unsupported: copies of tensors that are not row-major");
  if (to.isReadonly)
    return Error("the tensor must not be written");
  for (const Tensor *tensor : {&from, &to})
    if (tensor->onDevice && !impl->owns(*tensor->onDevice))
      return Error("the tensor is on a device of another session");
  if (from.onDevice && to.onDevice) {
    if (from.onDevice->device != to.onDevice->device)
      return Error("unsupported: copies between two devices");
    return to.onDevice->device->copy(*to.onDevice, beginOf(to), *from.onDevice,
                                     beginOf(from), bytesOf(from));
  }
  if (to.onDevice) {
    return to.onDevice->device->copyIn(*to.onDevice, beginOf(to), from.data(),
                                       bytesOf(from));
  }
  if (from.onDevice) {
    return from.onDevice->device->copyOut(to.data(), *from.onDevice,
                                          beginOf(from), bytesOf(from));
  }
  copyElements(from, to);
  return Error::success();
}

Expected<Tensor> Session::adopt(const Tensor &tensor, size_t device) {
  if (device >= impl->devices.size())
    return noDevice(device, impl->devices.size());
  if (!tensor.onDevice || impl->owns(*tensor.onDevice))
    return tensor;
  const std::shared_ptr<DeviceBuffer> &from = tensor.onDevice;
  const Device &here = *impl->devices[device].device;
  if (&from->device->driver() != &here.driver() ||
      from->device->ordinal() != here.ordinal())
    return Error("the tensor is on device '" + from->device->name() +
                 "', expected one on '" + here.name() + "'");
  // Memory that comes back is not imported again: a cache that each of many
  // calls updates in place would keep all its tensors alive.
  if (std::shared_ptr<DeviceBuffer> origin = from->origin.lock())
    if (impl->owns(*origin)) {
      Tensor back = tensor;
      back.onDevice = std::move(origin);
      return back;
    }
  Expected<uint64_t> address = from->device->exportAddress(*from);
  if (!address)
    return address.takeError();
  std::lock_guard<std::mutex> lock(impl->calling);
  auto memory =
      impl->devices[device].device->importAddress(*address, from->bytes, from);
  if (!memory)
    return memory.takeError();
  (*memory)->origin = from;
  Tensor adopted = tensor;
  adopted.onDevice = *memory;
  return adopted;
}

Expected<uint64_t> kiln::runtime::addressOf(const Tensor &tensor) {
  if (!tensor.onDevice)
    return reinterpret_cast<uintptr_t>(tensor.data());
  Expected<uint64_t> begin =
      tensor.onDevice->device->exportAddress(*tensor.onDevice);
  if (!begin)
    return begin;
  return *begin + beginOf(tensor);
}

Expected<void *> kiln::runtime::queueOf(Session &session, size_t device) {
  const std::shared_ptr<SessionImpl> &impl = session.impl;
  std::lock_guard<std::mutex> lock(impl->calling);
  if (device >= impl->devices.size())
    return noDevice(device, impl->devices.size());
  Device &on = *impl->devices[device].device;
  if (!on.hasQueue() || !on.driver().exportQueue || !on.driver().importQueue)
    return Error("device '" + on.name() + "': its driver shares no queues");
  return on.exportQueue();
}
