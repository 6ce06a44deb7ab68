// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine in software. Replace its functions by calls that reach your
// hardware.
#ifndef @NAME@_MACHINE_H
#define @NAME@_MACHINE_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace @name@ {

using Memory = std::vector<char>;

/// The code of one kernel, as the assembler @name@-as writes it.
struct Program {
  int64_t numScalars = 0, numTiles = 0; ///< registers that the code uses
  std::vector<int64_t> code;            ///< opcodes with their operands
};

/// Reads the output of @name@-as into `programs`, by name. Returns false, with
/// the reason in `problem`, if it is damaged.
bool readPrograms(const void *bytes, uint64_t size,
                  std::map<std::string, Program> &programs,
                  std::string &problem);

/// An argument of a kernel: a view of memory, or a number.
struct Argument {
  Memory *memory = nullptr; ///< null: a number
  uint64_t byteOffset = 0;
  std::vector<int64_t> sizes, strides; ///< in elements
  int64_t bits = 0;                    ///< the bits of a number
};

/// Runs the program instance at `id` of a grid of `grid` instances, each of
/// three dimensions. Returns false, with the reason in `problem`, on a fault
/// such as an access out of bounds.
bool runInstance(const Program &program, const std::vector<Argument> &arguments,
                 const int64_t *id, const int64_t *grid, std::string &problem);

} // namespace @name@

#endif
