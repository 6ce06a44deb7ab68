//===- Passes.h - Passes below the level of threads -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_PASSES_H
#define KILN_TARGETS_AMD_PASSES_H

#include "kiln/Target/TargetRegistry.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace kiln::amd {

/// From the code of threads to what `serializeModule` takes.
void buildAmdTail(mlir::OpPassManager &pm,
                  const target::TargetOptions &options);

/// `amd-recode-factors`: large products of 8-bit floats take copies of factors
/// that the chip has no matrix instruction for: of f8E4M3FN on CDNA3 as
/// f8E4M3FNUZ, else in the wider type that they are multiplied in. On CDNA3 the
/// bytes of a copy lie along the sum.
std::unique_ptr<mlir::Pass> createRecodeFactorsPass();

/// `amd-skip-idle-waves`: in a kernel that only loads, computes and stores,
/// threads whose stores are all masked branch around everything.
std::unique_ptr<mlir::Pass> createSkipIdleWavesPass();

/// `amd-cut-factors`: tiles that matrix instructions for xf32 multiply lose the
/// bits that tf32 has not, before waves exchange them.
std::unique_ptr<mlir::Pass> createCutFactorsPass();

/// `amd-narrow-counters`: loops with matrix instructions and small bounds count
/// in 32 bits.
std::unique_ptr<mlir::Pass> createNarrowCountersPass();

/// `amd-load-ahead`: loads of loops with matrix instructions are issued one
/// iteration ahead, and their results carried by the loop, where their
/// addresses need no memory and the loop writes none but that of the workgroup.
std::unique_ptr<mlir::Pass> createLoadAheadPass();

/// On a loop that runs at least once and whose last trips follow as code.
constexpr llvm::StringLiteral kPeeled = "peeled";

/// `amd-peel-trips`: where only the last iterations of a loop with matrix
/// instructions need the masks of its loads, these follow as code of their own,
/// and the loop has none.
std::unique_ptr<mlir::Pass> createPeelTripsPass();

/// `amd-ping-pong`: in kernels of two waves for each SIMD, whose loops copy to
/// LDS past registers and multiply, one half of the waves reads LDS while the
/// other one multiplies.
std::unique_ptr<mlir::Pass> createPingPongPass();

/// `amd-lower-copies`: copies into LDS become loads without a result; waits for
/// them, and barriers in functions with some, become waits for counters.
std::unique_ptr<mlir::Pass> createLowerCopiesPass();

/// `amd-lower-accesses`: loads and stores that carry an extent which is known
/// and below 2^31 bytes become accesses to raw buffers, without branches where
/// they have a mask.
std::unique_ptr<mlir::Pass> createLowerAccessesPass();

/// `amd-schedule-products`: in loops with matrix instructions, waves have a
/// higher priority while they multiply (`priorities`), and reads of LDS an
/// order among the matrix instructions (`groups`). `waves` is the most waves of
/// a SIMD that registers are shared out among, 0 for what the back end chooses.
std::unique_ptr<mlir::Pass> createScheduleProductsPass(bool priorities = true,
                                                       bool groups = true,
                                                       int64_t waves = 0);

/// `amd-lower-simt`: matrix instructions, wave barriers, output and assembly of
/// the simt dialect become intrinsics; scopes of atomics get the names of
/// LLVM's AMDGPU back end; kernels get the attributes of a launch, and LDS of
/// their own.
std::unique_ptr<mlir::Pass> createLowerSimtPass();

/// `amd-rotate-loops`: loops whose last trips follow test behind their bodies.
std::unique_ptr<mlir::Pass> createRotateLoopsPass();

/// `amd-lower-math`: math operations on scalars that the back end has no
/// accurate code for become arith, math that is one intrinsic, or calls of the
/// device library (`__ocml_*`). Errors are within docs/numerics.md.
std::unique_ptr<mlir::Pass> createLowerMathPass();

/// `amd-lower-gpu`: func, cf, arith, math, index and gpu operations on scalars
/// become operations of llvm and rocdl. Indices have 64 bits.
std::unique_ptr<mlir::Pass> createLowerGpuPass();

/// Registers the passes of this folder and the pipeline `amd-tail`.
void registerAmdPasses();

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_PASSES_H
