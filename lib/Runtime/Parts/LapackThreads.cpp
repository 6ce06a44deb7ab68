// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "LapackThreads.h"
#include "Lapack.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sched.h>
#include <string>

using namespace kiln::runtime;

/// Products of rows, columns and others that one thread computes: a matrix of
/// 1400 rows. Threads of a factorisation wait for each other in every step, so
/// that one that others keep from its processor holds all of them up.
static constexpr double kWorkOfOne = 1400. * 1400 * 1400;
/// Products that are worth each further thread, and how many threads there are
/// at most.
static constexpr double kWorkOfThread = 1e9, kMostThreads = 8;

/// The processors that a container may use, by the files of version 2 and of
/// version 1 of Linux' control groups; `most` where there is no limit.
static double quota(double most) {
  double time = 0, period = 0;
  // "max 100000" is no number.
  std::ifstream second("/sys/fs/cgroup/cpu.max");
  if (second >> time >> period && time > 0 && period > 0)
    return std::min(most, time / period);
  std::ifstream first("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream each("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (first >> time && each >> period && time > 0 && period > 0)
    return std::min(most, time / period);
  return most;
}

/// The processors of the affinity. A mask that is too short is an error.
static int countAffinity() {
  constexpr int kMost = 1 << 16;
  for (int size = CPU_SETSIZE; size <= kMost; size *= 2) {
    cpu_set_t *all = CPU_ALLOC(size);
    if (!all)
      break;
    size_t bytes = CPU_ALLOC_SIZE(size);
    CPU_ZERO_S(bytes, all);
    bool isKnown = sched_getaffinity(0, bytes, all) == 0;
    int count = isKnown ? CPU_COUNT_S(bytes, all) : 0;
    CPU_FREE(all);
    if (isKnown)
      return count;
  }
  return 1;
}

static int countProcessors() {
  return std::max(1, int(quota(countAffinity())));
}

namespace {
/// OpenBLAS' functions. Its number of threads is one of the process.
struct Threads {
  void (*set)(int) = nullptr;
  int (*get)() = nullptr;
  int processors = 1;
  std::mutex mutex; ///< guards those that follow
  int users = 0;    ///< calls that run now
  int before = 1;   ///< what others had set when the first of them began
  int most = 0;     ///< what the calls that run now have set

  Threads() {
    for (const char *name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"})
      if (std::getenv(name))
        return;
    Expected<const Lapack *> library = Lapack::get();
    if (!library)
      return;
    get = reinterpret_cast<int (*)()>(
        (*library)->findOther("openblas_get_num_threads"));
    auto found = reinterpret_cast<void (*)(int)>(
        (*library)->findOther("openblas_set_num_threads"));
    if (!get || !found)
      return;
    processors = countProcessors();
    set = found;
  }
};
} // namespace

static Threads &threads() {
  static Threads threads;
  return threads;
}

/// The threads that a call has work for.
static double countThreads(const HostCall &call) {
  // A triangular matrix with many columns on the right is as much work as
  // these.
  const HostArray &last = call.sources.back();
  bool isMatrix = last.shape.size() == call.sources[0].shape.size();
  double rows = double(call.sources[0].last(1)),
         columns = double(call.sources[0].last(0)),
         others = isMatrix ? double(last.last(0)) : columns;
  double work = rows * columns * std::min(std::max(rows, columns), others);
  return std::clamp(1 + (work - kWorkOfOne) / kWorkOfThread, 1., kMostThreads);
}

LapackThreads::LapackThreads(const HostCall &call) {
  Threads &all = threads();
  if (!all.set || call.sources.empty() || call.sources[0].shape.size() < 2)
    return;
  isUser = true;
  int wanted = std::min(all.processors, int(countThreads(call)));
  std::lock_guard<std::mutex> lock(all.mutex);
  if (all.users++ == 0) {
    all.before = all.get();
    all.most = 0;
  }
  // Calls of several threads at once have the number of the largest.
  wanted = std::min(std::max(wanted, all.most), std::max(1, all.before));
  if (wanted != all.most)
    all.set(wanted);
  all.most = wanted;
}

LapackThreads::~LapackThreads() {
  if (!isUser)
    return;
  Threads &all = threads();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (--all.users == 0)
    all.set(all.before);
}
