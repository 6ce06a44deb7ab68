// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running kernels at evaluation.
#ifndef KILN_EVAL_KERNEL_H
#define KILN_EVAL_KERNEL_H

#include "kiln/Eval/Evaluator.h"

namespace kiln::eval {

/// Runs all instances of a kernel, of a grid, on arguments.
using LaunchFn = std::function<mlir::LogicalResult(
    Evaluator &, mlir::Operation *kernel, std::array<int64_t, 3> grid,
    llvm::ArrayRef<Value> args, mlir::Location caller)>;

/// Which operations of a dialect are kernels, and how launches run them.
class LaunchInterface : public mlir::DialectInterface::Base<LaunchInterface> {
public:
  explicit LaunchInterface(mlir::Dialect *dialect) : Base(dialect) {}

  template <typename OpTy> void add(LaunchFn fn) {
    table[mlir::TypeID::get<OpTy>()] = std::move(fn);
  }
  /// The function of an operation, or null.
  const LaunchFn *lookup(mlir::OperationName name) const;

private:
  llvm::DenseMap<mlir::TypeID, LaunchFn> table;
};

/// Runs all instances of a kernel: a `tile.kernel`, or an `llvm.func` of one
/// thread with `simt.threads`. `args` are views (rank 0 for pointers) and
/// scalars. Checks every access; instances of a kernel with `progress =
/// concurrent` (`simt.cooperative`) take turns, those of others run one after
/// another.
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
