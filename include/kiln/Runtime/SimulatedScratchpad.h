// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What machines in software have in common that compute in a scratchpad:
// numbers in registers, jumps, and transfers of boxes between views and the
// scratchpad. A driver adds the instructions of its units. The compiler's side
// is kiln_core.py of `kiln-new-target --isolated=python`.
#ifndef KILN_RUNTIME_SIMULATEDSCRATCHPAD_H
#define KILN_RUNTIME_SIMULATEDSCRATCHPAD_H

#include "kiln/Runtime/SimulatedDriver.h"
#include <algorithm>

namespace kiln::runtime {

/// Divides, and throws where there is no quotient.
inline int64_t divideNumbers(int64_t a, int64_t b, bool isUp) {
  if (b == 0 || (b == -1 && a == INT64_MIN))
    throw std::runtime_error("a division without a quotient");
  int64_t quotient = a / b;
  return quotient + (isUp && a % b != 0 && (a < 0) == (b < 0));
}

/// One instance of a program. An instruction is a code, the number of its
/// operands, and those; the first word of a program is its number of registers.
/// What does not exist throws.
class ScratchpadCore {
public:
  /// In the order of kiln_core.py; a machine's own codes follow, from kOwn.
  enum Code : int64_t {
    Const,
    Move,
    Pid,
    Programs,
    Dim,
    Scalar,
    Jump,
    JumpZero,
    DmaIn,
    DmaOut,
    Fill,
    kOwn
  };

  ScratchpadCore(const KilnLaunch &launch, const int64_t *id, uint64_t bytes)
      : launch(launch), id(id), memory(bytes) {}

  /// Runs a program; `step(code - kOwn, operands)` is a machine's own
  /// instruction.
  template <typename Step>
  void run(const std::vector<int64_t> &words, Step step) {
    registers.assign(size_t(std::clamp<int64_t>(words.at(0), 0, 65536)), 0);
    for (next = 1; next < words.size();) {
      int64_t code = words[next];
      uint64_t count = uint64_t(next + 1 < words.size() ? words[next + 1] : -1);
      if (next + 2 > words.size() || count > words.size() - next - 2)
        throw std::runtime_error("an instruction that ends too early");
      auto first = words.begin() + long(next + 2);
      std::vector<int64_t> operands(first, first + long(count));
      next += 2 + size_t(count);
      if (code >= kOwn)
        step(code - kOwn, operands);
      else
        runOwn(code, operands);
    }
  }

  int64_t &number(int64_t n) { return registers.at(size_t(n)); }

  /// Bytes of the scratchpad.
  char *at(int64_t address, int64_t bytes) {
    if (address < 0 || bytes < 0 || uint64_t(bytes) > memory.size() ||
        uint64_t(address) > memory.size() - uint64_t(bytes))
      throw std::runtime_error("an access outside of the scratchpad");
    return memory.data() + address;
  }
  template <typename T> T read(int64_t address) {
    T value;
    std::memcpy(&value, at(address, sizeof(T)), sizeof(T));
    return value;
  }
  template <typename T> void write(int64_t address, T value) {
    std::memcpy(at(address, sizeof(T)), &value, sizeof(T));
  }

  const KilnLaunch &launch;
  const int64_t *id;

private:
  void runOwn(int64_t code, const std::vector<int64_t> &x) {
    switch (code) {
    case Const:
      number(x.at(0)) = x.at(1);
      return;
    case Move:
      number(x.at(0)) = number(x.at(1));
      return;
    case Pid:
      number(x.at(0)) = id[uint64_t(x.at(1)) % 3];
      return;
    case Programs:
      number(x.at(0)) = launch.grid[uint64_t(x.at(1)) % 3];
      return;
    case Dim:
      if (x.at(2) < 0 || x[2] >= int64_t(viewOf(launch, x[1]).rank))
        throw std::runtime_error("a dimension that does not exist");
      number(x[0]) = viewOf(launch, x[1]).sizes[x[2]];
      return;
    case Scalar:
      number(x.at(1)) = computeNumber(x[0], x);
      return;
    case Jump:
      next = size_t(x.at(0));
      return;
    case JumpZero:
      next = number(x.at(0)) ? next : size_t(x.at(1));
      return;
    case DmaIn:
    case DmaOut:
      return transferBox(x, code == DmaIn);
    case Fill:
      if (x.at(2) < 1 || x[2] > 8)
        throw std::runtime_error("an element of another size");
      for (int64_t i = 0; i < x.at(1); ++i)
        std::memcpy(at(number(x[0]) + i * x[2], x[2]), &x.at(3), size_t(x[2]));
      return;
    default:
      throw std::runtime_error("an instruction that does not exist");
    }
  }

  /// x: function, result, operands and the predicate of a comparison.
  int64_t computeNumber(int64_t function, const std::vector<int64_t> &x) {
    int64_t a = number(x.at(2)), b = number(x.at(3));
    switch (function) {
    case 0:
      return int64_t(uint64_t(a) + uint64_t(b));
    case 1:
      return int64_t(uint64_t(a) - uint64_t(b));
    case 2:
      return int64_t(uint64_t(a) * uint64_t(b));
    case 3:
      return std::min(a, b);
    case 4:
      return std::max(a, b);
    case 5:
      return a & b;
    case 6:
      return a | b;
    case 7:
      return divideNumbers(a, b, false);
    case 8:
      return a - divideNumbers(a, b, false) * b;
    case 9:
      return divideNumbers(a, b, true);
    case 10:
      return compareNumbers(x.at(4), a, b);
    case 11:
      return a ? b : number(x.at(4));
    default:
      throw std::runtime_error("a function that does not exist");
    }
  }

  /// By the number of arith.cmpi's predicate.
  static bool compareNumbers(int64_t predicate, int64_t a, int64_t b) {
    switch (predicate) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    case 5:
      return a >= b;
    default:
      throw std::runtime_error("a comparison that does not exist");
    }
  }

  /// x: parameter, bytes of an element, address, padding, rank, then count,
  /// distance in bytes and first coordinate for each dimension.
  void transferBox(const std::vector<int64_t> &x, bool isIn) {
    const KilnKernelArgument &view = viewOf(launch, x.at(0));
    int64_t bytes = x.at(1), rank = x.at(4), total = 1;
    if (bytes < 1 || bytes > 8 || rank < 0 ||
        x.size() != 5 + 3 * uint64_t(rank))
      throw std::runtime_error("a transfer of the wrong rank");
    for (int64_t d = 0; d < rank; ++d) {
      int64_t count = x[size_t(5 + 3 * d)];
      if (count < 0 || count > int64_t(memory.size()) ||
          (total *= count) > int64_t(memory.size()))
        throw std::runtime_error("a transfer that is too large");
    }
    std::vector<int64_t> coords(static_cast<size_t>(rank));
    for (int64_t i = 0; i < total; ++i) {
      int64_t rest = i, address = number(x[2]);
      for (int64_t d = rank - 1; d >= 0; --d) {
        const int64_t *place = &x[size_t(5 + 3 * d)];
        coords[size_t(d)] = number(place[2]) + rest % place[0];
        address += rest % place[0] * place[1];
        rest /= place[0];
      }
      char *inside = elementOf(view, coords, uint64_t(bytes));
      if (isIn)
        std::memcpy(at(address, bytes),
                    inside ? inside : reinterpret_cast<const char *>(&x[3]),
                    size_t(bytes));
      else if (inside)
        std::memcpy(inside, at(address, bytes), size_t(bytes));
    }
  }

  std::vector<int64_t> registers;
  std::vector<char> memory;
  size_t next = 0;
};

} // namespace kiln::runtime

#endif
