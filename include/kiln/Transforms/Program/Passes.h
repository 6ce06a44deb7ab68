//===- Passes.h - Passes on host programs -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TRANSFORMS_PROGRAM_PASSES_H
#define KILN_TRANSFORMS_PROGRAM_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace kiln::program {

class FuncOp;

/// String attribute of a tile kernel: the device that it runs on, where that is
/// not the main device of the program.
inline constexpr llvm::StringLiteral kDeviceAttr = "kiln.device";

#define GEN_PASS_DECL
#include "kiln/Transforms/Program/Passes.h.inc"

/// Registers the passes above.
void registerProgramPasses();

} // namespace kiln::program

#endif // KILN_TRANSFORMS_PROGRAM_PASSES_H
