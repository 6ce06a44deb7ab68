// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over dimensions that may have no elements. Private to the
// conversions.
#ifndef KILN_CONVERSIONS_TENSORTOPRIM_EMPTYSUMS_H
#define KILN_CONVERSIONS_TENSORTOPRIM_EMPTYSUMS_H

#include "Translator.h"

namespace kiln::tensor_to_prim {

/// Whether a value may be -0.0. That is what no sum of `prim` begins with:
/// the sum of nothing is +0.0 there, and stays so if -0.0 is added.
bool mayBeMinusZero(mlir::Value value, Translator &e);

/// What a reduction over dimensions of the given sizes gives: `init`, of the
/// shape of `result`, where one of the sizes is 0, and `result` elsewhere.
mlir::Value unlessEmpty(mlir::Value result, mlir::Value init,
                        llvm::ArrayRef<mlir::OpFoldResult> sizes,
                        Translator &e);

} // namespace kiln::tensor_to_prim

#endif // KILN_CONVERSIONS_TENSORTOPRIM_EMPTYSUMS_H
