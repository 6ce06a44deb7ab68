//===- Passes.h - Passes on host programs -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_DIALECT_PROGRAM_PASSES_H
#define KILN_DIALECT_PROGRAM_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace kiln::program {

class FuncOp;

#define GEN_PASS_DECL
#include "kiln/Dialect/Program/Passes.h.inc"

/// Registers the passes above.
void registerProgramPasses();

} // namespace kiln::program

#endif // KILN_DIALECT_PROGRAM_PASSES_H
