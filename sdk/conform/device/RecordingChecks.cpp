// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recording and replay of what a queue gets.
#include "Context.h"
#include <algorithm>

using namespace kiln::conform;

namespace {

/// Records what `issue` puts into the queue.
template <typename Fn>
KilnRecording *record(Device &device, Queue &queue, Fn &&issue) {
  need(device.table.beginRecording, "the driver does not record");
  KilnError error = {};
  expectDone(device.table.beginRecording(device.handle, queue.get(), &error),
             error, "beginRecording");
  issue();
  KilnRecording *recording = nullptr;
  expectDone(
      device.table.endRecording(device.handle, queue.get(), &recording, &error),
      error, "endRecording");
  expect(recording, "endRecording gave no recording and no error");
  return recording;
}

void replay(Device &device, Queue &queue, KilnRecording *recording) {
  KilnError error = {};
  expectDone(device.table.replay(device.handle, queue.get(), recording, &error),
             error, "replay");
  queue.wait();
}

void needDeviceWork(Context &context) {
  need(context.table.beginRecording && context.table.createQueue,
       "the driver does not record");
  need(context.table.copy && context.table.fill,
       "the driver does not copy between buffers or does not fill");
}

void checkNotRun(Context &context) {
  needDeviceWork(context);
  Device device(context.table, context.text());
  Queue queue(device);
  Buffer buffer(device, 1000);
  buffer.write(pattern(1000, 1));
  KilnRecording *recording =
      record(device, queue, [&] { buffer.fill(9, 0, 1000, queue.get()); });
  queue.wait();
  expectEqual(buffer.read(), pattern(1000, 1),
              "memory after recording, before replay");
  context.table.destroyRecording(device.handle, recording);
  expectEqual(buffer.read(), pattern(1000, 1),
              "memory after a recording that was never replayed");
}

void checkReplay(Context &context) {
  needDeviceWork(context);
  Device device(context.table, context.text());
  Queue queue(device);
  Buffer source(device, 4096), target(device, 4096);
  source.write(pattern(4096, 2));
  KilnRecording *recording = record(device, queue, [&] {
    target.fill(0x42, 0, 4096, queue.get());
    target.copyFrom(source, 10, 20, 1000, queue.get());
  });
  for (uint32_t round = 0; round < 5; ++round) {
    // The memory as it is then.
    Bytes now = pattern(4096, 10 + round);
    source.write(now);
    target.write(Bytes(4096, 0));
    replay(device, queue, recording);
    Bytes expected(4096, 0x42);
    std::copy_n(now.begin() + 20, 1000, expected.begin() + 10);
    expectEqual(target.read(), expected,
                "memory after replay " + std::to_string(round + 1));
  }
  context.table.destroyRecording(device.handle, recording);
}

void checkOrder(Context &context) {
  needDeviceWork(context);
  Device device(context.table, context.text());
  Queue queue(device);
  Buffer a(device, 1000), b(device, 1000);
  KilnRecording *recording = record(device, queue, [&] {
    for (int i = 1; i <= 20; ++i) {
      a.fill(uint8_t(i), 0, 1000, queue.get());
      b.copyFrom(a, 0, 0, 1000, queue.get());
    }
  });
  // Beside what is put into the queue now.
  a.fill(0xEE, 0, 1000, queue.get());
  b.fill(0xEE, 0, 1000, queue.get());
  replay(device, queue, recording);
  expectEqual(b.read(), Bytes(1000, 20), "the last of twenty recorded copies");
  context.table.destroyRecording(device.handle, recording);
}

void checkTwo(Context &context) {
  needDeviceWork(context);
  Device device(context.table, context.text());
  Queue queue(device);
  Buffer buffer(device, 1000);
  KilnRecording *first =
      record(device, queue, [&] { buffer.fill(1, 0, 500, queue.get()); });
  KilnRecording *second =
      record(device, queue, [&] { buffer.fill(2, 250, 500, queue.get()); });
  buffer.write(Bytes(1000, 0));
  replay(device, queue, second);
  replay(device, queue, first);
  context.table.destroyRecording(device.handle, first);
  Bytes expected(1000, 0);
  std::fill_n(expected.begin() + 250, 500, 2);
  std::fill_n(expected.begin(), 500, 1);
  expectEqual(buffer.read(), expected, "two recordings, replayed in turn");
  replay(device, queue, second);
  std::fill_n(expected.begin() + 250, 500, 2);
  expectEqual(buffer.read(), expected,
              "a recording after another was destroyed");
  context.table.destroyRecording(device.handle, second);
}

} // namespace

const std::vector<Check> &kiln::conform::recordingChecks() {
  static const std::vector<Check> checks = {
      {"recording/not-run", "what is recorded does not run", checkNotRun},
      {"recording/replay", "again and again, on the memory as it is",
       checkReplay},
      {"recording/order", "in the order of the queue", checkOrder},
      {"recording/two", "recordings do not disturb each other", checkTwo}};
  return checks;
}
