//===- LowerScalars.h - One operation of a thread at a time -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_TARGETS_NVIDIA_LOWERSCALARS_H
#define KILN_TARGETS_NVIDIA_LOWERSCALARS_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln::nvidia {

/// Puts operations of llvm and nvvm in front of `op` and lets them have its
/// uses; whoever calls it erases `op`. Values have types of LLVM already
/// (`lowered`). Reports what it cannot do.
using ScalarLowering = mlir::LogicalResult (*)(mlir::Operation *op,
                                               mlir::OpBuilder &b);

/// Lowerings by the TypeID of the operation. A table and one walk in order of
/// the program, not patterns: unrolled code has tens of thousands of
/// operations, and a dialect conversion takes 11 us for each.
using ScalarTable = llvm::DenseMap<mlir::TypeID, ScalarLowering>;

/// arith, index, and those operations of math that are one instruction or
/// intrinsic.
void addArithLowerings(ScalarTable &table);
/// cf and func, inside of functions.
void addControlLowerings(ScalarTable &table);
/// Numbers of threads, shuffles and barriers.
void addGpuLowerings(ScalarTable &table);

/// The type that stands for `type` in the llvm dialect: i64 for index, the bits
/// for floats of 8 bits and less; null where there is none.
mlir::Type lowered(mlir::Type type);

/// Returns whether the numerics mode of a kernel flushes subnormal floats
/// (`gpu.numerics`).
bool flushesSubnormals(mlir::Operation *function);

} // namespace kiln::nvidia

#endif // KILN_TARGETS_NVIDIA_LOWERSCALARS_H
