// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas of elementwise operations, in numbers of 113 bits and in integers
// that are wide enough for every result.
#ifndef KILN_SDK_CONFORM_FORMULAS_H
#define KILN_SDK_CONFORM_FORMULAS_H

#include "Suite.h"
#include <functional>
#include <optional>

namespace kiln::conform {

/// A number with 113 bits of fraction, so that rounding it once more gives what
/// rounding the exact result would.
#if __LDBL_MANT_DIG__ == 113
using Quad = long double;
#else
using Quad = __float128;
#endif
using Wide = __int128;

/// The operands of one element: floats exactly, integers sign-extended.
struct Lane {
  std::vector<runtime::DType> types;
  std::vector<double> floats;
  std::vector<int64_t> ints;
  std::vector<uint64_t> bits;
};

/// The element of the result, as a float or as an integer.
struct Answer {
  Quad number = 0;
  int64_t integer = 0;
  std::optional<uint64_t> bits = std::nullopt; ///< of a float, in its place

  static Answer of(Quad value) { return {value, 0, std::nullopt}; }
  static Answer ofInt(Wide value) { return {0, int64_t(value), std::nullopt}; }
};

using Formula = std::function<Answer(const Lane &)>;

/// The formula of the program's operation, or nothing.
std::optional<Formula> formulaOf(const Program &program, runtime::DType result);

/// The type of a function's result: that of the first operand, or of truth
/// values for comparisons, or what stands behind `->`.
runtime::DType resultTypeOf(const Program &program);

/// Whether the specification lets the reference err by a unit in f64.
bool isNearOnly(const Program &program);

/// Rounds once, to nearest with ties to even, into any float type.
void storeFloat(runtime::DType dtype, void *data, int64_t index, Quad value);

} // namespace kiln::conform

#endif
