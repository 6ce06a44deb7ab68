//===- LateLoads.h - Loads for a second product of a loop -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_AMD_LATELOADS_H
#define KILN_TARGETS_AMD_LATELOADS_H

#include "mlir/IR/Builders.h"

namespace kiln::amd {

/// Whether an address is one of the memory of a workgroup, LDS.
bool isLocal(mlir::Value address);

/// Keeps instructions where they are, but for those of the classes (LLVM's
/// AMDGPU guide, "llvm.amdgcn.sched.barrier").
void addSchedulingFence(mlir::OpBuilder &b, mlir::Location loc, int classes);

/// Moves those of the `loaded` values of the next iteration, at `place`, whose
/// `loads` of this iteration are written to LDS later. They follow that write
/// and take the registers: values of two iterations would need registers for
/// both, and copies between them that wait for the loads.
void postponeLoads(mlir::Block &body, mlir::Operation *place,
                   llvm::ArrayRef<mlir::Operation *> loads,
                   llvm::ArrayRef<mlir::Value> loaded);

} // namespace kiln::amd

#endif // KILN_TARGETS_AMD_LATELOADS_H
