// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates the operations that the host computes between launches, such as
// factorisations of matrices, by plain algorithms in a wider type, without a
// library.
#ifndef KILN_EVAL_HOSTFUNCTIONS_H
#define KILN_EVAL_HOSTFUNCTIONS_H

#include "kiln/Eval/Evaluator.h"

namespace kiln::eval {

/// Runs a function that an operation with kiln::HostOpInterface, or a
/// `program.host`, names. `outputs` have types and shapes, and get their
/// elements. Reports an error at `op` if inputs or outputs do not fit the
/// function.
mlir::LogicalResult runHostFunction(mlir::Operation *op,
                                    llvm::StringRef function,
                                    llvm::ArrayRef<llvm::StringRef> flags,
                                    llvm::ArrayRef<Value> inputs,
                                    llvm::MutableArrayRef<Value> outputs);

} // namespace kiln::eval

#endif // KILN_EVAL_HOSTFUNCTIONS_H
