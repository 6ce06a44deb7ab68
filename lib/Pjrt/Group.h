// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that run on several devices of this process together.
#ifndef KILN_LIB_PJRT_GROUP_H
#define KILN_LIB_PJRT_GROUP_H

#include "Objects.h"
#include <condition_variable>
#include <deque>
#include <thread>

namespace kiln::pjrt {

/// How many calls the present one is within: a callback of each began the next
/// one. Set for the scope on this thread; threads of groups take it over from
/// the thread that begins their call.
class CallDepth {
public:
  explicit CallDepth(size_t depth) : before(current) { current = depth; }
  CallDepth(const CallDepth &) = delete;
  ~CallDepth() { current = before; }
  static size_t get() { return current; }

private:
  static thread_local size_t current;
  const size_t before;
};

/// Callbacks that call programs within each other, at most. Each level takes
/// some of the thread's stack and a session.
inline constexpr size_t kMostNestedCalls = 32;
/// Calls of one program with callbacks at the same time, at most: their threads
/// may wait for each other, or be unrelated.
inline constexpr size_t kMostCallsAtOnce = 512;
/// The error of one call more.
Error *tooManyCalls(size_t most, const char *of);

/// A thread that runs tasks in the order in which they were given.
class Worker {
public:
  Worker() : thread([this] { serve(); }) {}
  ~Worker();
  void post(std::function<void()> task);

private:
  void serve();

  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> tasks;
  bool isEnding = false;
  std::thread thread;
};

/// The ranks of programs on one list of devices: a thread and a world for each.
/// Calls go one after the other, so that all ranks make them in one order. A
/// callback of a program may call a program, its own one included, or wait for
/// a thread that does: while a program with callbacks runs, other calls have a
/// group of their own.
class Group {
public:
  explicit Group(size_t size, size_t depth = 0) : size(size), depth(depth) {}

  /// Runs `task` on all ranks at once, and waits for all of them. `task` gets
  /// the rank and the part that no other call has. If one fails, the exchanges
  /// of all fail, the first error is returned, and later calls begin with new
  /// worlds.
  Error *run(LoadedExecutable &loaded,
             const std::function<Error *(size_t, Part &)> &task);

private:
  using Parts = std::vector<std::unique_ptr<Part>>;

  Error *take(const LoadedExecutable &loaded, Group *&taken);
  Error *runTaken(LoadedExecutable &loaded,
                  const std::function<Error *(size_t, Part &)> &task);
  Error *join();
  Error *enter(const Parts &parts);
  Error *open(LoadedExecutable &loaded, const Parts *&parts);

  struct WorldDeleter {
    void operator()(KilnWorld *world) const { kilnWorldDestroy(world); }
  };
  const size_t size;
  const size_t depth; ///< how many groups have calls with callbacks meanwhile
  std::mutex state;   ///< guards those that follow
  std::condition_variable freed;
  const LoadedExecutable *taker = nullptr; ///< what runs; null: nothing does
  std::unique_ptr<Group> next;             ///< for calls that begin meanwhile
  std::vector<std::unique_ptr<KilnWorld, WorldDeleter>> worlds;
  std::vector<std::unique_ptr<Worker>> workers; ///< of all ranks but the first
};

} // namespace kiln::pjrt

#endif
