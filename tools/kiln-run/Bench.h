// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measuring calls.
#ifndef KILN_TOOLS_KILN_RUN_BENCH_H
#define KILN_TOOLS_KILN_RUN_BENCH_H

#include "Inputs.h"
#include "kiln/Runtime/Session.h"

namespace kiln::run {

/// What the machine can do, measured: 0 when it was not.
struct Ceiling {
  double bytesPerSecond = 0; ///< copying, bytes read plus bytes written
  double flopsPerSecond = 0; ///< f32 multiply-adds in registers
  double cacheBytes = 0;     ///< of all last-level caches together
};

/// Measures the host's ceilings on that many threads.
Ceiling measureCeiling(unsigned threads);

/// How a time compares with the least that the ceilings allow.
struct Reach {
  enum Kind {
    unknown, ///< no ceiling, or nothing is known of the work
    share,   ///< `part` of what the machine can do
    inCache, ///< memory was not what the work took its data from
    above,   ///< faster than f32 multiply-adds: other types or units
  } kind = unknown;
  double part = 0;
};
/// `isCached`: all data of the call fits into the caches.
Reach reachOf(double flops, double bytes, double seconds,
              const Ceiling &ceiling, bool isCached);

/// Seconds, of some measurements.
struct Statistics {
  size_t count = 0;
  double minimum = 0, median = 0, mean = 0, p90 = 0, p99 = 0, maximum = 0;
  double deviation = 0; ///< of the sample
};
Statistics statisticsOf(std::vector<double> seconds);

/// All launches of one kernel.
struct KernelRow {
  std::string name;
  int calls = 0;
  double seconds = 0;
  double flops = 0; ///< 0: not known
  double bytes = 0; ///< 0: not known
};
std::vector<KernelRow>
groupLaunches(const std::vector<runtime::LaunchRecord> &launches);

/// What was measured.
struct Measured {
  std::vector<double> seconds; ///< of each call
  Statistics statistics;
  int warmUps = 0;
  /// One call; the times of the launches are medians.
  std::vector<runtime::LaunchRecord> launches;
  Ceiling ceiling;
  bool onDeviceClock = false; ///< the times of the launches
};

/// Calls repeatedly, as often as the options say.
runtime::Expected<Measured> measure(runtime::Session &session,
                                    const runtime::Function &function,
                                    const std::vector<runtime::Tensor> &args,
                                    const Options &options);

/// Calls repeatedly and prints times, rates and a table of kernels; writes
/// them to a file as well where the options ask for it.
runtime::Error bench(runtime::Session &session,
                     const runtime::Function &function,
                     const std::vector<runtime::Tensor> &args,
                     const Options &options);

/// Prints what was measured.
void printMeasured(const Measured &measured);

/// Prints a table of the kernels of one call.
void printKernels(const std::vector<runtime::LaunchRecord> &launches,
                  const Ceiling &ceiling);

/// The same as JSON, in units without prefixes.
std::string measuredToJson(const Measured &measured,
                           const runtime::Function &function,
                           const std::string &target,
                           const std::vector<std::string> &devices);

} // namespace kiln::run

#endif
