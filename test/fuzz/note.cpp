// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: version notes of plug-ins.
#include "kiln/Runtime/Package.h"
#include "kiln/Runtime/Plugin.h"
#include <string>
#include <unistd.h>

using namespace kiln::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::string path =
      "/dev/shm/kiln-fuzz-note-" + std::to_string(getpid());
  if (writeFile(path, data, size))
    return 0;
  (void)bool(readPluginNote(path));
  (void)bool(definesSymbol(path, "kilnGetDeviceDriver"));
  unlink(path.c_str());
  return 0;
}
