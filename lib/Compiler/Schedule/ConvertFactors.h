//===- ConvertFactors.h - Converted factors in memory -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_CONVERTFACTORS_H
#define KILN_LIB_SCHEDULE_CONVERTFACTORS_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Whether an instruction multiplies elements of a type that both are in the
/// memory of a block.
bool hasSharedFactors(target::TargetAttr description, mlir::Type element);

/// Launches kernels that convert factors of a product ahead of it, where that
/// takes less time than converting them for every block again. Returns the
/// operations of the group whose results have buffers from then on.
llvm::SmallVector<mlir::Operation *, 2> convertFactors(Group &group,
                                                       prim::DotGeneralOp dot);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_CONVERTFACTORS_H
