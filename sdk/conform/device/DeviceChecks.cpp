// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several devices of one driver, and devices in several threads.
#include "Context.h"
#include <thread>

using namespace kiln::conform;

namespace {

uint32_t countOf(Context &context) {
  need(context.table.countDevices, "the driver numbers no devices");
  uint32_t count = 0;
  KilnError error = {};
  expectDone(context.table.countDevices(&count, &error), error, "countDevices");
  return count;
}

void checkCount(Context &context) {
  uint32_t count = countOf(context);
  expect(count > 0, "countDevices says that there is none");
  for (uint32_t number : {count, count + 7, UINT32_MAX}) {
    KilnDevice *device = nullptr;
    KilnError error = {};
    int status = context.table.openNumbered(number, context.text().c_str(),
                                            &device, &error);
    if (status == 0 && device)
      context.table.close(device);
    expectRefused(status, error,
                  "openNumbered of device " + std::to_string(number) + " of " +
                      std::to_string(count));
  }
}

void checkTwo(Context &context) {
  uint32_t count = countOf(context);
  need(count > 1, "the machine has one device");
  Device first(context.table, context.text(), 0);
  Device second(context.table, context.text(), 1);
  Buffer a(first, 10000), b(second, 10000);
  a.write(pattern(10000, 1));
  b.write(pattern(10000, 2));
  expectEqual(a.read(), pattern(10000, 1), "memory of device 0");
  expectEqual(b.read(), pattern(10000, 2), "memory of device 1");
  a.release();
  expectEqual(b.read(), pattern(10000, 2),
              "memory of device 1 after a release on device 0");
}

void checkThreads(Context &context) {
  constexpr int kThreads = 4;
  std::vector<std::string> problems(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      try {
        Device device(context.table, context.text());
        for (uint32_t i = 0; i < 200; ++i) {
          Buffer buffer(device, 1000 + i);
          buffer.write(pattern(1000 + i, 1000 * t + i));
          expectEqual(buffer.read(), pattern(1000 + i, 1000 * t + i),
                      "memory of the device of thread " + std::to_string(t));
        }
      } catch (const std::exception &e) {
        problems[t] = e.what();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &problem : problems)
    expect(problem.empty(), problem);
}

void checkMoves(Context &context) {
  // One thread at a time, but not always the same.
  Device device(context.table, context.text());
  Buffer buffer(device, 5000);
  std::string problem;
  for (uint32_t i = 0; i < 20 && problem.empty(); ++i)
    std::thread([&] {
      try {
        buffer.write(pattern(5000, i));
        Buffer other(device, 100);
        expectEqual(buffer.read(), pattern(5000, i),
                    "memory of a device used from another thread");
      } catch (const std::exception &e) {
        problem = e.what();
      }
    }).join();
  expect(problem.empty(), problem);
}

} // namespace

const std::vector<Check> &kiln::conform::deviceChecks() {
  static const std::vector<Check> checks = {
      {"devices/count", "numbers beyond the last are refused", checkCount},
      {"devices/two", "two devices have their own memory", checkTwo},
      {"devices/threads", "four devices in four threads", checkThreads},
      {"devices/moves", "one device, from one thread after the other",
       checkMoves}};
  return checks;
}
