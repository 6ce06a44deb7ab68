// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills in every direction, at any byte, within bounds only.
#include "Context.h"
#include <algorithm>

using namespace kiln::conform;

namespace {

constexpr uint64_t kOffsets[] = {0, 1, 3, 63, 64, 65, 4095};
constexpr uint64_t kCounts[] = {0, 1, 2, 3, 5, 64, 127, 4096, 10007};
constexpr uint64_t kSize = 16384;

std::string at(uint64_t offset, uint64_t count) {
  return std::to_string(count) + " bytes at offset " + std::to_string(offset);
}

void checkIn(Context &context) {
  Device device(context.table, context.text());
  Buffer buffer(device, kSize);
  for (uint64_t offset : kOffsets)
    for (uint64_t count : kCounts) {
      Bytes expected = pattern(kSize, 1);
      buffer.write(expected);
      Bytes part = pattern(count, 2);
      buffer.write(part, offset);
      std::copy(part.begin(), part.end(), expected.begin() + offset);
      expectEqual(buffer.read(), expected, "copyIn of " + at(offset, count));
    }
}

void checkOut(Context &context) {
  Device device(context.table, context.text());
  Buffer buffer(device, kSize);
  Bytes all = pattern(kSize, 3);
  buffer.write(all);
  for (uint64_t offset : kOffsets)
    for (uint64_t count : kCounts) {
      Bytes around(count + 128, 0x5A);
      KilnError error = {};
      expectDone(context.table.copyOut(device.handle, nullptr,
                                       around.data() + 64, buffer.get(), offset,
                                       count, &error),
                 error, "copyOut");
      Bytes expected(count + 128, 0x5A);
      std::copy_n(all.begin() + offset, count, expected.begin() + 64);
      expectEqual(around, expected, "copyOut of " + at(offset, count));
    }
}

void checkWithin(Context &context) {
  need(context.table.copy, "the driver does not copy between buffers");
  Device device(context.table, context.text());
  uint32_t kinds = device.properties().numMemoryKinds;
  for (uint32_t from = 0; from < kinds; ++from)
    for (uint32_t to = 0; to < kinds; ++to) {
      Buffer source(device, kSize, from), target(device, kSize, to);
      source.write(pattern(kSize, 4));
      for (uint64_t offset : kOffsets)
        for (uint64_t count : kCounts) {
          Bytes expected = pattern(kSize, 5);
          target.write(expected);
          uint64_t begin = offset * 7 % 4099;
          target.copyFrom(source, offset, begin, count);
          Bytes all = pattern(kSize, 4);
          std::copy_n(all.begin() + begin, count, expected.begin() + offset);
          expectEqual(target.read(), expected,
                      std::string("copy from '") + device.kind(from).name +
                          "' to '" + device.kind(to).name + "' of " +
                          at(offset, count));
        }
    }
}

void checkSameBuffer(Context &context) {
  need(context.table.copy, "the driver does not copy between buffers");
  Device device(context.table, context.text());
  Buffer buffer(device, kSize);
  Bytes expected = pattern(kSize, 6);
  buffer.write(expected);
  buffer.copyFrom(buffer, 9001, 17, 4111);
  std::copy_n(Bytes(expected).begin() + 17, 4111, expected.begin() + 9001);
  expectEqual(buffer.read(), expected, "a copy within one buffer");
}

void checkFill(Context &context) {
  need(context.table.fill, "the driver does not fill");
  Device device(context.table, context.text());
  Buffer buffer(device, kSize);
  for (uint64_t offset : kOffsets)
    for (uint64_t count : kCounts)
      for (uint8_t value : {0x00, 0xA5, 0xFF}) {
        Bytes expected = pattern(kSize, 7);
        buffer.write(expected);
        buffer.fill(value, offset, count);
        std::fill_n(expected.begin() + offset, count, value);
        expectEqual(buffer.read(), expected, "fill of " + at(offset, count));
      }
}

void checkBounds(Context &context) {
  Device device(context.table, context.text());
  Buffer buffer(device, 1000), other(device, 1000);
  Bytes before = pattern(1000, 8), data(2000, 1);
  buffer.write(before);
  struct Range {
    uint64_t offset, count;
  };
  const Range outside[] = {{0, 1001},      {1000, 1},   {1001, 0},
                           {999, 2},       {500, 2000}, {UINT64_MAX, 1},
                           {1, UINT64_MAX}};
  const KilnDeviceDriver &t = context.table;
  for (const Range &range : outside) {
    std::string what = at(range.offset, range.count) + " of 1000";
    KilnError error = {};
    int status = t.copyIn(device.handle, nullptr, buffer.get(), range.offset,
                          data.data(), range.count, &error);
    expectRefused(status, error, "copyIn of " + what);
    error = {};
    status = t.copyOut(device.handle, nullptr, data.data(), buffer.get(),
                       range.offset, range.count, &error);
    expectRefused(status, error, "copyOut of " + what);
    if (t.fill) {
      error = {};
      status = t.fill(device.handle, nullptr, buffer.get(), range.offset,
                      range.count, 1, &error);
      expectRefused(status, error, "fill of " + what);
    }
    if (t.copy) {
      error = {};
      status = t.copy(device.handle, nullptr, buffer.get(), range.offset,
                      other.get(), 0, range.count, &error);
      expectRefused(status, error, "copy to " + what);
      error = {};
      status = t.copy(device.handle, nullptr, other.get(), 0, buffer.get(),
                      range.offset, range.count, &error);
      expectRefused(status, error, "copy from " + what);
    }
  }
  expectEqual(buffer.read(), before, "a buffer after refused copies");
}

} // namespace

const std::vector<Check> &kiln::conform::copyChecks() {
  static const std::vector<Check> checks = {
      {"copies/in", "host to device, any offset, nothing beside it", checkIn},
      {"copies/out", "device to host, any offset, nothing beside it", checkOut},
      {"copies/within", "between buffers of all kinds of memory", checkWithin},
      {"copies/same-buffer", "from one part of a buffer to another",
       checkSameBuffer},
      {"copies/fill", "any value, any offset, nothing beside it", checkFill},
      {"copies/bounds", "what is outside of a buffer is refused whole",
       checkBounds}};
  return checks;
}
