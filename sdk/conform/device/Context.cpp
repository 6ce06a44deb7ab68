// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Context.h"
#include "kiln/Runtime/Plugin.h"
#include "kiln/Runtime/Print.h"
#include "kiln/Runtime/Progress.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>

using namespace kiln;
using namespace kiln::conform;
using runtime::Error;
using runtime::Expected;
namespace fs = std::filesystem;

void conform::expect(bool condition, const std::string &what) {
  if (!condition)
    throw CheckFailed(what);
}

void conform::need(bool condition, const std::string &what) {
  if (!condition)
    throw CheckSkipped(what);
}

namespace {
std::string textOf(const KilnError &error) {
  return std::string(error.message,
                     strnlen(error.message, sizeof error.message));
}
} // namespace

void conform::expectDone(int status, const KilnError &error,
                         const std::string &call) {
  if (status == 0)
    return;
  std::string reason = textOf(error);
  throw CheckFailed(
      call + " failed: " +
      (reason.empty() ? "status " + std::to_string(status) + " without a reason"
                      : reason));
}

void conform::expectRefused(int status, const KilnError &error,
                            const std::string &call) {
  expect(status != 0, call + " did not fail");
  std::string reason = textOf(error);
  expect(!reason.empty(), call + " failed without a reason");
  expect(reason.size() < sizeof error.message,
         call + ": its reason has no end within KilnError");
  expect(reason.back() != '.' && reason.back() != '\n',
         call + ": its reason ends with a full stop or a line: " + reason);
  for (char c : reason)
    expect(!std::iscntrl(static_cast<unsigned char>(c)),
           call + ": its reason holds a control character");
}

void conform::expectEqual(const Bytes &found, const Bytes &expected,
                          const std::string &what) {
  expect(found.size() == expected.size(), what + ": wrong size");
  auto at = std::mismatch(found.begin(), found.end(), expected.begin());
  if (at.first == found.end())
    return;
  char values[64];
  std::snprintf(values, sizeof values, "0x%02x, expected 0x%02x", *at.first,
                *at.second);
  throw CheckFailed(what + ": byte " +
                    std::to_string(at.first - found.begin()) + " of " +
                    std::to_string(found.size()) + " is " + values);
}

Bytes conform::pattern(size_t size, uint32_t seed) {
  Bytes bytes(size);
  uint32_t state = seed * 2654435761u + 1;
  for (uint8_t &byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = uint8_t(state >> 24);
  }
  return bytes;
}

Expected<const KilnDeviceDriver *>
conform::loadDriver(const std::string &pathOrName, std::string *path) {
  std::string file = pathOrName;
  std::error_code ignored;
  if (file.find('/') == std::string::npos && !fs::is_regular_file(file)) {
    for (const std::string &folder : runtime::pluginSearchPath()) {
      std::string candidate = folder + "/libkiln-device-" + pathOrName + ".so";
      if (fs::exists(candidate, ignored)) {
        file = candidate;
        break;
      }
    }
    if (file == pathOrName)
      return Error("no driver for device '" + pathOrName +
                   "': libkiln-device-" + pathOrName +
                   ".so is in no folder of KILN_PLUGIN_PATH nor beside the "
                   "runtime");
  }
  if (path)
    *path = file;
  Expected<runtime::PluginNote> note = runtime::readPluginNote(file);
  if (!note)
    return note.takeError();
  if (note->apiMajor != KILN_DEVICE_API_MAJOR)
    return Error(file + ": device interface version " +
                 std::to_string(note->apiMajor) + "." +
                 std::to_string(note->apiMinor) + " found, expected " +
                 std::to_string(KILN_DEVICE_API_MAJOR) + ".x");
  std::string absolute = fs::absolute(file, ignored).string();
  void *library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error(file + ": cannot load: " + dlerror());
  auto entry = reinterpret_cast<KilnGetDeviceDriverFn>(
      dlsym(library, "kilnGetDeviceDriver"));
  if (!entry)
    return Error(file + ": has no symbol kilnGetDeviceDriver");
  static const KilnDeviceHost host = {sizeof(KilnDeviceHost),
                                      KILN_DEVICE_API_MAJOR,
                                      KILN_DEVICE_API_MINOR,
                                      runtime::printValue,
                                      runtime::noteProgress,
                                      nullptr,
                                      nullptr};
  const KilnDeviceDriver *table = nullptr;
  try {
    table = entry(&host);
  } catch (const std::exception &e) {
    return Error(file + ": kilnGetDeviceDriver throws: " + e.what());
  } catch (...) {
    return Error(file + ": kilnGetDeviceDriver throws");
  }
  if (!table)
    return Error(file + ": kilnGetDeviceDriver returned no table");
  if (table->structSize < KILN_DEVICE_DRIVER_SIZE_1_0)
    return Error(file + ": its table has " + std::to_string(table->structSize) +
                 " bytes, expected at least " +
                 std::to_string(KILN_DEVICE_DRIVER_SIZE_1_0));
  auto *known = new KilnDeviceDriver();
  // Entries that are there as a whole.
  std::memcpy(known, table,
              std::min(table->structSize, sizeof *known) / sizeof(void *) *
                  sizeof(void *));
  const std::pair<const char *, bool> required[] = {
      {"open", known->open},
      {"close", known->close},
      {"properties", known->properties},
      {"allocate", known->allocate},
      {"release", known->release},
      {"copyIn", known->copyIn},
      {"copyOut", known->copyOut},
      {"loadModule", known->loadModule},
      {"unloadModule", known->unloadModule},
      {"getKernel", known->getKernel},
      {"execute", known->execute}};
  for (const auto &[name, isThere] : required)
    if (!isThere)
      return Error(file + ": its table lacks '" + name +
                   "', which every driver has");
  return known;
}

Buffer::Buffer(Device &device, uint64_t bytes, uint32_t kind,
               uint64_t alignment)
    : device(&device), bytes(bytes) {
  KilnError error = {};
  expectDone(device.table.allocate(device.handle, kind, bytes, alignment,
                                   &handle, &error),
             error, "allocate of " + std::to_string(bytes) + " bytes");
  expect(handle, "allocate gave no buffer and no error");
}

void Buffer::release() {
  if (handle)
    device->table.release(device->handle, handle);
  handle = nullptr;
}

void Buffer::write(const Bytes &data, uint64_t offset, KilnQueue *queue) {
  KilnError error = {};
  expectDone(device->table.copyIn(device->handle, queue, handle, offset,
                                  data.data(), data.size(), &error),
             error, "copyIn");
}

Bytes Buffer::read(uint64_t offset, uint64_t count) {
  Bytes data(count, 0xEE);
  KilnError error = {};
  expectDone(device->table.copyOut(device->handle, nullptr, data.data(), handle,
                                   offset, count, &error),
             error, "copyOut");
  return data;
}

void Buffer::fill(uint8_t value, uint64_t offset, uint64_t count,
                  KilnQueue *queue) {
  KilnError error = {};
  expectDone(device->table.fill(device->handle, queue, handle, offset, count,
                                value, &error),
             error, "fill");
}

void Buffer::copyFrom(Buffer &source, uint64_t to, uint64_t from,
                      uint64_t count, KilnQueue *queue) {
  KilnError error = {};
  expectDone(device->table.copy(device->handle, queue, handle, to, source.get(),
                                from, count, &error),
             error, "copy");
}

Device::Device(const KilnDeviceDriver &table, const std::string &options)
    : table(table) {
  KilnError error = {};
  try {
    expectDone(table.open(options.c_str(), &handle, &error), error, "open");
    expect(handle, "open gave no device and no error");
  } catch (const CheckFailed &failed) {
    throw OpenFailed(failed.what());
  } catch (const std::exception &e) {
    throw OpenFailed(std::string("open throws: ") + e.what());
  }
}

Device::Device(const KilnDeviceDriver &table, const std::string &options,
               uint32_t number)
    : table(table) {
  KilnError error = {};
  expectDone(table.openNumbered(number, options.c_str(), &handle, &error),
             error, "openNumbered of device " + std::to_string(number));
  expect(handle, "openNumbered gave no device and no error");
}

Device::~Device() {
  if (handle)
    table.close(handle);
}

const KilnDeviceProperties &Device::properties() const {
  const KilnDeviceProperties *properties = table.properties(handle);
  expect(properties, "properties gave none");
  return *properties;
}

const KilnMemoryKind &Device::kind(uint32_t number) const {
  return properties().memoryKinds[number];
}

Queue::Queue(Device &device) : device(device) {
  need(device.table.createQueue, "the driver has no queues");
  KilnError error = {};
  expectDone(device.table.createQueue(device.handle, &handle, &error), error,
             "createQueue");
  expect(handle, "createQueue gave no queue and no error");
}

Queue::~Queue() {
  if (handle)
    device.table.destroyQueue(device.handle, handle);
}

void Queue::wait() { waitFor(device, handle); }

void conform::waitFor(Device &device, KilnQueue *queue) {
  if (!queue)
    return;
  KilnError error = {};
  expectDone(device.table.synchronize(device.handle, queue, &error), error,
             "synchronize");
}
