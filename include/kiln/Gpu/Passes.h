//===- Passes.h - Passes and pipeline of the gpu family ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_GPU_PASSES_H
#define KILN_GPU_PASSES_H

#include "kiln/Dialect/Kiln/Description.h"
#include "kiln/Dialect/Simt/SimtDialect.h"
#include "kiln/Target/TargetOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace kiln::target {
class TargetRegistry;
} // namespace kiln::target

namespace kiln::simt {

#define GEN_PASS_DECL
#include "kiln/Gpu/Passes.h.inc"

/// From tile kernels to functions of one thread, with the extension points
/// `NAME.tile`, `NAME.layout` and `NAME.thread` of the target called NAME. What
/// follows is the target's: simt operations, scf, arith, math, gpu. `lanes`:
/// the threads of a warp of the target, a power of two; 0: those of its
/// description.
void buildGpuPipeline(mlir::OpPassManager &pm,
                      const target::TargetOptions &options, int64_t lanes = 0);

/// Registers the passes and the pipeline `gpu-pipeline`.
void registerGpuPasses();

/// Registers the family `gpu`: its dialect.
void registerGpuFamily(target::TargetRegistry &registry);

} // namespace kiln::simt

#endif // KILN_GPU_PASSES_H
