// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As much of oneTBB's arena as Threads.cpp uses, on threads that a race detector
// sees.
#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace oneapi::tbb {
namespace this_task_arena {
inline thread_local int index = 0;
inline int current_thread_index() { return index; }
inline int max_concurrency() { return 64; }
} // namespace this_task_arena

class task_arena {
public:
  explicit task_arena(int count) : count(count) {}
  ~task_arena() {
    for (std::thread &thread : threads)
      thread.join();
  }
  template <typename F> void enqueue(F body) {
    threads.emplace_back([body, index = 1 + int(threads.size()) % (count - 1)] {
      this_task_arena::index = index;
      body();
    });
  }

private:
  int count;
  std::vector<std::thread> threads;
};
} // namespace oneapi::tbb
