// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See the header.
#include "LapackThreads.h"
#include "Lapack.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <string>

using namespace kiln::runtime;

/// Products of two elements, of one matrix, that are worth another thread.
static constexpr double kWorkOfThread = 1 << 23;

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

static int countProcessors() {
  cpu_set_t all;
  CPU_ZERO(&all);
  bool isKnown = sched_getaffinity(0, sizeof all, &all) == 0;
  return std::max(1, int(quota(isKnown ? CPU_COUNT(&all) : 1)));
}

namespace {
/// OpenBLAS' functions, and how many threads it had when it was loaded.
struct Threads {
  void (*set)(int) = nullptr;
  int initial = 1, processors = 1;

  Threads() {
    for (const char *name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"})
      if (std::getenv(name))
        return;
    Expected<const Lapack *> library = Lapack::get();
    if (!library)
      return;
    auto get = reinterpret_cast<int (*)()>(
        (*library)->findOther("openblas_get_num_threads"));
    auto found = reinterpret_cast<void (*)(int)>(
        (*library)->findOther("openblas_set_num_threads"));
    if (!get || !found)
      return;
    initial = get();
    processors = std::min(initial, countProcessors());
    set = found;
  }
};
} // namespace

static const Threads &threads() {
  static const Threads threads;
  return threads;
}

LapackThreads::LapackThreads(const HostCall &call) {
  const Threads &all = threads();
  if (!all.set || call.sources.empty() || call.sources[0].shape.size() < 2)
    return;
  // A triangular matrix with many columns on the right is as much work as
  // these.
  const HostArray &last = call.sources.back();
  bool isMatrix = last.shape.size() == call.sources[0].shape.size();
  double rows = double(call.sources[0].last(1)),
         columns = double(call.sources[0].last(0)),
         others = isMatrix ? double(last.last(0)) : columns;
  double work = rows * columns * std::min(std::max(rows, columns), others);
  all.set(std::clamp(int(work / kWorkOfThread), 1, all.processors));
}

LapackThreads::~LapackThreads() {
  if (threads().set)
    threads().set(threads().initial);
}
