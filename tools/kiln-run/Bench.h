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
};

/// Measures the host's ceilings on that many threads.
Ceiling measureCeiling(unsigned threads);

/// Calls repeatedly and prints times, rates and a table of kernels.
runtime::Error bench(runtime::Session &session,
                     const runtime::Function &function,
                     const std::vector<runtime::Tensor> &args,
                     const runtime::CallOptions &callOptions,
                     const Options &options);

/// Prints a table of the kernels of one call.
void printKernels(const std::vector<runtime::LaunchRecord> &launches,
                  const Ceiling &ceiling);

} // namespace kiln::run

#endif
