// The functions that kernels may call; docs/runtime.md lists them too.
#include "CpuDevice.h"
#include <cstring>
#include <set>

namespace {

/// From libm, each as double and, with an `f` behind it, as float.
const char *const mathNames[] = {
    "acos",      "acosh",     "asin",   "asinh",     "atan", "atan2",
    "atanh",     "cbrt",      "ceil",   "copysign",  "cos",  "cosh",
    "erf",       "erfc",      "exp",    "exp10",     "exp2", "expm1",
    "fabs",      "floor",     "fma",    "fmax",      "fmin", "fmod",
    "hypot",     "ilogb",     "j0",     "j1",        "jn",   "ldexp",
    "lgamma",    "log",       "log10",  "log1p",     "log2", "logb",
    "nearbyint", "nextafter", "pow",    "remainder", "rint", "round",
    "roundeven", "scalbn",    "sin",    "sincos",    "sinh", "sqrt",
    "tan",       "tanh",      "tgamma", "trunc",     "y0",   "y1",
    "yn"};

/// From libc, libgcc and this library.
const char *const otherNames[] = {
    "memcpy",        "memmove",      "memset",       "memcmp",
    "__extendhfsf2", "__truncsfhf2", "__truncdfhf2", "__extendbfsf2",
    "__truncsfbf2",  "__truncdfbf2", "__divti3",     "__modti3",
    "__udivti3",     "__umodti3",    "__multi3",     "sched_yield"};

} // namespace

bool kiln::cpu::isRuntimeSymbol(const std::string &symbol) {
  static const std::set<std::string> names = [] {
    std::set<std::string> all(std::begin(otherNames), std::end(otherNames));
    for (const char *name : mathNames) {
      all.insert(name);
      all.insert(std::string(name) + "f");
    }
    return all;
  }();
  return names.count(symbol) != 0;
}

#if defined(__clang__) && defined(__x86_64__)
// The system's libgcc does not have these; generated code calls them on chips
// without bf16 instructions.
namespace {

/// Round to nearest even; NaNs stay NaNs.
__bf16 roundToBf16(uint32_t bits) {
  bool isNan = (bits & 0x7fffffffu) > 0x7f800000u;
  uint32_t rounded =
      isNan ? bits | 0x00400000u : bits + 0x7fffu + ((bits >> 16) & 1);
  return __builtin_bit_cast(__bf16, uint16_t(rounded >> 16));
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) __bf16 __truncsfbf2(float value) {
  return roundToBf16(__builtin_bit_cast(uint32_t, value));
}

__attribute__((visibility("default"))) __bf16 __truncdfbf2(double value) {
  // Rounding to odd on the way keeps the second rounding exact.
  float narrow = float(value);
  uint32_t bits = __builtin_bit_cast(uint32_t, narrow);
  double back = double(narrow);
  if (back != value && value == value) {
    bool isAway = (value < 0 ? back < value : back > value);
    if (isAway)
      --bits;
    bits |= 1;
  }
  return roundToBf16(bits);
}

__attribute__((visibility("default"))) float __extendbfsf2(__bf16 value) {
  return __builtin_bit_cast(float, uint32_t(__builtin_bit_cast(uint16_t, value))
                                       << 16);
}
}
#endif
