// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that only the program knows and that may be 1. Private to the
// conversions.
#ifndef KILN_CONVERSIONS_TENSORTOPRIM_OPENSIZES_H
#define KILN_CONVERSIONS_TENSORTOPRIM_OPENSIZES_H

#include "Translator.h"

namespace kiln::tensor_to_prim {

/// Repeats dimension `dim`, whose size only the program knows, to size `to`
/// where it is 1. The program fails where it is neither 1 nor `to`.
mlir::Value repeatOpen(mlir::Value x, int64_t dim, mlir::OpFoldResult to,
                       Translator &e);

/// Whether two sizes are equal where the program runs.
mlir::Value areEqual(mlir::OpFoldResult a, mlir::OpFoldResult b, Translator &e);

/// Fails the program where `holds` is not true: sizes do not match.
void assertRepeats(mlir::Value holds, Translator &e);

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_TENSORTOPRIM_OPENSIZES_H
