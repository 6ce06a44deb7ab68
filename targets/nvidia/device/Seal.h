// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the target writes and the driver reads: the mark before a cubin
// and a launch attribute.
#ifndef KILN_TARGETS_NVIDIA_DEVICE_SEAL_H
#define KILN_TARGETS_NVIDIA_DEVICE_SEAL_H

#include "kiln-c/Device.h"

namespace kiln::nvidia {

/// What stands before a cubin in a module, with the CRC-32 of its bytes behind
/// it (little-endian): CUDA's loader crashes on damaged ones.
constexpr char kCubinMark[8] = {'K', 'I', 'L', 'N', 'C', 'U', 'B', '1'};

/// A launch attribute: ways in which a kernel may be launched, as bits.
constexpr uint32_t kLaunchWays = KILN_LAUNCH_OWN;
/// It finds its place in a grid of three extents as well as in one of a single
/// extent: others know only that.
constexpr int32_t kWaysAxes = 1;
/// It waits for the end of the kernel in front of it before it accesses memory,
/// so that it may begin earlier (programmatic dependent launch).
constexpr int32_t kWaysDependent = 2;

} // namespace kiln::nvidia

#endif
