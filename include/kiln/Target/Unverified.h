//===- Unverified.h - Asynchronous code that is not verified ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_UNVERIFIED_H
#define KILN_TARGET_UNVERIFIED_H

#include "kiln/Dialect/Kiln/Report.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace kiln::target {

/// The beginning of the message of a failed verification of asynchronous code.
inline constexpr llvm::StringLiteral kUnverified = "unverified: ";

/// Begins an error at `op` whose text starts with `kUnverified` and the name of
/// the operation: waits, fences or barriers do not order asynchronous accesses.
/// The report records `function`, which has the code of one kernel. The driver
/// then compiles that kernel once more, with its loops limited to one stage,
/// and prints the error as a warning. If that fails in the same way, the kernel
/// goes to the next target.
inline mlir::InFlightDiagnostic emitUnverified(mlir::Operation *op,
                                               mlir::Operation *function) {
  Report::of(op->getContext()).refusedAsync(function);
  return mlir::emitError(op->getLoc())
         << kUnverified << "'" << op->getName() << "' ";
}

} // namespace kiln::target

#endif // KILN_TARGET_UNVERIFIED_H
