//===- Occupancy.h - Registers, and blocks of a core ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_OCCUPANCY_H
#define KILN_TARGETS_NVIDIA_OCCUPANCY_H

#include "Assembler.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::nvidia {

/// Whether a core has threads and shared memory for two blocks of a kernel, but
/// a few registers too few, so that the assembler may find an allocation for
/// two. `facts` is what the assembler says of the kernel. A second block
/// computes while the first one waits.
bool mayRunTwoBlocks(mlir::LLVM::LLVMFuncOp kernel, const KernelFacts &facts,
                     target::TargetAttr description);

/// Whether registers of a kernel are stored and loaded again although its
/// threads have fewer than they may have: the assembler keeps to few of its own
/// accord where it expects that to hide more waiting. `facts` is what it says.
bool mayHaveMoreRegisters(mlir::LLVM::LLVMFuncOp kernel,
                          const KernelFacts &facts,
                          target::TargetAttr description);

/// PTX in which `entry` has to leave registers for so many blocks of a core
/// (PTX ISA, `.minnctapersm`); as it was where the entry is not found.
std::string withBlocksPerCore(llvm::StringRef ptx, llvm::StringRef entry,
                              int64_t blocks);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_OCCUPANCY_H
