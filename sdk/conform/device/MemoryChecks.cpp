// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation: sizes, alignment, what is refused, leaks.
#include "Context.h"
#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace kiln::conform;

namespace {

/// Memory that this process has, in bytes.
uint64_t residentBytes() {
  unsigned long total = 0, resident = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu %lu", &total, &resident) != 2)
      resident = 0;
    std::fclose(file);
  }
  return uint64_t(resident) * uint64_t(sysconf(_SC_PAGESIZE));
}

template <typename Fn> void forEachKind(Device &device, Fn &&ask) {
  uint32_t count = device.properties().numMemoryKinds;
  for (uint32_t kind = 0; kind < count; ++kind)
    try {
      ask(kind);
    } catch (const CheckFailed &failed) {
      throw CheckFailed(std::string("memory '") + device.kind(kind).name +
                        "': " + failed.what());
    }
}

void checkSizes(Context &context) {
  Device device(context.table, context.text());
  forEachKind(device, [&](uint32_t kind) {
    for (uint64_t size :
         {1, 2, 3, 7, 63, 64, 65, 255, 4095, 4096, 4097, 65537, 1000003}) {
      if (device.kind(kind).bytes && size > device.kind(kind).bytes)
        break;
      Buffer buffer(device, size, kind);
      buffer.write(pattern(size, uint32_t(size)));
      expectEqual(buffer.read(), pattern(size, uint32_t(size)),
                  "a buffer of " + std::to_string(size) + " bytes");
    }
  });
}

void checkZero(Context &context) {
  Device device(context.table, context.text());
  forEachKind(device, [&](uint32_t kind) {
    Buffer buffer(device, 0, kind), other(device, 0, kind);
    buffer.write({});
    expectEqual(buffer.read(0, 0), {}, "a copy of 0 bytes");
    if (context.table.fill)
      buffer.fill(1, 0, 0);
    if (context.table.copy)
      buffer.copyFrom(other, 0, 0, 0);
  });
}

void checkAlignment(Context &context) {
  Device device(context.table, context.text());
  bool canSee = false;
  forEachKind(device, [&](uint32_t kind) {
    bool isVisible = device.kind(kind).flags & KILN_MEMORY_HOST_VISIBLE;
    for (uint64_t alignment : {1, 16, 64, 128, 256, 512, 1024, 2048, 4096}) {
      KilnBuffer *handle = nullptr;
      KilnError error = {};
      int status = context.table.allocate(device.handle, kind, 100, alignment,
                                          &handle, &error);
      if (status != 0) { // beyond what it can do: refused, not ignored
        expectRefused(status, error,
                      "allocate with alignment " + std::to_string(alignment));
        expect(alignment > device.kind(kind).alignment,
               "an alignment that the kind promises is refused");
        continue;
      }
      Buffer buffer(device, handle, 100);
      uint64_t expected =
          std::max<uint64_t>(alignment, device.kind(kind).alignment);
      uint64_t address = 0;
      if (isVisible) {
        void *pointer = nullptr;
        expectDone(
            context.table.exportHost(device.handle, handle, &pointer, &error),
            error, "exportHost");
        address = reinterpret_cast<uintptr_t>(pointer);
      } else if (context.table.exportAddress) {
        expectDone(context.table.exportAddress(device.handle, handle, &address,
                                               &error),
                   error, "exportAddress");
      } else {
        continue;
      }
      canSee = true;
      expect(address % expected == 0,
             "a buffer asked for with alignment " + std::to_string(alignment) +
                 " is not at a multiple of " + std::to_string(expected));
    }
  });
  need(canSee, "addresses cannot be seen");
}

void checkMany(Context &context) {
  Device device(context.table, context.text());
  std::vector<Buffer> buffers;
  for (uint32_t i = 0; i < 1000; ++i) {
    buffers.emplace_back(device, 100 + i);
    buffers.back().write(pattern(100 + i, i));
  }
  for (uint32_t i = 0; i < 1000; i += 2)
    buffers[i].release();
  for (uint32_t i = 1; i < 1000; i += 2)
    expectEqual(buffers[i].read(), pattern(100 + i, i),
                "buffer " + std::to_string(i) + " of 1000");
}

void checkHuge(Context &context) {
  Device device(context.table, context.text());
  forEachKind(device, [&](uint32_t kind) {
    for (uint64_t bytes : {uint64_t(1) << 62, UINT64_MAX, UINT64_MAX - 63}) {
      KilnBuffer *handle = nullptr;
      KilnError error = {};
      int status = context.table.allocate(device.handle, kind, bytes, 64,
                                          &handle, &error);
      expectRefused(status, error,
                    "allocate of " + std::to_string(bytes) + " bytes");
      Buffer after(device, 100, kind);
      after.write(pattern(100, 5));
      expectEqual(after.read(), pattern(100, 5), "a buffer after the refusal");
    }
  });
}

void checkWrongKind(Context &context) {
  Device device(context.table, context.text());
  KilnBuffer *handle = nullptr;
  KilnError error = {};
  uint32_t kind = device.properties().numMemoryKinds;
  expectRefused(
      context.table.allocate(device.handle, kind, 64, 64, &handle, &error),
      error, "allocate in memory kind " + std::to_string(kind));
}

void checkLarge(Context &context) {
  Device device(context.table, context.text());
  uint64_t bytes = uint64_t(256) << 20;
  if (uint64_t total = device.kind(0).bytes)
    bytes = std::min(bytes, total / 4);
  Buffer buffer(device, bytes);
  for (uint64_t at : {uint64_t(0), bytes / 2 - 50, bytes - 100})
    buffer.write(pattern(100, uint32_t(at)), at);
  for (uint64_t at : {uint64_t(0), bytes / 2 - 50, bytes - 100})
    expectEqual(buffer.read(at, 100), pattern(100, uint32_t(at)),
                "byte " + std::to_string(at) + " of a large buffer");
}

void checkBeyond32Bits(Context &context) {
  Device device(context.table, context.text());
  constexpr uint64_t kBytes = (uint64_t(4) << 30) + (1 << 20);
  need(device.kind(0).bytes >= 4 * kBytes,
       "the memory has less than 16 GiB, or does not say");
  Buffer buffer(device, kBytes);
  uint64_t far = (uint64_t(1) << 32) + 3;
  buffer.write(pattern(1000, 1), 3);
  buffer.write(pattern(1000, 2), far);
  expectEqual(buffer.read(3, 1000), pattern(1000, 1), "byte 3");
  expectEqual(buffer.read(far, 1000), pattern(1000, 2), "byte 2^32 + 3");
}

void checkExhaustion(Context &context) {
  Device device(context.table, context.text());
  uint64_t total = device.kind(0).bytes;
  need(total && total <= uint64_t(1) << 30,
       "the memory has more than 1 GiB, or does not say");
  for (int round = 0; round < 2; ++round) {
    std::vector<Buffer> buffers;
    bool isRefused = false;
    for (int i = 0; i < 64 && !isRefused; ++i) {
      KilnBuffer *handle = nullptr;
      KilnError error = {};
      int status = context.table.allocate(device.handle, 0, total / 16, 64,
                                          &handle, &error);
      isRefused = status != 0;
      if (isRefused)
        expectRefused(status, error, "allocate beyond the end");
      else
        buffers.emplace_back(device, handle, total / 16);
    }
    expect(isRefused, "four times what the memory has was allocated");
    expect(buffers.size() >= 8,
           "less than half of the memory could be allocated" +
               std::string(round ? " the second time" : ""));
  }
}

void checkLeaks(Context &context) {
  Device device(context.table, context.text());
  auto cycle = [&](int count) {
    for (int i = 0; i < count; ++i) {
      Buffer buffer(device, 65536);
      buffer.write(pattern(64, i), 1000);
    }
  };
  cycle(200);
  uint64_t before = residentBytes();
  cycle(4000); // 250 MiB, if nothing is given back
  uint64_t after = residentBytes();
  expect(after < before + (32 << 20),
         "4000 buffers of 64 KiB, one after the other, leave " +
             std::to_string((after - before) >> 20) +
             " MiB behind in the process");
  if (uint64_t total = device.kind(0).bytes) {
    uint64_t part = std::max<uint64_t>(total / 8, 1);
    for (int i = 0; i < 32; ++i)
      Buffer buffer(device, part);
  }
}

void checkHandleLeaks(Context &context) {
  auto cycle = [&](int count) {
    for (int i = 0; i < count; ++i) {
      Device device(context.table, context.text());
      Buffer buffer(device, 1 << 20);
      buffer.write(pattern(64, i), 0);
    }
  };
  cycle(5);
  uint64_t before = residentBytes();
  cycle(60);
  uint64_t after = residentBytes();
  expect(after < before + (32 << 20),
         "60 devices, one after the other, leave " +
             std::to_string((after - before) >> 20) +
             " MiB behind in the process");
}

} // namespace

const std::vector<Check> &kiln::conform::memoryChecks() {
  static const std::vector<Check> checks = {
      {"memory/sizes", "odd sizes, written and read back", checkSizes},
      {"memory/zero-bytes", "a buffer without bytes is legal", checkZero},
      {"memory/alignment", "what is asked for, or refused", checkAlignment},
      {"memory/many", "a thousand at once do not overlap", checkMany},
      {"memory/huge", "impossible sizes are refused, and nothing is lost",
       checkHuge},
      {"memory/wrong-kind", "a kind that is not there is refused",
       checkWrongKind},
      {"memory/large", "256 MiB, up to the last byte", checkLarge},
      {"memory/beyond-32-bits", "offsets over 4 GiB", checkBeyond32Bits},
      {"memory/exhaustion", "the end is an error, and release gives back",
       checkExhaustion},
      {"memory/leaks", "release gives everything back", checkLeaks},
      {"memory/device-leaks", "close gives everything back", checkHandleLeaks}};
  return checks;
}
