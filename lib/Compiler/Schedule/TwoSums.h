//===- TwoSums.h - Two sums over the same elements --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef KILN_LIB_SCHEDULE_TWOSUMS_H
#define KILN_LIB_SCHEDULE_TWOSUMS_H

#include "kiln/Schedule/Schedules.h"

namespace kiln::schedule {

/// Registered as `generic.two_sums`: groups with two results, each of which
/// is computed from a sum over the same dimensions. Kernels read what both sums
/// read once.
mlir::LogicalResult scheduleTwoSums(prim::FusionOp group, ScheduleContext &ctx);

} // namespace kiln::schedule

#endif // KILN_LIB_SCHEDULE_TWOSUMS_H
