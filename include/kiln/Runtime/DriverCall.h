// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function of a device driver runs, for messages that name what
// went wrong in it.
#ifndef KILN_RUNTIME_DRIVERCALL_H
#define KILN_RUNTIME_DRIVERCALL_H

#include <cstdint>
#include <string>

namespace kiln::runtime {

/// "driver 'npu' (libkiln-device-npu.so) while loading a module"; empty while
/// no driver runs. Safe in signal handlers. A kernel that is executed counts,
/// too.
const char *currentDriverCall();

/// "driver 'npu' (libkiln-device-npu.so)", of all that were loaded, with
/// commas; empty for none. Safe in signal handlers.
const char *loadedDrivers();

/// Keeps from here on what both of them say, and `driverProgress`, where a
/// child made by fork and its parent see the same. Before any driver is loaded.
void shareDriverCalls();

/// Changes whenever a driver's function begins or ends, or a driver says how
/// far a launch is.
uint64_t driverProgress();

/// Whether this process, or the child that shares its calls, was ended with a
/// message because a driver called exit.
bool hasReportedExit();

} // namespace kiln::runtime

#endif
