// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owning wrappers of the device driver table.
#include "Device.h"
#include <algorithm>
#include <cstring>

using namespace kiln::runtime;

namespace {

/// Fallback fills and copies go through the host in pieces of this size.
constexpr uint64_t kPiece = 1 << 20;

} // namespace

DeviceBuffer::~DeviceBuffer() {
  device->table->release(device->handle, handle);
}

DeviceModule::~DeviceModule() {
  device->table->unloadModule(device->handle, handle);
}

Device::Device(const KilnDeviceDriver *table, KilnDevice *handle,
               std::string name)
    : table(table), handle(handle), deviceName(std::move(name)) {}

Device::~Device() {
  if (queue)
    table->destroyQueue(handle, queue);
  table->close(handle);
}

Error Device::failure(const char *what, const KilnError &error) const {
  size_t length = strnlen(error.message, sizeof(error.message));
  std::string reason(error.message, length);
  return Error("device '" + deviceName + "': " + what +
               (reason.empty() ? " failed without a reason" : ": " + reason));
}

Expected<std::shared_ptr<Device>> Device::open(const std::string &name,
                                               const std::string &options) {
  Expected<const KilnDeviceDriver *> table = loadDeviceDriver(name);
  if (!table)
    return table.takeError();
  KilnError error = {};
  KilnDevice *handle = nullptr;
  if ((*table)->open(options.c_str(), &handle, &error) != 0) {
    size_t length = strnlen(error.message, sizeof(error.message));
    return Error("device '" + name + "': " +
                 (length ? std::string(error.message, length)
                         : "cannot be opened, without a reason"));
  }
  std::shared_ptr<Device> device(new Device(*table, handle, name));
  device->props = (*table)->properties(handle);
  if (!device->props || !device->props->numMemoryKinds ||
      !device->props->memoryKinds)
    return Error("device '" + name + "': it describes no memory");
  if ((*table)->createQueue &&
      (*table)->createQueue(handle, &device->queue, &error) != 0)
    return device->failure("cannot create a queue", error);
  return device;
}

bool Device::importsHost() const {
  return table->importHost &&
         (props->memoryKinds[0].flags & KILN_MEMORY_IMPORTS_HOST);
}

bool Device::isHostVisible() const {
  return table->exportHost &&
         (props->memoryKinds[0].flags & KILN_MEMORY_HOST_VISIBLE);
}

Expected<std::shared_ptr<DeviceBuffer>> Device::allocate(uint64_t bytes) {
  KilnError error = {};
  KilnBuffer *buffer = nullptr;
  if (table->allocate(handle, 0, bytes, 64, &buffer, &error) != 0)
    return failure("cannot allocate", error);
  auto result =
      std::make_shared<DeviceBuffer>(shared_from_this(), buffer, bytes);
  if (isHostVisible() &&
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
  result->host = std::move(owner);
  result->address = address;
  return result;
}

Error Device::copyIn(DeviceBuffer &dst, uint64_t offset, const void *src,
                     uint64_t bytes) {
  KilnError error = {};
  if (bytes &&
      table->copyIn(handle, queue, dst.handle, offset, src, bytes, &error) != 0)
    return failure("copy to the device", error);
  // The source may go away as soon as this returns.
  return synchronize();
}

Error Device::copyOut(void *dst, DeviceBuffer &src, uint64_t offset,
                      uint64_t bytes) {
  KilnError error = {};
  if (bytes && table->copyOut(handle, queue, dst, src.handle, offset, bytes,
                              &error) != 0)
    return failure("copy from the device", error);
  return synchronize();
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
  std::vector<uint8_t> staging(piece);
  for (uint64_t done = 0; done < bytes; done += piece) {
    uint64_t now = std::min(piece, bytes - done);
    if (Error e = copyOut(staging.data(), src, srcOffset + done, now))
      return e;
    if (Error e = copyIn(dst, dstOffset + done, staging.data(), now))
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
  std::vector<uint8_t> staging(std::min(bytes, kPiece), value);
  for (uint64_t done = 0; done < bytes; done += kPiece)
    if (Error e = copyIn(dst, offset + done, staging.data(),
                         std::min(kPiece, bytes - done)))
      return e;
  return Error::success();
}

Error Device::synchronize() {
  KilnError error = {};
  if (queue && table->synchronize(handle, queue, &error) != 0)
    return failure("execution", error);
  return Error::success();
}

Expected<std::shared_ptr<DeviceModule>> Device::loadModule(Blob bytes) {
  KilnError error = {};
  KilnModule *module = nullptr;
  if (table->loadModule(handle, bytes.data, bytes.size, &module, &error) != 0)
    return failure("cannot load a module", error);
  return std::make_shared<DeviceModule>(shared_from_this(), module,
                                        std::move(bytes));
}

Expected<KilnKernel *> Device::getKernel(DeviceModule &module,
                                         const KernelInfo &info) {
  std::vector<KilnKernelParameter> params;
  for (const KernelParam &param : info.params)
    params.push_back({param.kind == KernelParam::Kind::scalar,
                      static_cast<uint32_t>(param.dtype),
                      static_cast<uint32_t>(param.rank), param.readonly});
  KilnKernelDescription description = {
      sizeof(KilnKernelDescription), info.symbol.c_str(),
      uint64_t(info.scratchBytes), uint32_t(params.size()), params.data()};
  KilnError error = {};
  KilnKernel *kernel = nullptr;
  if (table->getKernel(handle, module.handle, &description, &kernel, &error) !=
      0)
    return failure(("kernel '" + info.symbol + "'").c_str(), error);
  return kernel;
}

Error Device::execute(const KilnLaunch &launch) {
  KilnError error = {};
  if (table->execute(handle, queue, &launch, &error) != 0)
    return failure("execution", error);
  return Error::success();
}
