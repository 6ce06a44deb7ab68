//===- Serialize.h - From the llvm dialect to cubins ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_SERIALIZE_H
#define KILN_TARGETS_NVIDIA_SERIALIZE_H

#include "kiln/Target/Target.h"

namespace kiln::nvidia {

/// Adds what `serializeModule` and `emitModule` translate to a registry.
void registerTranslations(mlir::DialectRegistry &registry);

/// Compiles the `llvm.func` operations with `nvvm.kernel` for the module's
/// description into one module of the device driver: a sealed cubin, or PTX
/// where there is no assembler. Of each kernel these attributes count beside
/// those of the dialect nvvm:
///
/// - `nvvm.reqntid`: threads of an instance (required);
/// - `nvvm.cluster_dim`: instances of a cluster;
/// - `gpu.shared_bytes`: dynamic shared memory of an instance, an integer;
/// - `gpu.cooperative`: all instances are there at once;
/// - `gpu.dependent`: the code waits for the end of the kernel in front of it,
///   so that it may begin earlier;
/// - `gpu.persistent`: instances loop over points of the grid, so that the
///   driver starts no more than the device runs at once.
///
/// What the assembler finds (registers, spills, ...) becomes notes of the
/// kernel, and a warning where it costs speed.
mlir::LogicalResult serializeModule(mlir::ModuleOp module,
                                    const target::TargetOptions &options,
                                    target::Executable &result);

/// Prints the optimised LLVM IR, or PTX.
mlir::LogicalResult emitModule(mlir::ModuleOp module, target::EmitKind kind,
                               const target::TargetOptions &options,
                               llvm::raw_ostream &os);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_SERIALIZE_H
