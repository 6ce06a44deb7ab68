// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads a device driver to see whether the process survives it.
#include "kiln/Runtime/Plugin.h"
#include <cstdio>
#include <fcntl.h>

int main(int argc, char **argv) {
  if (argc == 2 && fcntl(3, F_GETFD) >= 0)
    return kiln::runtime::runDriverTrial(argv[1]);
  std::fprintf(stderr, "kiln-driver-trial: error: this program is started by "
                       "libkiln-runtime.so\n");
  return 2;
}
