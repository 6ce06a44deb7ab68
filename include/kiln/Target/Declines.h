//===- Declines.h - Reasons that stay with an operation ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report knows declines by the address of their operation. Where passes
// that clone or replace operations come before the row is added, the operation
// carries them instead.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_DECLINES_H
#define KILN_TARGET_DECLINES_H

#include "mlir/IR/Operation.h"

namespace kiln::target {

/// On an operation: pairs of strings, what refused it and why.
inline constexpr llvm::StringLiteral kDeclinedAttr = "kiln.declined";

/// Moves the declines of an operation from the report to its attribute, behind
/// those that are there.
void keepDeclines(mlir::Operation *op);

/// Records the declines of the attribute, for the row that is added next.
void restoreDeclines(mlir::Operation *op);

/// Whether the attribute has a decline of that name.
bool hasDeclined(mlir::Operation *op, llvm::StringRef name);

} // namespace kiln::target

#endif // KILN_TARGET_DECLINES_H
