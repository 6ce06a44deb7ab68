//===- Composite.h - Operations that others define --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_COMPOSITE_H
#define KILN_INTERFACES_COMPOSITE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "kiln/Interfaces/Composite.h.inc"

namespace kiln {

/// Replaces an operation by what computes it, and erases it. Reports an error
/// at the operation if that has other results.
llvm::LogicalResult expandComposite(CompositeOpInterface op);

} // namespace kiln

#endif // KILN_INTERFACES_COMPOSITE_H
