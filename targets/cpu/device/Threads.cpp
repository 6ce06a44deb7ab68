// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Spreading ranges over threads that wait for work awake.
#include "Threads.h"
#include "kiln/System/Pause.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <sched.h>
#include <thread>
#include <vector>

using namespace kiln::cpu_target;

namespace {

/// A stack for the signal handlers of this thread, should the program have any:
/// what they report may be that the kernel has used up the thread's own one.
class SignalStack {
public:
  SignalStack() {
    stack_t current = {};
    if (sigaltstack(nullptr, &current) != 0 || !(current.ss_flags & SS_DISABLE))
      return;
    stack_t own = {};
    own.ss_sp = bytes;
    own.ss_size = sizeof(bytes);
    isSet = sigaltstack(&own, nullptr) == 0;
  }
  ~SignalStack() {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    if (isSet)
      sigaltstack(&none, nullptr);
  }
  bool isReady() const { return isSet; }

private:
  bool isSet = false;
  alignas(16) char bytes[1 << 14];
};

/// Gives a thread of this device its signal stack.
void prepareThread() {
  thread_local SignalStack stack;
  (void)stack.isReady();
}

/// Moves this thread to another processor, if it may use one: the system wakes
/// threads where the one that wakes them runs, and leaves both there for
/// milliseconds.
void leaveProcessor(int processor) {
#if defined(__linux__)
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof(all), &all) != 0)
    return; // more processors than a set has
  cpu_set_t others = all;
  CPU_CLR(processor, &others);
  if (CPU_COUNT(&others) > 0 &&
      sched_setaffinity(0, sizeof(others), &others) == 0)
    (void)sched_setaffinity(0, sizeof(all), &all);
#else
  (void)processor;
#endif
}

/// The processor that this thread runs on; -1 where systems do not say.
int currentProcessor() {
#if defined(__linux__)
  return sched_getcpu();
#else
  return -1;
#endif
}

} // namespace

using Clock = std::chrono::steady_clock;

/// How long a helper waits awake for the next launch.
static constexpr std::chrono::microseconds kAwake(1000);

/// Waits for a moment, which becomes longer with each time.
static void pauseFor(unsigned &times) {
  constexpr unsigned kSpins = 2000, kYields = 100000;
  if (++times > kYields)
    return std::this_thread::sleep_for(std::chrono::microseconds(50));
  if (times > kSpins)
    return void(sched_yield());
  kiln::pauseProcessor();
}

/// What callers and helpers share. `gate` counts in its low half who takes part
/// in the launch; above that are a bit that says whether others may join, and
/// the number of the launch.
struct Threads::Shared {
  static constexpr uint64_t kOpen = uint64_t(1) << 32, kLaunch = kOpen << 1;
  static constexpr uint64_t kCount = kOpen - 1;

  std::atomic<uint64_t> gate{0};
  std::atomic<int> helpers{0}; ///< that wait, work, or have been asked for
  std::atomic<int> awake{0};   ///< those that have begun
  std::atomic<bool> isOver{false};
  // Of the launch, while the gate is open or somebody takes part:
  const std::function<void(int64_t, int64_t, int)> *body = nullptr;
  int64_t total = 0;
  int64_t shares = 1;
  int processor = -1; ///< of the caller
  std::atomic<int64_t> next{0};
  std::atomic<bool> hasThrown{false};
  std::exception_ptr thrown;

  void work(int thread) {
    try {
      int64_t first = next.load(std::memory_order_relaxed);
      while (first < total) {
        int64_t part = std::max<int64_t>(1, (total - first) / (2 * shares));
        if (!next.compare_exchange_weak(first, first + part))
          continue;
        (*body)(first, first + part, thread);
        first = next.load(std::memory_order_relaxed);
      }
    } catch (...) {
      if (!hasThrown.exchange(true))
        thrown = std::current_exception();
      next = total;
    }
  }

  /// Takes part in a launch that has not been seen yet, if there is one.
  bool join(uint64_t &seen, int thread) {
    uint64_t found = gate.load();
    while ((found & kOpen) && found / kLaunch != seen) {
      if (!gate.compare_exchange_weak(found, found + 1))
        continue;
      seen = found / kLaunch;
      if (processor >= 0 && currentProcessor() == processor)
        leaveProcessor(processor);
      work(thread);
      gate.fetch_sub(1);
      return true;
    }
    return false;
  }

  void help() {
    prepareThread();
    int thread = oneapi::tbb::this_task_arena::current_thread_index();
    awake.fetch_add(1);
    uint64_t seen = 0;
    for (bool isAsked = true; isAsked;) {
      Clock::time_point end = Clock::now() + kAwake;
      for (unsigned times = 0; !isOver.load();) {
        if (join(seen, thread)) {
          end = Clock::now() + kAwake;
          times = 0;
        }
        pauseFor(times);
        if (times % 64 == 0 && Clock::now() > end)
          break;
      }
      // A launch that counted on this helper has opened the gate before.
      helpers.fetch_sub(1);
      isAsked = !isOver.load() && join(seen, thread);
      if (isAsked)
        helpers.fetch_add(1);
    }
    awake.fetch_sub(1);
  }
};

Threads::Threads(int count) : numThreads(count) {
  if (count == 1)
    return;
  if (count > oneapi::tbb::this_task_arena::max_concurrency())
    control.emplace(oneapi::tbb::global_control::max_allowed_parallelism,
                    size_t(count));
  arena.emplace(count);
  shared = std::make_shared<Shared>();
}

Threads::~Threads() {
  if (!shared)
    return;
  shared->isOver = true;
  for (unsigned times = 0; shared->awake.load();)
    pauseFor(times);
}

void Threads::run(int64_t total,
                  const std::function<void(int64_t, int64_t, int)> &body) {
  if (numThreads == 1 || total == 1)
    return body(0, total, 0);
  std::lock_guard<std::mutex> lock(busy);
  Shared &job = *shared;
  job.body = &body;
  job.total = total;
  job.shares = numThreads;
  job.processor = currentProcessor();
  job.next = 0;
  job.hasThrown = false;
  job.thrown = nullptr;
  uint64_t launch = job.gate.load() / Shared::kLaunch + 1;
  job.gate = launch * Shared::kLaunch | Shared::kOpen;
  // Whoever is still awake comes by itself.
  int wanted = int(std::min<int64_t>(total, numThreads)) - 1;
  for (int have = job.helpers.load(); have < wanted; ++have) {
    job.helpers.fetch_add(1);
    arena->enqueue([state = shared] { state->help(); });
  }
  prepareThread();
  job.work(0);
  job.gate.fetch_and(~Shared::kOpen);
  for (unsigned times = 0; job.gate.load() & Shared::kCount;)
    pauseFor(times);
  if (job.thrown)
    std::rethrow_exception(job.thrown);
}

bool kiln::cpu_target::runAtOnce(int64_t total,
                                 const std::function<void(int64_t)> &body) {
  // Nobody begins before all exist: who waits for the missing waits forever.
  // (No condition variable: that of this libstdc++ is not in those of other
  // systems of the same age.)
  bool areAllThere = false;
  std::mutex gate;
  std::vector<std::thread> threads;
  {
    std::lock_guard<std::mutex> closed(gate);
    try {
      threads.reserve(size_t(total));
      for (int64_t i = 0; i < total; ++i)
        threads.emplace_back([&, i] {
          gate.lock();
          bool begins = areAllThere;
          gate.unlock();
          prepareThread();
          if (begins)
            body(i);
        });
      areAllThere = true;
    } catch (const std::exception &) {
      // Those that exist end without having begun.
    }
  }
  for (std::thread &thread : threads)
    thread.join();
  return areAllThere;
}
