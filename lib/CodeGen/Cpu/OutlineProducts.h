//===- OutlineProducts.h - Functions of whole products ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_CPU_OUTLINEPRODUCTS_H
#define KILN_LIB_CPU_OUTLINEPRODUCTS_H

#include "kiln/Dialect/Cpu/CpuDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace kiln::cpu {

/// Moves what stands between each `cpu.acquire` and its `cpu.release` into a
/// function, and has it called by another one, where the instruction exists in
/// a mode of the processor that this one enters
/// (`MatrixInstruction::entryAttributes`). Fails after an error.
mlir::LogicalResult outlineProducts(mlir::ModuleOp module);

/// Keeps a function out of line, with attributes of LLVM.
void setAttributes(mlir::func::FuncOp function,
                   llvm::ArrayRef<std::string> attributes);

} // namespace kiln::cpu

#endif // KILN_LIB_CPU_OUTLINEPRODUCTS_H
