// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call is doing, for those who wait for it.
#ifndef KILN_TOOLS_KILN_RUN_WATCH_H
#define KILN_TOOLS_KILN_RUN_WATCH_H

#include "kiln/Runtime/Session.h"
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace kiln::run {

/// The running call, in memory that a supervising process sees, too.
struct Activity {
  /// The kernel that runs, or ran last; it may outlive its package.
  char kernel[256];
  std::atomic<int64_t> began;    ///< nanoseconds; 0: no call runs
  std::atomic<bool> onReference; ///< of the call
  std::atomic<uint64_t> launches;
  std::atomic<bool> isDone; ///< with this status
  std::atomic<int> status;
  std::atomic<bool> isGone; ///< destructors have run, too
  std::atomic<bool> isLost; ///< a message has said how it ends instead
};
static_assert(std::atomic<int64_t>::is_always_lock_free &&
              std::atomic<uint64_t>::is_always_lock_free);

Activity &activity();

/// Says which kernel runs from now on; for CallOptions::onLaunch.
void noteKernel(const runtime::KernelInfo &kernel);

/// A call runs while this lives.
class CallWatch {
public:
  explicit CallWatch(bool onReference = false);
  ~CallWatch();
};

/// How long things may take, in seconds; 0: any time.
struct Limits {
  double call = 0;     ///< a whole call
  double progress = 0; ///< until something of a call or a driver goes on
};

/// Runs `body` in a child process. Returns what it returns, after the child
/// has exited. Where a limit passes, or a driver ends the process or crashes at
/// its end, a message says whose code it was, and the status is 1. With
/// KILN_NO_CHILD=1 and no limit for a call it runs in this process.
int supervise(const Limits &limits, const std::function<int()> &body);

/// Says on the standard error how far the reference is, when it takes long.
class ProgressReport {
public:
  /// `launches` is 0 when their number is not known.
  ProgressReport(bool isWanted, uint64_t launches);
  ~ProgressReport();

private:
  void run();
  std::string text() const;

  uint64_t numLaunches;
  bool isTerminal;
  bool isDone = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::thread thread;
};

} // namespace kiln::run

#endif
