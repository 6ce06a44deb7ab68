// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas of elementwise operations.
#include "Formulas.h"
#include "Values.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

using namespace kiln::conform;
using namespace kiln::runtime;

// The C library's functions of 113 bits; its headers show them to one compiler.
extern "C" {
Quad expf128(Quad);
Quad exp2f128(Quad);
Quad expm1f128(Quad);
Quad logf128(Quad);
Quad log2f128(Quad);
Quad log10f128(Quad);
Quad log1pf128(Quad);
Quad sinf128(Quad);
Quad cosf128(Quad);
Quad tanf128(Quad);
Quad asinf128(Quad);
Quad acosf128(Quad);
Quad atanf128(Quad);
Quad sinhf128(Quad);
Quad coshf128(Quad);
Quad tanhf128(Quad);
Quad asinhf128(Quad);
Quad acoshf128(Quad);
Quad atanhf128(Quad);
Quad erff128(Quad);
Quad erfcf128(Quad);
Quad cbrtf128(Quad);
Quad sqrtf128(Quad);
Quad ceilf128(Quad);
Quad floorf128(Quad);
Quad truncf128(Quad);
Quad roundf128(Quad);
Quad rintf128(Quad);
Quad fmodf128(Quad, Quad);
Quad powf128(Quad, Quad);
Quad atan2f128(Quad, Quad);
Quad copysignf128(Quad, Quad);
}

namespace {

bool isNan(Quad x) { return x != x; }
bool isNegative(Quad x) { return copysignf128(1, x) < 0; }
const Quad kNan = __builtin_nan("");

Quad maximum(Quad x, Quad y) {
  if (isNan(x) || isNan(y))
    return kNan;
  if (x == y)
    return isNegative(x) ? y : x;
  return x > y ? x : y;
}
Quad minimum(Quad x, Quad y) { return -maximum(-x, -y); }
/// x * y + z of doubles, rounded to odd: the product is exact, and what the sum
/// drops is kept as its last bit.
Quad fusedToOdd(Quad x, Quad y, Quad z) {
  Quad product = x * y, sum = product + z, back = sum - product;
  Quad rest = (product - (sum - back)) + (z - back);
  if (isNan(rest) || rest == 0 || isNan(sum))
    return sum;
  __int128 bits;
  std::memcpy(&bits, &sum, 16);
  if (!(bits & 1)) {
    bits += (rest > 0) == (sum > 0) ? 1 : -1;
    std::memcpy(&sum, &bits, 16);
  }
  return sum;
}

Quad rsqrt(Quad x) { return 1 / sqrtf128(x); }
Quad sigmoid(Quad x) { return 1 / (1 + expf128(-x)); }

const std::map<std::string, Quad (*)(Quad)> &functions() {
  static const std::map<std::string, Quad (*)(Quad)> table = {
      {"exp", expf128},     {"exp2", exp2f128},   {"expm1", expm1f128},
      {"log", logf128},     {"log2", log2f128},   {"log10", log10f128},
      {"log1p", log1pf128}, {"sin", sinf128},     {"cos", cosf128},
      {"tan", tanf128},     {"asin", asinf128},   {"acos", acosf128},
      {"atan", atanf128},   {"sinh", sinhf128},   {"cosh", coshf128},
      {"tanh", tanhf128},   {"asinh", asinhf128}, {"acosh", acoshf128},
      {"atanh", atanhf128}, {"erf", erff128},     {"erfc", erfcf128},
      {"cbrt", cbrtf128},   {"rsqrt", rsqrt}};
  return table;
}

const std::map<std::string, Quad (*)(Quad)> &exactFunctions() {
  static const std::map<std::string, Quad (*)(Quad)> table = {
      {"sqrt", sqrtf128},
      {"ceil", ceilf128},
      {"floor", floorf128},
      {"trunc", truncf128},
      {"negf", [](Quad x) { return -x; }},
      {"neg", [](Quad x) { return -x; }},
      {"absf", [](Quad x) { return copysignf128(x, 1); }},
      {"abs", [](Quad x) { return copysignf128(x, 1); }},
      {"roundeven", rintf128},
      {"reciprocal", [](Quad x) { return 1 / x; }},
      {"relu", [](Quad x) { return isNan(x) ? x
                                   : x > 0  ? x
                                            : Quad(0); }},
      {"sign", [](Quad x) { return x > 0   ? Quad(1)
                                   : x < 0 ? Quad(-1)
                                           : x; }},
      {"extf", [](Quad x) { return x; }},
      {"truncf", [](Quad x) { return x; }}};
  return table;
}

const std::map<std::string, Quad (*)(Quad, Quad)> &binaries() {
  static const std::map<std::string, Quad (*)(Quad, Quad)> table = {
      {"addf", [](Quad x, Quad y) { return x + y; }},
      {"add", [](Quad x, Quad y) { return x + y; }},
      {"subf", [](Quad x, Quad y) { return x - y; }},
      {"sub", [](Quad x, Quad y) { return x - y; }},
      {"mulf", [](Quad x, Quad y) { return x * y; }},
      {"mul", [](Quad x, Quad y) { return x * y; }},
      {"divf", [](Quad x, Quad y) { return x / y; }},
      {"div", [](Quad x, Quad y) { return x / y; }},
      {"remf", fmodf128},
      {"fmod", fmodf128},
      {"maximumf", maximum},
      {"maximum", maximum},
      {"minimumf", minimum},
      {"minimum", minimum},
      {"maxnumf",
       [](Quad x, Quad y) {
         return isNan(x) ? y : isNan(y) ? x : maximum(x, y);
       }},
      {"fmax",
       [](Quad x, Quad y) {
         return isNan(x) ? y : isNan(y) ? x : maximum(x, y);
       }},
      {"minnumf",
       [](Quad x, Quad y) {
         return isNan(x) ? y : isNan(y) ? x : minimum(x, y);
       }},
      {"fmin",
       [](Quad x, Quad y) {
         return isNan(x) ? y : isNan(y) ? x : minimum(x, y);
       }},
      {"copysign", copysignf128},
      {"powf", powf128},
      {"pow", powf128},
      {"atan2", atan2f128}};
  return table;
}

/// A predicate of arith.cmpf by its number.
bool compareFloats(int predicate, double x, double y) {
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

uint64_t unsignedOf(int64_t value, int width) {
  return width >= 64 ? uint64_t(value)
                     : uint64_t(value) & ((uint64_t(1) << width) - 1);
}

/// i1 is read as 0 or -1 by signed operations.
int64_t signedOf(int64_t value, int width) {
  return width >= 64 ? value
                     : int64_t(uint64_t(value) << (64 - width)) >> (64 - width);
}

bool compareInts(int predicate, int64_t x, int64_t y, int width) {
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

Wide floorDiv(Wide x, Wide y) {
  Wide q = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}

/// Two integers by an operation's name; nothing where it is none of these.
std::optional<Wide> combine(const std::string &op, Wide s, Wide t, Wide u,
                            Wide v, int width) {
  // s and t are signed, u and v the same bits unsigned.
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
  if (op == "divui")
    return u / v;
  if (op == "remui")
    return u % v;
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
  if (op == "maxui")
    return std::max(u, v);
  if (op == "minui")
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

std::optional<Wide> alone(const std::string &op, Wide s, Wide u, int width) {
  auto bits = uint64_t(u);
  if (op == "absi" || op == "abs")
    return s < 0 ? -s : s;
  if (op == "neg")
    return -s;
  if (op == "sign")
    return (s > 0) - (s < 0);
  if (op == "bitwise_not")
    return ~s;
  if (op == "ctpop")
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

std::string stemOf(const Program &program) {
  return program.op.substr(program.op.find('.') + 1);
}

/// prim compares by the name of the operation.
int primPredicate(const std::string &stem, bool isFloat) {
  static const std::map<std::string, std::pair<int, int>> table = {
      {"eq", {1, 0}}, {"ne", {13, 1}}, {"lt", {4, 2}},
      {"le", {5, 3}}, {"gt", {2, 4}},  {"ge", {3, 5}}};
  auto found = table.find(stem);
  if (found == table.end())
    return -1;
  return isFloat ? found->second.first : found->second.second;
}

int predicateOf(const Program &program, bool isFloat) {
  std::string stem = stemOf(program);
  if (stem == "cmpf" || stem == "cmpi")
    return std::atoi(program.variant.c_str() + std::strlen("predicate"));
  return program.level == "prim" ? primPredicate(stem, isFloat) : -1;
}

std::optional<Formula> floatFormula(const std::string &stem, DType result) {
  if (stem == "fptosi" || stem == "fptoui")
    return [](const Lane &lane) {
      return Answer::ofInt(Wide(truncf128(lane.floats[0])));
    };
  if (!isFloat(result))
    return std::nullopt;
  for (const auto *table : {&functions(), &exactFunctions()})
    if (auto found = table->find(stem); found != table->end())
      return [fn = found->second](const Lane &lane) {
        return Answer::of(fn(lane.floats[0]));
      };
  if (auto found = binaries().find(stem); found != binaries().end())
    return [fn = found->second](const Lane &lane) {
      return Answer::of(fn(lane.floats[0], lane.floats[1]));
    };
  if (stem == "fma")
    return [](const Lane &lane) {
      return Answer::of(
          fusedToOdd(lane.floats[0], lane.floats[1], lane.floats[2]));
    };
  if (stem == "sigmoid")
    return [](const Lane &lane) { return Answer::of(sigmoid(lane.floats[0])); };
  return std::nullopt;
}

std::optional<Formula> intFormula(const std::string &stem, DType operand,
                                  DType result, size_t operands) {
  int width = dtypeBits(operand);
  if (stem == "sitofp" || stem == "uitofp")
    return [=](const Lane &lane) {
      return Answer::of(stem == "sitofp"
                            ? Quad(signedOf(lane.ints[0], width))
                            : Quad(unsignedOf(lane.ints[0], width)));
    };
  // What this would say of an operation that it does not know.
  if (isFloat(result) || !(operands == 1 ? alone(stem, 1, 1, width)
                                         : combine(stem, 1, 1, 1, 1, width)))
    return std::nullopt;
  return [=](const Lane &lane) {
    Wide s = signedOf(lane.ints[0], width), u = unsignedOf(lane.ints[0], width);
    if (operands == 1)
      return Answer::ofInt(*alone(stem, s, u, width));
    Wide t = signedOf(lane.ints[1], width), v = unsignedOf(lane.ints[1], width);
    return Answer::ofInt(*combine(stem, s, t, u, v, width));
  };
}

} // namespace

DType kiln::conform::resultTypeOf(const Program &program) {
  size_t arrow = program.type.find("->");
  if (arrow != std::string::npos)
    return parseDType(program.type.substr(arrow + 2));
  return program.params.empty() ? DType::none : program.params.back().dtype;
}

std::optional<Formula> kiln::conform::formulaOf(const Program &program,
                                                DType result) {
  std::string stem = stemOf(program);
  DType operand = program.params[0].dtype;
  size_t operands = 0;
  for (const Param &param : program.params) {
    operands += !param.isWritten;
    if (!param.isWritten && param.dtype != operand)
      return std::nullopt;
  }
  int predicate = predicateOf(program, isFloat(operand));
  if (predicate >= 0) {
    if (isFloat(operand))
      return [predicate](const Lane &lane) {
        return Answer::ofInt(
            compareFloats(predicate, lane.floats[0], lane.floats[1]));
      };
    // Truth values of prim are 0 and 1, false < true.
    int width = dtypeBits(operand);
    if (width == 1 && program.level == "prim")
      width = 8;
    return [=](const Lane &lane) {
      return Answer::ofInt(
          compareInts(predicate, lane.ints[0], lane.ints[1], width));
    };
  }
  // Other attributes change what is computed; i1 has rules of its own in prim.
  if (!program.variant.empty() ||
      (program.level == "prim" && operand == DType::i1))
    return std::nullopt;
  // The quiet round: half away from zero in math, half to even in prim.
  if (stem == "round" && isFloat(operand))
    return [isPrim = program.level == "prim"](const Lane &lane) {
      return Answer::of(isPrim ? rintf128(lane.floats[0])
                               : roundf128(lane.floats[0]));
    };
  return isFloat(operand) ? floatFormula(stem, result)
                          : intFormula(stem, operand, result, operands);
}

bool kiln::conform::isNearOnly(const Program &program) {
  std::string stem = stemOf(program);
  return functions().count(stem) || stem == "powf" || stem == "pow" ||
         stem == "atan2" || stem == "sigmoid";
}

void kiln::conform::storeFloat(DType dtype, void *data, int64_t index,
                               Quad value) {
  // Rounded to odd, a double keeps what decides about the next rounding.
  auto near = double(value);
  if (dtype != DType::f64 && std::isfinite(near) && Quad(near) != value) {
    if (near == 0)
      near = value > 0 ? 0x1p-1074 : -0x1p-1074;
    uint64_t bits;
    std::memcpy(&bits, &near, 8);
    if (!(bits & 1)) {
      bool isAway = (value > Quad(near)) == (near > 0);
      bits += isAway ? 1 : uint64_t(-1);
      std::memcpy(&near, &bits, 8);
    }
  }
  storeDouble(dtype, data, index, near);
}
