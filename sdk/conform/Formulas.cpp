// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas of elementwise operations.
#include "Formulas.h"
#include "Integers.h"
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
Quad lgammaf128_r(Quad, int *);
Quad hypotf128(Quad, Quad);
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
Quad lgamma(Quad x) {
  int sign;
  return lgammaf128_r(x, &sign);
}
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
      {"cbrt", cbrtf128},   {"rsqrt", rsqrt},     {"lgamma", lgamma}};
  return table;
}

const std::map<std::string, Quad (*)(Quad)> &exactFunctions() {
  static const std::map<std::string, Quad (*)(Quad)> table = {
      {"sqrt", sqrtf128},
      {"ceil", ceilf128},
      {"floor", floorf128},
      {"trunc", truncf128},
      {"neg", [](Quad x) { return -x; }},
      {"abs", [](Quad x) { return copysignf128(x, 1); }},
      {"roundeven", rintf128},
      {"round_half_away", roundf128},
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
      {"powf", powf128},
      {"pow", powf128},
      {"atan2", atan2f128},
      {"hypot", hypotf128}};
  return table;
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

/// Comparisons of unsigned integers, by the one of signed ones.
int unsignedPredicate(int predicate) {
  return predicate >= 2 ? predicate + 4 : predicate;
}

int predicateOf(const Program &program, bool isFloat) {
  std::string stem = stemOf(program);
  if (stem == "cmpf" || stem == "cmpi")
    return std::atoi(program.variant.c_str() + std::strlen("predicate"));
  int predicate =
      program.level == "prim" ? primPredicate(stem, isFloat) : -1;
  return program.variant == "is_unsigned" ? unsignedPredicate(predicate)
                                          : predicate;
}

std::optional<Formula> floatFormula(const std::string &stem, DType result) {
  if (stem == "negf" || stem == "absf" || stem == "copysign")
    return [stem](const Lane &lane) {
      uint64_t sign = uint64_t(1) << (dtypeBits(lane.types[0]) - 1);
      uint64_t size = lane.bits[0] & ~sign;
      Answer answer;
      answer.bits = stem == "absf"   ? size
                    : stem == "negf" ? lane.bits[0] ^ sign
                                     : size | (lane.bits[1] & sign);
      return answer;
    };
  if (stem == "fptosi" || stem == "fptoui")
    return [](const Lane &lane) {
      return Answer::ofInt(Wide(truncf128(lane.floats[0])));
    };
  if (stem == "isnan" || stem == "isinf" || stem == "isfinite")
    return [stem](const Lane &lane) {
      double x = lane.floats[0];
      return Answer::ofInt(stem == "isnan"   ? std::isnan(x)
                           : stem == "isinf" ? std::isinf(x)
                                             : std::isfinite(x));
    };
  if (stem == "signbit")
    return [](const Lane &lane) {
      return Answer::ofInt(lane.bits[0] >> (dtypeBits(lane.types[0]) - 1) & 1);
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
  if (program.level == "prim" && program.variant == "is_unsigned")
    return intFormula("unsigned " + stem, operand, result, operands);
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
         stem == "atan2" || stem == "hypot" || stem == "sigmoid";
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
