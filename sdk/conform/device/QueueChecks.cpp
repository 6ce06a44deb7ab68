// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order in queues and between them, events and their times.
#include "Context.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

using namespace kiln::conform;

namespace {

/// An event, destroyed with this.
class Event {
public:
  explicit Event(Device &device) : device(device) {
    need(device.table.createEvent, "the driver has no events");
    KilnError error = {};
    expectDone(device.table.createEvent(device.handle, &handle, &error), error,
               "createEvent");
    expect(handle, "createEvent gave no event and no error");
  }
  Event(const Event &) = delete;
  ~Event() {
    if (handle)
      device.table.destroyEvent(device.handle, handle);
  }
  void record(KilnQueue *queue) {
    KilnError error = {};
    expectDone(device.table.recordEvent(device.handle, queue, handle, &error),
               error, "recordEvent");
  }
  void makeWait(KilnQueue *queue) {
    KilnError error = {};
    expectDone(device.table.waitEvent(device.handle, queue, handle, &error),
               error, "waitEvent");
  }
  double secondsTo(Event &end) {
    double seconds = NAN;
    KilnError error = {};
    expectDone(device.table.elapsed(device.handle, handle, end.handle, &seconds,
                                    &error),
               error, "elapsed");
    return seconds;
  }

private:
  Device &device;
  KilnEvent *handle = nullptr;
};

/// Work that takes a while, at whose end the last byte of `buffer` is `last`.
void keepBusy(Buffer &buffer, const Bytes &last, KilnQueue *queue,
              const Bytes &source) {
  for (int i = 0; i < 20; ++i)
    buffer.write(source, 0, queue);
  buffer.write(last, buffer.size() - 1, queue);
}

void checkOrder(Context &context) {
  // What queued work uses outlives the queue, also when the check ends early.
  Bytes parts[50], results[50];
  for (uint32_t i = 0; i < 50; ++i)
    parts[i] = pattern(1 << 20, i);
  Device device(context.table, context.text());
  Queue queue(device);
  Buffer buffer(device, 1 << 20);
  for (uint32_t i = 0; i < 50; ++i) {
    results[i].assign(1000, 0);
    buffer.write(parts[i], 0, queue.get());
    KilnError error = {};
    expectDone(context.table.copyOut(device.handle, queue.get(),
                                     results[i].data(), buffer.get(), 500000,
                                     1000, &error),
               error, "copyOut");
  }
  queue.wait();
  for (uint32_t i = 0; i < 50; ++i)
    expectEqual(results[i],
                Bytes(parts[i].begin() + 500000, parts[i].begin() + 501000),
                "copy " + std::to_string(i) + " of 50 in one queue");
}

void checkMixed(Context &context) {
  Device device(context.table, context.text());
  Queue queue(device);
  need(context.table.copy && context.table.fill,
       "the driver does not copy between buffers or does not fill");
  Buffer a(device, 1 << 20), b(device, 1 << 20);
  for (int round = 1; round <= 30; ++round) {
    a.fill(uint8_t(round), 0, a.size(), queue.get());
    b.copyFrom(a, 0, 0, b.size(), queue.get());
    a.fill(0, 0, a.size(), queue.get());
    a.copyFrom(b, 1, 0, 1000, queue.get());
  }
  queue.wait();
  expectEqual(b.read(), Bytes(1 << 20, 30), "the target of ordered copies");
  Bytes expected(1 << 20, 0);
  std::fill_n(expected.begin() + 1, 1000, 30);
  expectEqual(a.read(), expected, "the source of ordered copies and fills");
}

void checkEmpty(Context &context) {
  Device device(context.table, context.text());
  for (int i = 0; i < 100; ++i) {
    Queue queue(device);
    queue.wait();
    queue.wait();
  }
}

void checkBeside(Context &context) {
  Device device(context.table, context.text());
  Queue queue(device);
  Buffer buffer(device, 1000);
  // A null queue means: at once, also in a device that has queues.
  buffer.write(pattern(1000, 1));
  expectEqual(buffer.read(), pattern(1000, 1), "a copy without a queue");
  queue.wait();
}

void checkTwoQueues(Context &context) {
  Bytes source = pattern(8 << 20, 2), seen(1), last(1);
  Device device(context.table, context.text());
  need(context.table.waitEvent, "no queue waits for events");
  Queue first(device), second(device);
  Event event(device);
  Buffer buffer(device, 8 << 20);
  for (uint8_t round = 1; round < 10; ++round) {
    seen[0] = 0;
    last[0] = round;
    keepBusy(buffer, last, first.get(), source);
    event.record(first.get());
    event.makeWait(second.get());
    KilnError error = {};
    expectDone(context.table.copyOut(device.handle, second.get(), seen.data(),
                                     buffer.get(), buffer.size() - 1, 1,
                                     &error),
               error, "copyOut");
    second.wait();
    expect(seen[0] == round, "a queue that waits for an event of another went "
                             "on before it happened");
    first.wait();
  }
}

void checkTimes(Context &context) {
  Bytes source = pattern(16 << 20, 3);
  Device device(context.table, context.text());
  need(context.table.elapsed, "events have no times");
  std::unique_ptr<Queue> queue;
  if (context.table.createQueue)
    queue = std::make_unique<Queue>(device);
  KilnQueue *handle = queue ? queue->get() : nullptr;
  Event begin(device), middle(device), end(device);
  Buffer buffer(device, 16 << 20);
  using Clock = std::chrono::steady_clock;
  auto from = Clock::now();
  begin.record(handle);
  middle.record(handle);
  for (int i = 0; i < 10; ++i)
    buffer.write(source, 0, handle);
  end.record(handle);
  waitFor(device, handle);
  double host = std::chrono::duration<double>(Clock::now() - from).count();
  double whole = begin.secondsTo(end), none = begin.secondsTo(middle),
         work = middle.secondsTo(end);
  expect(std::isfinite(whole) && std::isfinite(none) && std::isfinite(work),
         "a time between events is no number");
  expect(none >= 0 && work > 0, "time between events runs backwards");
  expect(
      std::abs(none + work - whole) <= 1e-4 + 0.01 * whole,
      "the times between three events do not add up: " + std::to_string(none) +
          " + " + std::to_string(work) + " s, not " + std::to_string(whole));
  expect(whole <= host * 1.05 + 1e-3, "events say " + std::to_string(whole) +
                                          " s, the host's clock " +
                                          std::to_string(host) + " s");
  // 160 MiB take longer than nothing on any machine.
  expect(whole >= 1e-4, "ten copies of 16 MiB take " + std::to_string(whole) +
                            " s by the device's clock");
}

void checkEventAgain(Context &context) {
  Bytes source = pattern(4 << 20, 4);
  Device device(context.table, context.text());
  need(context.table.elapsed, "events have no times");
  std::unique_ptr<Queue> queue;
  if (context.table.createQueue)
    queue = std::make_unique<Queue>(device);
  KilnQueue *handle = queue ? queue->get() : nullptr;
  Event event(device), last(device);
  Buffer buffer(device, 4 << 20);
  event.record(handle);
  for (int i = 0; i < 20; ++i)
    buffer.write(source, 0, handle);
  last.record(handle);
  waitFor(device, handle);
  double first = event.secondsTo(last);
  event.record(handle); // the latest counts
  last.record(handle);
  waitFor(device, handle);
  double second = event.secondsTo(last);
  expect(second >= 0 && second < first,
         "an event that is recorded again keeps its old time");
}

void checkManyEvents(Context &context) {
  Device device(context.table, context.text());
  for (int i = 0; i < 2000; ++i) {
    Event event(device);
    if (!context.table.createQueue)
      event.record(nullptr);
  }
}

void checkReleaseEarly(Context &context) {
  Bytes source = pattern(4 << 20, 5);
  Device device(context.table, context.text());
  Queue queue(device);
  need(context.table.copy, "the driver does not copy between buffers");
  Buffer result(device, 4 << 20);
  Buffer early(device, 4 << 20);
  early.write(source, 0, queue.get());
  result.copyFrom(early, 0, 0, 4 << 20, queue.get());
  early.release(); // queued work may still use it
  Buffer other(device, 4 << 20);
  other.write(Bytes(4 << 20, 0));
  queue.wait();
  expectEqual(result.read(), source,
              "a copy from a buffer that was released while it was queued");
}

} // namespace

const std::vector<Check> &kiln::conform::queueChecks() {
  static const std::vector<Check> checks = {
      {"queues/order", "copies in and out of one queue keep their order",
       checkOrder},
      {"queues/mixed", "fills and copies of one queue keep their order",
       checkMixed},
      {"queues/empty", "waiting for nothing", checkEmpty},
      {"queues/beside", "no queue: done on return", checkBeside},
      {"queues/two", "a queue waits for an event of another", checkTwoQueues},
      {"queues/release", "released memory lasts until queued work has ended",
       checkReleaseEarly},
      {"events/times", "ordered, additive, within the host's time", checkTimes},
      {"events/again", "recorded again, the latest counts", checkEventAgain},
      {"events/many", "made and destroyed without being recorded",
       checkManyEvents}};
  return checks;
}
