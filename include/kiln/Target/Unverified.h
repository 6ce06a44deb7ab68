//===- Unverified.h - Asynchronous code that is not verified ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_UNVERIFIED_H
#define KILN_TARGET_UNVERIFIED_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace kiln::target {

/// What the message of such an error begins with.
inline constexpr llvm::StringLiteral kUnverified = "unverified: ";
/// On a function that a verifier of asynchronous code does not pass (unit).
inline constexpr llvm::StringLiteral kUnverifiedAttr = "kiln.unverified";

/// Begins the error `unverified: '<name of op>' …` at `op`: asynchronous code
/// whose waits, fences or barriers do not order what it does. Marks `function`,
/// which has the code of one kernel: the driver compiles that kernel once more,
/// with its loops limited to one stage, and hands the error on as a warning. If
/// that fails likewise, the kernel goes to the next target.
inline mlir::InFlightDiagnostic emitUnverified(mlir::Operation *op,
                                               mlir::Operation *function) {
  function->setAttr(kUnverifiedAttr, mlir::UnitAttr::get(op->getContext()));
  return mlir::emitError(op->getLoc())
         << kUnverified << "'" << op->getName() << "' ";
}

} // namespace kiln::target

#endif // KILN_TARGET_UNVERIFIED_H
