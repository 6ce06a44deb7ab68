// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a launch is, for people who wait for it.
#include "kiln/Runtime/Progress.h"
#include <atomic>

using namespace kiln::runtime;

static std::atomic<uint64_t> doneParts{0}, totalParts{0};

LaunchProgress kiln::runtime::launchProgress() {
  return {doneParts, totalParts};
}

void kiln::runtime::noteProgress(uint64_t done, uint64_t total) {
  doneParts = done;
  totalParts = total;
}
