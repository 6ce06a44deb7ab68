// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a shared object is one that the system's loader can be given.
#ifndef KILN_TARGETS_CPU_DEVICE_ELFCHECK_H
#define KILN_TARGETS_CPU_DEVICE_ELFCHECK_H

#include <cstdint>
#include <map>
#include <string>

namespace kiln::cpu_target {

/// What a symbol of a kernel library names.
enum class ElfSymbol {
  function, ///< in an executable segment
  number,   ///< eight bytes of constant data
  data,
};
using ElfSymbols = std::map<std::string, ElfSymbol>;

/// Checks everything that the loader reads of a shared object, the way the
/// loader finds it: by program headers. Only the shape that lld gives to
/// kernels is taken: segments that are in the file, ordered and never both
/// written and executed; tables inside of them; no constructors, no
/// thread-local storage, no library needed, no symbol undefined but those that
/// `mayNeed` names. Collects the symbols that it defines.
bool checkElf(const void *bytes, uint64_t size,
              bool (*mayNeed)(const std::string &symbol), ElfSymbols &symbols,
              std::string &problem);

} // namespace kiln::cpu_target

#endif
