// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches whose instances write plain memory that the next launch reads: each
// access without an order of the C++ memory model is a race.
#include "Threads.h"
#include <atomic>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

/// Whether a helper has taken part since a launch last waited for one, which
/// the machine may be too busy for. It orders nothing.
static std::atomic<bool> isHelped{true};

static void waitForHelper(std::thread::id caller) {
  using Clock = std::chrono::steady_clock;
  if (std::this_thread::get_id() != caller)
    return isHelped.store(true, std::memory_order_relaxed);
  Clock::time_point end = Clock::now() + std::chrono::milliseconds(500);
  while (!isHelped.load(std::memory_order_relaxed) && Clock::now() < end)
    std::this_thread::yield();
}

int main() {
  std::thread::id caller = std::this_thread::get_id();
  constexpr int64_t kTotal = 37;
  std::vector<int64_t> from(kTotal, 1), to(kTotal);
  int64_t caught = 0, launches = 0;
  for (int round = 0; round < 4; ++round) {
    kiln::cpu_target::Threads threads(3);
    for (int i = 0; i < 400; ++i, ++launches) {
      // Now and then the helpers have gone to sleep, or one instance throws.
      if (i % 100 == 99)
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
      bool isThrown = i % 50 == 49;
      if (i % 40 == 20)
        isHelped.store(false, std::memory_order_relaxed);
      try {
        threads.run(kTotal, [&](int64_t first, int64_t last, int) {
          waitForHelper(caller);
          for (int64_t k = first; k < last; ++k)
            to[size_t(k)] = from[size_t(kTotal - 1 - k)] + 1;
          if (isThrown && last == kTotal)
            throw std::runtime_error("the last one");
        });
      } catch (const std::runtime_error &) {
        ++caught;
      }
      std::swap(from, to);
    }
  }
  std::printf("%lld launches, %lld threw\n", (long long)launches,
              (long long)caught);
}
