// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine in software: what it computes, and in how many cycles.
#ifndef SYSTOLIC_MACHINE_H
#define SYSTOLIC_MACHINE_H

#include "Isa.h"
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace systolic {

/// Zeros at first. The system gives pages when they are touched: memory that
/// no kernel uses takes no time.
class Memory {
public:
  /// False if the host has too little.
  bool create(uint64_t bytes) {
    begin.reset(static_cast<char *>(std::calloc(bytes ? bytes : 1, 1)));
    count = begin ? bytes : 0;
    return begin != nullptr;
  }
  char *data() const { return begin.get(); }
  uint64_t size() const { return count; }

private:
  struct Free {
    void operator()(char *bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, Free> begin;
  uint64_t count = 0;
};

/// A kernel of a module.
struct Kernel {
  std::string name;
  int64_t scalars = 0, vectors = 0, rings = 0;
  std::vector<int64_t> code;
};

/// Reads a module; false with a reason if it is none, or damaged.
bool readModule(const void *bytes, uint64_t size,
                std::map<std::string, Kernel> &kernels, std::string &problem);

/// What a kernel gets: a view, or a scalar.
struct Argument {
  Memory *memory = nullptr; ///< null: a scalar
  uint64_t byteOffset = 0;
  std::vector<int64_t> sizes, strides; ///< in elements
  uint64_t bits = 0;
};

/// Cycles of a launch: all, and those in which each unit was at work.
struct Cycles {
  int64_t all = 0, queue = 0, matrix = 0, vector = 0, scalar = 0;
};

/// Runs one instance of the grid; false with a reason if it goes wrong.
bool runInstance(const Kernel &kernel, const std::vector<Argument> &arguments,
                 const int64_t *id, const int64_t *grid, Cycles &cycles,
                 std::string &problem);

/// One function on one lane, for elements of a type as their bits.
/// `variant` is the predicate of a comparison, `from` the operand's type.
uint64_t evaluate(int64_t function, int64_t variant, int64_t type, int64_t from,
                  uint64_t a, uint64_t b, uint64_t c);
/// A float of 16 or 32 bits as a number, and back, rounded to nearest even.
double decode(int64_t type, uint64_t bits);
uint64_t encode(int64_t type, double value);

} // namespace systolic

#endif
