//===- Passes.h - Passes on host programs -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_PROGRAM_PASSES_H
#define KILN_TRANSFORMS_PROGRAM_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace kiln::program {

class FuncOp;

#define GEN_PASS_DECL
#include "kiln/Transforms/Program/Passes.h.inc"

/// Registers the passes above.
void registerProgramPasses();

} // namespace kiln::program

#endif // KILN_TRANSFORMS_PROGRAM_PASSES_H
