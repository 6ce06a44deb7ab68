// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparisons, and exact formulas of integers.
#ifndef KILN_SDK_CONFORM_INTEGERS_H
#define KILN_SDK_CONFORM_INTEGERS_H

#include "Formulas.h"

namespace kiln::conform {

/// Predicates of arith.cmpf and arith.cmpi by their numbers.
bool compareFloats(int predicate, double x, double y);
bool compareInts(int predicate, int64_t x, int64_t y, int width);

/// The low bits of an integer, read as unsigned or signed; i1 is 0 or -1.
uint64_t unsignedOf(int64_t value, int width);
int64_t signedOf(int64_t value, int width);

/// An operation of two integers by its name; nothing where it is none. s and t
/// are the operands read as signed, u and v as unsigned.
std::optional<Wide> combine(const std::string &op, Wide s, Wide t, Wide u,
                            Wide v, int width);
/// The same for one operand.
std::optional<Wide> alone(const std::string &op, Wide s, Wide u, int width);

} // namespace kiln::conform

#endif
