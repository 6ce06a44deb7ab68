//===- LaunchRanges.h - What a kernel's condition says ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CODEGEN_GPU_LAUNCHRANGES_H
#define KILN_LIB_CODEGEN_GPU_LAUNCHRANGES_H

#include "kiln/Dialect/Tile/KernelOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace kiln::simt {

/// Annotates integer parameters of the function of a kernel with the ranges
/// (`llvm.range`) that they have in launches that meet the kernel's condition.
void annotateRanges(tile::KernelOp kernel, mlir::LLVM::LLVMFuncOp function);

} // namespace kiln::simt

#endif // KILN_LIB_CODEGEN_GPU_LAUNCHRANGES_H
