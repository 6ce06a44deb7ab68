//===- Passes.h - Passes and pipeline of the cpu family ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_CPU_PASSES_H
#define KILN_CPU_PASSES_H

#include "kiln/Dialect/Cpu/CpuDialect.h"
#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Target/TargetOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace kiln::cpu {

#define GEN_PASS_DECL
#include "kiln/Cpu/Passes.h.inc"

/// `convert-stage-to-cpu`: every tile.kernel of a module, at the stage level
/// and with places for its storage, becomes a function of the host entry shape
/// (kiln-c/Kernel.h) made of func, scf, arith, math, vector, llvm and cpu
/// operations. What the chip is comes from the module's
/// `kiln.target`.
std::unique_ptr<mlir::Pass> createConvertStageToCpuPass();

/// `convert-cpu-to-llvm`: that form becomes the llvm dialect, in one
/// conversion.
std::unique_ptr<mlir::Pass> createConvertCpuToLLVMPass();

/// From tile kernels to the llvm dialect, with the extension points
/// `NAME.tile`, `NAME.vector` and `NAME.llvm` of the target called NAME.
void buildCpuPipeline(mlir::OpPassManager &pm,
                      const target::TargetOptions &options);

/// Registers the passes and the pipeline `cpu-pipeline`.
void registerCpuPasses();

} // namespace kiln::cpu

#endif // KILN_CPU_PASSES_H
