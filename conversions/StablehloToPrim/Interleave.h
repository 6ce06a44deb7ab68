// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of padded tensors of StableHLO whose elements take turns. Private to the
// conversion.
#ifndef KILN_CONVERSIONS_STABLEHLOTOPRIM_INTERLEAVE_H
#define KILN_CONVERSIONS_STABLEHLOTOPRIM_INTERLEAVE_H

#include "Rules.h"

namespace kiln::stablehlo_to_prim {

/// The sum (or the `or`) of two tensors that are padded by zeros so that their
/// elements along a dimension take turns: each part joined, without the zeros.
/// Empty if the operation is none.
Tensors interleave(mlir::Value lhs, mlir::Value rhs, Translator &e);

} // namespace kiln::stablehlo_to_prim

#endif // KILN_CONVERSIONS_STABLEHLOTOPRIM_INTERLEAVE_H
