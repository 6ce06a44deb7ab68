//===- Passes.h - Passes below the level of threads -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_PASSES_H
#define KILN_TARGETS_NVIDIA_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace kiln::nvidia {

/// From the code of threads (functions with func, cf, arith, math, index, gpu
/// and llvm operations on scalars) to what `serializeModule` takes.
void buildNvidiaTail(mlir::OpPassManager &pm);

/// `nvidia-lower-simt`: what is left of simt becomes PTX or operations of llvm;
/// kernels get the attributes of a launch.
std::unique_ptr<mlir::Pass> createLowerSimtPass();

/// `nvidia-lower-math`: math operations on scalars of f16, bf16, f32 and f64
/// become arith, those of math that are one intrinsic (fma, floor, ...), and
/// calls of llvm; conversions that need more than one instruction become
/// several. Errors are within docs/numerics.md; the attribute `gpu.numerics`
/// (#tile.numerics) of a function relaxes them. What the chip is comes from the
/// module's `kiln.target`.
std::unique_ptr<mlir::Pass> createLowerMathPass();

/// Creates the pass `nvidia-expand-bessel`: `jn` as `j0`, `j1` and loops.
std::unique_ptr<mlir::Pass> createExpandBesselPass();

/// `nvidia-lower-gpu`: functions of func and llvm whose blocks hold func, cf,
/// arith, index, gpu, llvm and nvvm operations on scalars, and those of math
/// that are one intrinsic, become functions of llvm and nvvm. Indices have 64
/// bits.
std::unique_ptr<mlir::Pass> createLowerGpuPass();

/// When a kernel lets the next kernel of a queue begin: when all of its blocks
/// have begun, when each block has a thread that ends, when all have ended.
enum class LaunchTrigger { begin, end, none };

/// `nvidia-await-launches`: kernels begin before the kernel in front of them in
/// a queue has ended, wait for its end, and get the attribute `gpu.dependent`,
/// where the chip of the module's `kiln.target` has the instructions.
std::unique_ptr<mlir::Pass> createAwaitLaunchesPass(LaunchTrigger trigger);

/// `nvidia-serialize`: prints what `emitModule` and `serializeModule` make of a
/// module.
std::unique_ptr<mlir::Pass> createSerializePass();

/// Registers the passes of this folder and the pipeline `nvidia-tail`.
void registerNvidiaPasses();

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_PASSES_H
