// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The progress of a launch, for progress bars.
#ifndef KILN_RUNTIME_PROGRESS_H
#define KILN_RUNTIME_PROGRESS_H

#include <cstdint>

namespace kiln::runtime {

/// The progress of the launch that runs in this process.
struct LaunchProgress {
  uint64_t done = 0;  ///< units of work that are done
  uint64_t total = 0; ///< units of work; 0: the driver does not report any
};

/// Returns the progress of the launch that runs.
LaunchProgress launchProgress();
/// Sets the progress. Drivers call it, from any thread; the runtime sets both
/// numbers to 0 before a launch.
void noteProgress(uint64_t done, uint64_t total);

} // namespace kiln::runtime

#endif
