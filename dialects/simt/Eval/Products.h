// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What synchronous and asynchronous matrix instructions share. Private to this
// folder.
#ifndef KILN_DIALECTS_SIMT_EVAL_PRODUCTS_H
#define KILN_DIALECTS_SIMT_EVAL_PRODUCTS_H

#include "Machine.h"
#include "kiln/Eval/Kernel.h"

namespace kiln::eval {

/// The matrix instruction of the description that an operation names; null
/// after a report.
target::MatrixInstructionAttr rowOf(mlir::Operation *op, Warp &warp,
                                    mlir::StringRef name);

/// How a row multiplies.
DotMode modeOf(mlir::Operation *op, target::MatrixInstructionAttr row);

/// A matrix of zeros.
Value zeroMatrix(DType dtype, int64_t rows, int64_t columns);

/// Copies one element with its mark.
void copyElement(const Value &from, int64_t at, Value &to, int64_t index);

} // namespace kiln::eval

#endif // KILN_DIALECTS_SIMT_EVAL_PRODUCTS_H
