//===- ForeignOperation.h - Operations of plug-ins --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGET_FOREIGNOPERATION_H
#define KILN_TARGET_FOREIGNOPERATION_H

#include "mlir/IR/Operation.h"
#include <string>

namespace kiln::target {

/// The plug-in whose dialect an operation is of; empty: the core's or MLIR's.
std::string pluginOfOperation(mlir::Operation *op);

/// Why a code generator does not take an operation: its name, and for one of a
/// plug-in what its author has to register for `target`.
std::string whyNoLowering(mlir::Operation *op, llvm::StringRef target);

} // namespace kiln::target

#endif // KILN_TARGET_FOREIGNOPERATION_H
