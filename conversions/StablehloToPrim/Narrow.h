// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of two to seven bits lie in i8: signed ones extended by their sign,
// unsigned ones by zeros. Private to the conversion.
#ifndef KILN_CONVERSIONS_STABLEHLOTOPRIM_NARROW_H
#define KILN_CONVERSIONS_STABLEHLOTOPRIM_NARROW_H

#include "Rules.h"

namespace kiln::stablehlo_to_prim {

/// How many bits of what stands for an element of `type` are no bits of it; 0
/// for all types that prim has.
unsigned spareBits(mlir::Type type);

/// The bits of elements of `type`, extended by zeros, or by the top one; `x`
/// itself where prim has the type.
mlir::Value zeroExtended(mlir::Type type, mlir::Value x, Translator &e);
mlir::Value signExtended(mlir::Type type, mlir::Value x, Translator &e);

/// Lets the operations whose results may leave the range of narrow integers
/// wrap what they give: all rules have to be there.
void wrapNarrowResults(Rules &rules);

} // namespace kiln::stablehlo_to_prim

#endif // KILN_CONVERSIONS_STABLEHLOTOPRIM_NARROW_H
