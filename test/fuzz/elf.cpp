// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: kernel libraries, up to where the system's loader gets them.
#include "../../targets/cpu/device/ElfCheck.h"
#include "kiln/Runtime/HostSymbols.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  kiln::cpu_target::ElfSymbols symbols;
  std::string problem;
  auto mayNeed = [](const std::string &name) {
    return kiln::runtime::isHostSymbol(name);
  };
  bool isFine = kiln::cpu_target::checkElf(data, size, mayNeed, symbols, problem);
  // Whatever is refused is refused with a reason.
  if (isFine != problem.empty())
    __builtin_trap();
  return 0;
}
