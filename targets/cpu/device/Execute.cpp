// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a kernel: its argument words, and the grid over the threads.
#include "CpuDevice.h"
#include <algorithm>
#include <cstdlib>

using namespace kiln::cpu_target;

KilnDeviceHost kiln::cpu_target::runtimeHost = {};

Scratch::~Scratch() { std::free(data); }

void *Scratch::get(uint64_t bytes) {
  constexpr uint64_t align = 64;
  if (bytes <= size)
    return data;
  std::free(data);
  uint64_t rounded = (bytes + align - 1) / align * align;
  data = std::aligned_alloc(align, rounded);
  size = data ? rounded : 0;
  return data;
}

namespace {

/// More threads than this are refused rather than tried.
constexpr int64_t kMaxAtOnce = 8192;

/// The runtime that one launch's kernels see; keeps the first fault.
struct LaunchRuntime : KilnKernelRuntime {
  LaunchRuntime()
      : KilnKernelRuntime{sizeof(KilnKernelRuntime), &report, &print,
                          &isFailed} {}

  static void print(const KilnKernelRuntime *, const KilnPrintedValue *value) {
    if (runtimeHost.print)
      runtimeHost.print(value);
  }

  static int32_t isFailed(const KilnKernelRuntime *rt) {
    return static_cast<const LaunchRuntime *>(rt)->failed.load(
        std::memory_order_relaxed);
  }

  static void report(const KilnKernelRuntime *rt, const char *message) {
    auto *self =
        static_cast<LaunchRuntime *>(const_cast<KilnKernelRuntime *>(rt));
    std::lock_guard<std::mutex> lock(self->mutex);
    if (!self->failed.exchange(true))
      self->message = message ? message : "a kernel reported a fault";
  }

  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::string message;
};

/// Words in the order that kiln-c/Kernel.h fixes.
bool encode(const KilnLaunch &launch, std::vector<int64_t> &words,
            std::string &problem) {
  const KilnKernel &kernel = *launch.kernel;
  if (launch.numArguments != kernel.params.size()) {
    problem = "takes " + std::to_string(kernel.params.size()) + " arguments, " +
              std::to_string(launch.numArguments) + " given";
    return false;
  }
  size_t count = 3;
  for (const KilnKernelParameter &param : kernel.params)
    count += param.isScalar ? 1 : 1 + 2 * size_t(param.rank);
  words.resize(count);
  int64_t *next = std::copy_n(launch.grid, 3, words.data());
  for (size_t i = 0; i < launch.numArguments; ++i) {
    const KilnKernelArgument &arg = launch.arguments[i];
    if (arg.isScalar != kernel.params[i].isScalar ||
        (!arg.isScalar && arg.rank != kernel.params[i].rank)) {
      problem = "argument " + std::to_string(i) + " has the wrong kind or rank";
      return false;
    }
    if (arg.isScalar) {
      *next++ = int64_t(arg.bits);
      continue;
    }
    auto *base = static_cast<char *>(arg.buffer->address) + arg.byteOffset;
    *next++ = int64_t(reinterpret_cast<intptr_t>(base));
    next = std::copy_n(arg.sizes, arg.rank, next);
    next = std::copy_n(arg.strides, arg.rank, next);
  }
  return true;
}

/// Runs all instances at once, or none.
bool launchAtOnce(const KilnKernel &kernel, const std::vector<int64_t> &words,
                  int64_t total, const KilnKernelRuntime &runtime) {
  std::vector<Scratch> scratch(static_cast<size_t>(total));
  for (Scratch &own : scratch)
    if (kernel.scratchBytes && !own.get(kernel.scratchBytes))
      return false;
  return runAtOnce(total, [&](int64_t i) {
    kernel.entry(words.data(), i, i + 1,
                 scratch[size_t(i)].get(kernel.scratchBytes), &runtime);
  });
}

bool gridSize(const int64_t grid[3], int64_t &total) {
  total = 1;
  for (int d = 0; d < 3; ++d)
    if (grid[d] < 0 || __builtin_mul_overflow(total, grid[d], &total))
      return false;
  return true;
}

} // namespace

int kiln::cpu_target::execute(KilnDevice *device, KilnQueue *,
                              const KilnLaunch *launch, KilnError *error) {
  const KilnKernel &kernel = *launch->kernel;
  auto failed = [&](const std::string &problem) {
    return fail(error, "kernel '" + kernel.symbol + "': " + problem);
  };
  // Kept for the next launch: with many arguments it is a large block.
  thread_local std::vector<int64_t> kept;
  std::vector<int64_t> words = std::move(kept);
  std::string problem;
  if (!encode(*launch, words, problem))
    return failed(problem);
  int64_t total = 0;
  if (!gridSize(launch->grid, total))
    return failed("the grid is out of range");
  if (!total)
    return 0;
  LaunchRuntime runtime;
  auto body = [&](int64_t first, int64_t last, int thread) {
    if (runtime.failed.load(std::memory_order_relaxed))
      return;
    void *scratch = device->scratch[size_t(thread)].get(kernel.scratchBytes);
    if (kernel.scratchBytes && !scratch)
      return LaunchRuntime::report(&runtime, "no memory for its scratch");
    kernel.entry(words.data(), first, last, scratch, &runtime);
  };
  bool areAllStarted = true;
  try {
    if (!kernel.isConcurrent || total == 1)
      device->threads.run(total, body);
    else
      areAllStarted =
          total <= kMaxAtOnce && launchAtOnce(kernel, words, total, runtime);
  } catch (const std::exception &e) {
    return failed(e.what());
  }
  if (!areAllStarted)
    return failed("its " + std::to_string(total) +
                  " instances wait for each other, and this machine cannot run "
                  "that many at once");
  if (runtime.failed)
    return failed(runtime.message);
  kept = std::move(words);
  return 0;
}
