//===- Cost.h - What an operation costs -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_COST_H
#define KILN_INTERFACES_COST_H

#include "kiln/Interfaces/Accumulation.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir {
class MLIRContext;
} // namespace mlir

#include "kiln/Interfaces/Cost.h.inc"

namespace kiln {

/// Simple instructions per element of the result, operands not counted: by the
/// interface; 1 for elementwise operations without it, 0 for others, which only
/// move elements.
double getElementOperations(mlir::Operation *op);

/// Gives the operations of arith and math whose cost is not that of an addition
/// their models. Called where a dialect that uses them is loaded.
void attachUpstreamModels(mlir::MLIRContext *context);

} // namespace kiln

#endif // KILN_INTERFACES_COST_H
