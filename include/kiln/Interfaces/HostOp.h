//===- HostOp.h - Operations that the host does -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_INTERFACES_HOSTOP_H
#define KILN_INTERFACES_HOSTOP_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

namespace kiln {

/// The names of the unit attributes of an operation's definition that it has.
llvm::SmallVector<llvm::StringRef> unitAttributes(mlir::Operation *op);

} // namespace kiln

#include "kiln/Interfaces/HostOp.h.inc"

#endif // KILN_INTERFACES_HOSTOP_H
