// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, and exact formulas of integers.
#include "Integers.h"
#include <algorithm>
#include <cmath>

using namespace kiln::conform;

/// A predicate of arith.cmpf by its number.
bool kiln::conform::compareFloats(int predicate, double x, double y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  if (predicate == 0 || predicate == 15)
    return predicate == 15;
  if (predicate == 7)
    return !unordered;
  if (predicate == 14)
    return unordered;
  bool isUnordered = predicate > 7;
  if (unordered)
    return isUnordered;
  switch (predicate %
          7) { // oeq 1, ogt 2, oge 3, olt 4, ole 5, one 6; ueq 8 ...
  case 1:
    return x == y;
  case 2:
    return x > y;
  case 3:
    return x >= y;
  case 4:
    return x < y;
  case 5:
    return x <= y;
  default:
    return x != y;
  }
}

uint64_t kiln::conform::unsignedOf(int64_t value, int width) {
  return width >= 64 ? uint64_t(value)
                     : uint64_t(value) & ((uint64_t(1) << width) - 1);
}

/// i1 is read as 0 or -1 by signed operations.
int64_t kiln::conform::signedOf(int64_t value, int width) {
  return width >= 64 ? value
                     : int64_t(uint64_t(value) << (64 - width)) >> (64 - width);
}

bool kiln::conform::compareInts(int predicate, int64_t x, int64_t y,
                                int width) {
  int64_t a = signedOf(x, width), b = signedOf(y, width);
  uint64_t c = unsignedOf(x, width), d = unsignedOf(y, width);
  switch (predicate) {
  case 0:
    return c == d;
  case 1:
    return c != d;
  case 2:
    return a < b;
  case 3:
    return a <= b;
  case 4:
    return a > b;
  case 5:
    return a >= b;
  case 6:
    return c < d;
  case 7:
    return c <= d;
  case 8:
    return c > d;
  default:
    return c >= d;
  }
}

static Wide floorDiv(Wide x, Wide y) {
  Wide q = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}

/// Euclid's algorithm.
static Wide divisor(Wide x, Wide y) { return y ? divisor(y, x % y) : x; }

/// Two integers by an operation's name; nothing where it is none of these.
std::optional<Wide> kiln::conform::combine(const std::string &op, Wide s,
                                           Wide t, Wide u, Wide v, int width) {
  if (op == "addi" || op == "add")
    return s + t;
  if (op == "subi" || op == "sub")
    return s - t;
  if (op == "muli" || op == "mul")
    return Wide(uint64_t(s) * uint64_t(t));
  if (op == "divsi" || op == "div")
    return s / t;
  if (op == "remsi" || op == "fmod")
    return s % t;
  if (op == "divui" || op == "unsigned div")
    return u / v;
  if (op == "remui" || op == "unsigned fmod" || op == "unsigned remainder")
    return u % v;
  if (op == "gcd")
    return divisor(s < 0 ? -s : s, t < 0 ? -t : t);
  if (op == "floordivsi")
    return floorDiv(s, t);
  if (op == "ceildivsi")
    return -floorDiv(-s, t);
  if (op == "ceildivui")
    return (u + v - 1) / v;
  if (op == "remainder")
    return s - floorDiv(s, t) * t;
  if (op == "andi" || op == "bitwise_and")
    return u & v;
  if (op == "ori" || op == "bitwise_or")
    return u | v;
  if (op == "xori" || op == "bitwise_xor")
    return u ^ v;
  if (op == "maxsi" || op == "maximum")
    return std::max(s, t);
  if (op == "minsi" || op == "minimum")
    return std::min(s, t);
  if (op == "maxui" || op == "unsigned maximum")
    return std::max(u, v);
  if (op == "minui" || op == "unsigned minimum")
    return std::min(u, v);
  bool isInside = v < width;
  if (op == "shli" || op == "shift_left")
    return isInside ? Wide(uint64_t(u) << int(v)) : 0;
  if (op == "shrui" || op == "shift_right_logical")
    return isInside ? u >> int(v) : 0;
  if (op == "shrsi" || op == "shift_right_arithmetic")
    return isInside ? s >> int(v) : s < 0 ? -1 : 0;
  return std::nullopt;
}

std::optional<Wide> kiln::conform::alone(const std::string &op, Wide s, Wide u,
                                         int width) {
  auto bits = uint64_t(u);
  if (op == "absi" || op == "abs")
    return s < 0 ? -s : s;
  if (op == "neg")
    return -s;
  if (op == "sign")
    return (s > 0) - (s < 0);
  if (op == "bitwise_not")
    return ~s;
  if (op == "ctpop" || op == "population_count")
    return __builtin_popcountll(bits);
  if (op == "ctlz" || op == "clz")
    return bits ? __builtin_clzll(bits) - (64 - width) : width;
  if (op == "cttz")
    return bits ? __builtin_ctzll(bits) : width;
  if (op == "extsi" || op == "trunci")
    return s;
  if (op == "extui")
    return u;
  return std::nullopt;
}
