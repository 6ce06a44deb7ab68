//===- ConvertFactors.h - Converted factors in memory -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_CONVERTFACTORS_H
#define KILN_LIB_SCHEDULE_CONVERTFACTORS_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Whether an instruction multiplies elements of a type that both are in the
/// memory of a block.
bool hasSharedFactors(target::TargetAttr description, mlir::Type element);

/// Whether a copy of a factor of a product with this precision is rounded to
/// tf32 on the way: matrix instructions, which the machine has for tf32, drop
/// the lower bits.
bool roundsCopies(target::TargetAttr description, mlir::Type element,
                  prim::Precision precision);

/// A tile of f32, or of an element, rounded to the nearest number of tf32, ties
/// away from zero. Infinities, NaN, and finite numbers that would become
/// infinite stay as they are.
mlir::Value roundToTf32(mlir::Value tile, mlir::OpBuilder &b,
                        mlir::Location loc);

/// Launches kernels that convert factors of a product ahead of it, where that
/// takes less time than converting them for every block again. Returns the
/// operations of the group whose results have buffers from then on.
llvm::SmallVector<mlir::Operation *, 2> convertFactors(Group &group,
                                                       prim::DotGeneralOp dot);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_CONVERTFACTORS_H
