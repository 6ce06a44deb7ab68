//===- Serialize.h - From the llvm dialect to ELF bytes ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LLVM_SERIALIZE_H
#define KILN_LLVM_SERIALIZE_H

#include "kiln/Target/Target.h"

namespace kiln::cpu {

/// Registers LLVM's code generators, once. Code that uses their tables has to
/// call it first, because LLVM writes them without a lock.
void initializeBackends();

/// Adds what `serializeKernels` and `emitKernels` need to a registry: before a
/// context uses it, as these may run on several threads. Registering the family
/// does so for every context of the driver.
void registerTranslations(mlir::DialectRegistry &registry);

/// Compiles the functions that `convert-stage-to-cpu` made, for the triple,
/// processor and features of the module's description, into one shared object.
/// Its undefined symbols are libm's and memcpy, memmove, memset at most.
mlir::LogicalResult serializeKernels(mlir::ModuleOp module,
                                     const target::TargetOptions &options,
                                     target::Executable &result);

/// Prints the optimised LLVM IR or the assembly of the module.
mlir::LogicalResult emitKernels(mlir::ModuleOp module, target::EmitKind kind,
                                const target::TargetOptions &options,
                                llvm::raw_ostream &os);

} // namespace kiln::cpu

#endif // KILN_LLVM_SERIALIZE_H
