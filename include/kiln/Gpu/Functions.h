//===- Functions.h - Functions of C that threads compute --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_GPU_FUNCTIONS_H
#define KILN_GPU_FUNCTIONS_H

#include "mlir/IR/Builders.h"

namespace kiln::simt {

/// Writes the Bessel function of the first kind of any order: C's `jn` of an
/// i32 and an f32 or f64. It calls `j0` and `j1` of f64 by
/// `tile.call_extern`, and computes a recurrence over the orders in loops of
/// `scf`. For targets whose library errs by more than docs/numerics.md allows.
mlir::Value writeBesselJ(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value order, mlir::Value argument);

} // namespace kiln::simt

#endif // KILN_GPU_FUNCTIONS_H
