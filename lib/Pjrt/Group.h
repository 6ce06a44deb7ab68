// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that run on several devices of this process together.
#ifndef KILN_LIB_PJRT_GROUP_H
#define KILN_LIB_PJRT_GROUP_H

#include "Objects.h"
#include <condition_variable>
#include <deque>
#include <thread>

namespace kiln::pjrt {

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
/// Calls go one after the other, so that all ranks make them in one order.
class Group {
public:
  explicit Group(size_t size) : size(size) {}

  /// Runs `task` on all ranks at once, and waits for all of them. `task` gets
  /// the rank. If one fails, the exchanges of all fail, the first error is
  /// returned, and later calls begin with new worlds. An error if a rank of
  /// this group calls it.
  Error *run(const LoadedExecutable &loaded,
             const std::function<Error *(size_t)> &task);

private:
  Error *join();
  Error *enter(const LoadedExecutable &loaded);

  struct WorldDeleter {
    void operator()(KilnWorld *world) const { kilnWorldDestroy(world); }
  };
  const size_t size;
  std::mutex calling;
  std::vector<std::unique_ptr<KilnWorld, WorldDeleter>> worlds;
  std::vector<std::unique_ptr<Worker>> workers; ///< of all ranks but the first
};

} // namespace kiln::pjrt

#endif
