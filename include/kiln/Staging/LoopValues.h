//===- LoopValues.h - Where an iteration's values come from -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_STAGING_LOOPVALUES_H
#define KILN_STAGING_LOOPVALUES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace kiln::staging {

/// The operation in the body of a loop that a value comes from: in the same
/// iteration, or, if the loop carries it, in one before. Null for what comes
/// from outside, and for the loop's counter.
mlir::Operation *definitionIn(mlir::scf::ForOp loop, mlir::Value value);

} // namespace kiln::staging

#endif // KILN_STAGING_LOOPVALUES_H
