// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common part of simulated machines that compute in a scratchpad: registers
// with numbers, jumps, and transfers of boxes between views and the scratchpad.
// A device driver includes this header, and adds the instructions of its units.
// The compiler's side is kiln_core.py of `kiln-new-target --isolated=python`.
#ifndef KILN_RUNTIME_SIMULATEDSCRATCHPAD_H
#define KILN_RUNTIME_SIMULATEDSCRATCHPAD_H

#include "kiln/Runtime/SimulatedDriver.h"
#include <algorithm>
#include <cmath>

namespace kiln::runtime {

/// Returns a / b, rounded up if `isUp`, else towards zero. Throws if b is 0 or
/// the quotient does not fit.
inline int64_t divideNumbers(int64_t a, int64_t b, bool isUp) {
  if (b == 0 || (b == -1 && a == INT64_MIN))
    throw std::runtime_error("a division without a quotient");
  int64_t quotient = a / b;
  return quotient + (isUp && a % b != 0 && (a < 0) == (b < 0));
}

/// Executes one instance of a program. A program is a list of 64-bit words: the
/// number of registers, then the instructions. An instruction is its code, the
/// number of its operands, and the operands. Registers hold 64 bits and start
/// as 0. An access to a register, parameter, dimension or address that does not
/// exist throws an exception, which the driver reports as the error of the
/// launch.
///
/// Below, `r` is the number of a register that is written, `a` and `b` are
/// registers that are read, `at` is a register with a byte address in the
/// scratchpad, and all other operands are constants. Elements have 1 to 8
/// bytes.
///
///     Const r, value           Move r, a
///     Parameter r, number      a scalar parameter of the kernel, as bits
///     Pid r, axis              coordinate of the instance in the grid
///     Programs r, axis         extent of the grid
///     Dim r, number, dim       size of a dimension of a view parameter
///     Scalar function, r, a, b[, predicate or c]
///                              arithmetic; FUNCTIONS of kiln_core.py lists the
///                              functions in the order of their numbers
///     Jump word                JumpZero a, word: if a is 0
///     DmaIn, DmaOut number, bytes, at, padding, rank,
///         then for each dimension of the view: count, stride, offset
///                              copies a box of view parameter `number` to or
///                              from the scratchpad. `stride` is in bytes in
///                              the scratchpad, `offset` a register with the
///                              first coordinate. Elements outside of the view
///                              read the bits `padding`, and are not written
///     Fill at, count, bytes, bits
///     Splat at, count, bytes, a
///                              `count` neighbouring elements get these bits,
///                              or those of a register
///     Spread at, from, bytes, then for each dimension: size, stride
///                              copies elements to neighbouring places, from a
///                              source with strides in bytes
///     Element r, at, bytes     an element of the scratchpad, zero-extended
class ScratchpadCore {
public:
  /// The codes above, in the order of kiln_core.py. A machine's own codes begin
  /// at kOwn. Codes that were added later are negative, so that existing
  /// machines keep their numbers.
  enum Code : int64_t {
    Element = -4,
    Spread,
    Splat,
    Parameter,
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

  /// Prepares the instance `id` (x, y, z in the grid) of a launch, with a
  /// scratchpad of `bytes` bytes. Both have to live as long as the core. All
  /// bits of the scratchpad are ones at first: a float that is read before it
  /// is written is NaN, an integer -1.
  ScratchpadCore(const KilnLaunch &launch, const int64_t *id, uint64_t bytes)
      : launch(launch), id(id), memory(bytes, char(-1)) {}

  /// Runs a program to its end. Calls `step(code - kOwn, operands)` for each of
  /// the machine's own instructions, with `operands` as the program has them.
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

  /// The value of register `n`.
  int64_t &number(int64_t n) { return registers.at(size_t(n)); }

  /// Returns the host address of `bytes` bytes of the scratchpad.
  char *at(int64_t address, int64_t bytes) {
    if (address < 0 || bytes < 0 || uint64_t(bytes) > memory.size() ||
        uint64_t(address) > memory.size() - uint64_t(bytes))
      throw std::runtime_error("an access outside of the scratchpad");
    return memory.data() + address;
  }
  /// Returns, and writes, the element at a byte address of the scratchpad,
  /// which needs no alignment.
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
      return fill(x, x.at(3));
    case Splat:
      return fill(x, number(x.at(3)));
    case Spread:
      return spread(x);
    case Parameter:
      number(x.at(0)) = scalarOf(x.at(1));
      return;
    case Element:
      return readElement(x);
    default:
      throw std::runtime_error("an instruction that does not exist");
    }
  }

  /// x: address, number of elements, bytes of one.
  void fill(const std::vector<int64_t> &x, int64_t bits) {
    if (x[2] < 1 || x[2] > 8)
      throw std::runtime_error("an element of another size");
    for (int64_t i = 0; i < x[1]; ++i)
      std::memcpy(at(number(x[0]) + i * x[2], x[2]), &bits, size_t(x[2]));
  }

  /// x: the register of the result, that of the address, bytes of the element.
  void readElement(const std::vector<int64_t> &x) {
    int64_t bytes = x.at(2), bits = 0;
    if (bytes < 1 || bytes > 8)
      throw std::runtime_error("an element of another size");
    std::memcpy(&bits, at(number(x[1]), bytes), size_t(bytes));
    number(x[0]) = bits;
  }

  /// x: addresses of result and source, bytes of an element, then a size and
  /// the distance in the source for each dimension.
  void spread(const std::vector<int64_t> &x) {
    int64_t bytes = x.at(2), total = 1;
    if (bytes < 1 || bytes > 8 || x.size() % 2 == 0)
      throw std::runtime_error("a spread of the wrong rank");
    for (size_t d = 3; d < x.size(); d += 2)
      if (x[d] < 0 || x[d] > int64_t(memory.size()) ||
          (total *= x[d]) > int64_t(memory.size()))
        throw std::runtime_error("a spread that is too large");
    for (int64_t i = 0; i < total; ++i) {
      int64_t rest = i, from = number(x[1]);
      for (size_t d = x.size(); d > 3; d -= 2) {
        from += rest % x[d - 2] * x[d - 1];
        rest /= x[d - 2];
      }
      std::memmove(at(number(x[0]) + i * bytes, bytes), at(from, bytes),
                   size_t(bytes));
    }
  }

  /// The bits of a parameter, which must be a number.
  int64_t scalarOf(int64_t parameter) const {
    if (parameter < 0 || uint64_t(parameter) >= launch.numArguments ||
        !launch.arguments[parameter].isScalar)
      throw std::runtime_error("a parameter that is no number");
    return int64_t(launch.arguments[parameter].bits);
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
    case 12:
      return a ^ b;
    case 13:
      return int64_t(uint64_t(a) << checkBits(b, 63));
    case 14:
      return a >> checkBits(b, 63);
    case 15:
      return divideNumbers(a, b, false) - (a % b != 0 && (a < 0) != (b < 0));
    default:
      return function < 23 ? computeUnsigned(function, uint64_t(a), uint64_t(b))
                           : computeFloat(function, a, b);
    }
  }

  static int64_t computeUnsigned(int64_t function, uint64_t a, uint64_t b) {
    if ((function == 18 || function == 19) && b == 0)
      throw std::runtime_error("a division without a quotient");
    switch (function) {
    case 16:
      return int64_t(std::min(a, b));
    case 17:
      return int64_t(std::max(a, b));
    case 18:
      return int64_t(a / b);
    case 19:
      return int64_t(a % b);
    case 20:
      return int64_t(a >> checkBits(int64_t(b), 63));
    case 21: // the lowest bits, the last one of which is the sign
      return int64_t(a << (64 - checkBits(int64_t(b), 64))) >> (64 - b);
    default: // the lowest bits
      return int64_t(a << (64 - checkBits(int64_t(b), 64)) >> (64 - b));
    }
  }

  static int64_t checkBits(int64_t bits, int64_t most) {
    if (bits < (most == 64) || bits > most)
      throw std::runtime_error("a number of bits that does not exist");
    return bits;
  }

  /// Of numbers of f32, whose bits a register holds.
  static int64_t computeFloat(int64_t function, int64_t a, int64_t b) {
    float x, y;
    std::memcpy(&x, &a, 4); // little-endian, as everything here
    std::memcpy(&y, &b, 4);
    switch (function) {
    case 23:
      x = x + y;
      break;
    case 24:
      x = x - y;
      break;
    case 25:
      x = x * y;
      break;
    case 26:
      x = x / y;
      break;
    case 27:
      x = -largerFloat(-x, -y);
      break;
    case 28:
      x = largerFloat(x, y);
      break;
    case 29:
      x = -x;
      break;
    case 30:
      x = std::sqrt(x);
      break;
    case 31:
      x = float(a);
      break;
    default:
      throw std::runtime_error("a function that does not exist");
    }
    uint32_t word;
    std::memcpy(&word, &x, 4);
    return word;
  }

  /// As arith.maximumf: NaN if one is, and +0 is larger than -0.
  static float largerFloat(float a, float b) {
    if (std::isnan(a) || std::isnan(b))
      return a + b;
    return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
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
    case 6:
      return uint64_t(a) < uint64_t(b);
    case 7:
      return uint64_t(a) <= uint64_t(b);
    case 8:
      return uint64_t(a) > uint64_t(b);
    case 9:
      return uint64_t(a) >= uint64_t(b);
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
