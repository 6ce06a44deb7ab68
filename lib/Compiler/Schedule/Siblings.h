//===- Siblings.h - Elementwise groups with several results -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_SIBLINGS_H
#define KILN_LIB_SCHEDULE_SIBLINGS_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Merges neighbours among `dims` (outermost first) of a kernel where all
/// groups, which have the same dimensions and write to these buffers, allow it.
void mergeForAll(KernelBuilder &kernel, llvm::ArrayRef<int> dims,
                 llvm::ArrayRef<std::pair<Group *, Buffer>> groups);

/// Registered as the schedule `generic.siblings`: one kernel that computes
/// blocks of all results, which have one shape.
mlir::LogicalResult scheduleSiblings(prim::FusionOp group,
                                     ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_SIBLINGS_H
