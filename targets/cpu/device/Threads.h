// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads that the instances of a launch are spread over.
#ifndef KILN_TARGETS_CPU_DEVICE_THREADS_H
#define KILN_TARGETS_CPU_DEVICE_THREADS_H

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <optional>

namespace kiln::cpu_target {

/// Runs ranges of a linear grid on a fixed number of threads. Those that have
/// helped stay awake for a while: waking one takes longer than a small kernel.
class Threads {
public:
  explicit Threads(int count);
  ~Threads();
  int count() const { return numThreads; }
  /// Calls body(first, last, thread) until all of [0, total) is done; `thread`
  /// is below count(), and another one for each call at the same time. Parts
  /// begin large and shrink, so that late threads still find work.
  void run(int64_t total,
           const std::function<void(int64_t, int64_t, int)> &body);

private:
  /// Outlives this object in helpers that have not begun.
  struct Shared;

  int numThreads;
  std::mutex busy; ///< one launch at a time
  std::shared_ptr<Shared> shared;
  /// Lets oneTBB have more threads than the machine, when asked for.
  std::optional<oneapi::tbb::global_control> control;
  std::optional<oneapi::tbb::task_arena> arena;
};

/// Calls body(i) for all i of [0, total) at once, each on a thread of its own;
/// false, and no call, where the system has not that many threads.
bool runAtOnce(int64_t total, const std::function<void(int64_t)> &body);

} // namespace kiln::cpu_target

#endif
