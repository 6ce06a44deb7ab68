// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host does of a program, evaluated by plain algorithms in a wider
// type: no library takes part.
#ifndef KILN_EVAL_HOSTFUNCTIONS_H
#define KILN_EVAL_HOSTFUNCTIONS_H

#include "kiln/Eval/Evaluator.h"

namespace kiln::eval {

/// Runs the function that operations with kiln::HostOpInterface and
/// `program.host` name. `outputs` have their types and shapes and get their
/// elements; what does not fit is reported at `op`.
mlir::LogicalResult runHostFunction(mlir::Operation *op,
                                    llvm::StringRef function,
                                    llvm::ArrayRef<llvm::StringRef> flags,
                                    llvm::ArrayRef<Value> inputs,
                                    llvm::MutableArrayRef<Value> outputs);

} // namespace kiln::eval

#endif // KILN_EVAL_HOSTFUNCTIONS_H
