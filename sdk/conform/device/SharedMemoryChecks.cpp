// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that host and device both reach, and addresses of other libraries.
#include "Context.h"
#include <algorithm>
#include <cstring>
#include <thread>

using namespace kiln::conform;

namespace {

/// The first kind of memory with a flag.
uint32_t kindWith(Device &device, uint32_t flag, const char *otherwise) {
  uint32_t count = device.properties().numMemoryKinds;
  for (uint32_t kind = 0; kind < count; ++kind)
    if (device.kind(kind).flags & flag)
      return kind;
  throw CheckSkipped(otherwise);
}

void checkExport(Context &context) {
  Device device(context.table, context.text());
  uint32_t kind = kindWith(device, KILN_MEMORY_HOST_VISIBLE,
                           "the host sees no memory of the device");
  Buffer buffer(device, 5000, kind);
  buffer.write(pattern(5000, 1));
  void *address = nullptr, *again = nullptr;
  KilnError error = {};
  expectDone(
      context.table.exportHost(device.handle, buffer.get(), &address, &error),
      error, "exportHost");
  expect(address, "exportHost gave no address and no error");
  auto *bytes = static_cast<uint8_t *>(address);
  expectEqual(Bytes(bytes, bytes + 5000), pattern(5000, 1),
              "what was copied in, seen by the host");
  Bytes other = pattern(5000, 2);
  std::memcpy(bytes, other.data(), other.size());
  expectEqual(buffer.read(), other, "what the host wrote, copied out");
  expectDone(
      context.table.exportHost(device.handle, buffer.get(), &again, &error),
      error, "exportHost");
  expect(again == address, "exportHost gives another address each time");
}

void checkImport(Context &context) {
  Device device(context.table, context.text());
  kindWith(device, KILN_MEMORY_IMPORTS_HOST,
           "the driver does not import memory of the host");
  alignas(4096) static uint8_t memory[3 * 4096];
  std::memset(memory, 0x77, sizeof memory);
  KilnBuffer *handle = nullptr;
  KilnError error = {};
  expectDone(context.table.importHost(device.handle, memory + 4096, 4096,
                                      &handle, &error),
             error, "importHost");
  {
    Buffer buffer(device, handle, 4096);
    buffer.write(pattern(1000, 3), 5);
    std::memset(memory + 4096, 0x11, 5);
    Bytes expected(4096, 0x77);
    std::fill_n(expected.begin(), 5, 0x11);
    Bytes part = pattern(1000, 3);
    std::copy(part.begin(), part.end(), expected.begin() + 5);
    expectEqual(buffer.read(), expected, "imported memory, copied out");
    expectEqual(Bytes(memory + 4096, memory + 8192), expected,
                "imported memory, seen by the host");
  }
  // It stays the caller's.
  std::memset(memory, 0x33, sizeof memory);
  for (uint8_t byte : memory)
    expect(byte == 0x33, "imported memory changes after its release");
}

void checkAddress(Context &context) {
  Device device(context.table, context.text());
  need(context.table.exportAddress && context.table.importAddress,
       "the driver has no addresses for others");
  Buffer buffer(device, 5000);
  buffer.write(pattern(5000, 4));
  uint64_t address = 0;
  KilnError error = {};
  expectDone(context.table.exportAddress(device.handle, buffer.get(), &address,
                                         &error),
             error, "exportAddress");
  expect(address, "exportAddress gave 0 and no error");
  KilnBuffer *handle = nullptr;
  expectDone(context.table.importAddress(device.handle, address + 1000, 3000,
                                         &handle, &error),
             error, "importAddress");
  {
    Buffer view(device, handle, 3000);
    Bytes all = pattern(5000, 4);
    expectEqual(view.read(), Bytes(all.begin() + 1000, all.begin() + 4000),
                "memory by its address");
    view.write(pattern(100, 5), 50);
    expectEqual(buffer.read(1050, 100), pattern(100, 5),
                "what was written by the address");
  }
  expectEqual(
      buffer.read(0, 1000),
      [] {
        Bytes all = pattern(5000, 4);
        return Bytes(all.begin(), all.begin() + 1000);
      }(),
      "the buffer after the release of what was made of its address");
}

void checkRelease(Context &context) {
  Device device(context.table, context.text());
  need(context.table.exportAddress && context.table.importAddress,
       "the driver has no addresses for others");
  Buffer buffer(device, 1 << 16);
  uint64_t address = 0;
  KilnError error = {};
  expectDone(context.table.exportAddress(device.handle, buffer.get(), &address,
                                         &error),
             error, "exportAddress");
  // Whoever drops a tensor may be on any thread.
  std::vector<KilnBuffer *> handles;
  for (int i = 0; i < 64; ++i) {
    KilnBuffer *handle = nullptr;
    expectDone(context.table.importAddress(device.handle, address, 1 << 16,
                                           &handle, &error),
               error, "importAddress");
    handles.push_back(handle);
  }
  std::thread other([&] {
    for (KilnBuffer *handle : handles)
      context.table.release(device.handle, handle);
  });
  buffer.write(pattern(1 << 16, 6));
  expectEqual(buffer.read(), pattern(1 << 16, 6),
              "the buffer while another thread releases");
  other.join();
}

} // namespace

const std::vector<Check> &kiln::conform::sharedMemoryChecks() {
  static const std::vector<Check> checks = {
      {"shared-memory/export", "the host sees what the device has, and back",
       checkExport},
      {"shared-memory/import", "memory of the caller, which stays the caller's",
       checkImport},
      {"shared-memory/addresses", "device memory by its address", checkAddress},
      {"shared-memory/release", "imported addresses, released on any thread",
       checkRelease}};
  return checks;
}
