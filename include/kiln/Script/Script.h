//===- Script.h - Schedule scripts ------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule script overrides decisions of the compiler from a file: a module
// of MLIR's transform dialect, whose operations `transform.kiln.*` are defined
// here.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SCRIPT_SCRIPT_H
#define KILN_SCRIPT_SCRIPT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace kiln::script {

#define GEN_PASS_DECL
#include "kiln/Script/Passes.h.inc"

/// Registers the operations of scripts as an extension of the transform
/// dialect, with upstream's operations on loops.
void registerScriptOps(mlir::DialectRegistry &registry);

/// Registers the pass of this header.
void registerScriptPasses();

} // namespace kiln::script

#endif // KILN_SCRIPT_SCRIPT_H
