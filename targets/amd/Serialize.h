//===- Serialize.h - From the llvm dialect to code objects ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_SERIALIZE_H
#define KILN_TARGETS_AMD_SERIALIZE_H

#include "kiln/Target/Target.h"

namespace kiln::amd {

/// Adds what `serializeModule` and `emitModule` translate to a registry.
void registerTranslations(mlir::DialectRegistry &registry);

/// Compiles the `llvm.func` operations with `rocdl.kernel` for the chip of the
/// module's description into one code object (an ELF shared object, version 5).
/// What it says of registers, LDS and scratch becomes notes of the kernels, and
/// a warning where registers are spilled to scratch.
mlir::LogicalResult serializeModule(mlir::ModuleOp module,
                                    const target::TargetOptions &options,
                                    target::Executable &result);

/// Prints the optimised LLVM IR, or assembly.
mlir::LogicalResult emitModule(mlir::ModuleOp module, target::EmitKind kind,
                               const target::TargetOptions &options,
                               llvm::raw_ostream &os);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_SERIALIZE_H
