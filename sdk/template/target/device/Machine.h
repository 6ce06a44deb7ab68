// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine in software: replace this by calls that reach yours.
#ifndef @NAME@_MACHINE_H
#define @NAME@_MACHINE_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace @name@ {

using Memory = std::vector<char>;

/// A kernel as @name@-as wrote it.
struct Program {
  int64_t numScalars = 0, numTiles = 0;
  std::vector<int64_t> code;
};

/// Reads what @name@-as wrote; false with a reason if it is damaged.
bool readPrograms(const void *bytes, uint64_t size,
                  std::map<std::string, Program> &programs,
                  std::string &problem);

/// A view that a kernel gets, or a number.
struct Argument {
  Memory *memory = nullptr; ///< null: a number
  uint64_t byteOffset = 0;
  std::vector<int64_t> sizes, strides; ///< in elements
  int64_t bits = 0;                    ///< of a number
};

/// Runs one instance of the grid; false with a reason if it goes wrong.
bool runInstance(const Program &program, const std::vector<Argument> &arguments,
                 const int64_t *id, const int64_t *grid, std::string &problem);

} // namespace @name@

#endif
