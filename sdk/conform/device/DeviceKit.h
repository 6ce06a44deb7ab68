// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a device driver keeps to kiln-c/Device.h: checks that need no
// compiler, each in a process of its own.
#ifndef KILN_CONFORM_DEVICE_DEVICEKIT_H
#define KILN_CONFORM_DEVICE_DEVICEKIT_H

#include <string>

namespace kiln::conform {

struct DeviceKitOptions {
  /// libkiln-device-NAME.so by its path, or NAME, which is searched for as the
  /// runtime does.
  std::string driver;
  std::string options; ///< what follows the name in a SPEC: "chip,key=value"
  /// A package with kernels for the device: without one no module is loaded
  /// that the driver takes, and what needs one is skipped.
  std::string package;
  std::string filter;  ///< regular expression; empty: all checks
  std::string json;    ///< a file for the report; empty: none
  bool list = false;   ///< print the names of the checks and what they ask
  double seconds = 60; ///< for one check
};

/// Runs the checks and prints a line for each. Returns the exit status: 0 when
/// none failed, 1 when one did or the driver cannot be loaded, 2 for a filter
/// that is no regular expression or that fits no check.
int runDeviceKit(const DeviceKitOptions &options);

} // namespace kiln::conform

#endif
