//===- Libdevice.h - CUDA's library of functions ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_LIBDEVICE_H
#define KILN_TARGETS_NVIDIA_LIBDEVICE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"

namespace kiln::nvidia {

/// Gives `code`, the translation of `module`, the functions `__nv_...` that it
/// calls, to be inlined: those of libdevice.10.bc of the CUDA toolkit that
/// CUDA_HOME or CUDA_PATH names, that `assembler` belongs to, or that lies in
/// its usual place. An error at the first call where there is none.
mlir::LogicalResult linkLibdevice(mlir::ModuleOp module, llvm::Module &code,
                                  llvm::StringRef assembler);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_LIBDEVICE_H
