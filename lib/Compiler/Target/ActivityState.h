//===- ActivityState.h - What is kept of activities -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_TARGET_ACTIVITYSTATE_H
#define KILN_LIB_TARGET_ACTIVITYSTATE_H

#include "kiln/Target/Activity.h"
#include "kiln/Target/ActivityBoard.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <sys/types.h>

namespace kiln::target {

/// One activity as text, of a size that a signal handler can read.
struct ActivityEntry {
  char place[256]; ///< "file:line:column", or nothing
  char owner[256];
  char kernels[256]; ///< "on kernel 'a'"
  int64_t began;
};

constexpr size_t kDeepestActivity = 16;

/// The activities of one thread, where another process may read them.
struct ActivitySlot {
  std::atomic<bool> isTaken;
  size_t depth; ///< those beyond kDeepestActivity are only counted
  ActivityEntry entries[kDeepestActivity];

  ActivityEntry *innermost() {
    return depth ? &entries[std::min(depth, kDeepestActivity) - 1] : nullptr;
  }
};

/// Which files the standard streams are, so that code which closes one of them
/// or puts another file there is told.
struct StandardStreams {
  struct {
    uint64_t device, file;
  } streams[3];

  static StandardStreams now();
  /// "closes the standard output: ...", of the first that is another one than
  /// `before`; null: none is.
  const char *changeSince(const StandardStreams &before) const;
};

/// One thread of this process.
struct ActivityThread {
  std::mutex mutex; ///< between the thread and the watchdog
  ActivitySlot *slot;
  std::unique_ptr<char[]> signalStack;
  ActivityThread();
  ~ActivityThread();
  /// In a child process: keeps its activities here, off the shared board.
  void leaveBoard();
  /// The streams as code of plug-ins found them, by the depth of its activity.
  StandardStreams streams[kDeepestActivity] = {};

private:
  ActivitySlot own = {}; ///< where there is no board, or no room on it
};

/// What is known of the process.
struct ActivityProcess {
  std::mutex mutex;
  std::set<ActivityThread *> threads;
  std::atomic<int64_t> progress{0}; ///< when anything began or ended
  std::atomic<double> limit{0};
  bool isWatched = false;
  std::string input;
  LastWordsFn say = nullptr;     ///< of crashes, and of hangs
  LastWordsFn sayExit = nullptr; ///< of ends of the process
  pid_t pid = 0;                 ///< that they are about: not of its children
  int errors = -1; ///< the standard error, where code cannot close it by chance
  SharedActivities *board = nullptr;
  std::atomic<bool> isEnding{false};

  static ActivityProcess &get();
  /// Keeps the standard error as it is now for the last message.
  void keepErrors();
};

/// The calling thread's, if it ever had an activity.
extern thread_local ActivityThread *currentThread;

/// Nanoseconds of a clock that does not go back.
int64_t activityClock();

/// Puts a message together without memory from the heap.
struct MessageLine {
  char text[1536];
  size_t size = 0;
  void add(const char *part);
  /// "F:L:C: error: OWNER crashes on kernel 'a': WHY", of "crashes: WHY".
  void compose(const ActivityEntry &entry, const char *owner, const char *what,
               const char *input);
};

/// Ends the process with a message, once.
[[noreturn]] void endWith(const ActivityEntry &entry, const char *what);

/// Ends the process for what code did that did return.
[[noreturn]] void endAfter(const ActivityEntry &entry, const char *what);

/// What is said of code that ends the process.
constexpr char kEndsProcess[] = "ends the process: expected it to return";

} // namespace kiln::target

#endif // KILN_LIB_TARGET_ACTIVITYSTATE_H
