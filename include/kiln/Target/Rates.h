//===- Rates.h - What a machine does in a time ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules and block sizes weigh another kernel, or more cores, against the
// work that they save. Their thresholds are ratios of these numbers, which
// follow from the description of the machine. Bytes and operations of a launch
// are at most 2^62, so that integers hold them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_RATES_H
#define KILN_TARGET_RATES_H

#include "kiln/Dialect/Kiln/Description.h"

namespace kiln::target {

/// Returns the seconds from one kernel to the next one, which needs its
/// results: `launch_ns` in `extra`, 5 us without it.
double launchSeconds(TargetAttr description);

/// Returns the bytes that all cores together read from the farthest memory of
/// the device in a second; 3e10 for each core if no memory states a bandwidth.
double memoryBytesPerSecond(TargetAttr description);

/// Returns the bytes that memory moves during a launch for all cores.
double launchBytes(TargetAttr description);

/// Returns a core's share of `launchBytes`.
double launchBytesOfCore(TargetAttr description);

/// Returns a core's share of the bytes that memory moves in a cycle.
double cycleBytesOfCore(TargetAttr description);

/// Returns the operations on 32 bits that the threads of a core do during a
/// launch.
double launchWorkOfCore(TargetAttr description);

/// Returns `share` blocks for each core, rounded down to a power of two, at
/// least one.
int64_t blocksOfCores(TargetAttr description, double share);

} // namespace kiln::target

#endif // KILN_TARGET_RATES_H
