// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running tile kernels at evaluation.
#ifndef KILN_EVAL_KERNEL_H
#define KILN_EVAL_KERNEL_H

#include "kiln/Eval/Evaluator.h"

namespace kiln::eval {

/// Runs all instances of a kernel, a `tile.kernel`. `args` are views (rank 0
/// for pointers) and scalars. Checks every access; instances of a kernel with
/// `progress = concurrent` take turns, those of others run one after another.
mlir::LogicalResult launchKernel(Evaluator &evaluator, mlir::Operation *kernel,
                                 std::array<int64_t, 3> grid,
                                 llvm::ArrayRef<Value> args,
                                 mlir::Location caller);

/// How a product of tiles reads its operands.
struct DotMode {
  bool isTf32 = false; ///< drops all but 10 bits of the mantissa
  bool lhsUnsigned = false;
  bool rhsUnsigned = false;
  /// How many products may be summed with 13 bits of fraction.
  int64_t impreciseTerms = 0;
};

/// lhs * rhs + acc, as tile.dot says.
Value dotOf(const Value &lhs, const Value &rhs, const Value &acc,
            const DotMode &mode);

} // namespace kiln::eval

#endif // KILN_EVAL_KERNEL_H
