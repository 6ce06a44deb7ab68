// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// retarget IN.kpkg OUT.kpkg DEVICE: a package whose kernels another driver
// runs.
#include "kiln/Runtime/Package.h"
#include <cstdio>

using namespace kiln::runtime;

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  Expected<Package> package = readPackageFile(argv[1]);
  if (!package) {
    std::fprintf(stderr, "%s\n", package.message().c_str());
    return 1;
  }
  for (TargetProgram &target : package->targets) {
    target.spec = argv[3];
    for (DeviceRef &device : target.program.devices)
      device = {argv[3], ""};
  }
  Expected<std::vector<uint8_t>> bytes = writePackage(*package);
  Error error = bytes ? writeFile(argv[2], bytes->data(), bytes->size())
                      : bytes.takeError();
  if (error)
    std::fprintf(stderr, "%s\n", error.message().c_str());
  return error ? 1 : 0;
}
