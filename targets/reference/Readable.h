// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the device can read of a module. Private to this folder.
#ifndef KILN_TARGETS_REFERENCE_READABLE_H
#define KILN_TARGETS_REFERENCE_READABLE_H

#include "mlir/IR/BuiltinOps.h"

namespace kiln::reference {

/// The device knows only the dialects that it evaluates: removes attributes and
/// debug information of others, and reports operations and types of others.
llvm::LogicalResult makeReadable(mlir::ModuleOp module);

} // namespace kiln::reference

#endif // KILN_TARGETS_REFERENCE_READABLE_H
