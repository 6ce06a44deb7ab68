// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A driver's functions with a guard around each.
#ifndef KILN_LIB_RUNTIME_GUARDEDDRIVER_H
#define KILN_LIB_RUNTIME_GUARDEDDRIVER_H

#include "kiln-c/Device.h"

namespace kiln::runtime {

/// A table that calls `table`'s functions, of the driver with that number
/// (DriverCalls.h), and lives as long as the process.
const KilnDeviceDriver *guardDriver(const KilnDeviceDriver *table, int driver);

} // namespace kiln::runtime

#endif
