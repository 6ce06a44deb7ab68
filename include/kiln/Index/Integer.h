//===- Integer.h - Exact arithmetic on 64-bit integers ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one definition of overflow in Kiln. Sizes, strides, offsets and
// coordinates are whole numbers that fit 64 bits with a sign.
//
// - Arithmetic on known numbers is exact or has no result. Nothing wraps, no
//   division by zero has a value, and INT64_MIN / -1 does not fit. This holds
//   for every function here and for everything that Expr, Math and Builder
//   fold.
// - `Math` computes sizes of programs. One that does not fit is refused with an
//   error at the operation that it belongs to, since no machine has memory for
//   it. (What only ranks choices, like a number of operations, is unknown then
//   instead: see Expr.)
// - `ScalarBuilder` makes operations. Where a fold would not fit it leaves the
//   operation and says so: conversions refuse a size that way. The operation
//   means what it always means, `arith` on `index` and integers wraps when the
//   program runs; the runtime refuses what comes of it as the size of a buffer.
// - What is known of coordinates (`Analysis`, `Reader::Coordinates`) takes
//   additions, subtractions, products and casts of indices not to wrap: a
//   coordinate whose computation wraps lies outside of every view.
//
// MLIR's AffineExpr does not serve here: its simplification multiplies and adds
// coefficients without a check ((d0 * 2^62) * 4 becomes 0), and it tells
// s0 * s1 from s1 * s0.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_INDEX_INTEGER_H
#define KILN_INDEX_INTEGER_H

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace kiln::index {

/// A number, or nothing where the exact result does not fit.
using Integer = std::optional<int64_t>;

inline Integer add(int64_t a, int64_t b) {
  int64_t result;
  return llvm::AddOverflow(a, b, result) ? Integer() : result;
}

inline Integer sub(int64_t a, int64_t b) {
  int64_t result;
  return llvm::SubOverflow(a, b, result) ? Integer() : result;
}

inline Integer mul(int64_t a, int64_t b) {
  int64_t result;
  return llvm::MulOverflow(a, b, result) ? Integer() : result;
}

/// True if a / b has a value.
inline bool divides(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min());
}

/// The greatest integer not above a / b.
inline Integer floorDiv(int64_t a, int64_t b) {
  if (!divides(a, b))
    return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// The least integer not below a / b.
inline Integer ceilDiv(int64_t a, int64_t b) {
  if (!divides(a, b))
    return std::nullopt;
  return a / b + (a % b != 0 && (a < 0) == (b < 0));
}

/// The remainder of the quotient rounded towards 0.
inline Integer truncRem(int64_t a, int64_t b) {
  return divides(a, b) ? Integer(a % b) : Integer();
}

/// a - b * floorDiv(a, b).
inline Integer floorMod(int64_t a, int64_t b) {
  if (!divides(a, b))
    return std::nullopt;
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

inline Integer min(int64_t a, int64_t b) { return std::min(a, b); }
inline Integer max(int64_t a, int64_t b) { return std::max(a, b); }

} // namespace kiln::index

#endif // KILN_INDEX_INTEGER_H
