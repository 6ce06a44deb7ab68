// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that kernels for the host may call; docs/runtime.md lists them.
#ifndef KILN_RUNTIME_HOSTSYMBOLS_H
#define KILN_RUNTIME_HOSTSYMBOLS_H

#include <algorithm>
#include <iterator>
#include <string_view>

namespace kiln::runtime {

/// Functions of libm that kernels may call: each name is the function of
/// double, and with an `f` behind it that of float. Sorted for binary search.
inline constexpr std::string_view kMathSymbols[] = {
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

/// Functions of libc, libgcc and the device's own library. Sorted.
inline constexpr std::string_view kOtherSymbols[] = {
    "__divti3",     "__extendbfsf2", "__extendhfsf2", "__modti3",
    "__multi3",     "__truncdfbf2",  "__truncdfhf2",  "__truncsfbf2",
    "__truncsfhf2", "__udivti3",     "__umodti3",     "memcmp",
    "memcpy",       "memmove",       "memset",        "sched_yield"};

/// Functions of AArch64's ABI for its streaming mode (SME). Sorted.
inline constexpr std::string_view kStreamingSymbols[] = {
    "__arm_sc_memcpy", "__arm_sc_memmove", "__arm_sc_memset",
    "__arm_tpidr2_restore", "__arm_tpidr2_save"};

/// Returns whether a host device (the driver `cpu`) supplies the symbol to
/// kernels.
inline bool isHostSymbol(std::string_view symbol) {
  auto isMath = [](std::string_view name) {
    return std::binary_search(std::begin(kMathSymbols), std::end(kMathSymbols),
                              name);
  };
  return std::binary_search(std::begin(kOtherSymbols), std::end(kOtherSymbols),
                            symbol) ||
         std::binary_search(std::begin(kStreamingSymbols),
                            std::end(kStreamingSymbols), symbol) ||
         isMath(symbol) ||
         (!symbol.empty() && symbol.back() == 'f' &&
          isMath(symbol.substr(0, symbol.size() - 1)));
}

} // namespace kiln::runtime

#endif // KILN_RUNTIME_HOSTSYMBOLS_H
