// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kiln-conform: whether a target, or a device driver, does what it has to.
#include "device/DeviceKit.h"
#include "kiln/Runtime/StandardStreams.h"
#include <CLI/CLI.hpp>
#include <cstdio>

int main(int argc, char **argv) {
  kiln::runtime::occupyStandardStreams();
  CLI::App app("Conformance of targets and of device drivers.", "kiln-conform");
  kiln::conform::DeviceKitOptions device;
  app.add_option("--device", device.driver,
                 "a device driver: its library, or the name of the device")
      ->required();
  app.add_option("--device-options", device.options,
                 "what follows the name in a SPEC: chip,key=value");
  app.add_option("--package", device.package,
                 "a package with kernels for the device");
  app.add_option("--filter", device.filter, "run what this expression fits");
  app.add_option("--json", device.json, "write the report to a file");
  app.add_flag("--list", device.list, "print the names of the checks");
  app.add_option("--time-limit", device.seconds, "seconds for one check")
      ->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return app.exit(e) ? 2 : 0;
  }
  return kiln::conform::runDeviceKit(device);
}
