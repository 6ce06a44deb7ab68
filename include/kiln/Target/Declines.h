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

/// Moves the declines of an operation from the report to the operation
/// (kDeclinedEntry), behind those that are there.
void keepDeclines(mlir::Operation *op);

/// Records the declines that an operation carries, for the row that is added
/// next.
void restoreDeclines(mlir::Operation *op);

/// Whether an operation carries a decline of that name.
bool hasDeclined(mlir::Operation *op, llvm::StringRef name);

} // namespace kiln::target

#endif // KILN_TARGET_DECLINES_H
