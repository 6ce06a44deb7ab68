// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the plug-ins of this folder do wrong: as the environment variable BAD
// says.
#include "kiln/Dialect/Tile/Tile.h"
#include "kiln/Target/Plugin.h"
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unistd.h>

inline bool bad(llvm::StringRef what) {
  const char *wanted = std::getenv("BAD");
  return wanted && what == wanted;
}

/// Does not come back from `step`, if that is wanted.
inline void misbehave(const std::string &step) {
  if (bad(step + "-throws"))
    throw std::runtime_error("the tables are upside down");
  if (bad(step + "-crashes"))
    *reinterpret_cast<volatile int *>(8) = 0;
  if (bad(step + "-aborts"))
    std::abort();
  while (bad(step + "-hangs"))
    usleep(1000);
  if (bad(step + "-waits"))
    (void)std::system("sleep 100");
}
