// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a launch is, for people who wait for it.
#ifndef KILN_RUNTIME_PROGRESS_H
#define KILN_RUNTIME_PROGRESS_H

#include <cstdint>

namespace kiln::runtime {

/// Of the whole process; a total of 0: the driver does not say.
struct LaunchProgress {
  uint64_t done = 0;
  uint64_t total = 0;
};

/// Returns the progress of the launch that runs.
LaunchProgress launchProgress();
/// What drivers call, from any thread; the runtime sets both to 0 before a
/// launch.
void noteProgress(uint64_t done, uint64_t total);

} // namespace kiln::runtime

#endif
