// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host can do: copy bandwidth and multiply-adds.
#include "Bench.h"
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace kiln::run;

namespace {

double now() {
  auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

/// Seconds that `work(thread)` takes on all threads together, best of a few.
double best(unsigned threads, int repeats,
            const std::function<void(unsigned)> &work) {
  double result = 0;
  for (int i = 0; i < repeats; ++i) {
    double begin = now();
    std::vector<std::thread> pool;
    for (unsigned t = 1; t < threads; ++t)
      pool.emplace_back(work, t);
    work(0);
    for (std::thread &thread : pool)
      thread.join();
    double seconds = now() - begin;
    if (!result || seconds < result)
      result = seconds;
  }
  return result;
}

double measureCopy(unsigned threads, double cacheBytes) {
  // Twice this is more than the caches hold.
  size_t bytes =
      std::clamp(size_t(cacheBytes), size_t(256) << 20, size_t(1) << 30);
  using Memory = std::unique_ptr<char, decltype(&std::free)>;
  auto allocate = [&] {
    return Memory(static_cast<char *>(std::aligned_alloc(4096, bytes)),
                  std::free);
  };
  Memory from = allocate(), to = allocate();
  if (!from || !to)
    return 0;
  size_t part = bytes / threads / 4096 * 4096;
  best(threads, 1, [&](unsigned t) { // first touch
    std::memset(from.get() + t * part, 1, part);
    std::memset(to.get() + t * part, 2, part);
  });
  double seconds = best(threads, 5, [&](unsigned t) {
    std::memcpy(to.get() + t * part, from.get() + t * part, part);
  });
  return 2.0 * double(part) * threads / seconds;
}

#if defined(__x86_64__)
constexpr long kRounds = 2000000;
constexpr int kChains = 12; ///< enough to cover the latency of two units

typedef float Wide __attribute__((vector_size(64)));
typedef float Half __attribute__((vector_size(32)));

/// Independent chains of multiply-adds; returns their number of operations.
#define KILN_CHAINS(TYPE, FMA)                                                 \
  TYPE sums[kChains];                                                          \
  TYPE a = {}, b = {};                                                         \
  a += 0.999f;                                                                 \
  b += 0.001f;                                                                 \
  for (int c = 0; c < kChains; ++c)                                            \
    sums[c] = b * float(c);                                                    \
  for (long i = 0; i < kRounds; ++i) {                                         \
    _Pragma("GCC unroll 12") for (int c = 0; c < kChains; ++c) sums[c] =       \
        FMA(sums[c], a, b);                                                    \
    asm volatile("" : "+x"(a));                                                \
  }                                                                            \
  TYPE total = {};                                                             \
  for (int c = 0; c < kChains; ++c)                                            \
    total += sums[c];                                                          \
  volatile float sink = total[0];                                              \
  (void)sink;                                                                  \
  return 2.0 * kRounds * kChains * (sizeof(TYPE) / sizeof(float))

__attribute__((target("avx512f"))) double chains512() {
  KILN_CHAINS(Wide, _mm512_fmadd_ps);
}

__attribute__((target("avx2,fma"))) double chains256() {
  KILN_CHAINS(Half, _mm256_fmadd_ps);
}

double measureFlops(unsigned threads) {
  double (*work)() = __builtin_cpu_supports("avx512f") ? chains512
                     : __builtin_cpu_supports("fma")   ? chains256
                                                       : nullptr;
  if (!work)
    return 0;
  std::vector<double> counts(threads, 0);
  double seconds = best(threads, 3, [&](unsigned t) { counts[t] = work(); });
  return counts[0] * threads / seconds;
}
#else
double measureFlops(unsigned) { return 0; }
#endif

/// Bytes of all caches of the highest level; 0 when the system does not say.
double cacheSize() {
  long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (size <= 0)
    size = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (size <= 0)
    return 0;
  // Each is shared by some processors.
  long sharers = 0, all = sysconf(_SC_NPROCESSORS_ONLN);
  for (int level = 4; level >= 2 && !sharers; --level) {
    std::string path = "/sys/devices/system/cpu/cpu0/cache/index" +
                       std::to_string(level) + "/shared_cpu_map";
    if (std::FILE *file = std::fopen(path.c_str(), "r")) {
      for (int c; (c = std::fgetc(file)) != EOF;)
        if (std::isxdigit(c))
          sharers += __builtin_popcount(
              unsigned(std::isdigit(c) ? c - '0' : std::tolower(c) - 'a' + 10));
      std::fclose(file);
    }
  }
  long caches = sharers > 0 ? std::max(1L, (all + sharers - 1) / sharers) : 1;
  return double(size) * double(caches);
}

} // namespace

Ceiling kiln::run::measureCeiling(unsigned threads) {
  threads = threads ? threads : 1;
  double cacheBytes = cacheSize();
  return {measureCopy(threads, cacheBytes), measureFlops(threads), cacheBytes};
}
