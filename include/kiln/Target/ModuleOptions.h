//===- ModuleOptions.h - Options of a module's target -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module may carry the target specification that it is compiled for
// (kSpecAttr), with options that passes ask for. A kernel in it carries one of
// its own if it is for another target.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_MODULEOPTIONS_H
#define KILN_TARGET_MODULEOPTIONS_H

#include "kiln/Target/TargetOptions.h"
#include "mlir/IR/BuiltinOps.h"

namespace kiln::target {

/// Returns the options of the specification that an operation, or the nearest
/// one around it, carries. Nothing if there is none, or if it cannot be parsed.
std::optional<TargetOptions> findModuleOptions(mlir::Operation *op);

/// Returns these options, those by default without a specification. Emits an
/// error if it cannot be parsed.
mlir::FailureOr<TargetOptions> readModuleOptions(mlir::ModuleOp module);

} // namespace kiln::target

#endif // KILN_TARGET_MODULEOPTIONS_H
